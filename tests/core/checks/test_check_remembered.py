"""Entries of a memory under check: with their English, and what of them is told without it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pipeline.core.checks.hygiene import (
    find_differing_placeholders,
    markup_of_texts,
    read_memory_entries,
    readable_texts,
)
from pipeline.core.document.message import Markup
from pipeline.core.memory.record import digest, stored
from pipeline.entries import Entry

LINK = "[a lamp](https://example.org/many-words-that-make-it-long)"


def memory(msgid: str, msgstr: str) -> Entry:
    """The entry of a memory for a catalogue's, on line 7."""
    kept = stored(Entry(msgid=msgid, msgstr=msgstr))
    return Entry(msgid=digest(msgid), msgstr=kept.msgstr, notes=kept.notes, line=7)


def english(*msgids: str) -> dict[str, Entry]:
    """The entries of a catalogue without translations, by digest."""
    return {digest(msgid): Entry(msgid=msgid, notes=("list item",), line=99) for msgid in msgids}


def test_a_translation_comes_back_with_its_english_and_the_line_of_the_memory() -> None:
    entry = memory(f"See {LINK}.", f"见{LINK.replace('a lamp', '灯')}。")
    assert "⟦1⟧" in entry.msgstr
    read = read_memory_entries([entry], english(f"See {LINK}."))
    (known,) = read.known
    assert known == Entry(
        msgid=f"See {LINK}.",
        msgstr=f"见{LINK.replace('a lamp', '灯')}。",
        notes=("list item",),
        line=7,
    )
    assert (read.unknown, read.problems) == ((), ())


def test_a_translation_that_is_the_english_itself_comes_back_as_well() -> None:
    entry = memory("JAX", "JAX")
    assert entry.msgstr == ""
    read = read_memory_entries([entry], english("JAX"))
    assert [known.msgstr for known in read.known] == ["JAX"]
    assert read_memory_entries([entry], {}).unknown == ()


def test_unfinished_entries_are_left_out() -> None:
    entries = [
        replace(memory("A", "甲"), fuzzy=True),
        replace(memory("B", "乙"), obsolete=True),
        memory("C", ""),
    ]
    assert read_memory_entries(entries, english("A", "B", "C")).entries == ()


def test_without_its_english_an_entry_stays_as_it_is() -> None:
    entry = memory("A", "甲")
    assert read_memory_entries([entry], {}).unknown == (entry,)


@pytest.mark.parametrize(
    ("msgstr", "largest", "places"),
    [
        ("灯⟦1⟧。", "⟦1⟧", [(1, 4)]),
        ("甲⟦9⟧乙⟦10⟧。", "⟦10⟧", [(1, 4), (5, 9)]),
        ("甲⟦10⟧乙⟦009⟧。", "⟦10⟧", [(1, 5), (6, 11)]),
        (f"甲⟦9⟧乙⟦1{'0' * 5000}⟧。", "⟦10000", [(1, 4), (5, 5008)]),
    ],
)
def test_a_placeholder_must_stand_for_something(
    msgstr: str, largest: str, places: list[tuple[int, int]]
) -> None:
    entry = Entry(msgid=digest("A lamp."), msgstr=msgstr)
    read = read_memory_entries([memory("B", "乙"), entry], english("A lamp."))
    (problem,) = read.problems
    assert (problem.index, read.known) == (1, ())
    assert problem.text.startswith(f"has “{largest}")
    assert problem.spans == tuple(places)


@pytest.mark.parametrize(
    ("msgstrs", "told"),
    [
        (["⟦1⟧", "甲⟦1⟧"], []),
        (["⟦1⟧⟦2⟧", "⟦2⟧⟦1⟧⟦1⟧"], []),
        (["⟦1⟧", "⟦2⟧"], [0, 1]),  # nobody knows which is right
        (["⟦1⟧", "⟦2⟧", "⟦1⟧"], [1]),
        (["⟦1⟧", "甲"], [0, 1]),
        ([f"⟦{'9' * 5000}⟧⟦1⟧", "⟦2⟧"], [0, 1]),  # a number may have any length
        (["⟦1⟧", ""], []),
    ],
)
def test_translations_of_one_text_name_the_same_atoms(msgstrs: list[str], told: list[int]) -> None:
    entries = [Entry(msgid=digest("A"), msgstr=msgstr) for msgstr in msgstrs]
    problems = list(find_differing_placeholders(entries))
    assert [problem.index for problem in problems] == told
    assert all(problem.is_downgraded for problem in problems)


@pytest.mark.parametrize(
    ("msgstr", "readable"),
    [
        ("见[指南⟦1⟧。", "见[指南]()。"),
        ("见⟦1⟧。", "见`x`。"),
        ("见[甲⟦10⟧和[乙⟦2⟧和⟦3⟧。", "见[甲](x)和[乙]()和`x`。"),
        ("见[甲](a)和⟦1⟧。", "见[甲](a)和`x`。"),
        ("见 :func:`f`。", "见 :func:`f`。"),
    ],
)
def test_placeholders_become_what_a_parser_can_read(msgstr: str, readable: str) -> None:
    entry = Entry(msgid=digest("A"), msgstr=msgstr)
    (read,) = readable_texts([entry], Markup.MARKDOWN)
    assert read.msgstr == readable
    assert len(readable) == len(msgstr)


def test_in_rst_a_placeholder_may_be_half_of_a_link() -> None:
    entries = [
        Entry(msgid="a" * 32, msgstr="见 ``f``。"),
        Entry(msgid="b" * 32, msgstr="见`指南⟦1⟧。"),
    ]
    assert markup_of_texts(entries) is Markup.RST
    assert list(readable_texts(entries, Markup.RST)) == entries[:1]
