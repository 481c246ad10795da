"""Marks that are bound to their line or place, in each language, dialect and place.

An alert, attributes, a glossary or CSV counts lines. A translation must change only their words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from textwrap import indent

import pytest

from pipeline.core.document.merge import Merged, merge
from pipeline.core.document.reader import Document, read_document
from pipeline.reading import Dialect, Reading

MYST, MKDOCS, COMMONMARK = Dialect.MYST, Dialect.MKDOCS, Dialect.COMMONMARK
ALL = tuple(Dialect)
RST = ()


@dataclass(frozen=True)
class Kind:
    """A kind of mark: a sample, its words, and the sample with a 译 before each of these."""

    text: str
    words: Sequence[str]
    merged: str
    dialects: Sequence[Dialect] = ALL  # RST if it is reST


KINDS = {
    "alert": Kind(
        "> [!NOTE]\n> Apple words.\n",
        ["Apple words."],
        "> [!NOTE]\n> 译 Apple words.\n",
    ),
    "alert of several paragraphs": Kind(
        "> [!warning]\n> Apple\n> words.\n>\n> - River\n",
        ["Apple words.", "River"],
        "> [!warning]\n> 译 Apple words.\n>\n> - 译 River\n",
    ),
    "folded callout": Kind(
        "> [!tip]-\n>\n> Apple words.\n",
        ["Apple words."],
        "> [!tip]-\n>\n> 译 Apple words.\n",
    ),
    "attributes above": Kind(
        "{.red #pear}\nApple words.\n",
        ["Apple words."],
        "{.red #pear}\n译 Apple words.\n",
    ),
    "attributes below": Kind(
        "Apple words.\n{: .red }\n\nRiver\n",
        ["Apple words.", "River"],
        "译 Apple words.\n{: .red }\n\n译 River\n",
    ),
    "attributes of a heading": Kind(
        "## Apple {#pear}\n\nRiver\n",
        ["Apple {#pear}", "River"],
        "## 译 Apple {#pear}\n\n译 River\n",
    ),
    "attributes of a link": Kind(
        "An [apple](b.md){ .red } word.\n",
        ["An [apple](b.md){ .red } word."],
        "译 An [apple](b.md){ .red } word.\n",
    ),
    "glossary": Kind(
        "```{glossary}\napple : A\npear\n  A *river* and\n  a lake.\n\n  - Stone\n\n"
        ".. a comment\n\nsun\n  It shines.\n```\n",
        ["apple", "pear", "A *river* and a lake.", "Stone", "sun", "It shines."],
        "```{glossary}\n译 apple : A\napple\n译 pear\npear\n  译 A *river* and a lake.\n\n"
        "  - 译 Stone\n\n.. a comment\n\n译 sun\nsun\n  译 It shines.\n```\n",
        [MYST],
    ),
    "glossary with a comment at its end": Kind(
        "```{glossary}\napple\n  River\n\n.. a comment\n  goes on\n```\n",
        ["apple", "River"],
        "```{glossary}\n译 apple\napple\n  译 River\n\n.. a comment\n  goes on\n```\n",
        [MYST],
    ),
    "glossary of reST": Kind(
        ".. glossary::\n\n   apple : A\n   pear\n     A *river* and\n     a lake.\n",
        ["apple", "pear", "A *river* and a lake."],
        ".. glossary::\n\n   译 apple : A\n   apple\n   译 pear\n   pear\n"
        "     译 A *river* and a lake.\n",
        RST,
    ),
    "CSV": Kind(
        "```{csv-table} Stone\n:header: Apple, River 2\n:widths: 10, 20\n\n"
        'one, "a ""cell"", in short"\n`a`, two\n```\n',
        ["Stone", "Apple", "River 2", "one", 'a "cell", in short', "two"],
        "```{csv-table} 译 Stone\n:header: 译 Apple, 译 River 2\n:widths: 10, 20\n\n"
        '"译 one", "译 a ""cell"", in short"\n`a`, "译 two"\n```\n',
        [MYST],
    ),
    "CSV with semicolons": Kind(
        "```{csv-table}\n:delim: ;\n\none, two; 3\n```\n",
        ["one, two"],
        '```{csv-table}\n:delim: ;\n\n"译 one, two"; 3\n```\n',
        [MYST],
    ),
    "CSV of reST": Kind(
        ".. csv-table:: Stone\n   :header: Apple, River 2\n\n"
        '   one, "a ""cell"", in short"\n',
        ["Stone", "Apple", "River 2", "one", 'a "cell", in short'],
        '.. csv-table:: 译 Stone\n   :header: "译 Apple", "译 River 2"\n\n'
        '   "译 one", "译 a ""cell"", in short"\n',
        RST,
    ),
    "margin": Kind(
        "```{margin} Apple\nRiver words.\n```\n",
        ["Apple", "River words."],
        "```{margin} 译 Apple\n译 River words.\n```\n",
        [MYST],
    ),
    "margin of reST": Kind(
        ".. margin:: Apple\n\n   River words.\n",
        ["Apple", "River words."],
        ".. margin:: 译 Apple\n\n   译 River words.\n",
        RST,
    ),
    "index": Kind(
        "An {index}`apple pie` word.\n",
        ["An {index}`apple pie` word."],
        "译 An {index}`apple pie` word.\n",
        [MYST],
    ),
    "index of reST": Kind(
        "An :index:`apple pie` word.\n",
        ["An :index:`apple pie` word."],
        "译 An :index:`apple pie` word.\n",
        RST,
    ),
}


def _below(first: str, below: str) -> Callable[[str], str]:
    """Return a function that puts ``first`` before a text, and ``below`` before its other lines."""
    return lambda text: indent(text, below).replace(below, first, 1)


# Blocks around a sample, for Markdown and reST.
Frames = dict[str, tuple[Callable[[str], str], Callable[[str], str]]]
PLACES: Frames = {
    "page": (str, str),
    "list": (_below("- ", "  "), _below("* ", "  ")),
    "quote": (lambda text: indent(text, "> ", lambda _: True), _below("  ", "  ")),
    "item of a quote": (
        lambda text: indent(_below("- ", "  ")(text), "> ", lambda _: True),
        _below("  * ", "    "),
    ),
}
DIRECTIVES: Frames = {
    "directive": (
        lambda text: f"`````{{note}}\n{text}`````\n",
        lambda text: f".. note::\n\n{indent(text, '   ')}",
    ),
    "table of lists": (
        lambda text: f"`````{{list-table}}\n{_below('* - ', '    ')(text)}`````\n",
        lambda text: f".. list-table::\n\n{_below('   * - ', '       ')(text)}",
    ),
}


def _rows() -> Iterable[tuple[str, str, str]]:
    """Yield the rows of the table: a kind, a dialect or a format, and a place."""
    for name, kind in KINDS.items():
        for dialect in kind.dialects:
            places = [*PLACES, *DIRECTIVES] if dialect is MYST else [*PLACES]
            yield from ((name, str(dialect), place) for place in places)
            yield name, str(dialect), "cell"
        if not kind.dialects:
            yield from ((name, "rst", place) for place in [*PLACES, *DIRECTIVES])


def _put(text: str, format_name: str, place: str) -> str:
    """Return a sample in its place."""
    markdown, rst = {**PLACES, **DIRECTIVES}.get(place, (str, str))
    return rst(text) if format_name == "rst" else markdown(text)


def _document(text: str, format_name: str, place: str = "page") -> Document:
    """Return a sample as a document of a format, in its place."""
    text = _put(text, format_name, place)
    if format_name == "rst":
        return read_document("a.rst", text.encode())
    reading = Reading(dialect=Dialect(format_name))
    if place != "cell":
        return read_document("a.md", text.encode(), reading)
    cell = {"cell_type": "markdown", "metadata": {}, "source": text}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    return read_document("a.ipynb", json.dumps(notebook).encode(), reading)


def _msgids(document: Document) -> list[str]:
    return [message.msgid for _, message in document.messages()]


def _text_of(merged: Merged) -> str:
    (unit,) = merged.units
    return unit.text


@pytest.mark.parametrize(("name", "format_name", "place"), list(_rows()))
def test_only_words_change_and_every_mark_keeps_its_line(
    name: str, format_name: str, place: str
) -> None:
    kind = KINDS[name]
    document = _document(kind.text, format_name, place)
    assert _msgids(document) == list(kind.words)
    assert merge(document, {}).data.decode() == document.raw
    merged = merge(document, {words: f"译 {words}" for words in kind.words})
    assert merged.rejected == ()
    assert _text_of(merged) == _put(kind.merged, format_name, place)
    assert merged.translated == len(kind.words)


# A sample, and translations of its first message that would add, lose or break a mark.
BROKEN = {
    "alert added": (
        "> Apple words.\n",
        ["[!NOTE]", "[!NOTE] 苹果", "[!警告] 苹果"],
        ALL,
    ),
    "alert twice": ("> [!NOTE]\n> Apple words.\n", ["[!NOTE] 苹果", "[!TIP]"], ALL),
    "alert with words": ("> [!note] Apple\n", ["苹果", "[!注意] 苹果"], ALL),
    "name of a heading": (
        "# Apple {#pear}\n",
        ["苹果", "苹果 {#梨}", "苹果｛#pear｝"],
        ALL,
    ),
    "name with a colon": ("# Apple {: #pear }\n", ["苹果", "苹果 {#pear}"], ALL),
    "button": (
        "[Apple](b.md){ .red }\n",
        ["[苹果](b.md)", "[苹果](b.md) { .red }", "[苹果](b.md){ .blue }"],
        ALL,
    ),
    "attributes added": ("Apple words.\n", ["{.red}", "苹果 {.red}"], ALL),
    "term with a classifier": (
        "```{glossary}\napple\n  River\n```\n",
        ["苹果 : A", "苹果\n  河", ".. 苹果"],
        [MYST],
    ),
    "cell that is a list": (
        "```{csv-table}\napple, river\n```\n",
        ["- 苹果", "# 苹果"],
        [MYST],
    ),
    "header with a comma": (
        "```{csv-table}\n:header: Apple, River\n\n1, 2\n```\n",
        ["苹果, 梨", '"苹果"', "苹果 # 梨"],
        [MYST],
    ),
}


def _broken() -> Iterable[tuple[str, Dialect, str]]:
    for text, translations, dialects in BROKEN.values():
        for dialect in dialects:
            yield from ((text, dialect, translation) for translation in translations)


@pytest.mark.parametrize(("text", "dialect", "translation"), list(_broken()))
def test_a_translation_that_would_change_a_mark_stays_out(
    text: str, dialect: Dialect, translation: str
) -> None:
    document = _document(text, str(dialect))
    merged = merge(document, {_msgids(document)[0]: translation})
    assert merged.data.decode() == text
    (rejected,) = merged.rejected
    assert rejected.refusal.code in ("G102", "G104", "G105")
    assert rejected.refusal.hint


# Words that are no messages, and why; or None if they are none that readers see.
LEFT = {
    "raw HTML": ("```{raw} html\n<p>Apple words</p>\n```\n", "raw HTML", "md"),
    "raw HTML of reST": (".. raw:: html\n\n   <p>Apple words</p>\n", "raw HTML", "rst"),
    "codes in raw HTML": ("```{raw} html\n<td>bf</td>\n```\n", None, "md"),
    "script": ("```{raw} html\n<script>var apple = 1</script>\n```\n", None, "md"),
    "LaTeX": (".. raw:: latex\n\n   apple words\n", None, "rst"),
    "field": ("Words.\n\n:Some apple: River words.\n", "field", "rst"),
    "field of an object": (
        ".. function:: a\n\n   :param b: River words.\n",
        None,
        "rst",
    ),
    "metadata": (":Some apple: River words.\n", None, "rst"),
    "classifier": ("apple : a fruit\n   River words.\n", "classifier", "rst"),
    "classifier without words": ("apple : 1\n   River words.\n", None, "rst"),
    "classifier of a glossary": (
        ".. glossary::\n\n   apple : a fruit\n      River words.\n",
        None,
        "rst",
    ),
    "CSV with other quotes": (
        "```{csv-table}\n:quote: '\n\napple, river\n```\n",
        "CSV",
        "md",
    ),
    "quoted header of CSV": (
        '```{csv-table}\n:header: 1, "Apple"\n\n1, 2\n```\n',
        "CSV",
        "md",
    ),
    "CSV over lines": ('```{csv-table}\n"apple\npear", 1\n```\n', "CSV", "md"),
    "CSV with a list": ('```{csv-table}\n"- apple", 1\n```\n', "CSV", "md"),
}


@pytest.mark.parametrize(("text", "reason", "suffix"), LEFT.values(), ids=LEFT)
def test_words_that_stay_english_are_counted(
    text: str, reason: str | None, suffix: str
) -> None:
    document = read_document(f"a.{suffix}", text.encode())
    left = document.units[0].split.left_in_english
    if reason is None:
        assert left == ()
    else:
        ((line, text_of_reason),) = left
        assert reason in text_of_reason
        assert "apple" in "".join(text.split("\n")[line - 1 :]).lower()
    assert merge(document, dict.fromkeys(_msgids(document), "译")).rejected == ()


@pytest.mark.parametrize("name", ["glossary", "CSV"])
def test_directives_whose_lines_count_are_never_read_as_prose(name: str) -> None:
    prose = Reading(prose=frozenset(("glossary", "csv-table")))
    document = read_document("a.md", KINDS[name].text.encode(), prose)
    assert _msgids(document) == list(KINDS[name].words)
