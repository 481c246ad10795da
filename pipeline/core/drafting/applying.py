"""Drafts as entries of a catalogue.

In go the catalogue as it is now and the drafts that were made, out comes a new catalogue. The
invariant: an entry changes only if it is still the one that a draft was asked for, and then it is
fuzzy; every other entry is the very one given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pipeline.core.catalog.origins import Machine
from pipeline.core.catalog.states import STATES
from pipeline.entries import Catalog, Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A draft for an entry, which was ``before`` when it was asked for."""

    before: Entry
    msgstr: str
    origin: Machine


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """A catalogue, and how many drafts are in it; the entries of others have changed."""

    catalog: Catalog
    count: int


def apply(catalog: Catalog, drafts: Mapping[tuple[str | None, str], Draft]) -> Applied:
    """``catalog`` with ``drafts``, by context and msgid, in the entries that wait for them."""
    entries: list[Entry] = []
    count = 0
    for entry in catalog.entries:
        draft = drafts.get((entry.context, entry.msgid))
        if draft is None or not _is_as_it_was(entry, draft.before):
            entries.append(entry)
        else:
            entries.append(drafted(entry, draft))
            count += 1
    return Applied(catalog=replace(catalog, entries=tuple(entries)), count=count)


def drafted(entry: Entry, draft: Draft) -> Entry:
    """``entry`` with a draft: fuzzy, with a note of where the words come from."""
    # "fuzzy: numbers: …" was about the words that go; the kind of block stays.
    notes = [note for note in entry.notes if not note.startswith(STATES)]
    return replace(
        entry,
        msgstr=draft.msgstr,
        fuzzy=True,
        previous=entry.msgid,
        notes=(*notes, draft.origin.note(draft.msgstr)),
    )


def _is_as_it_was(entry: Entry, before: Entry) -> bool:
    """Whether nobody has put anything into an entry since a draft was asked for."""
    return not entry.obsolete and _work_of(entry) == _work_of(before)


def _work_of(entry: Entry) -> tuple[object, ...]:
    """What people put into an entry.

    Notes, references and the line are ours: an update may have moved them.
    """
    words = (entry.msgstr, entry.fuzzy, entry.previous)
    return (*words, entry.comments, entry.flags)
