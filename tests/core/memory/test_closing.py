"""core/memory/closing: what a memory keeps of a catalogue, entry by entry."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from memories import COMMIT, memory_of
from msgspec.structs import replace

from pipeline.core.catalog.change_class import diff
from pipeline.core.catalog.origins import Copy, Machine
from pipeline.core.memory.closing import (
    close_catalog,
    followed_text,
    parts_of,
    states_without_english,
)
from pipeline.core.memory.record import (
    DIFF,
    SAME,
    Memory,
    Place,
    digest,
    translators_of,
)
from pipeline.entries import Catalog, Entry

HAN = {
    "Last-Translator": "Han Meimei <han@example.org>",
    "PO-Revision-Date": "2026-03-04 05:06+0800",
}
TEA = "Tea is made of leaves and hot water."
LI = "translator: Li Lei, 2026-01-02 03:04+0800"
BY_HAN = f"translator: {HAN['Last-Translator']}, {HAN['PO-Revision-Date']}"
THERE = Place(commit="d" * 40, page="water")
DONE = Entry(msgid=TEA, msgstr="茶")
WAITING = replace(DONE, fuzzy=True)
JOINED = replace(WAITING, previous="Leaves. Water.")


def close(
    entry: Entry,
    *,
    old: Memory | None = None,
    places: dict[str, Place] | None = None,
    texts: Sequence[str] = (),
    is_on_page: bool = True,
) -> Entry:
    """The memory's entry for the only entry of a catalogue."""
    closed = close_catalog(
        Catalog(header=HAN, entries=(entry,)),
        memory_of(),
        old=old,
        live={digest(entry.msgid)} if is_on_page else (),
        find=(places or {}).get,
        texts={text: at for at, text in enumerate(texts)},
    )
    return closed.entries[0]


def test_a_source_that_nobody_can_place_is_left_out() -> None:
    places = {digest("Water."): THERE}
    closed = close(JOINED, places=places, texts=["Leaves.", "Water.", TEA])
    assert closed.notes == (f"source: {digest('Water.')} {THERE.commit} water", BY_HAN)
    # It is kept when nobody has the parts any more.
    assert close(JOINED, old=memory_of(closed)) == closed


def test_a_fuzzy_entry_that_was_remembered_without_previous_english_stays_so() -> None:
    remembered = replace(WAITING, msgid=digest(TEA), notes=("fuzzy: rewording",))
    assert close(WAITING, old=memory_of(remembered)) == remembered


def test_nobody_has_touched_an_entry_that_only_has_a_flag() -> None:
    closed = close(Entry(msgid=TEA, flags=("no-wrap",)))
    assert closed == Entry(msgid=digest(TEA), flags=("no-wrap",))


def test_who_saved_the_catalogue_has_touched_what_is_new() -> None:
    assert close(DONE).notes == (BY_HAN,)


def test_what_could_not_be_opened_stays_as_the_memory_has_it() -> None:
    """The English of a fuzzy entry was not to be had, so the catalogue lacks it."""
    place = f"previous seen: {'d' * 40} page"
    remembered = replace(WAITING, msgid=digest(TEA), previous=digest("Leaves."), notes=(place,))
    old = memory_of(remembered)
    closed = close(WAITING, old=old)
    assert (closed.previous, closed.fuzzy) == (remembered.previous, True)
    # A msgstr that somebody has changed since is new work.
    assert close(replace(WAITING, msgstr="新茶"), old=old).previous is None


def test_an_entry_that_nobody_has_begun_is_its_digest() -> None:
    blank = Entry(msgid=TEA, notes=("paragraph",), references=("page",), line=3)
    assert close(blank) == Entry(msgid=digest(TEA))
    noted = Entry(msgid=digest(TEA), notes=(f"seen: {COMMIT} page", LI))
    assert close(blank, old=memory_of(noted)) == Entry(msgid=digest(TEA), notes=(LI,))


def test_english_that_is_its_own_translation_is_a_note() -> None:
    closed = close(Entry(msgid=TEA, msgstr=TEA))
    assert (closed.msgstr, closed.notes) == ("", (SAME, BY_HAN))


def test_previous_english_that_stood_somewhere_has_a_place_and_no_parts() -> None:
    places = {digest("Leaves. Water."): THERE}
    closed = close(JOINED, places=places, texts=["Leaves.", "Water."])
    assert closed.notes == (f"previous seen: {THERE.commit} water", BY_HAN)


def test_english_that_nobody_can_place_has_no_place() -> None:
    notes = ("paragraph", "fuzzy: rewording: [-x-]")
    entry = replace(WAITING, previous="Whence?", notes=notes)
    closed = close(entry, texts=["Whence", TEA], is_on_page=False)
    assert (closed.msgid, closed.previous) == (digest(TEA), digest("Whence?"))
    assert closed.notes == ("fuzzy: rewording",)


def test_a_message_that_is_gone_has_the_place_of_its_page_so_far() -> None:
    old = memory_of(Entry(msgid=digest(TEA), msgstr="茶", notes=(LI,)))
    gone, places = replace(DONE, obsolete=True), {digest(TEA): THERE}
    closed = close(gone, old=old, places=places, is_on_page=False)
    assert closed.notes == (f"seen: {COMMIT} page", LI)
    closed = close(gone, places=places, is_on_page=False)
    assert closed.notes == (f"seen: {THERE.commit} water", BY_HAN)


def test_an_adopted_translation_says_where_its_english_stood() -> None:
    copy = Copy(file="a.md", commit="e" * 40, page="old", author="Li", licence="MIT")
    gone = replace(DONE, obsolete=True, notes=(copy.note(0.9),))
    notes = close(gone, is_on_page=False).notes
    assert notes == (*gone.notes, f"seen: {'e' * 40} old", BY_HAN)


def test_the_place_of_a_text_that_was_followed_is_kept() -> None:
    old_text = "Tea is made of leaves and cold water."
    entry = replace(DONE, notes=(f"carried over: words: {diff(old_text, TEA)}",))
    closed = close(entry, places={digest(old_text): THERE}, texts=[old_text, TEA])
    source = f"source: {digest(old_text)} {THERE.commit} water"
    assert closed.notes == (f"carried over: words: {DIFF}", source)
    # Now the text stands elsewhere as well.
    places = {digest(old_text): Place(commit="e" * 40, page="other")}
    again = close(entry, old=memory_of(closed), places=places, texts=[old_text])
    assert again == closed


MACHINE = Machine(model="m", prompt=1, date="2026-05-01")
DRAFT = replace(WAITING, notes=(MACHINE.note("茶"),))


@pytest.mark.parametrize(
    ("entry", "translators"),
    [
        (DONE, (LI,)),
        (replace(DONE, msgstr="新茶"), (BY_HAN,)),
        # What the update offers is the work of whoever translated the other message.
        (Entry(msgid="New.", msgstr="叶", fuzzy=True, previous="Leaves."), (LI,)),
        # What the update or a machine has made is nobody's work.
        (Entry(msgid="New.", msgstr="茶", notes=("carried over: the same",)), ()),
    ],
)
def test_whose_name_an_entry_gets(entry: Entry, translators: tuple[str, ...]) -> None:
    leaves = Entry(msgid=digest("Leaves."), msgstr="叶", notes=(LI,))
    old = memory_of(Entry(msgid=digest(TEA), msgstr="茶", notes=(LI,)), leaves)
    assert translators_of(close(entry, old=old)) == translators


def test_what_began_as_a_draft_says_so() -> None:
    assert close(DRAFT).notes == DRAFT.notes
    reworded = replace(DRAFT, msgstr="新茶", fuzzy=False)
    assert "drafted: m, prompt 1, 2026-05-01" in close(reworded).notes


def test_what_is_closed_to_be_compared_looks_up_no_place() -> None:
    gone, head = replace(DONE, obsolete=True), memory_of()
    closed = close_catalog(Catalog(header=HAN, entries=(gone,)), head, old=head)
    assert closed.entries == (replace(gone, msgid=digest(TEA), notes=(BY_HAN,)),)


def test_a_commit_knows_better_than_the_header_who_has_translated() -> None:
    entries = (DONE, Entry(msgid="Cake.", msgstr="糕"))
    closed = close_catalog(
        Catalog(header=HAN, entries=entries),
        memory_of(),
        old=memory_of(),
        touch_of=lambda text: {"茶": LI}.get(text, ""),
    )
    by_text = {entry.msgstr: translators_of(entry) for entry in closed.entries}
    assert by_text == {"茶": (LI,), "糕": (BY_HAN,)}


OLD, NEW = "Ask for tea at the bar.", "Ask for hot tea at the bar."
OTHER = "Ask for cold tea at the bar."
QUOTING = Entry(msgid=NEW, msgstr="茶", notes=(f"carried over: words: {diff(OLD, NEW)}",))
LONG = "Ask {term}`the man at the bar <tea.shop.bar.Keeper>`."


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
    places = {text: at for at, text in enumerate(texts)}
    assert parts_of(text, places) == parts


def test_the_text_that_a_translation_followed_is_the_one_whose_diff_is_quoted() -> None:
    assert followed_text(QUOTING, [OTHER, NEW, OLD]) == OLD
    assert followed_text(QUOTING, [OTHER, NEW, "Nothing like it."]) is None
    # A note without a diff names no text.
    plain = replace(QUOTING, notes=("carried over: the same text in bar",))
    assert followed_text(plain, [OLD, NEW]) is None


def test_the_old_text_may_be_much_longer() -> None:
    note = f"carried over: mark-up: {diff(LONG, 'Ask `the man`.')}"
    entry = Entry(msgid="Ask `the man`.", msgstr="问他", notes=(note,))
    many = [f"Ask `the man {number}`." for number in range(50)]
    assert followed_text(entry, [*many, LONG]) == LONG


def test_no_note_quotes_english() -> None:
    assert states_without_english(QUOTING, OLD) == (f"carried over: words: {DIFF}",)
    for old in (OTHER, None):
        assert states_without_english(QUOTING, old) == ("carried over: words",)
