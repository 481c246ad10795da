"""core/memory/record: the memory of a page, its entries and their notes."""

from __future__ import annotations

from dataclasses import replace

from memories import COMMIT, memory_of

from pipeline.core.memory.record import (
    Place,
    as_obsolete,
    commits_in,
    digest,
    index_places,
    layout_of,
    malformed_note,
    renamed_places,
    source_note,
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
    memory = memory_of(
        Entry(msgid=OLD, msgstr="茶", obsolete=True, notes=(f"seen: {named} page",))
    )
    known = {named: "v0", unnamed: "v2"}
    assert with_refs(memory, None, known).refs == {named: "v0"}
    assert with_refs(memory, memory_of(), known).refs == {named: "v0"}
    # What the memory so far calls by no name, or another one, stays so.
    assert with_refs(memory, memory, known).refs == {}
    other = replace(memory, refs={named: "release-0"})
    assert with_refs(memory, other, known).refs == {named: "release-0"}


def test_the_layout_of_a_page_is_its_messages_with_kind_and_headings() -> None:
    page = [
        Entry(msgid="Tea is hot.", notes=("paragraph · Tea", "before: x = 1")),
        Entry(msgid="Stir it."),
    ]
    layout = layout_of(page)
    assert layout == digest("Tea is hot.\0paragraph · Tea\nStir it.")
    code_only = replace(page[0], notes=("paragraph · Tea", "before: x = 2"))
    assert layout_of([code_only, page[1]]) == layout
    moved = replace(page[0], notes=("paragraph · Cups",))
    assert layout_of([moved, page[1]]) != layout


OLD_NOTE, NEW_NOTE, OTHER = "a" * 40, "b" * 40, "c" * 40
TEXT, BEFORE, PART_NOTE = "1" * 32, "2" * 32, "3" * 32
ENTRY = Entry(
    msgid=TEXT,
    previous=BEFORE,
    fuzzy=True,
    notes=(
        "fuzzy: rewording",
        f"seen: {OLD_NOTE} a page",
        f"previous seen: {OTHER} page",
        "translator: Li Lei, 2026-01-02 03:04+0800",
    ),
)
JOINED = replace(ENTRY, notes=(f"source: {PART_NOTE} {OLD_NOTE} page", "seen: nowhere"))


def test_commits_of_all_notes() -> None:
    assert commits_in([ENTRY]) == {OLD_NOTE, OTHER}
    assert commits_in([JOINED]) == {OLD_NOTE}
    assert commits_in([]) == frozenset()


def test_places_are_renamed_and_everything_else_stays() -> None:
    asked: list[str] = []

    def rename(code: str, place: Place) -> Place:
        asked.append(code)
        return replace(place, commit=NEW_NOTE) if place.commit == OLD_NOTE else place

    renamed = renamed_places(ENTRY, rename)
    assert renamed.notes == (
        "fuzzy: rewording",
        f"seen: {NEW_NOTE} a page",
        *ENTRY.notes[2:],
    )
    assert renamed_places(JOINED, rename).notes == (
        f"source: {PART_NOTE} {NEW_NOTE} page",
        "seen: nowhere",
    )
    assert asked == [TEXT, BEFORE, PART_NOTE]


def test_the_first_note_that_names_no_commit_is_told() -> None:
    assert malformed_note(ENTRY) == ""
    assert malformed_note(JOINED) == "seen: nowhere"
    assert malformed_note(replace(ENTRY, notes=(*ENTRY.notes, "source: x"))) == (
        "source: x"
    )


NEW_PAGE, OLD_PAGE, PART_PAGE = (
    digest("Tea is very hot."),
    digest("Tea is hot."),
    digest("Hot."),
)
HERE, THERE, LONG_AGO = (
    Place(commit=letter * 40, page=page)
    for letter, page in (("c", "page"), ("d", "other"), ("e", "guide/old page"))
)


def test_a_page_that_has_the_message_counts_more_than_a_note() -> None:
    seen = f"previous seen: {LONG_AGO.commit} {LONG_AGO.page}"
    fuzzy = Entry(
        msgid=NEW_PAGE, msgstr="茶", fuzzy=True, previous=OLD_PAGE, notes=(seen,)
    )
    noting = memory_of(fuzzy)
    assert index_places([noting]) == {NEW_PAGE: HERE, OLD_PAGE: LONG_AGO}
    having = memory_of(Entry(msgid=OLD_PAGE), commit=THERE.commit, page=THERE.page)
    assert index_places([noting, having]) == {NEW_PAGE: HERE, OLD_PAGE: THERE}


def test_the_first_page_and_the_first_note_count() -> None:
    first = memory_of(Entry(msgid=NEW_PAGE))
    second = memory_of(Entry(msgid=NEW_PAGE), commit=THERE.commit, page=THERE.page)
    assert index_places([first, second]) == {NEW_PAGE: HERE}
    assert index_places([second, first]) == {NEW_PAGE: THERE}
    joined = [
        Entry(msgid=NEW_PAGE, notes=(source_note(PART_PAGE, place),))
        for place in (THERE, HERE)
    ]
    assert index_places([memory_of(*joined)])[PART_PAGE] == THERE


def test_a_message_that_is_gone_and_of_which_no_note_tells_has_no_place() -> None:
    gone = Entry(msgid=NEW_PAGE, msgstr="茶", obsolete=True)
    assert index_places([memory_of(gone)]) == {}
