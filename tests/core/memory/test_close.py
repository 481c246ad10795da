"""core/memory/close and what it stands on: what a memory keeps of a catalogue, entry by entry."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pipeline.core.memory.close import close_catalog
from pipeline.core.memory.header import editing_fields
from pipeline.core.memory.notes import Place
from pipeline.core.memory.record import Memory, digest
from pipeline.core.memory.sources import parts_of
from pipeline.entries import Catalog, Entry

HAN = {
    "Last-Translator": "Han Meimei <han@example.org>",
    "PO-Revision-Date": "2026-03-04 05:06+0800",
}
TEA = "Tea is made of leaves and hot water."


def memory(*entries: Entry) -> Memory:
    return Memory(
        upstream="x",
        locale="zh_CN",
        page="page",
        commit="c" * 40,
        ref="v1",
        layout="0" * 32,
        entries=entries,
    )


def close(
    entry: Entry,
    *,
    old: Memory | None = None,
    places: dict[str, Place] | None = None,
    texts: Sequence[str] = (),
) -> Entry:
    """The memory's entry for the only entry of a catalogue, which is on its page."""
    closed = close_catalog(
        Catalog(header=HAN, entries=(entry,)),
        memory(),
        old=old,
        live={digest(entry.msgid)},
        find=(places or {}).get,
        texts=texts,
    )
    return closed.entries[0]


def test_a_source_that_nobody_can_place_is_left_out() -> None:
    entry = Entry(msgid=TEA, msgstr="茶", fuzzy=True, previous="Leaves. Water.")
    place = Place(commit="d" * 40, page="water")
    closed = close(
        entry, places={digest("Water."): place}, texts=["Leaves.", "Water.", TEA]
    )
    sources = [note for note in closed.notes if note.startswith("source: ")]
    assert sources == [f"source: {digest('Water.')} {'d' * 40} water"]


def test_a_fuzzy_entry_that_was_remembered_without_previous_english_stays_so() -> None:
    remembered = Entry(
        msgid=digest(TEA), msgstr="茶", fuzzy=True, notes=("fuzzy: rewording",)
    )
    closed = close(Entry(msgid=TEA, msgstr="茶", fuzzy=True), old=memory(remembered))
    assert (closed.msgstr, closed.previous, closed.notes) == (
        "茶",
        None,
        ("fuzzy: rewording",),
    )


def test_nobody_has_touched_an_entry_that_only_has_a_flag() -> None:
    closed = close(Entry(msgid=TEA, flags=("no-wrap",)))
    assert closed == Entry(msgid=digest(TEA), flags=("no-wrap",))


def test_who_saved_the_catalogue_has_touched_what_is_new() -> None:
    closed = close(Entry(msgid=TEA, msgstr="茶"))
    assert closed.notes == (
        f"translator: {HAN['Last-Translator']}, {HAN['PO-Revision-Date']}",
    )


@pytest.mark.parametrize(
    ("text", "texts", "parts"),
    [
        ("One. Two.", ["Two.", "One."], ("One.", "Two.")),
        ("One. Two. Three.", ["One.", "One. Two.", "Three."], ("One. Two.", "Three.")),
        ("One. Two.", ["One."], ()),
    ],
    ids=["in its own order", "the first guess leads nowhere", "a part is not known"],
)
def test_parts_of_a_text(text: str, texts: list[str], parts: tuple[str, ...]) -> None:
    assert parts_of(text, texts) == parts


def test_a_date_without_a_name_is_kept() -> None:
    entry = Entry(msgid=digest(TEA), notes=("translator: , 2026-03-04 05:06+0800",))
    assert editing_fields(memory(entry)) == {
        "PO-Revision-Date": "2026-03-04 05:06+0800"
    }


def test_what_could_not_be_opened_stays_as_the_memory_has_it() -> None:
    """The English of a fuzzy entry was not to be had, so the catalogue lacks it."""
    place = f"previous seen: {'d' * 40} page"
    remembered = Entry(
        msgid=digest(TEA),
        msgstr="茶",
        fuzzy=True,
        previous=digest("Leaves."),
        notes=(place,),
    )
    closed = close(Entry(msgid=TEA, msgstr="茶", fuzzy=True), old=memory(remembered))
    assert (closed.previous, closed.fuzzy) == (remembered.previous, True)
    # A msgstr that somebody has changed since is new work.
    changed = close(Entry(msgid=TEA, msgstr="新茶", fuzzy=True), old=memory(remembered))
    assert changed.previous is None
