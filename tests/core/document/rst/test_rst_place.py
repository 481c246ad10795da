"""Translations in reStructuredText: what stands where in the end, and what is redrawn for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import read_cases
from docutils import nodes
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.document.message import Kind
from pipeline.core.document.rst import anchors, guard, placement
from pipeline.core.document.rst.inline import marks, spaced
from pipeline.core.document.rst.parser import read_inline, shown_text
from pipeline.core.document.rst.placement import place
from pipeline.core.document.rst.splitter import split_rst
from pipeline.core.document.splice import Edit

BYTE_ORDER_MARK = "\ufeff"
DATA = Path(__file__).parent / "data"


def merged(text: str, *translations: str) -> str:
    """``text`` with its messages translated in their order.

    An empty translation leaves the English.
    """
    split = split_rst(text)
    assert len(split.messages) == len(translations)
    chosen = {index: msgstr for index, msgstr in enumerate(translations) if msgstr}
    placed = place(split, chosen)
    assert guard.read_back(split, placed) is not None
    assert place(split, {}).text == text
    return placed.text


# Inline marks


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("使用``jit``编译", r"使用\ ``jit``\ 编译"),
        ("使用 ``jit`` 编译", "使用 ``jit`` 编译"),
        ("（``jit``）、「``vmap``」。", "（``jit``）、「``vmap``」。"),
        ("``jit``", "``jit``"),
        ("见:func:`f`与:py:class:`A`。", r"见\ :func:`f`\ 与\ :py:class:`A`。"),
        ("见,:func:`a`,:func:`b`。", r"见,\ :func:`a`,\ :func:`b`。"),
        ("见`指南 <a.html>`_和`标题`__。", r"见\ `指南 <a.html>`_\ 和\ `标题`__。"),
        ("`x`:sub:文字", r"`x`:sub:\ 文字"),
        ("**注意：**不要*强调*了", r"**注意：**\ 不要\ *强调*\ 了"),
        ("**注意**(说明)", r"**注意**\ (说明)"),
        ("``a``*b*字", r"``a``\ *b*\ 字"),
        ("``a``:func:`b`", "``a``:func:`b`"),
        ("见[1]_和[#]_，引[CIT20]_文", r"见\ [1]_\ 和\ [#]_，引\ [CIT20]_\ 文"),
        ("，[#n]_，", "，[#n]_，"),
        ("版本|version|的", r"版本\ |version|\ 的"),
        ("见Title_中，Title_ 好", r"见\ Title_\ 中，Title_ 好"),
        ("去https://example.org/a_b看", r"去\ https://example.org/a_b\ 看"),
        ("_`目标`文", r"_`目标`\ 文"),
        ("甲*乙\\*丙*丁", r"甲\ *乙\*丙*\ 丁"),
        ("～``x``～", r"～\ ``x``\ ～"),
        ("``a\\``文", r"``a\``\ 文"),
        ("甲`乙\\ `丙", r"甲\ `乙\ `\ 丙"),
        ("见``````x``````文", r"见\ ``````x``````\ 文"),
        # What docutils reads as it is, or what is no mark.
        ("``a````b``", "``a````b``"),
        ("a\\ ``b``\\ c", "a\\ ``b``\\ c"),
        ("2*3*4 与 f(*args, **kw)", "2*3*4 与 f(*args, **kw)"),
        ("甲|乙|丙", "甲|乙|丙"),
        ("snake_case变量", "snake_case变量"),
        ("\\*文*字", "\\*文*字"),
        ("“`”和“`”，“*”和“*”", "“`”和“`”，“*”和“*”"),
        ("没有`结束", "没有`结束"),
    ],
)
def test_marks_get_the_spaces_that_rst_wants(text: str, expected: str) -> None:
    assert spaced(text) == expected
    assert spaced(expected) == expected


# Next to ASCII letters a mark is none: there a translator writes a space, as everybody does.
WORDS = st.text("汉字译文，。：（）「」～ ", min_size=1, max_size=4)
MARKS = {
    "``a b``": nodes.literal,
    "``*``": nodes.literal,
    ":func:`~a.b`": nodes.inline,
    ":ref:`文字 <a>`": nodes.inline,
    "`文字`_": nodes.reference,
    "`文字 <https://example.org/>`__": nodes.reference,
    "*强调*": nodes.emphasis,
    "**注意：**": nodes.strong,
    "|name|": nodes.substitution_reference,
    "[1]_": nodes.footnote_reference,
    "[Cit]_": nodes.citation_reference,
    "https://example.org/a": nodes.reference,
}


@given(st.lists(st.tuples(WORDS, st.sampled_from(sorted(MARKS))), max_size=5), WORDS)
def test_docutils_reads_every_mark(parts: list[tuple[str, str]], last: str) -> None:
    text = "".join(words + mark for words, mark in parts) + last
    found = [
        type(node)
        for node in read_inline(spaced(text))
        if not isinstance(node, nodes.Text | nodes.target)
    ]
    assert found == [MARKS[mark] for _, mark in parts]
    assert spaced(spaced(text)) == spaced(text)
    assert len(list(marks(text))) == len(parts)


@given(st.text("`*_|[]:<>\\ a字，", max_size=12))
def test_spacing_adds_nothing_but_separators(text: str) -> None:
    result = spaced(text)
    assert result.replace("\\ ", "") == text.replace("\\ ", "")


def test_what_a_reader_sees() -> None:
    text = "The ``x`` of :func:`~a.b` and :ref:`words <label>`, `there`_"
    assert shown_text(text) == "The x of ~a.b and words, there"


# Blocks


# A text, the translations of its messages, and the text with them.
BLOCKS = read_cases(DATA / "blocks.txt", parts=3)
OTHER_ENDS = (
    ("One\r\ntwo.\r\n\r\nThree.", "一二。\n三。\n", "一二。\r\n\r\n三。"),
    (f"{BYTE_ORDER_MARK}One word.", "一词。\n", f"{BYTE_ORDER_MARK}一词。"),
    (f"{BYTE_ORDER_MARK}One\n~~~\n", "标题\n", f"{BYTE_ORDER_MARK}标题\n~~~~\n"),
    ("One\r===\r", "标题\n", "标题\r====\r"),
)


@pytest.mark.parametrize(("text", "msgstrs", "expected"), [*BLOCKS.values(), *OTHER_ENDS])
def test_translations_take_the_place_of_their_blocks(
    text: str, msgstrs: str, expected: str
) -> None:
    assert merged(text, *msgstrs.split("\n")[:-1]) == expected


def test_a_table_keeps_its_line_ends() -> None:
    text = BLOCKS["grid"][0].replace("\n", "\r\n")
    result = merged(text, "第一列", "", "", "", "")
    assert result.count("\r\n") == result.count("\n") == text.count("\n")


def test_a_table_that_docutils_cannot_read_is_not_aligned() -> None:
    from pipeline.core.document.rst.table_layout import realign

    text = "====  ====\nOne   Two\n==  ==\n"
    assert realign(text, (0, len(text) - 1), [Edit(11, 14, "很长的译文")]) == []
    assert realign("nothing", (0, 7), [Edit(0, 7, "无")]) == []


def test_spans_tell_where_translations_stand() -> None:
    table = "====  ====\nOne   Two\n====  ====\nsome  more\n====  ====\n"
    text = f"Title\n=====\n\n{table}\nLast words.\n"
    split = split_rst(text)
    texts = {0: "标题", 2: "第二列", 3: "一些一些"}
    placed = place(split, texts, [Edit(11, 11, "\n\n  >>")])
    words = [placed.text[start:end] for start, end in placed.spans]
    assert words == "标题¦One¦第二列¦一些一些¦more¦Last words.".split("¦")
    assert [placed.text[start:end] for start, end in placed.inserted] == ["\n\n  >>"]


# Targets


def with_targets(text: str, msgstr: str, *linked: str) -> str:
    """``text`` with all titles translated by ``msgstr`` and their targets written."""
    split = split_rst(text)
    plan = anchors.plan_targets([split], frozenset(linked))
    titles = {
        index: f"{msgstr}{index}"
        for index, message in enumerate(split.messages)
        if message.kind is Kind.HEADING
    }
    targets = [
        anchors.target_edit(text, split.messages[index], name) for (_, index), name in plan.items()
    ]
    placed = place(split, titles, targets)
    assert guard.read_back(split, placed) is not None
    return placed.text


# A text, the fragments that links have, and what stands above and in the place of the title.
TITLES = [
    ("Title_ here.\n\n¦Title\n=====\n", "", ".. _Title:\n\n标题1\n=====\n"),
    ("No link.\n\n¦Title\n=====\n", "", "标题1\n=====\n"),
    ("¦The ``x``\n=========\n", "the-x", ".. _The x:\n\n标题0\n=========\n"),
    ("`See: b`_\n\n¦See: b\n======\n", "", ".. _`See: b`:\n\n标题1\n======\n"),
    ("See `x <Other_>`_.\n\n¦Other\n-----\n", "", ".. _Other:\n\n标题1\n-----\n"),
    ("Title_.\n\n.. _Title: a.html\n\n¦Title\n=====\n", "", "标题1\n=====\n"),
    (
        "Title_ here.\n\n¦=====\nTitle\n=====\n",
        "",
        ".. _Title:\n\n=====\n标题1\n=====\n",
    ),
    (f"{BYTE_ORDER_MARK}¦Title\n=====\n", "title", ".. _Title:\n\n标题0\n=====\n"),
    (
        "¦Title\n=====\n\nTitle\n=====\n",
        "title",
        ".. _Title:\n\n标题0\n=====\n\n标题1\n=====\n",
    ),
    ("Words.\n\n.. x\n¦Title\n=====\n", "title", "\n.. _Title:\n\n标题1\n=====\n"),
]


@pytest.mark.parametrize(("text", "linked", "expected"), TITLES)
def test_titles_keep_their_names(text: str, linked: str, expected: str) -> None:
    before, _, title = text.partition("¦")
    assert with_targets(before + title, "标题", *linked.split()) == before + expected


def test_a_title_with_other_line_ends_keeps_its_name() -> None:
    with_targets("Title_\n\n.. comment\n\n=====\r\nTitle\r\n=====\r\n", "标题")


def test_names_that_are_linked_and_defined_are_found() -> None:
    text = (
        "A word_, `two words`_, `shown <Name_>`__, `the link <a.html>`_, _`in line`, "
        "`anonymous`__, ``code_``, a_b, `<b.html>`_, x__."
    )
    assert anchors.referenced_names(text) == {"word", "two words", "name"}
    assert anchors.link_names(text) == {"the link", "in line", "b.html"}
    assert anchors.referenced_names("`one\\ word`_ and `two\\_s`_") == {
        "oneword",
        "two_s",
    }


GOOD_DOCS = "`The docs <a>`_ are good.\n\nSee `the docs`_.\n"


@pytest.mark.parametrize(
    ("text", "msgstr", "is_good"),
    [
        (GOOD_DOCS, "`文档 <a>`_很好。", False),
        (GOOD_DOCS, "`The Docs <a>`_ 很好。", True),
        (GOOD_DOCS.replace("`the docs`_", "them"), "`文档 <a>`_很好。", True),
        ("Some _`name` here.\n\nSee name_.\n", "一个_`名字`。", False),
        ("Title\n=====\n\nSee Title_.\n", "标题", False),
    ],
)
def test_a_name_that_is_referred_to_stays(text: str, msgstr: str, is_good: bool) -> None:
    split = split_rst(text)
    assert (guard.read_back(split, place(split, {0: msgstr})) is not None) == is_good


ATTRIBUTION = r"译自\ `x <y>`__\ 页"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *read_cases(DATA / "attributions.txt").values(),
        ("Title\n=====", f"Title\n=====\n\n   {ATTRIBUTION}"),
        ("Title\r\n=====\r\n\r\n", f"Title\r\n=====\r\n\r\n   {ATTRIBUTION}\r\n\r\n"),
        ("", f"\n\n..\n\n   {ATTRIBUTION}"),
    ],
)
def test_an_attribution_follows_the_title(text: str, expected: str) -> None:
    split = split_rst(text)
    _, line = placement.attribution_edit([split], "译自`x <y>`__页")
    placed = place(split, {}, [line])
    assert placed.text == expected
    assert guard.read_back(split, placed) is not None


@pytest.mark.parametrize("note", [".. [#note] Words.", ".. [Note] Words.", ".. _note:"])
def test_a_heading_named_as_a_note_gets_no_second_target(note: str) -> None:
    text = f"Note\n====\n\nSee Note_.\n\n{note}\n"
    assert with_targets(text, "字") == text.replace("Note\n====", "字0\n====")
