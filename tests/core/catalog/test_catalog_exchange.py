"""core/catalog/exchange: the work of another editor, merged into a catalogue."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pipeline.core.catalog.exchange import merge_returned
from pipeline.entries import Catalog, Entry

EMPTY = Entry(msgid="A lamp.", notes=("paragraph",), references=("guide",), line=3)
OLD = replace(EMPTY, msgstr="旧灯")
NEW = replace(EMPTY, msgstr="新灯")
MINE = replace(EMPTY, msgstr="我的灯")
FUZZY = replace(OLD, fuzzy=True, previous="Lamps.")
# As some editors give it back: without notes, references and what it was written for.
BARE = Entry(msgid="A lamp.")
BARE_NEW, BARE_FUZZY = (
    replace(BARE, msgstr="新灯"),
    replace(BARE, msgstr="旧灯", fuzzy=True),
)
ASKED = replace(OLD, comments=("?",))


def taken(ours: Entry, theirs: Entry, base: Entry | None) -> tuple[Entry, int]:
    """The entry after importing, and how many conflicts there were."""
    sent = Catalog(entries=(base,)) if base else None
    result = merge_returned(Catalog(entries=(ours,)), [theirs], sent)
    (entry,) = result.catalog.entries
    return entry, len(result.conflicts)


@pytest.mark.parametrize(
    ("ours", "theirs", "base", "entry", "conflicts"),
    [
        (OLD, OLD, OLD, OLD, 0),
        (EMPTY, NEW, EMPTY, NEW, 0),
        (OLD, NEW, OLD, NEW, 0),
        (OLD, BARE_NEW, OLD, NEW, 0),
        (OLD, replace(BARE, msgstr="新灯\n"), OLD, NEW, 0),
        # Confirmed there: what it was written for is of no more use.
        (FUZZY, OLD, FUZZY, OLD, 0),
        (FUZZY, BARE_FUZZY, FUZZY, FUZZY, 0),
        (FUZZY, replace(BARE_NEW, fuzzy=True), FUZZY, replace(FUZZY, msgstr="新灯"), 0),
        (OLD, ASKED, OLD, ASKED, 0),
        # Left out there, for it was not finished: that is no deletion.
        (OLD, BARE, OLD, OLD, 0),
        # Changed here since, and not there.
        (MINE, OLD, OLD, MINE, 0),
        (MINE, NEW, OLD, MINE, 1),
        # Nobody knows what was sent.
        (EMPTY, NEW, None, NEW, 0),
        (MINE, NEW, None, MINE, 1),
        # Gone from the page meanwhile: the work on it is kept.
        (replace(OLD, obsolete=True), NEW, OLD, replace(NEW, obsolete=True), 0),
        (replace(MINE, obsolete=True), NEW, OLD, replace(MINE, obsolete=True), 1),
    ],
)
def test_three_ways(
    ours: Entry, theirs: Entry, base: Entry | None, entry: Entry, conflicts: int
) -> None:
    assert taken(ours, theirs, base) == (entry, conflicts)


def test_work_on_english_that_is_gone_is_kept_obsolete() -> None:
    gone = Entry(msgid="A saw.", msgstr="锯子", comments=("?",))
    waits = Entry(msgid="Glue.", msgstr="胶", fuzzy=True, previous="Paste.")
    result = merge_returned(Catalog(entries=(OLD,)), [gone, waits, BARE], None)
    kept = (replace(gone, obsolete=True), replace(waits, obsolete=True))
    assert result.catalog.entries == (OLD, *kept)
    assert (result.strays, result.changed) == (2, 0)
    # What was sent and came back as it was is nobody's work.
    sent = Catalog(entries=(OLD, gone))
    assert merge_returned(Catalog(entries=(OLD,)), [gone, OLD], sent).strays == 0


@pytest.mark.parametrize("base", [None, NEW])
def test_words_that_ours_had_once_are_no_news(base: Entry | None) -> None:
    sent = Catalog(entries=(base,)) if base else None
    older = frozenset({(None, OLD.msgid, OLD.msgstr), (None, OLD.msgid, NEW.msgstr)})
    result = merge_returned(Catalog(entries=(NEW,)), [OLD], sent, older=older)
    assert (result.catalog.entries, result.conflicts) == ((NEW,), ())
    # But that somebody has put a question to them is.
    asked = replace(NEW, comments=("?",))
    if base:
        result = merge_returned(Catalog(entries=(NEW,)), [asked], sent, older=older)
        assert result.catalog.entries == (asked,)


_STATES = st.builds(
    Entry,
    msgid=st.just("A lamp."),
    msgstr=st.sampled_from(["", "旧灯", "新灯"]),
    fuzzy=st.booleans(),
    comments=st.sampled_from([(), ("?",)]),
)


@given(ours=_STATES, theirs=_STATES, base=st.none() | _STATES, is_obsolete=st.booleans())
def test_no_translation_vanishes_without_a_word(
    ours: Entry, theirs: Entry, base: Entry | None, *, is_obsolete: bool
) -> None:
    ours = replace(ours, obsolete=is_obsolete)
    entry, conflicts = taken(ours, theirs, base)
    assert entry.msgstr or not ours.msgstr
    if ours.msgstr and replace(ours, obsolete=False) != base:
        assert entry.msgstr == ours.msgstr
    if theirs.msgstr and entry.msgstr != theirs.msgstr:
        is_known = base is not None and theirs.msgstr == base.msgstr
        assert conflicts or is_known


@given(entries=st.lists(_STATES, max_size=1))
def test_what_comes_back_untouched_changes_nothing(entries: list[Entry]) -> None:
    ours = Catalog(entries=tuple(entries))
    result = merge_returned(ours, entries, ours)
    assert (result.catalog, result.changed, result.strays) == (ours, 0, 0)
