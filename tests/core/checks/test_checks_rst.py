"""How messages of reStructuredText are read and mended.

What each check tells of them stands in the tables, ``checks/*.toml``.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from check_tables import TABLES
from hypothesis import given
from hypothesis import strategies as st
from repositories import Repository

from pipeline.core.checks.engine import fix_entry, run_checks
from pipeline.core.checks.fixes import are_words_kept
from pipeline.core.checks.inline_tree import Node, walk
from pipeline.core.checks.masked import (
    CLOSE,
    OPEN,
    OTHER,
    URL,
    WORD,
    keeps_atoms,
    masked,
)
from pipeline.core.checks.meaning.misplaced import find_shifted
from pipeline.core.checks.model import Problem, Subject
from pipeline.core.checks.parsed import Atom, Parsed, blanked, parse
from pipeline.core.checks.table import ATOMS, MARKUP, TYPOGRAPHY
from pipeline.core.document import prose
from pipeline.core.document.message import Kind, Markup
from pipeline.core.document.rst.splitter import split_rst
from pipeline.core.glossary.glossary import Glossary, read_glossary
from pipeline.entries import Entry

CHECKS = (*MARKUP, *ATOMS)
KINDS = [kind for kind in Kind if kind is not Kind.HTML]
RST = Markup.RST
AS_SEEN = {
    ord(WORD): "w",
    ord(URL): "u",
    ord(OPEN): "<",
    ord(CLOSE): ">",
    ord(OTHER): "#",
}


def paragraph(text: str) -> Parsed:
    return parse(text, Kind.PARAGRAPH, RST)


def subject(msgid: str, msgstr: str, kind: Kind = Kind.PARAGRAPH) -> Subject:
    return Subject(Entry(msgid=msgid, msgstr=msgstr, notes=(f"{kind} (reST) · Title",)))


def problems(one: Subject) -> list[tuple[str, Problem]]:
    return [(check.code, problem) for check in CHECKS for problem in check.look(one)]


def codes(one: Subject) -> list[str]:
    return [code for code, _ in problems(one)]


# --- where a message stands ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("note", "kind", "markup"),
    [
        ("list item (reST) · Title", Kind.LIST_ITEM, RST),
        ("heading (reST)", Kind.HEADING, RST),
        ("list item · Title (reST)", Kind.LIST_ITEM, Markup.MARKDOWN),
        ("poem (reST) · Title", Kind.PARAGRAPH, RST),
        ("poem · Title", Kind.PARAGRAPH, Markup.MARKDOWN),
    ],
)
def test_the_first_note_tells_kind_and_markup(
    note: str, kind: Kind, markup: Markup
) -> None:
    one = Subject(Entry(msgid="a", msgstr="甲", notes=(note, "fuzzy: (reST)")))
    assert (one.kind, one.markup) == (kind, markup)
    assert one.chinese.markup is markup


def test_without_a_note_a_message_is_a_paragraph_of_markdown() -> None:
    one = Subject(Entry(msgid="a", msgstr="甲"))
    assert (one.kind, one.markup) == (Kind.PARAGRAPH, Markup.MARKDOWN)


@pytest.mark.parametrize(
    ("kind", "blocks"),
    [
        (Kind.HEADING, ("section", "title")),
        (Kind.PARAGRAPH, ("paragraph", "paragraph")),  # it stands behind another one
        (Kind.LIST_ITEM, ("bullet_list", "list_item", "paragraph")),
        (Kind.QUOTE, ("paragraph", "block_quote", "paragraph", "paragraph")),
        (
            Kind.TERM,
            (
                "definition_list",
                "definition_list_item",
                "term",
                "definition",
                "paragraph",
            ),
        ),
        (Kind.TITLE, ("directive title",)),
        (Kind.IMAGE, ("image text",)),
    ],
)
def test_a_text_is_read_where_it_will_stand(
    kind: Kind, blocks: tuple[str, ...]
) -> None:
    for text in (
        "水壶",
        "(水壶)",
        "#1",
    ):  # the second and the third look as if they could be some block: they are parsed, not guessed
        parsed = parse(text, kind, RST)
        assert parsed.blocks == blocks
        assert parsed.visible == text


@pytest.mark.parametrize(
    ("text", "kind", "block"),
    [
        ("- 水壶", Kind.PARAGRAPH, "bullet_list"),
        ("2) 水壶", Kind.LIST_ITEM, "enumerated_list"),
        (":水壶: 烫", Kind.PARAGRAPH, "field_list"),
        ("--hot  水壶", Kind.PARAGRAPH, "option_list"),
        (">>> 水壶", Kind.PARAGRAPH, "doctest_block"),
        ("| 水壶", Kind.PARAGRAPH, "line_block"),
        ("====", Kind.PARAGRAPH, "transition"),
        (".. _水壶: 烫", Kind.PARAGRAPH, "target"),
        (".. 水壶", Kind.PARAGRAPH, "comment"),
        ("— 水壶", Kind.QUOTE, "attribution"),
        ("水壶 : 烫", Kind.TERM, "classifier"),
        ("水壶::", Kind.PARAGRAPH, "literal_block"),
    ],
)
def test_an_accident_shows_in_the_blocks(text: str, kind: Kind, block: str) -> None:
    assert block in Counter(parse(text, kind, RST).blocks) - Counter(
        parse("x", kind, RST).blocks
    )
    assert codes(subject("x", text, kind)) == ["M101"]


def test_no_directive_is_run(tmp_path: Path) -> None:
    path = tmp_path / "secret.txt"
    path.write_text("secret", encoding="utf-8")
    for text in (
        f".. include:: {path}",
        f"- .. include:: {path}",
        f".. raw:: html\n   :file: {path}",
        ".. role:: literal",
    ):
        assert "secret" not in paragraph(text).visible.replace(str(path), "")
    assert (
        paragraph(":literal:`a` ``a``").count("role", "code") == 2 + 1
    )  # a role and what it shows


# --- what it says --------------------------------------------------------------------------------


def test_the_inline_tree_is_made_of_values() -> None:
    tree = paragraph("**粗** *斜*``a``与`链 <b.html>`_").tree
    assert tree == (
        Node("strong", "", (Node("text", "粗"),)),
        Node("text", " "),
        Node("em", "", (Node("text", "斜"),)),
        Node("code", "a"),
        Node("text", "与"),
        Node("link", "b.html", (Node("text", "链"),)),
    )
    assert (("link",), Node("text", "链")) in list(walk(tree))


def test_marks_that_the_page_will_part_from_the_words_need_no_help() -> None:
    plain = "请*不要*碰``a``和:func:`b`，见`页 <c>`_和[1]_的|d|。"
    apart = r"请\ *不要*\ 碰\ ``a``\ 和\ :func:`b`，见\ `页 <c>`_\ 和\ [1]_\ 的\ |d|。"
    assert paragraph(plain).tree == paragraph(apart).tree
    assert paragraph(plain).visible == "请不要碰a和b，见页和的。"


def test_each_view_of_a_text_leaves_out_what_it_shall() -> None:
    parsed = paragraph(
        r"用 ``a`` 和 :math:`x\y` [1]_，见 :ref:`标题 <t>`、:func:`~b.c`、https://d.example "
        r"、\*、e@f.example 、|g| 完"
    )
    assert (
        parsed.visible
        == r"用 a 和 x\y ，见 标题、c、https://d.example 、*、e@f.example 、 完"
    )
    assert "*" in parsed.plain
    assert "*" not in parsed.literal
    assert parsed.breaks == 0


def test_marks_mean_nothing_in_the_text_of_an_image() -> None:
    parsed = parse("*水壶* 和 ``锅``", Kind.IMAGE, RST)
    assert parsed.tree == (Node("text", "*水壶* 和 ``锅``"),)


def test_a_mark_without_a_partner_shows() -> None:
    assert paragraph("**甲 和 ``乙 和 `丙").visible == "**甲 和 ``乙 和 `丙"


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        (r"``a`` ``\b`` ``a``", Atom.CODE, ["a", "a", r"\b"]),
        (":math:`a + b` :math:`\\alpha x`", Atom.MATH, ["a+b", "\\alpha x"]),
        (
            "`甲 <a.html>`_ `乙 <b.html>`__ `<c.html>`_",
            Atom.LINK,
            ["a.html", "b.html", "c.html"],
        ),
        (
            ":func:`a.b` :py:func:`~a.b` :ref:`题 <t>` :term:`c<d>`",
            Atom.ROLE,
            [":func:`a.b`", ":py:func:`a.b`", ":ref:`t`", ":term:`d`"],
        ),
        (
            ":abbr:`甲（乙）` `a.b`:func: :Ref:`t`",
            Atom.ROLE,
            [":abbr:", ":func:`a.b`", ":ref:`t`"],
        ),
        ("`a.b` `some title`", Atom.ROLE, ["`a.b`", "`…`"]),
        (
            "`Some Title`_ Name_ `甲 <Some  title_>`_ `乙`__ any__",
            Atom.REFERENCE,
            ["some title_", "name_", "some title_", "__", "__"],
        ),
        ("甲[1]_乙[#]_丙[#n]_丁[*]_", Atom.FOOTNOTE, ["[1]_", "[#]_", "[#n]_", "[*]_"]),
        ("见 [Cit20]_", Atom.CITATION, ["[Cit20]_"]),
        ("|a|和|b|_", Atom.SUBSTITUTION, ["|a|", "|b|"]),
        ("_`here` 和", Atom.TARGET, ["_`here`"]),
        ("https://b.example/c?d。 e@f.example", Atom.URL, ["https://b.example/c?d"]),
        ("`https://a.example <https://a.example>`_", Atom.URL, []),
        ("a@b.example", Atom.EMAIL, ["a@b.example"]),
        # Nothing of Markdown.
        ("{{a}} [@b] [!NOTE] $c$ [d](e.md) <b>", Atom.SUBSTITUTION, []),
    ],
)
def test_atoms_are_found_and_counted(text: str, name: Atom, values: list[str]) -> None:
    assert paragraph(text).of(name) == Counter(values)
    if not values:
        assert paragraph(text).of(Atom.CITATION) == Counter()


def test_blanked_keeps_positions() -> None:
    source = r"甲``a``乙\*丙`丁 <e>`_\ 戊"
    hidden = blanked(source, " ", RST)
    assert len(hidden) == len(source)
    assert hidden == "甲     乙  丙 丁        戊"


# --- what the eye sees ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("对**f**求导", "对<<f>>求导"),
        (r"请\ *不要*\ 碰", "请>><不要>>>碰"),
        ("2 * 3 与 **甲", "2 # 3 与 ##甲"),
        ("``a``、:func:`b`、`c`、|d|", "wwwww、wwwwwwwww、www、###"),
        (":ref:`随机数 <r>`也", "<<<<<<随#数>>>>>也"),
        ("`茶书`_与`壶 <a>`_与`盖`__", "<茶书>>与<壶>>>>>>与<盖>>>"),
        ("见[1]_和Name_，https://a.b。", "见>>>>和wwwww，uuuuuuuuuuu。"),
        (r"\*甲\* $x$ [乙](a.md) _丙_", "##甲## $x$ [乙](a.md) _丙_"),
        ("没有标记", "没有标记"),
    ],
)
def test_atoms_and_marks_are_masked(text: str, seen: str) -> None:
    shown = masked(text, RST)
    assert len(shown) == len(text)
    assert shown.translate(AS_SEEN) == seen


def test_atoms_may_change_places_but_not_their_letters() -> None:
    assert keeps_atoms("``a`` 和 :func:`b`", ":func:`b`和``a``", RST)
    assert not keeps_atoms("``a, b``", "``a，b``", RST)


@pytest.mark.parametrize(
    "text",
    [
        "``some code``",
        ":func:`some.name`",
        "|some name|",
        "`Some Title`_",
        "https://example.org/some/page",
        "1 + 1",
    ],
)
def test_atoms_are_no_prose(text: str) -> None:
    assert not prose.has_words(text, RST)
    assert prose.count_words(text, RST) <= 2  # digits count


def test_words_beside_atoms_are_prose() -> None:
    assert prose.has_words("`the page <a.html>`_", RST)
    assert (
        prose.mask("see `the page <a.html>`_ and `this`__ now", RST).split()
        == "see the page and this now".split()
    )
    assert prose.count_words("见 `这一页 <a.html>`_ of ``b``", RST) == 5
    assert prose.atoms_of("`a`_ Name_ x_y __init__ [1]_ \\`b\\`", RST) == [
        "`a`_",
        "Name_",
        "[1]_",
    ]


def test_terms_are_not_looked_for_in_roles() -> None:
    glossary: Glossary = read_glossary("source,target\nkettle,水壶\n", where="a.csv")
    assert glossary.mentions(":term:`kettle`", RST) == ()
    assert [
        mention.words
        for mention in glossary.mentions("the *kettle* of :func:`kettle`", RST)
    ] == ["kettle"]


def test_a_rendering_may_have_what_parts_marks_from_words_in_it() -> None:
    glossary: Glossary = read_glossary(
        "source,target\npure function,纯函数\n", where="a.csv"
    )
    one = subject("A pure *function*.", r"纯\ *函数*\ 。")
    assert not [
        found
        for found in run_checks({"page": [one]}, glossary=glossary)
        if found.code == "M501"
    ]


def test_what_shows_a_reference_does_not_tell_where_a_translation_belongs() -> None:
    pairs = [
        (
            "See :term:`kettle` and `The Tea Book`_ for the first.",
            "第一个见:term:`水壶 <kettle>`和`茶书 <The Tea Book_>`_。",
        ),
        (
            "See :term:`pot` and `The Lid Book`_ for the second.",
            "第二个见 :term:`pot` 和 `The Lid Book`_。",
        ),
    ]
    assert list(find_shifted([subject(*pair) for pair in pairs])) == []
    swapped = [subject(pairs[0][0], pairs[1][1]), subject(pairs[1][0], pairs[0][1])]
    assert [problem.index for problem in find_shifted(swapped)] == [0, 1]


# --- real pages ----------------------------------------------------------------------------------

# What a translator leaves as it is. Written apart from pipeline.core.document.prose on purpose.
_KEPT = re.compile(
    r":[\w:+.-]+:`[^`]*`|``.+?``|`[^`]*`_{0,2}|\|\S[^|]*\|_?|\[\S+?\]_|https?://\S+|\\.|\b\w+_(?!\w)"
)
_WORDS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def filled(msgid: str) -> str:
    """A translation that could be real: Chinese for every word.

    No white space stands between it and what is kept.
    """
    parts = [
        _WORDS.sub("译文", part).replace("译文 ", "译文") for part in _KEPT.split(msgid)
    ]
    kept = [*_KEPT.findall(msgid), ""]
    return "".join(piece for pair in zip(parts, kept, strict=True) for piece in pair)


@pytest.mark.realdocs
def test_nothing_is_told_of_copies_and_next_to_nothing_of_fillings_of_the_real_docs(
    repository: Repository,
) -> None:
    names = (
        repository.git("ls-tree", "-r", "--name-only", "jax-v0.10.2", "--", "docs")
        .decode()
        .split("\n")
    )
    pages = repository.read(
        [f"jax-v0.10.2:{name}" for name in names if name.endswith(".rst")]
    )
    messages = [
        message
        for _, data in pages
        for message in split_rst(data.decode("utf-8")).messages
    ]
    assert len(messages) > 800
    copies: Counter[str] = Counter()
    fillings: Counter[str] = Counter()
    for message in messages:
        copies.update(codes(subject(message.msgid, message.msgid, message.kind)))
        fillings.update(
            codes(subject(message.msgid, filled(message.msgid), message.kind))
        )
    assert copies == Counter()
    # One message of upstream's has a mark without a partner.
    assert fillings.total() <= 1


# --- what is mended ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("msgid", "msgstr", "fixed"),
    [
        (
            "**Note**: call ``boil`` and ``brew``, see `the book <https://tea.example>`_.",
            "** 注意 **:调用`boil`和｀｀brew｀｀，见[书](https://tea.example)。",
            "**注意**：调用 ``boil`` 和 ``brew``，见`书 <https://tea.example>`_。",
        ),
        ("Call ``boil`` first:", r"先调用\ ``boil``\ ::", "先调用 ``boil``："),
        (
            "Never call ``boil`` twice.",
            "不要调用 ``boil`` 两次。",
            "不要调用 ``boil`` 两次。",
        ),
    ],
)
def test_several_mistakes_are_mended_one_after_the_other(
    msgid: str, msgstr: str, fixed: str
) -> None:
    one = subject(msgid, msgstr)
    assert fix_entry(one) == fixed
    assert codes(subject(msgid, fixed)) == []


def test_what_parts_marks_from_words_goes_where_a_space_comes() -> None:
    (problem,) = next(check for check in TYPOGRAPHY if check.code == "M401").find(
        subject("a ``b``", r"甲\ ``b``\ 乙")
    )
    assert problem.fix == "甲 ``b`` 乙"


def test_a_good_translation_of_the_tables_is_left_alone() -> None:
    cases = [
        case
        for record in TABLES.values()
        for case in record["good"]
        if case.get("markup") == "reST"
    ]
    assert len(cases) > 40
    for case in cases:
        one = subject(
            case["msgid"], case["msgstr"], Kind(case.get("kind", "paragraph"))
        )
        assert fix_entry(one, CHECKS) == case["msgstr"]


_PIECES = (
    "甲 乙丙 alpha 1. - .. :: : ：， （ ） ( ) * ** *** __ _ ` `` ｀ ``a`` `a` `甲` "
    ":func:`b` {func}`b` :ref:`丁 :ref:`丁<t>` "
    "`戊<https://c.d>`_ [戊](https://c.d) <https://c.d> `Some`_ Some_ `this`__ [1]_ |e| | "
    "_`f` $x$ :math:`x` https://g.h "
    "\\ \\* \\甲 &amp; >>>"
)
_TEXTS = (
    st.lists(
        st.sampled_from((*_PIECES.split(" "), "`戊 <https://c.d>`_", " ", "\\ ")),
        max_size=14,
    )
    .map("".join)
    .filter(str.strip)
)


@given(msgid=_TEXTS, msgstr=_TEXTS, kind=st.sampled_from(KINDS))
def test_every_fix_keeps_the_words_and_the_place(
    msgid: str, msgstr: str, kind: Kind
) -> None:
    before = subject(msgid, msgstr, kind)
    for code, problem in problems(before):
        assert all(0 <= start < end <= len(msgstr) for start, end in problem.spans), (
            code
        )
        if problem.fix is not None:
            assert problem.fix != msgstr, code
            assert are_words_kept(msgstr, problem.fix), code
            after = subject(msgid, problem.fix, kind)
            assert after.chinese.blocks == before.english.blocks, code


@given(text=_TEXTS, kind=st.sampled_from(KINDS))
def test_a_copy_has_no_problem(text: str, kind: Kind) -> None:
    assert codes(subject(text, text, kind)) == []


@given(msgid=_TEXTS, msgstr=_TEXTS)
def test_mending_twice_is_mending_once(msgid: str, msgstr: str) -> None:
    fixed = fix_entry(subject(msgid, msgstr))
    assert fix_entry(subject(msgid, fixed)) == fixed


@given(text=_TEXTS)
def test_masked_is_as_long_as_the_text(text: str) -> None:
    assert len(masked(text, RST)) == len(text)
    assert len(blanked(text, markup=RST)) == len(text)
