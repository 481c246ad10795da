"""core/memory/closing: what a memory keeps of a catalogue, entry by entry."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from memories import COMMIT, memory_of

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
    closed = close(Entry(msgid=TEA, msgstr="茶", fuzzy=True), old=memory_of(remembered))
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
    assert closed.notes == (BY_HAN,)


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
    closed = close(Entry(msgid=TEA, msgstr="茶", fuzzy=True), old=memory_of(remembered))
    assert (closed.previous, closed.fuzzy) == (remembered.previous, True)
    # A msgstr that somebody has changed since is new work.
    changed = close(
        Entry(msgid=TEA, msgstr="新茶", fuzzy=True), old=memory_of(remembered)
    )
    assert changed.previous is None


def test_an_entry_that_nobody_has_begun_is_its_digest() -> None:
    blank = Entry(msgid=TEA, notes=("paragraph",), references=("page",), line=3)
    assert close(blank) == Entry(msgid=digest(TEA))
    noted = Entry(msgid=digest(TEA), notes=(f"seen: {COMMIT} page", LI))
    assert close(blank, old=memory_of(noted)) == Entry(msgid=digest(TEA), notes=(LI,))


def test_english_that_is_its_own_translation_is_a_note() -> None:
    closed = close(Entry(msgid=TEA, msgstr=TEA))
    assert (closed.msgstr, closed.notes) == ("", (SAME, BY_HAN))


def test_previous_english_that_stood_somewhere_has_a_place_and_no_parts() -> None:
    entry = Entry(msgid=TEA, msgstr="茶", fuzzy=True, previous="Leaves. Water.")
    places = {digest("Leaves. Water."): THERE}
    closed = close(entry, places=places, texts=["Leaves.", "Water."])
    assert closed.notes == (f"previous seen: {THERE.commit} water", BY_HAN)


def test_english_that_nobody_can_place_has_no_place() -> None:
    entry = Entry(
        msgid="Here.",
        msgstr="这",
        fuzzy=True,
        previous="Whence?",
        notes=("paragraph", "fuzzy: rewording: [-x-]"),
    )
    closed = close(entry, texts=["Whence", "Here."], is_on_page=False)
    assert (closed.msgid, closed.previous) == (digest("Here."), digest("Whence?"))
    assert closed.notes == ("fuzzy: rewording",)


def test_a_message_that_is_gone_has_the_place_of_its_page_so_far() -> None:
    old = memory_of(Entry(msgid=digest(TEA), msgstr="茶", notes=(LI,)))
    gone = Entry(msgid=TEA, msgstr="茶", obsolete=True)
    places = {digest(TEA): THERE}
    closed = close(gone, old=old, places=places, is_on_page=False)
    assert closed.notes == (f"seen: {COMMIT} page", LI)
    closed = close(gone, places=places, is_on_page=False)
    assert closed.notes == (f"seen: {THERE.commit} water", BY_HAN)


def test_an_adopted_translation_says_where_its_english_stood() -> None:
    copy = Copy(
        file="copy.md", commit="e" * 40, page="old", author="Li", licence="CC0-1.0"
    )
    note = copy.note(0.9)
    gone = Entry(msgid=TEA, msgstr="茶", obsolete=True, notes=(note,))
    assert close(gone, is_on_page=False).notes == (
        note,
        f"seen: {'e' * 40} old",
        BY_HAN,
    )


def test_the_place_of_a_text_that_was_followed_is_kept() -> None:
    old_text = "Tea is made of leaves and cold water."
    note = f"carried over: words: {diff(old_text, TEA)}"
    entry = Entry(msgid=TEA, msgstr="茶", notes=(note,))
    places = {digest(old_text): THERE}
    closed = close(entry, places=places, texts=[old_text, TEA])
    source = f"source: {digest(old_text)} {THERE.commit} water"
    assert closed.notes == (f"carried over: words: {DIFF}", source)
    # Now the text stands elsewhere as well.
    places = {digest(old_text): Place(commit="e" * 40, page="other")}
    again = close(entry, old=memory_of(closed), places=places, texts=[old_text])
    assert again == closed


def test_the_parts_of_previous_english_are_kept_when_nobody_has_them_any_more() -> None:
    entry = Entry(msgid=TEA, msgstr="茶", fuzzy=True, previous="Leaves. Water.")
    places = {digest("Water."): THERE}
    closed = close(entry, places=places, texts=["Leaves.", "Water."])
    assert close(entry, old=memory_of(closed)) == closed


def test_whose_name_an_entry_gets() -> None:
    leaves = Entry(msgid=digest("Leaves."), msgstr="叶", notes=(LI,))
    old = memory_of(Entry(msgid=digest(TEA), msgstr="茶", notes=(LI,)), leaves)
    assert translators_of(close(Entry(msgid=TEA, msgstr="茶"), old=old)) == (LI,)
    assert translators_of(close(Entry(msgid=TEA, msgstr="新茶"), old=old)) == (BY_HAN,)
    # What the update offers is the work of whoever translated the other message.
    offered = Entry(msgid=TEA, msgstr="叶", fuzzy=True, previous="Leaves.")
    assert translators_of(close(offered, old=memory_of(leaves))) == (LI,)
    # What the update or a machine has made is nobody's work.
    carried = Entry(msgid=TEA, msgstr="茶", notes=("carried over: the same text in a",))
    assert translators_of(close(carried)) == ()
    machine = Machine(model="m", prompt=1, date="2026-05-01")
    draft = Entry(msgid=TEA, msgstr="茶", fuzzy=True, notes=(machine.note("茶"),))
    assert close(draft).notes == draft.notes
    # A person has changed its words since: the note says that they began as a draft.
    reworded = Entry(msgid=TEA, msgstr="新茶", notes=draft.notes)
    assert "drafted: m, prompt 1, 2026-05-01" in close(reworded).notes


def test_what_is_closed_to_be_compared_looks_up_no_place() -> None:
    entry = Entry(msgid="Gone.", msgstr="没了", obsolete=True)
    head = memory_of(Entry(msgid=digest(TEA)))
    closed = close_catalog(Catalog(header=HAN, entries=(entry,)), head, old=head)
    expected = Entry(
        msgid=digest("Gone."), msgstr="没了", obsolete=True, notes=(BY_HAN,)
    )
    assert closed.entries == (expected,)


def test_a_commit_knows_better_than_the_header_who_has_translated() -> None:
    catalog = Catalog(
        header=HAN,
        entries=(Entry(msgid=TEA, msgstr="茶"), Entry(msgid="Cake.", msgstr="糕")),
    )
    authors = {"茶": LI}
    closed = close_catalog(
        catalog,
        memory_of(),
        old=memory_of(),
        touch_of=lambda text: authors.get(text, ""),
    )
    by_text = {entry.msgstr: translators_of(entry) for entry in closed.entries}
    assert by_text == {"茶": (LI,), "糕": (BY_HAN,)}


OLD, NEW = "Ask for tea at the bar.", "Ask for hot tea at the bar."
OTHER = "Ask for cold tea at the bar."
QUOTING = Entry(
    msgid=NEW, msgstr="茶", notes=(f"carried over: words: {diff(OLD, NEW)}",)
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
    places = {text: at for at, text in enumerate(texts)}
    assert parts_of(text, places) == parts


def test_the_text_that_a_translation_followed_is_the_one_whose_diff_is_quoted() -> None:
    assert followed_text(QUOTING, [OTHER, NEW, OLD]) == OLD
    assert followed_text(QUOTING, [OTHER, NEW, "Nothing like it."]) is None


def test_the_old_text_may_be_much_longer() -> None:
    old, new = "Ask {term}`the man at the bar <tea.shop.bar.Keeper>`.", "Ask `the man`."
    note = f"carried over: mark-up: {diff(old, new)}"
    entry = Entry(msgid=new, msgstr="问他", notes=(note,))
    many = [f"Ask `the man {number}`." for number in range(50)]
    assert followed_text(entry, [*many, old]) == old


def test_a_note_without_a_diff_names_no_text() -> None:
    entry = Entry(msgid=NEW, notes=("carried over: the same text in bar",))
    assert followed_text(entry, [OLD, NEW]) is None


@pytest.mark.parametrize(
    ("old", "note"),
    [
        (OLD, f"carried over: words: {DIFF}"),
        (OTHER, "carried over: words"),
        (None, "carried over: words"),
    ],
    ids=["the quoted text", "another text", "no text"],
)
def test_no_note_quotes_english(old: str | None, note: str) -> None:
    assert states_without_english(QUOTING, old) == (note,)
