"""Marks that are bound to their line or place, in each language, dialect and place.

An alert, attributes, a glossary or CSV counts lines. A translation must change only their words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest
from bound_marks import ALL, KINDS, MYST, put, rows
from corpus import msgids, page, translated
from notebooks import notebook_value, prose

from pipeline.core.document.merge import merge
from pipeline.core.document.reader import Document
from pipeline.reading import Dialect, Reading


def _document(text: str, format_name: str, place: str = "page") -> Document:
    """Return a sample as a document of a format, in its place."""
    text = put(text, format_name, place)
    if format_name == "rst":
        return page(text, path="a.rst")
    reading = Reading(dialect=Dialect(format_name))
    if place == "cell":
        return page(json.dumps(notebook_value(prose(text))), reading, path="a.ipynb")
    return page(text, reading)


@pytest.mark.parametrize(("name", "format_name", "place"), list(rows()))
def test_only_words_change_and_every_mark_keeps_its_line(
    name: str, format_name: str, place: str
) -> None:
    kind = KINDS[name]
    document = _document(kind.text, format_name, place)
    assert msgids(document) == list(kind.words)
    assert merge(document, {}).data.decode() == document.raw
    merged = merge(document, translated(document, lambda words: f"译 {words}"))
    assert merged.rejected == ()
    (unit,) = merged.units
    assert unit.text == put(kind.merged, format_name, place)
    assert merged.translated == len(kind.words)


# A sample, and translations of its first message that would add, lose or break a mark.
BROKEN = {
    "alert added": ("> Apple.\n", ["[!NOTE]", "[!NOTE] 果", "[!警告] 果"], ALL),
    "alert twice": ("> [!NOTE]\n> Apple words.\n", ["[!NOTE] 苹果", "[!TIP]"], ALL),
    "alert with words": ("> [!note] Apple\n", ["苹果", "[!注意] 苹果"], ALL),
    "name of a heading": ("# Apple {#a}\n", ["果", "果 {#梨}", "果｛#a｝"], ALL),
    "name with a colon": ("# Apple {: #pear }\n", ["苹果", "苹果 {#pear}"], ALL),
    "button": (
        "[Apple](b){ .red }\n",
        ["[果](b)", "[果](b) { .red }", "[果](b){ .blue }"],
        ALL,
    ),
    "attributes added": ("Apple words.\n", ["{.red}", "苹果 {.red}"], ALL),
    "term with a classifier": (
        "```{glossary}\napple\n  River\n```\n",
        ["苹果 : A", "苹果\n  河", ".. 苹果"],
        [MYST],
    ),
    "cell that is a list": (
        "```{csv-table}\napple, b\n```\n",
        ["- 果", "# 果"],
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
    merged = merge(document, {msgids(document)[0]: translation})
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
    "field of an object": (".. function:: a\n\n   :param b: River.\n", None, "rst"),
    "metadata": (":Some apple: River words.\n", None, "rst"),
    "classifier": ("apple : a fruit\n   River words.\n", "classifier", "rst"),
    "classifier without words": ("apple : 1\n   River words.\n", None, "rst"),
    "classifier of a glossary": (
        ".. glossary::\n\n   apple : a fruit\n      River words.\n",
        None,
        "rst",
    ),
    "CSV with other quotes": ("```{csv-table}\n:quote: '\n\napple\n```\n", "CSV", "md"),
    "quoted header of CSV": (
        '```{csv-table}\n:header: 1, "Apple"\n\n1, 2\n```\n',
        "CSV",
        "md",
    ),
    "CSV over lines": ('```{csv-table}\n"apple\npear", 1\n```\n', "CSV", "md"),
    "CSV with a list": ('```{csv-table}\n"- apple", 1\n```\n', "CSV", "md"),
}


@pytest.mark.parametrize(("text", "reason", "suffix"), LEFT.values(), ids=LEFT)
def test_words_that_stay_english_are_counted(text: str, reason: str | None, suffix: str) -> None:
    document = page(text, path=f"a.{suffix}")
    left = document.units[0].split.left_in_english
    if reason is None:
        assert left == ()
    else:
        ((line, text_of_reason),) = left
        assert reason in text_of_reason
        assert "apple" in "".join(text.split("\n")[line - 1 :]).lower()
    assert merge(document, dict.fromkeys(msgids(document), "译")).rejected == ()


@pytest.mark.parametrize("name", ["glossary", "CSV"])
def test_directives_whose_lines_count_are_never_read_as_prose(name: str) -> None:
    known = Reading(prose=frozenset(("glossary", "csv-table")))
    document = page(KINDS[name].text, known)
    assert msgids(document) == list(KINDS[name].words)
