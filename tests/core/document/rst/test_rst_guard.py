"""What a translation may not do in reStructuredText.

P4 holds over pages of our own and over the real ones. The check at the end shares no code
with the guard: plain docutils reads the page before and after.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from cases import read_cases
from corpus import HOSTILE, page
from evaluated import of_docutils
from hypothesis import given
from hypothesis import strategies as st
from repositories import Repository

from pipeline.core.document.guard import Refusal
from pipeline.core.document.merge import grammar_of, place_translations
from pipeline.core.document.message import Message, Split
from pipeline.core.document.rst import guard
from pipeline.core.document.rst.placement import place
from pipeline.core.document.rst.splitter import split_rst
from pipeline.core.document.splice import Edit
from pipeline.errors import InputError

LINK = "Read `the guide <a.html>`_.\n"
ROLE = "See :func:`~a.b` and :ref:`some words <label>`.\n"
QUOTE = "Words.\n\n   Quoted words.\n"
TERM = "Some term\n   Its definition.\n"
LITERAL = "Some words::\n\n   x\n"
LINES = "| Some words\n| and more\n"
ADMONITION = ".. admonition:: Some words\n\n   More words.\n"
ALT = ".. image:: a.png\n   :alt: Some words\n"
CAPTION = ".. toctree::\n   :caption: Some words\n\n   a\n"

STARTS = (
    "- 文字¦* 文字¦• 文字¦1. 文字¦(a) 文字¦#. 文字¦iv) 文字¦A. 文字¦.. 文字¦.. note:: 文字¦"
    ".. replace:: 文字¦.. raw:: html¦..¦__ a¦.. _a: b¦| 文字¦>>> x¦:字段: 文字¦-a  文字¦"
    "--all  文字¦/V  文字¦=====¦....¦-¦=== ===¦文字::¦文字 ::¦::¦.. [1] 文字¦"
    ".. |x| replace:: y"
).split("¦")


def refusal_of(message: Message, msgstr: str) -> Refusal | None:
    return guard.refusal(message.msgid, message.kind, msgstr)


def reads_back(text: str, msgstrs: dict[int, str], *insertions: Edit) -> bool:
    split = split_rst(text)
    return guard.read_back(split, place(split, msgstrs, insertions)) is not None


def code_of(text: str, msgstr: str, index: int = 0) -> str:
    """The refusal's code, ``G105`` if only the parsed result tells, or an empty string."""
    if refusal := refusal_of(split_rst(text).messages[index], msgstr):
        assert refusal.text
        assert refusal.hint
        return refusal.code
    return "" if reads_back(text, {index: msgstr}) else "G105"


@pytest.mark.parametrize(
    ("text", "msgstr"),
    [
        ("Some words\n", "一些文字"),
        ("Some words\n", "\u3000\u3000首行缩进\n"),
        ("Some words\n", "\\- 不是列表"),
        ("Some words\n", "**强调**与``代码``，还有 *斜体*"),
        ("Some words\n", "(括号) 开头，1984 年，<b> 与 [方括号]"),
        ("Some words\n", "1.5 倍"),
        ("Some words\n", "“引号”：注意"),
        ("1. Some words\n", "文字"),
        ("| - Some words\n", "- 一些文字"),
        ("Some words\n==========\n", "1. 编号的标题"),
        ("Some words\n==========\n", "标题::"),
        (".. note:: Some words\n", "文字"),
        (".. image:: a.png\n   :alt: Some words\n", "一张 `图"),
        (".. admonition:: Some words\n\n   More words.\n", "用 ``code``"),
        (LITERAL, "文字："),
        (LITERAL, "文字::"),
        (LINES, "一些文字"),
        (QUOTE.replace("Words", "Word one"), "一句话"),
        (TERM, "术语：分类"),
        (LINK, "读`指南 <a.html>`_。"),
        (LINK, "读`指南 <a.html>`__，再读`指南 <a.html>`__。"),
        (LINK, "不读了"),
        (ROLE, "见:func:`a.b`与:ref:`文字 <label>`、:ref:`label`。"),
        ("A :sub:`small` word\n", "一个:sub:`小`字"),
        ("A `name` here\n", "一个`名字`"),
        ("A _`name` here\n", "一个_`名字`"),
        ("The :class:`Array`s here\n", "这些:class:`Array`。"),
        (
            "Words [1]_ and [#]_ and [Cit]_ and |x|\n\n.. |x| replace:: y\n",
            "文字[1]_和[#]_和[Cit]_和|x|，[1]_",
        ),
        ("See `one`__ and `two`__.\n\n__ a\n__ b\n", "见`一`__和`二`__。"),
        (
            "See https://example.org/a or a@example.org\n",
            "见https://example.org/a或 a@example.org",
        ),
        ("Word_ and others\n\n.. _word: a\n", "`字 <Word_>`__等"),
        # Marks that the English has may stand in a field.
        (ADMONITION, "注意：甲 < 乙（见下）"),
        (ADMONITION.replace("Some", "Some [a]"), "[a] 甲"),
        (ALT, "比例 1:2:3"),
        (ALT.replace("Some", "Some <b>"), "<b> 甲"),
        (QUOTE, "文字"),
    ],
)
def test_honest_translations_are_taken(text: str, msgstr: str) -> None:
    assert code_of(text, msgstr) == ""


@pytest.mark.parametrize(
    "character",
    "\0 \x07 \x0b \x0c \r \x1b \x1c \x7f \x85 \u2028 \u202e \u2066 \ufeff \ud800".split(" "),
)
def test_control_characters_are_refused(character: str) -> None:
    assert code_of("Some words\n", f"文{character}字") == "G101"


@pytest.mark.parametrize("msgstr", ["甲\n乙", "甲\n\n乙", "甲\n\n.. raw:: html\n\n   <script>"])
def test_other_line_breaks_are_refused(msgstr: str) -> None:
    assert code_of("Some\nwords\n", msgstr) == "G102"


def test_a_translation_that_is_far_too_long_is_not_even_parsed() -> None:
    assert code_of("Some words\n", "`" * 200_000) == "G106"


@pytest.mark.parametrize(
    ("text", "msgstr"),
    [
        *(("Some words\n\n   x\n", start) for start in STARTS),
        ("Some words\n==========\n", "- 标题"),
        ("Some words\n==========\n", ".. 标题"),
        ("- Some words\n", "- 文字"),
        (TERM, "术语 : 分类"),
        (TERM, "- 术语"),
        (".. note:: Some words\n", ":class: x"),
    ],
)
def test_a_line_that_begins_another_block_is_refused(text: str, msgstr: str) -> None:
    assert code_of(text, msgstr) in ("G104", "G105")


@pytest.mark.parametrize("text", [ADMONITION, ALT, CAPTION])
@pytest.mark.parametrize(
    "msgstr",
    [":name: 甲", ":class:", "[a]", "甲 [a]_", "<![CDATA[甲]]>", "甲]]>", "<b>甲</b>"],
)
def test_a_translation_begins_no_other_field_of_a_directive(text: str, msgstr: str) -> None:
    assert code_of(text, msgstr) == "G104"


@pytest.mark.parametrize("msgstr", ["-- 某人", "——某人说"])
def test_a_quote_that_gains_an_attribution_is_refused(msgstr: str) -> None:
    assert code_of(f"{QUOTE}\n   More.\n", msgstr, 2) == "G105"
    # Alone in its quote, it is a paragraph.
    assert code_of(QUOTE, msgstr, 1) == ""


@pytest.mark.parametrize(
    ("text", "msgstr"),
    [
        ("Some words\n", "`文字`"),
        ("Some words\n", "`文字 <https://example.org>`_"),
        ("Some words\n", "`文字 <javascript:alert(1)>`__"),
        ("Some words\n", r"`文字 <java\script:alert(1)>`__"),
        ("Some words\n", "去https://example.org看"),
        ("Some words\n", "去 mailto:a@example.org 看"),
        ("Some words\n", "去 a@example.org 看"),
        ("Some words\n", "文 javascript:alert(1)"),
        ("Some words\n", r"文 :math:`\href{javascript:alert(1)}{x}`"),
        ("Some :math:`x` words\n", r"文 :math:`\href{a}{x}`"),
        ("Some words\n", r"文 :math:`\def\x{y}`"),
        ("Some words\n", "文 :raw-html:`<b>`"),
        ("Some :raw-html:`<b>` words\n", "文 :raw-html:`<script>`"),
        ("Some :raw-html:`a <b>` words\n", "文 :raw-html:`<script> <b>`"),
        ("Some words\n", "文 :code:`x`"),
        ("Some words\n", "文 :download:`x </etc/passwd>`"),
        (ROLE, "见:func:`a.c`。"),
        (ROLE, "见:ref:`label2`。"),
        (ROLE, "见:doc:`a.b`。"),
        (LINK, "读`指南 <b.html>`_。"),
        (LINK, "读`指南 <a.html.example.org>`_。"),
        ("Some words\n", "名字_"),
        ("Some words\n", "`名字`_"),
        ("Some words\n", "`名字`__"),
        ("Some words\n", "文 [1]_"),
        ("Some words\n", "文 [#]_"),
        ("Some words\n", "文 [Cit]_"),
        ("Some words\n", "文|x|字"),
        ("Some words\n", "文 _`目标`"),
        ("Words [#]_ and [#]_\n", "文字[#]_"),
        ("Words [#]_ and [*]_\n", "文字[*]_[#]_"),
        ("See `one`__ and `two`__.\n", "见`一`__。"),
        ("See `one`__ and `two`__.\n", "见`two`__和`one`__。"),
        # A mark that nothing closes takes the definition of a substitution with it.
        ("Some words\n", "**文字"),
        (".. |x| replace:: Some words\n", "``文字"),
        ("Some words\n", r"\begin{equation}"),
        ("Some words\n", r"甲 \end{equation} 乙"),
        (r"A :math:`\begin{a}x\end{a}` word" + "\n", r"甲 :math:`x`"),
    ],
)
def test_something_active_is_refused(text: str, msgstr: str) -> None:
    assert code_of(text, msgstr) == "G104"


@pytest.mark.parametrize(
    "text",
    ["======\nSome\n======\n", "Some words\n", ".. toctree::\n\n   Some words <a>\n"],
)
def test_only_the_parsed_page_tells_that_nothing_is_left_of_the_words(
    text: str,
) -> None:
    assert code_of(text, "``x``") == "G105"


def test_texts_say_what_is_wrong() -> None:
    message = split_rst(LINK).messages[0]
    refusal = refusal_of(message, "`指南 <https://example.org/" + "a" * 100 + ">`_")
    assert refusal is not None
    assert refusal.text.startswith("adds link target “https://example.org/aaa")
    assert refusal.text.endswith("…”")
    refusal = refusal_of(message, "`代码`")
    assert refusal is not None
    assert refusal.hint == "Write code between two backquotes on each side (``code``)."


def test_a_page_that_docutils_cannot_read_any_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    split = split_rst("Some words\n")

    def failing(_: str, **options: bool) -> Split:
        raise InputError("docutils fails on it")

    monkeypatch.setattr(guard, "split_rst", failing)
    assert guard.read_back(split, place(split, {})) is None


def test_an_insertion_is_no_change() -> None:
    text = "Title\n=====\n\nWords here.\n"
    assert reads_back(text, {0: "标题"}, Edit(11, 11, "\n\n   Inserted words"))
    assert not reads_back(text, {}, Edit(13, 13, "   "))


# P4: nothing but prose changes

DATA = Path(__file__).parent / "data"
PAGES = [text for (text,) in read_cases(DATA / "pages.txt", parts=1).values()]

RST_HOSTILE = [
    *(
        "- 文字¦1. 文字¦.. raw:: html\n\n   <script>¦.. 注释¦.. note:: 文字¦| 文字¦>>> x¦"
        ":字段: 文字¦=====¦文字::¦::¦__ a¦文字 : 分类¦-- 某人¦——某人¦+-----+¦=====  =====¦|¦+¦…|…¦"
        "`¦``¦``文¦`文`_¦文_¦[1]_¦|x|¦\\¦文\\¦:raw:`<b>`¦`文 <javascript:x>`__¦*¦**文¦\t文¦"
        '文\t\t字¦"¦",¦文","字¦文字 <b>¦<x>¦…，…¦'
        "\u3000文¦文 ¦…：¦"
        "…::¦文 ::¦  - 文¦:class: 文¦:maxdepth: 1¦文\\ ¦ééééééééé¦𠀀𠀀𠀀𠀀𠀀𠀀𠀀𠀀𠀀¦"
        "👩🏽\u200d💻👩🏽\u200d💻👩🏽\u200d💻¦..¦...¦#. 文"
    ).split("¦"),
    "文" * 60,
]


def assert_only_prose_changed(text: str, msgstrs: Sequence[str]) -> int:
    """P4 for one page: each message gets the next of ``msgstrs``.

    Returns how many of them stand in the page.
    """
    document = page(text, path="a.rst")
    split = document.units[0].split
    chosen = {}
    for index, message in enumerate(split.messages[: len(msgstrs)]):
        msgstr = msgstrs[index].replace("…", message.msgid)
        if msgstr.strip() and not refusal_of(message, msgstr):
            chosen[index] = msgstr
    placed_unit = place_translations(grammar_of(document), split, chosen, {}, ())
    assert placed_unit is not None
    placed = placed_unit.placed
    before, after = (of_docutils(one, is_myst=False) for one in (text, placed.text))
    assert after.blocks == before.blocks
    assert after.acts <= before.acts
    if not split.tables and not any(message.rules for message in split.messages):
        at, was, gaps = 0, 0, []
        for message, (start, end) in zip(split.messages, placed.spans, strict=True):
            gaps.append((text[was : message.start], placed.text[at:start]))
            at, was = end, message.end
        gaps.append((text[was:], placed.text[at:]))
        assert all(ours == theirs for theirs, ours in gaps)
    return len(placed.edits)


ALL_HOSTILE = (*RST_HOSTILE, *(text for text in HOSTILE.values() if len(text) < 1000))
TURNS = 10  # of hostile translations among the messages of a page


@pytest.mark.parametrize("text", PAGES)
@pytest.mark.parametrize("turn", range(TURNS))
def test_a_hostile_translation_changes_only_prose(text: str, turn: int) -> None:
    assert_only_prose_changed(text, RST_HOSTILE[turn * len(RST_HOSTILE) // TURNS :])


@given(
    st.sampled_from(PAGES),
    st.lists(st.text("`*_|[]:<>\\-=+.#\"'1a文，： \t", max_size=8), max_size=12),
)
def test_any_marks_change_only_prose(text: str, msgstrs: list[str]) -> None:
    assert_only_prose_changed(text, msgstrs)


# The real pages

WHOLE = bool(os.environ.get("JAX_DOCS_WHOLE"))


PARTS = 4
# Hostile messages on a page: each that breaks it costs some readings of it.
AT_ONCE = 15


@pytest.mark.parametrize("part", range(PARTS))
def test_hostile_translations_of_real_pages_change_only_prose(
    repository: Repository, part: int
) -> None:
    step = PARTS * (1 if WHOLE else 40)
    blobs = list(repository.pages_ever((".rst",)))[part::step]
    count = 0
    for number, (_, data) in enumerate(repository.read(blobs)):
        text = data.decode()
        chosen = random.Random(number).choices(ALL_HOSTILE, k=AT_ONCE)
        skipped = [""] * random.Random(number).randrange(max(text.count("\n\n") - AT_ONCE, 1))
        count += assert_only_prose_changed(text, [*skipped, *chosen])
    print(f"{len(blobs)} blobs, {count} hostile translations stand in them")
    assert count
