"""Docstrings in Google's and NumPy's style: what is a message, and what a merge must keep."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from corpus import msgids, page

from pipeline.core.document.merge import merge
from pipeline.core.document.reader import Document
from pipeline.core.document.rst.docstring import names_in

DATA = Path(__file__).parent / "data"
GOOGLE = (DATA / "google.txt").read_text(encoding="utf-8")
NUMPY = (DATA / "numpy.txt").read_text(encoding="utf-8")


def document(text: str) -> Document:
    return page(text, path="_api/tea/pour.docstring")


PROSE = {
    GOOGLE: [
        "Pour tea into cups.",
        "Only clean cups count. See :func:`wash`.",
        "the full pot, or several pots in a tuple.",
        "names of the cups.",
        "more cups",
        "how deep to pour into each cup.",
        "millilitres of a cup",
        "a list is no item: of the section",
        "Cups in their order. They are: warm.",
        "if a cup is dirty.",
        "if the pot is too full.",
        "Two cups of tea:",
        ":func:`brew`: what comes before",
    ],
    NUMPY: [
        "Pour tea into cups.",
        "the full pot",
        "names of the cups",
        "the first cup",
        "Tea stains.",
    ],
}


@pytest.mark.parametrize(("text", "expected"), PROSE.items(), ids=["Google", "NumPy"])
def test_prose_of_each_style(text: str, expected: list[str]) -> None:
    assert msgids(document(text)) == expected


@pytest.mark.parametrize("text", [GOOGLE, NUMPY])
def test_merge_changes_prose_only(text: str) -> None:
    found = document(text)
    assert merge(found, {}).data == text.encode()
    words = {msgid: f"译文{number}" for number, msgid in enumerate(msgids(found))}
    merged = merge(found, words)
    assert merged.rejected == ()
    assert merged.translated == len(words)
    result = merged.data.decode()
    assert names_in(result) == names_in(text)
    assert msgids(document(result)) == list(words.values())


def test_merged_lines_keep_their_place() -> None:
    merged = merge(document(GOOGLE), {"names of the cups.": "杯子的名字。"})
    assert "\n  cups (list[str]): 杯子的名字。\n  *rest" in merged.data.decode()


@pytest.mark.parametrize(
    ("msgid", "msgstr"),
    [
        ("the full pot, or several pots in a tuple.", "一壶\n  kettle: 水壶"),
        ("Cups in their order. They are: warm.", "Cup: 杯子"),
        ("Two cups of tea:", ">>> spill()"),
        ("if a cup is dirty.", "脏了 :eval:`1`"),
        ("Only clean cups count. See :func:`wash`.", "见 :func:`rinse`。"),
        ("how deep to pour into each cup.", ".. raw:: html"),
        ("Two cups of tea:", "两杯茶::"),
    ],
)
def test_no_translation_adds_sections_items_examples_or_roles(msgid: str, msgstr: str) -> None:
    merged = merge(document(GOOGLE), {msgid: msgstr})
    assert merged.data == GOOGLE.encode()
    assert len(merged.rejected) == 1


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Args:\nflush left: no section", ()),
        ("Args: on the same line", ()),
        ("Unknown:\n  pot: no item", ()),
        ("args:\n  pot: tea", ("args", "pot")),
        ("Returns:\n  tuple[int, int]: two", ("Returns", "tuple[int, int]")),
        ("Returns:\n  What follows is a sentence: tea", ("Returns",)),
        ("Returns:\n  All cups,\n  or the pot: tea", ("Returns",)),
        ("Returns:\n  pot: tea\n  cup: tea", ("Returns", "pot", "cup")),
        ("Args:\n  pot: tea\n    depth: of the pot", ("Args", "pot")),
        ("Args:\n  a `b: c`: tea", ("Args", "a `b: c`")),
        ("Args:\n  pot:: tea", ("Args",)),
        ("Args:\n  pot", ("Args",)),
        ("Note:\n  pot: tea", ("Note",)),
        ("Args:\n  pot: tea\nText.\n  cup: tea", ("Args", "pot")),
        ("Parameters\n==========\npot : Pot\n    tea", ("Parameters", "pot : Pot")),
        ("Parameters\n\npot : Pot\n    tea", ()),
    ],
)
def test_names_of_sections_and_items(text: str, names: tuple[str, ...]) -> None:
    assert tuple(name for _, name in names_in(text)) == names


@pytest.mark.parametrize("piece", ["`", "`a` ", "`a`:b ", ":", "a:b", "a b ", "*"])
def test_names_are_found_in_linear_time(piece: str) -> None:
    began = time.process_time()
    assert names_in(f"Args:\n  {piece * 4000}")
    assert time.process_time() - began < 2


def test_first_section_is_no_metadata() -> None:
    assert msgids(document("Args:\n  pot: the full pot\n")) == ["the full pot"]


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_literal_block_of_an_item_stays_one(line_break: str) -> None:
    """docutils reads an item of one line with the indentation of the code below it."""
    english = "Args:\n  pot: the full\n    pot::\n\n      pour()\n"
    chinese = "Args:\n  pot: 满的壶：\n    ::\n\n      pour()\n"
    found = document(english.replace("\n", line_break))
    merged = merge(found, {"the full pot:": "满的壶："})
    assert not merged.rejected
    assert merged.data.decode() == chinese.replace("\n", line_break)
