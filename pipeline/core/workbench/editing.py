"""What a person has written, put into a catalogue: one entry, and a header that says who it was.

Nothing is overwritten that the person has not seen. If the entry is another one by now, both
versions come back, and the person decides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from pipeline.core.catalog.states import FUZZY
from pipeline.entries import GENERATOR, Catalog, Entry

# Control characters and separators of lines that are none, what turns text around, half characters.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """An entry as the person saw it who edits it."""

    msgid: str
    context: str | None
    msgstr: str
    fuzzy: bool

    def is_like(self, entry: Entry) -> bool:
        """Whether the entry is still as it was seen."""
        return entry.msgstr == self.msgstr and entry.fuzzy == self.fuzzy


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """The catalogue after an edit, with the entry as it is now."""

    catalog: Catalog
    entry: Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Somebody else has changed the entry. ``theirs`` is None if it is gone."""

    theirs: Entry | None


def edit(
    catalog: Catalog,
    seen: Seen,
    msgstr: str,
    *,
    is_draft: bool = False,
    stamp: Mapping[str, str],
) -> Edited | Conflict:
    """``catalog`` with ``msgstr`` for the entry that was ``seen``: confirmed, or as a draft.

    ``stamp`` are fields of the header that say who wrote it, and when.
    """
    entries = list(catalog.entries)
    for at, entry in enumerate(entries):
        is_meant = (entry.context, entry.msgid) == (seen.context, seen.msgid)
        if not is_meant or entry.obsolete:
            continue
        entries[at] = _written(entry, msgstr, is_draft=is_draft)
        if entries[at] == entry:
            return Edited(catalog=catalog, entry=entry)  # somebody wrote the same
        if not seen.is_like(entry):
            return Conflict(theirs=entry)
        header = {**catalog.header, **stamp}
        changed = replace(catalog, header=header, entries=tuple(entries))
        return Edited(catalog=changed, entry=entries[at])
    return Conflict(theirs=None)


def stamp_of(who: str, when: str) -> dict[str, str]:
    """The fields of a header that say who has edited the catalogue, when, and with what."""
    stamp = {"PO-Revision-Date": when, "X-Generator": f"{GENERATOR} serve"}
    if who:
        stamp["Last-Translator"] = who
    return stamp


def cleaned(msgstr: str) -> str:
    """What was typed or pasted, without what a catalogue cannot hold or nobody sees.

    Line ends become ``\\n``; control characters go, and so does white space at the ends.
    """
    lines = msgstr.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSEEN.sub("", lines).strip()


def _written(entry: Entry, msgstr: str, *, is_draft: bool) -> Entry:
    """An entry with a new translation, and without what was said of the old one."""
    notes = tuple(note for note in entry.notes if not note.startswith(FUZZY))
    if is_draft and msgstr:
        # A fuzzy entry always says which English it was written for: here it is this one.
        return replace(
            entry, msgstr=msgstr, fuzzy=True, previous=entry.msgid, notes=notes
        )
    return replace(entry, msgstr=msgstr, fuzzy=False, previous=None, notes=notes)
