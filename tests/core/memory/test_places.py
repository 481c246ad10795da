"""core/memory/places: where the English of a digest is looked for."""

from __future__ import annotations

from memories import memory_of

from pipeline.core.memory.notes import Place, source_note
from pipeline.core.memory.places import index_places
from pipeline.core.memory.record import digest
from pipeline.entries import Entry

NEW, OLD, PART = digest("Tea is very hot."), digest("Tea is hot."), digest("Hot.")
HERE, THERE, LONG_AGO = (
    Place(commit=letter * 40, page=page)
    for letter, page in (("c", "page"), ("d", "other"), ("e", "guide/old page"))
)


def test_a_page_that_has_the_message_counts_more_than_a_note() -> None:
    seen = f"previous seen: {LONG_AGO.commit} {LONG_AGO.page}"
    fuzzy = Entry(msgid=NEW, msgstr="茶", fuzzy=True, previous=OLD, notes=(seen,))
    noting = memory_of(fuzzy)
    assert index_places([noting]) == {NEW: HERE, OLD: LONG_AGO}
    having = memory_of(Entry(msgid=OLD), commit=THERE.commit, page=THERE.page)
    assert index_places([noting, having]) == {NEW: HERE, OLD: THERE}


def test_the_first_page_and_the_first_note_count() -> None:
    first = memory_of(Entry(msgid=NEW))
    second = memory_of(Entry(msgid=NEW), commit=THERE.commit, page=THERE.page)
    assert index_places([first, second]) == {NEW: HERE}
    assert index_places([second, first]) == {NEW: THERE}
    joined = [
        Entry(msgid=NEW, notes=(source_note(PART, place),)) for place in (THERE, HERE)
    ]
    assert index_places([memory_of(*joined)])[PART] == THERE


def test_a_message_that_is_gone_and_of_which_no_note_tells_has_no_place() -> None:
    gone = Entry(msgid=NEW, msgstr="茶", obsolete=True)
    assert index_places([memory_of(gone)]) == {}
