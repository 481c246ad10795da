"""Fixes that are not to be made, what is said in odd cases, and where a problem is said to be."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from check_tables import TABLES, checks_by_code, problems, subject, subjects
from msgspec.structs import replace

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
from pipeline.core.checks.model import Check, Problem, Subject
from pipeline.core.checks.table import ATOMS, MARKUP
from pipeline.core.checks.typography.edits import loose_marks
from pipeline.core.document.message import Markup
from pipeline.core.document.splice import Edit
from pipeline.core.glossary.glossary import read_glossary
from pipeline.entries import Entry
from pipeline.findings import Severity

RST = "paragraph (reST)"


def told(code: str, one: Subject) -> Problem:
    (problem,) = problems(checks_by_code()[code], [one])
    return problem


@pytest.mark.parametrize(
    ("code", "place", "msgid", "msgstr"),
    [
        ("M101", RST, "1) Kettle", "水壶"),  # nothing stands there to be mended
        ("M102", "list item", "**a** *b*", "__ **__"),  # another block would begin
        (
            "M102",
            "directive title (reST)",
            "＊the**...（",
            "＊th&lt;e*``a.b``_`t`*...（",
        ),
        ("M102", RST, "**a**", "***，，__ ``\\ ***"),  # less would be bold
        ("M102", "heading (reST)", "**a**", "甲**，\\ **"),  # stars would still show
        ("M102", "paragraph", "**Note:** no", "**注意：**不要*做"),  # so would one here
        (
            "M102",
            "paragraph",
            "**a** *b*",
            "** *`f`**",
        ),  # less would show than is meant
        ("M403", RST, "a", "a| ，|"),  # |，| would be a substitution
        ("M110", "list item (reST)", "**a**", "\\甲_ ＊＊"),  # a reference would come
    ],
)
def test_what_would_spoil_something_else_is_not_mended(
    code: str, place: str, msgid: str, msgstr: str
) -> None:
    assert told(code, subject(msgid, msgstr, place)).fix is None


@pytest.mark.parametrize(
    ("code", "place", "msgid", "msgstr", "fix"),
    [
        # Marks at the start that are no emphasis are escaped: as such they cannot be mended,
        ("M101", "paragraph", "，。**", "* **（**a`乙__", "\\* **（**a`乙__"),
        ("M101", "paragraph", "**a**", "*", "\\*"),  # or are not those of the English
        # Code that begins or ends bold leaves no empty stars.
        ("M105", RST, "``b`` **twice**.", "请**``b`` 两次**。", "请``b`` **两次**。"),
        ("M105", RST, "**twice** ``b``.", "请**两次 ``b``**。", "请**两次** ``b``。"),
        # What parts marks from words goes where a space comes.
        ("M401", RST, "a ``b``", r"甲\ ``b``\ 乙", "甲 ``b`` 乙"),
    ],
)
def test_a_fix_leaves_no_mark_without_words(
    code: str, place: str, msgid: str, msgstr: str, fix: str
) -> None:
    assert told(code, subject(msgid, msgstr, place)).fix == fix


@pytest.mark.parametrize(
    ("msgid", "msgstr", "fixed"),
    [
        (
            "**Note**: call ``boil`` and ``brew``, see `the book <https://tea.example>`_.",
            "** 注意 **:调用`boil`和｀｀brew｀｀，见[书](https://tea.example)。",
            "**注意**：调用 ``boil`` 和 ``brew``，见`书 <https://tea.example>`_。",
        ),
        ("Call ``boil`` first:", r"先调用\ ``boil``\ ::", "先调用 ``boil``："),
        ("Never ``boil`` twice.", "不要 ``boil`` 两次。", "不要 ``boil`` 两次。"),
    ],
)
def test_several_mistakes_are_mended_one_after_the_other(
    msgid: str, msgstr: str, fixed: str
) -> None:
    assert fix_entry(subject(msgid, msgstr, RST)) == fixed
    mended = subject(msgid, fixed, RST)
    assert [one for check in (*MARKUP, *ATOMS) for one in check.look(mended)] == []


def test_good_translations_of_rest_are_left_alone() -> None:
    tables = [record["good"] for record in TABLES.values()]
    cases = [case for table in tables for case in table if case.get("markup") == "reST"]
    assert len(cases) > 40
    for case in cases:
        (one,) = subjects(case)
        assert fix_entry(one, (*MARKUP, *ATOMS)) == one.msgstr


def test_long_atoms_and_words_are_cut_short() -> None:
    code = "kettle." * 20
    assert told("M201", subject(f"Call `{code}`.", "调用它。")).text == f"lacks `{code[:60]}…`"
    words = "**" + "很烫" * 40 + "：**的水壶"
    assert f"“{words[:60]}…”" in told("M102", subject("**Hot:** kettle", words)).text


def test_code_that_is_bold_in_both_texts_has_not_moved() -> None:
    one = subject("**`body` `lid`** of it", "它的 **`body`** 和 `lid`")
    assert told("M103", one).text.startswith("“lid” is not bold")


def test_two_pieces_of_code_that_cannot_be_told_apart_are_not_told_as_such() -> None:
    one = subject("1.：`a.b``__\\func`f`", "1*.：`a.b``__func`f`")
    texts = [problem.text for problem in problems(checks_by_code()["M201"], [one])]
    assert not [text for text in texts if "run together" in text]


def test_a_reference_with_other_words_is_shown_as_the_english_has_its_name() -> None:
    msgid, msgstr = "See `the page <Kettle care_>`_ now.", "现在请看 Kettle care。"
    problem = told("M104", subject(msgid, msgstr, RST))
    assert problem.hint == "Write it as `… <Kettle care_>`_, with a space before <."


def shifted(*pairs: tuple[str, str], place: str = "paragraph") -> list[int]:
    page = [subject(msgid, msgstr, place) for msgid, msgstr in pairs]
    return [problem.index for problem in find_shifted(page)]


def test_the_first_of_two_twins_is_told_if_only_the_second_fits() -> None:
    twins = ["Call `boil` and `pour` with `kettle`.", "The kettle is hot."]
    assert shifted(*((msgid, "水壶很烫。") for msgid in twins)) == [0]


def test_what_shows_a_reference_does_not_tell_where_a_translation_belongs() -> None:
    first, second = (
        "See :term:`kettle` and `The Tea Book`_ for the first.",
        "See :term:`pot` and `The Lid Book`_ for the second.",
    )
    chinese = (
        "第一个见:term:`水壶 <kettle>`和`茶书 <The Tea Book_>`_。",
        "第二个见 :term:`pot` 和 `The Lid Book`_。",
    )
    assert shifted((first, chinese[0]), (second, chinese[1]), place=RST) == []
    assert shifted((first, chinese[1]), (second, chinese[0]), place=RST) == [0, 1]


def test_terms_are_looked_for_in_what_a_reader_of_rest_sees() -> None:
    glossary = read_glossary("source,target\npure kettle,纯壶\n", where="a.csv")
    mentions = glossary.mentions("A pure *kettle*", Markup.RST)
    assert [mention.words for mention in mentions] == ["pure kettle"]
    assert glossary.mentions(":term:`pure kettle`", Markup.RST) == ()
    parted = {"page": [subject("A pure *kettle*.", r"纯\ *壶*\ 。", RST)]}
    codes = [found.code for found in run_checks(parted, glossary=glossary)]
    assert "M501" not in codes


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
def test_no_comment_silences_what_is_for_safety(msgid: str, msgstr: str, code: str) -> None:
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


def test_bare_code_is_not_marked_if_a_target_has_the_same_words() -> None:
    lost = told("M201", subject("Call `a.b` as [here](a.b).", "调用 a.b，见[这里](a.b)。"))
    assert lost.text == "lacks `a.b`"
    assert not lost.spans
    assert lost.fix is None


def test_the_guard_is_not_heard_about_what_a_check_explains() -> None:
    # The guard refuses the new target; the check also says which one was meant.
    changed = subject("See [the guide](a.md).", "见[指南](b.md)。")
    problems = run_checks({"guide": [changed]})
    assert {problem.code for problem in problems} == {"G104", "M204"}
    assert [problem.code for problem in without_redundant_guard_problems(problems)] == ["M204"]


def fixing(change: Callable[[str], str]) -> Check:
    """A check that always finds something, and offers a change for it."""
    return Check(
        code="M999",
        name="anything",
        severity=Severity.WARNING,
        find=lambda one: [Problem(text="is not right", hint="Change it.", fix=change(one.msgstr))],
    )


def putting(before: str, after: str) -> Callable[[str], str]:
    return lambda text: text.replace(before, after)


KETTLE = ("Kettle", "水 壶")
LAMP = ("**A lamp** that is `on`.", "一盏**灯**是 `on`。")


@pytest.mark.parametrize(
    ("message", "change"),
    [
        (KETTLE, putting("壶", "瓶")),  # another word
        # Two fixes that chase each other.
        (KETTLE, lambda text: "水壶" if text == "水 壶" else "水 壶"),
        (LAMP, putting("`on`", "on")),  # the same words, but code no more
        (LAMP, putting("**", "** ")),  # the same words, but bold no more
        (LAMP, lambda text: f"{text} "),  # never comes to an end
        # The same words, but nobody would see some of them.
        (("Use `a`", "用（甲乙）"), putting("（甲乙）", "<!-- 甲乙 -->")),
        (("A lamp (on).", "一盏灯（on）。"), putting("灯（on）", "[灯](on)")),
    ],
)
def test_a_mend_that_would_harm_is_not_made(
    message: tuple[str, str], change: Callable[[str], str]
) -> None:
    one = subject(*message)
    assert change(one.msgstr) != one.msgstr
    assert fix_entry(one, [fixing(change)]) == one.msgstr


def test_a_mend_may_be_harmless_and_turn_a_target_into_a_link_again() -> None:
    assert fix_entry(subject(*KETTLE), [fixing(putting(" ", ""))]) == "水壶"
    guide = subject("See [the guide](a.md).", "见[指南] (a.md)。")
    assert fix_entry(guide) == "见[指南](a.md)。"


def test_what_a_comment_silences_is_not_mended() -> None:
    plain = subject("Kettle: use JAX", "水壶：用JAX")
    assert fix_entry(plain) == "水壶：用 JAX"
    comments = ("pipeline: ignore=M305, M401 the name of a brand",)
    entry = replace(plain.entry, comments=comments)
    assert fix_entry(replace(plain, entry=entry)) == "水壶：用JAX"


def test_a_block_is_called_by_what_it_has_become() -> None:
    (problem,) = find_other_block(subject("Words.", "甲\n- 乙"))
    assert problem.text == "the paragraph becomes a list"


def test_a_pair_beside_one_that_shows_gets_its_own_hint() -> None:
    found = find_unrendered(subject("**a** and **b**", "**好** 和 ** 词 **", RST))
    hint = "Delete the space between the stars and the words."
    assert [problem.hint for problem in found] == [hint]


def test_space_at_the_edges_of_a_text_is_not_loose() -> None:
    assert list(loose_marks("（甲） ")) == list(loose_marks(" ，甲")) == []
    assert list(loose_marks("甲 ，乙")) == [Edit(1, 2, "")]


def test_what_is_not_in_a_translation_has_no_place_there() -> None:
    assert spans_of("用 `f` 和 `f`", "", "`g`", "`f`") == ((2, 5),)
