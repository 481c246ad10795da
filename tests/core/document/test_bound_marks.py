"""Marks that are bound to their line or place, in each language, dialect and place.

An alert, attributes, a glossary or CSV counts lines. A translation must change only their words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest
from bound_marks import ALL, KINDS, MYST, put, rows

from pipeline.core.document.merge import Merged, merge
from pipeline.core.document.reader import Document, read_document
from pipeline.reading import Dialect, Reading


def _document(text: str, format_name: str, place: str = "page") -> Document:
    """Return a sample as a document of a format, in its place."""
    text = put(text, format_name, place)
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


@pytest.mark.parametrize(("name", "format_name", "place"), list(rows()))
def test_only_words_change_and_every_mark_keeps_its_line(
    name: str, format_name: str, place: str
) -> None:
    kind = KINDS[name]
    document = _document(kind.text, format_name, place)
    assert _msgids(document) == list(kind.words)
    assert merge(document, {}).data.decode() == document.raw
    merged = merge(document, {words: f"译 {words}" for words in kind.words})
    assert merged.rejected == ()
    assert _text_of(merged) == put(kind.merged, format_name, place)
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
