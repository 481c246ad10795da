"""core/memory/record: what a memory says of entries that a page no longer has."""

from __future__ import annotations

from dataclasses import replace

from memories import COMMIT, memory_of

from pipeline.core.memory.record import digest, layout_of, left_over, with_refs
from pipeline.entries import Entry

OLD, NEW = digest("Tea is hot."), digest("Tea is very hot.")


def test_no_place_is_told_of_english_that_the_page_still_has() -> None:
    entry = Entry(msgid=NEW, msgstr="茶很烫。", fuzzy=True, previous=OLD)
    gone = left_over(entry, old=memory_of(entry), live={OLD})
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
