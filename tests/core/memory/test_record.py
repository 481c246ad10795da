"""core/memory/record: the memory of a page, its entries, their notes and what is left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memories import COMMIT, memory_of
from msgspec.structs import replace

from pipeline.core.memory.record import (
    SAME,
    SAME_AS_PREVIOUS,
    Place,
    as_obsolete,
    commits_in,
    digest,
    index_places,
    layout_of,
    malformed_note,
    redact,
    renamed_places,
    restore,
    source_note,
    stored,
    with_refs,
)
from pipeline.entries import Entry

OLD, NEW = digest("Tea is hot."), digest("Tea is very hot.")


def test_no_place_is_told_of_english_that_the_page_still_has() -> None:
    entry = Entry(msgid=NEW, msgstr="茶很烫。", fuzzy=True, previous=OLD)
    gone = as_obsolete(entry, old=memory_of(entry), live={OLD})
    assert gone.obsolete
    assert gone.notes == (f"seen: {COMMIT} page",)


def test_the_refs_that_a_memory_knows_are_its_own_and_those_of_its_notes() -> None:
    refs = {"d" * 40: "v0"}
    assert memory_of(refs=refs).known_refs == {**refs, COMMIT: "v1"}
    assert memory_of(refs=refs, ref="").known_refs == refs


def test_only_commits_that_notes_name_get_a_ref() -> None:
    named, unnamed = "d" * 40, "e" * 40
    memory = memory_of(Entry(msgid=OLD, msgstr="茶", notes=(f"seen: {named} page",)))
    known = {named: "v0", unnamed: "v2"}
    assert with_refs(memory, None, known).refs == {named: "v0"}
    assert with_refs(memory, memory_of(), known).refs == {named: "v0"}
    # What the memory so far calls by no name, or another one, stays so.
    assert with_refs(memory, memory, known).refs == {}
    other = replace(memory, refs={named: "release-0"})
    assert with_refs(memory, other, known).refs == {named: "release-0"}


def test_the_layout_of_a_page_is_its_messages_with_kind_and_headings() -> None:
    tea = Entry(msgid="Tea is hot.", notes=("paragraph · Tea", "before: x = 1"))
    stir = Entry(msgid="Stir it.")
    layout = layout_of([tea, stir])
    assert layout == digest("Tea is hot.\0paragraph · Tea\nStir it.")
    code_only = replace(tea, notes=("paragraph · Tea", "before: x = 2"))
    assert layout_of([code_only, stir]) == layout
    moved = replace(tea, notes=("paragraph · Cups",))
    assert layout_of([moved, stir]) != layout


PART = digest("Hot.")
HERE, THERE, LONG_AGO = (
    Place(commit=letter * 40, page=page)
    for letter, page in (("c", "page"), ("d", "other"), ("e", "guide/old page"))
)
ENTRY = Entry(
    msgid=NEW,
    previous=OLD,
    fuzzy=True,
    notes=(
        "fuzzy: rewording",
        f"seen: {THERE.commit} a page",
        f"previous seen: {LONG_AGO.commit} page",
        "translator: Li Lei, 2026-01-02 03:04+0800",
    ),
)
JOINED = replace(ENTRY, notes=(f"source: {PART} {THERE.commit} page", "seen: nowhere"))


def test_commits_of_all_notes() -> None:
    assert commits_in([ENTRY]) == {THERE.commit, LONG_AGO.commit}
    assert commits_in([JOINED]) == {THERE.commit}
    assert commits_in([]) == frozenset()


def test_places_are_renamed_and_everything_else_stays() -> None:
    asked: list[str] = []

    def rename(code: str, place: Place) -> Place:
        asked.append(code)
        return replace(place, commit=COMMIT) if place.commit == THERE.commit else place

    def renamed(entry: Entry) -> Entry:
        notes = (note.replace(THERE.commit, COMMIT) for note in entry.notes)
        return replace(entry, notes=tuple(notes))

    assert renamed_places(ENTRY, rename) == renamed(ENTRY)
    assert renamed_places(JOINED, rename) == renamed(JOINED)
    assert asked == [NEW, OLD, PART]


def test_the_first_note_that_names_no_commit_is_told() -> None:
    assert malformed_note(ENTRY) == ""
    assert malformed_note(JOINED) == "seen: nowhere"
    other = replace(ENTRY, notes=(*ENTRY.notes, "source: x"))
    assert malformed_note(other) == "source: x"


def test_a_page_that_has_the_message_counts_more_than_a_note() -> None:
    seen = f"previous seen: {LONG_AGO.commit} {LONG_AGO.page}"
    noting = memory_of(replace(ENTRY, notes=(seen,)))
    assert index_places([noting]) == {NEW: HERE, OLD: LONG_AGO}
    having = memory_of(Entry(msgid=OLD), commit=THERE.commit, page=THERE.page)
    assert index_places([noting, having]) == {NEW: HERE, OLD: THERE}


def test_the_first_page_and_the_first_note_count() -> None:
    first = memory_of(Entry(msgid=NEW))
    second = memory_of(Entry(msgid=NEW), commit=THERE.commit, page=THERE.page)
    assert index_places([first, second]) == {NEW: HERE}
    assert index_places([second, first]) == {NEW: THERE}
    joined = (Entry(msgid=NEW, notes=(source_note(PART, place),)) for place in (THERE, HERE))
    assert index_places([memory_of(*joined)])[PART] == THERE


def test_a_message_that_is_gone_and_of_which_no_note_tells_has_no_place() -> None:
    gone = Entry(msgid=NEW, msgstr="茶", obsolete=True)
    assert index_places([memory_of(gone)]) == {}


LINK = "](https://bench.example.org/the/plan/of/all/drawers.html)"
ENGLISH = f"See [the plan{LINK} and `open(every_drawer, of_the, big, bench)`, or `bench.top`: https://bench.example.org/a/b/see/here."


def test_long_atoms_are_left_out_and_short_ones_stay() -> None:
    msgstr = f"参见[图纸{LINK}和 `open(every_drawer, of_the, big, bench)`，或者 `bench.top`：https://bench.example.org/a/b/see/here。"
    stored = redact(msgstr, ENGLISH)
    assert stored == "参见[图纸⟦1⟧和 ⟦2⟧，或者 `bench.top`：⟦5⟧。"
    assert restore(stored, ENGLISH) == msgstr


def test_nothing_translated_has_nothing_to_leave_out() -> None:
    assert redact("", ENGLISH) == ""


def test_an_address_is_left_out_in_whatever_mark_up_it_stands() -> None:
    msgstr = "参见 <https://bench.example.org/the/plan/of/all/drawers.html>。"
    assert redact(msgstr, ENGLISH) == "参见 <⟦4⟧>。"
    assert restore("参见 <⟦4⟧>。", ENGLISH) == msgstr


@pytest.mark.parametrize(
    ("stored", "english"), [("⟦1⟧", None), ("⟦1⟧", "Short."), ("⟦9⟧", ENGLISH)]
)
def test_unknown_english_is_not_restored(stored: str, english: str | None) -> None:
    assert restore(stored, english) is None


def test_brackets_of_a_translators_own_are_told_apart() -> None:
    assert redact("⟦1⟧", "Plain.") == "⟦0⟧1⟧"
    assert restore("⟦0⟧1⟧", None) == "⟦1⟧"


PIECES = st.sampled_from(
    [
        LINK,
        "`open(every_drawer, of_the, big, bench)`",
        "https://bench.example.org/a/b/see/here",
        *("⟦", "⟧", "⟦1⟧", "⟦0⟧", "字", "1", " "),
    ]
)


@given(
    st.one_of(st.text(), st.lists(PIECES).map("".join)),
    st.one_of(st.text(), st.just(ENGLISH), st.lists(PIECES).map("".join)),
)
def test_any_translation_comes_back(msgstr: str, english: str) -> None:
    assert restore(redact(msgstr, english), english) == msgstr


@pytest.mark.parametrize("number", ["9" * 5_000, "01", "٣", "2"])
def test_a_number_that_no_atom_has_is_english_that_is_not_known(number: str) -> None:
    english = "Ask for `one cup of tea` here."
    assert restore("来 ⟦1⟧。", english) == "来 `one cup of tea`。"
    assert restore(f"来 ⟦{number}⟧。", english) is None
    assert restore(f"来 ⟦{number}⟧。", None) is None


@pytest.mark.parametrize(
    ("msgstr", "text", "notes"),
    [
        ("", "", ()),
        ("Tea.", SAME, (SAME,)),
        ("Old tea.", SAME_AS_PREVIOUS, (SAME_AS_PREVIOUS,)),
        ("茶。", "茶。", ()),
    ],
)
def test_english_becomes_a_note(msgstr: str, text: str, notes: tuple[str, ...]) -> None:
    entry = Entry(msgid="Tea.", msgstr=msgstr, fuzzy=True, previous="Old tea.")
    kept = stored(entry)
    assert (kept.text, kept.notes) == (text, notes)
