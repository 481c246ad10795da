"""Fixes that are not to be made, what is said in odd cases, and where a problem is said to be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from pipeline.core.checks.engine import (
    blocking_problem,
    fix_entry,
    run_checks,
    without_redundant_guard_problems,
)
from pipeline.core.checks.fixes import spans_of
from pipeline.core.checks.markup.blocks import find_other_block
from pipeline.core.checks.markup.emphasis import find_unrendered
from pipeline.core.checks.meaning.misplaced import find_shifted
from pipeline.core.checks.model import (
    Check,
    MessageContext,
    Problem,
    Subject,
    read_place,
)
from pipeline.core.checks.table import ATOMS, CONTENT, MARKUP, TYPOGRAPHY
from pipeline.core.checks.typography.edits import loose_marks
from pipeline.core.document.message import Kind, Markup
from pipeline.core.document.splice import Edit
from pipeline.entries import Entry
from pipeline.findings import Severity

CHECKS: dict[str, Check] = {
    check.code: check
    for check in (
        *MARKUP,
        *ATOMS,
        *CONTENT,
        *TYPOGRAPHY,
    )
}


def subject(
    msgid: str, msgstr: str, place: str = "paragraph", page: str = "guide"
) -> Subject:
    return Subject(Entry(msgid=msgid, msgstr=msgstr, notes=(f"{place} · Title",)), page)


def told(code: str, one: Subject) -> Problem:
    (problem,) = CHECKS[code].look(one)
    return problem


@pytest.mark.parametrize(
    ("code", "place", "msgid", "msgstr"),
    [
        # Nothing stands there to be mended.
        ("M101", "paragraph (reST)", "1) Kettle", "水壶"),
        ("M102", "list item", "**a** *b*", "__ **__"),  # another block would begin
        (
            "M102",
            "directive title (reST)",
            "＊the**...（",
            "＊th&lt;e*``a.b``_`t`*...（",
        ),
        (
            "M102",
            "paragraph (reST)",
            "**a**",
            "***，，__ ``\\ ***",
        ),  # less would be bold
        ("M102", "heading (reST)", "**a**", "甲**，\\ **"),  # stars would still show
        ("M102", "paragraph", "**Note:** no", "**注意：**不要*做"),  # so would one here
        (
            "M102",
            "paragraph",
            "**a** *b*",
            "** *`f`**",
        ),  # less would show than is meant
        ("M403", "paragraph (reST)", "a", "a| ，|"),  # |，| would be a substitution
        ("M110", "list item (reST)", "**a**", "\\甲_ ＊＊"),  # a reference would come
    ],
)
def test_what_would_spoil_something_else_is_not_mended(
    code: str, place: str, msgid: str, msgstr: str
) -> None:
    assert told(code, subject(msgid, msgstr, place)).fix is None


@pytest.mark.parametrize(
    ("msgid", "msgstr"),
    [
        ("，。**", "* **（**a`乙__"),  # as marks of emphasis they cannot be mended
        ("**a**", "*"),  # they can, but are not those of the English
    ],
)
def test_marks_at_the_start_that_are_no_emphasis_are_escaped(
    msgid: str, msgstr: str
) -> None:
    assert told("M101", subject(msgid, msgstr)).fix == f"\\{msgstr}"


def test_code_that_begins_or_ends_bold_leaves_no_empty_stars() -> None:
    first = subject(
        "Call ``boil`` **twice**.", "请**``boil`` 两次**。", "paragraph (reST)"
    )
    assert told("M105", first).fix == "请``boil`` **两次**。"
    last = subject(
        "Call **twice** ``boil``.", "请**两次 ``boil``**。", "paragraph (reST)"
    )
    assert told("M105", last).fix == "请**两次** ``boil``。"


def test_long_atoms_and_words_are_cut_short() -> None:
    code = "kettle." * 20
    assert (
        told("M201", subject(f"Call `{code}`.", "调用它。")).text
        == f"lacks `{code[:60]}…`"
    )
    words = "**" + "很烫" * 40 + "：**的水壶"
    assert f"“{words[:60]}…”" in told("M102", subject("**Hot:** kettle", words)).text


def test_code_that_is_bold_in_both_texts_has_not_moved() -> None:
    one = subject("**`body` `lid`** of it", "它的 **`body`** 和 `lid`")
    assert told("M103", one).text.startswith("“lid” is not bold")


def test_two_pieces_of_code_that_cannot_be_told_apart_are_not_told_as_such() -> None:
    one = subject("1.：`a.b``__\\func`f`", "1*.：`a.b``__func`f`")
    assert [
        problem
        for problem in CHECKS["M201"].look(one)
        if "run together" in problem.text
    ] == []


def test_a_reference_with_other_words_is_shown_as_the_english_has_its_name() -> None:
    msgid, msgstr = "See `the page <Kettle care_>`_ now.", "现在请看 Kettle care。"
    problem = told("M104", subject(msgid, msgstr, "paragraph (reST)"))
    assert problem.hint == "Write it as `… <Kettle care_>`_, with a space before <."


def test_the_first_of_two_twins_is_told_if_only_the_second_fits() -> None:
    page = [
        subject("Call `boil` and `pour` with `kettle`.", "水壶很烫。"),
        subject("The kettle is hot.", "水壶很烫。"),
    ]
    assert [problem.index for problem in find_shifted(page)] == [0]


def test_only_errors_that_nobody_silences_keep_a_message_from_being_built() -> None:
    broken = subject("Use `lid`.", "使用盖子。")
    error = blocking_problem(broken)
    assert error is not None
    assert (error.code, error.severity) == ("M201", Severity.ERROR)
    assert blocking_problem(broken, ("M201",)) is None
    silenced = Entry(
        msgid="Use `lid`.",
        msgstr="使用盖子。",
        comments=("pipeline: ignore=M201 a word",),
    )
    assert blocking_problem(Subject(silenced)) is None
    spaced = subject("Use `lid  on`.", "使用 `lid on`。")
    assert told("M201", spaced).severity is Severity.WARNING
    assert blocking_problem(spaced) is None


@pytest.mark.parametrize(
    ("msgid", "msgstr", "code"),
    [
        ("It costs \\$5 or \\$6.", "价格是$5或$6。", "M106"),
        ("Let $x$ be.", "令它存在。", "M203"),
        ("Call {func}`boil`.", "请调用。", "M205"),
    ],
)
def test_no_comment_silences_what_is_for_safety(
    msgid: str, msgstr: str, code: str
) -> None:
    entry = Entry(msgid=msgid, msgstr=msgstr, comments=(f"pipeline: ignore={code} so",))
    problem = blocking_problem(Subject(entry))
    assert problem is not None
    assert problem.code == code
    assert blocking_problem(Subject(entry), (code,)) is None


def test_a_problem_across_pages_says_on_which_page_it_is() -> None:
    pages = {
        "a.po": [subject("Steam", "蒸汽"), subject("Spout", "壶嘴")],
        "b.po": [subject("Kettle", "水壶"), subject("Spout", "壶口")],
    }
    (problem,) = [problem for problem in run_checks(pages) if problem.code == "M503"]
    assert (problem.page, problem.index) == ("b.po", 1)


@pytest.mark.parametrize(
    ("notes", "place"),
    [
        (
            ("list item · Tea › Green",),
            MessageContext(kind=Kind.LIST_ITEM, section="Tea › Green"),
        ),
        (("paragraph (reST)",), MessageContext(markup=Markup.RST)),
        (
            ("quote (reST) · A · B", "fuzzy: …"),
            MessageContext(kind=Kind.QUOTE, markup=Markup.RST, section="A · B"),
        ),
        (("a note of another tool",), MessageContext()),
        ((), MessageContext()),
    ],
)
def test_the_place_of_a_message_is_read_from_its_first_note(
    notes: tuple[str, ...], place: MessageContext
) -> None:
    assert read_place(Entry(msgid="Kettle", notes=notes)) == place


def test_bare_code_is_not_marked_if_a_target_has_the_same_words() -> None:
    lost = told(
        "M201",
        subject("Call `a.b` as [here](a.b).", "调用 a.b，见[这里](a.b)。"),
    )
    assert lost.text == "lacks `a.b`"
    assert not lost.spans
    assert lost.fix is None


def test_the_guard_is_not_heard_about_what_a_check_explains() -> None:
    # The guard refuses the new target; the check also says which one was meant.
    changed = subject("See [the guide](a.md).", "见[指南](b.md)。")
    problems = run_checks({"guide": [changed]})
    assert {problem.code for problem in problems} == {"G104", "M204"}
    assert [problem.code for problem in without_redundant_guard_problems(problems)] == [
        "M204"
    ]


def check_of(*fixes: tuple[str, str]) -> Check:
    """A check that always has a fix: each of ``fixes`` puts the second for the first."""

    def find(one: Subject) -> Iterator[Problem]:
        for before, after in fixes:
            if before in one.msgstr:
                fix = one.msgstr.replace(before, after)
                yield Problem(text="told", hint="Do it.", fix=fix)
                return

    return replace(CHECKS["M402"], find=find)


def test_fixes_that_chase_each_other_are_not_made() -> None:
    chase = check_of(("水 壶", "水壶"), ("水壶", "水 壶"))
    assert fix_entry(subject("Kettle", "水 壶"), [chase]) == "水 壶"
    ends = check_of(("水 壶", "水壶"))
    assert fix_entry(subject("Kettle", "水 壶"), [ends]) == "水壶"


def test_what_a_comment_silences_is_not_mended() -> None:
    plain = subject("Kettle: use JAX", "水壶：用JAX")
    assert fix_entry(plain) == "水壶：用 JAX"
    comments = ("pipeline: ignore=M305, M401 the name of a brand",)
    entry = replace(plain.entry, comments=comments)
    assert fix_entry(replace(plain, entry=entry)) == "水壶：用JAX"


def test_a_fix_that_changes_a_word_is_not_made() -> None:
    other = check_of(("水壶", "茶壶"))
    assert fix_entry(subject("Kettle", "水壶"), [other]) == "水壶"
    # The words are the same here, but one of them would not be seen.
    hidden = check_of(("（甲乙）", "<!-- 甲乙 -->"))
    assert fix_entry(subject("Use `a`", "用（甲乙）"), [hidden]) == "用（甲乙）"


def test_a_block_is_called_by_what_it_has_become() -> None:
    (problem,) = find_other_block(subject("Words.", "甲\n- 乙"))
    assert problem.text == "the paragraph becomes a list"


def test_a_pair_beside_one_that_shows_gets_its_own_hint() -> None:
    found = find_unrendered(
        subject("**a** and **b**", "**好** 和 ** 词 **", place="paragraph (reST)")
    )
    hint = "Delete the space between the stars and the words."
    assert [problem.hint for problem in found] == [hint]


def test_space_at_the_edges_of_a_text_is_not_loose() -> None:
    assert list(loose_marks("（甲） ")) == list(loose_marks(" ，甲")) == []
    assert list(loose_marks("甲 ，乙")) == [Edit(1, 2, "")]


def rewriting(change: Callable[[str], str]) -> Check:
    """A check that always finds something, and offers a change for it."""
    return Check(
        code="M999",
        name="anything",
        severity=Severity.WARNING,
        find=lambda subject: [
            Problem(text="is not right", hint="Change it.", fix=change(subject.msgstr))
        ],
    )


def test_what_is_not_in_a_translation_has_no_place_there() -> None:
    assert spans_of("用 `f` 和 `f`", "", "`g`", "`f`") == ((2, 5),)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("灯", "台灯"),  # another word
        lambda text: text.replace("`on`", "on"),  # the same words, but code no more
        lambda text: text.replace("**", "** "),  # the same words, but bold no more
        lambda text: f"{text} ",  # never comes to an end
    ],
)
def test_a_mend_that_would_harm_is_not_made(change: Callable[[str], str]) -> None:
    lamp = Subject(
        Entry(msgid="**A lamp** that is `on`.", msgstr="一盏**灯**是 `on`。")
    )
    assert change(lamp.msgstr) != lamp.msgstr
    assert fix_entry(lamp, [rewriting(change)]) == lamp.msgstr


def test_a_mend_must_not_hide_words_that_readers_see() -> None:
    lamp = Subject(Entry(msgid="A lamp (on).", msgstr="一盏灯（on）。"))
    hiding = rewriting(lambda text: text.replace("灯（on）", "[灯](on)"))
    assert fix_entry(lamp, [hiding]) == lamp.msgstr


def test_a_mend_may_turn_a_visible_target_into_a_link_again() -> None:
    guide = Subject(Entry(msgid="See [the guide](a.md).", msgstr="见[指南] (a.md)。"))
    assert fix_entry(guide) == "见[指南](a.md)。"
