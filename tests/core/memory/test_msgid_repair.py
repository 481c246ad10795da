"""core/memory/opening: which message an entry was whose English somebody has edited."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pipeline.core.memory.closing import close_catalog
from pipeline.core.memory.opening import restore_english, unknown_texts
from pipeline.core.memory.record import Memory
from pipeline.entries import Catalog, Entry

TEXTS = [
    "The kettle stands on the left.",
    "Cups hang above it, six in a row.",
    "Never leave the gas on.",
    "Whoever is last puts out the light.",
]
HEAD = Memory(
    upstream="x", locale="zh_CN", page="kitchen", commit="c" * 40, ref="", layout=""
)
WANTED = [Entry(msgid=text, notes=("paragraph",)) for text in TEXTS]
CATALOG = Catalog(
    entries=tuple(
        replace(entry, msgstr=f"译文{number}") for number, entry in enumerate(WANTED)
    )
)


def with_entries(*entries: Entry) -> Catalog:
    return replace(CATALOG, entries=entries)


def stored(catalog: Catalog) -> Memory:
    return close_catalog(catalog, HEAD, old=None, live=(), find=lambda _: None)


BASE = stored(CATALOG)


def edited(*changes: tuple[int, str, str]) -> Catalog:
    """The catalogue with other English, and other translations, in some entries."""
    entries = list(CATALOG.entries)
    for number, msgid, msgstr in changes:
        entries[number] = replace(entries[number], msgid=msgid, msgstr=msgstr)
    return with_entries(*entries)


@pytest.mark.parametrize(
    "msgid", ["The kettle stands on the right.", "Quite another text", "4f" * 16]
)
def test_the_stored_translation_tells_which_message_it_was(msgid: str) -> None:
    back = restore_english(edited((0, msgid, "译文0")), BASE, WANTED)
    assert back.catalog == CATALOG
    assert [entry.msgid for entry in back.edited] == [msgid]


def test_all_of_a_page_is_put_back_by_its_translations() -> None:
    changes = [(number, f"{number}" * 32, f"译文{number}") for number in range(4)]
    assert restore_english(edited(*changes), BASE, WANTED).catalog == CATALOG


def test_else_its_place_does_and_the_translation_waits() -> None:
    back = restore_english(edited((1, "Quite another text", "新译文")), BASE, WANTED)
    entry = back.catalog.entries[1]
    assert (entry.msgid, entry.msgstr) == (TEXTS[1], "新译文")
    assert (entry.fuzzy, entry.previous) == (True, TEXTS[1])
    assert entry.notes[-1].startswith("fuzzy: other: ")


def test_else_its_words_do() -> None:
    """Two neighbours at once leave no place to tell."""
    second = (1, "Never leave the gas burning.", "新的二")
    catalog = edited(second, (2, "Cups hang above, six in one row.", ""))
    back = restore_english(catalog, BASE, WANTED).catalog
    found = {entry.msgid: entry for entry in back.entries}
    assert found[TEXTS[2]].msgstr == "新的二"
    # One without a translation has nothing to wait for.
    assert (found[TEXTS[1]].msgstr, found[TEXTS[1]].fuzzy) == ("", False)


def test_one_that_waited_before_waits_for_what_it_waited_for() -> None:
    edit = Entry(msgid="Quite another text", msgstr="新译文")
    entry = replace(edit, fuzzy=True, previous="The old kettle.")
    catalog = with_entries(entry, *CATALOG.entries[1:])
    back = restore_english(catalog, BASE, WANTED)
    assert back.catalog.entries[0] == replace(entry, msgid=TEXTS[0])


def test_an_entry_that_took_the_place_of_two_tells_of_neither() -> None:
    first, _, third, last = CATALOG.entries
    one = Entry(msgid="Quite another text", msgstr="新的")
    catalog = with_entries(first, one, last)
    assert restore_english(catalog, BASE, WANTED).catalog == catalog
    # Nor does one beside it that was there before, on another page of the memory.
    other = Entry(msgid="On another page once.", msgstr="别处")
    base = replace(BASE, entries=(*BASE.entries, *stored(with_entries(other)).entries))
    swapped = with_entries(first, other, third, last, one)
    assert restore_english(swapped, base, WANTED).catalog == swapped


def test_what_is_like_nothing_stays_as_it_is() -> None:
    extra = Entry(msgid="Quite another text", msgstr="多出来的")
    added = with_entries(*CATALOG.entries, extra)
    assert restore_english(added, BASE, WANTED).catalog is added
    # Also if a message is missing, but elsewhere.
    cut = with_entries(*added.entries[1:])
    assert restore_english(cut, BASE, WANTED).catalog == cut


def test_obsolete_entries_and_those_of_a_newer_page_are_no_strangers() -> None:
    obsolete = Entry(msgid="Gone long ago.", msgstr="旧的", obsolete=True)
    newer = Entry(msgid="The kettle stands on the right.", msgstr="新的")
    catalog = with_entries(newer, *CATALOG.entries[1:], obsolete)
    assert unknown_texts(catalog, BASE) == {newer.msgid}
    back = restore_english(catalog, BASE, WANTED, newer=[newer.msgid])
    assert back.catalog is catalog
    # An obsolete one of the same words is left alone.
    old = replace(newer, obsolete=True, context="old")
    twice = with_entries(newer, *CATALOG.entries[1:], old)
    found = restore_english(twice, BASE, WANTED).catalog.entries
    assert (found[0].msgid, found[-1].msgid) == (TEXTS[0], newer.msgid)


def test_a_translation_that_cannot_be_restored_tells_nothing() -> None:
    """The memory has ⟦7⟧ where the English has no such atom."""
    entries = [replace(entry, msgstr=f"⟦7⟧{entry.msgstr}") for entry in BASE.entries]
    base = replace(BASE, entries=tuple(entries))
    back = restore_english(edited((0, "Quite another", "译文0")), base, WANTED)
    assert back.catalog.entries[0].fuzzy
