"""What a person has written, put into a catalogue: one entry, and a header that says who it was.

Nothing is overwritten that the person has not seen. If the entry is another one by now, both
versions come back, and the person decides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from pipeline.core.catalog.origins import FUZZY, STATES, copy_of, machine_of, states_of
from pipeline.core.catalog.reuse import finished_in, is_spare
from pipeline.core.catalog.update import obsolete_entry
from pipeline.core.memory.redaction import redact
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
        """Return whether the entry is still as it was seen."""
        return entry.msgstr == self.msgstr and entry.fuzzy == self.fuzzy


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What an edit did to an entry, so that it can be undone.

    ``kept`` is an obsolete entry that was added, so that words are not lost.
    """

    before: Entry
    after: Entry
    kept: Entry | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """The catalogue after an edit, and what the edit was."""

    catalog: Catalog
    step: Step


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
    at = _place_of(catalog, seen.context, seen.msgid)
    if at is None:
        return Conflict(theirs=None)
    entry = catalog.entries[at]
    written = _written(entry, msgstr, is_draft=is_draft)
    if written == entry:  # somebody wrote the same
        return Edited(catalog=catalog, step=Step(before=entry, after=entry))
    if not seen.is_like(entry):
        return Conflict(theirs=entry)
    return _replaced(catalog, at, written, stamp=stamp)


def reject(
    catalog: Catalog, seen: Seen, *, stamp: Mapping[str, str]
) -> Edited | Conflict:
    """``catalog`` without the translation of the entry that was ``seen``, which is open again.

    A machine's words go. Those of a person stay in the catalogue: what was written for older
    English as an obsolete entry of that English, and all else in a comment.
    """
    at = _place_of_seen(catalog, seen)
    if isinstance(at, Conflict):
        return at
    entry = catalog.entries[at]
    notes = tuple(note for note in entry.notes if not note.startswith(STATES))
    emptied = replace(entry, msgstr="", fuzzy=False, previous=None, notes=notes)
    # The words stay fuzzy: if their English comes back, a person looks at them.
    older = replace(
        obsolete_entry(entry), msgid=entry.written_for, context=None, comments=()
    )
    entries = catalog.entries
    is_known = older in map(_bare, entries) or is_spare(older, finished_in(entries))
    if not entry.msgstr or machine_of(entry) or is_known:
        return _replaced(catalog, at, emptied, stamp=stamp)
    # A catalogue has one entry of each message, obsolete ones included.
    names = {(other.context, other.msgid) for other in entries}
    if older.msgid != entry.msgid and (older.context, older.msgid) not in names:
        return _replaced(catalog, at, emptied, kept=older, stamp=stamp)
    comments = (*entry.comments, _comment_of(entry))
    emptied = replace(emptied, comments=tuple(dict.fromkeys(comments)))
    return _replaced(catalog, at, emptied, stamp=stamp)


def keep(catalog: Catalog, seen: Seen) -> Edited | Conflict:
    """``catalog`` as it is, if the entry still is as it was ``seen``: nothing is to be done."""
    at = _place_of_seen(catalog, seen)
    if isinstance(at, Conflict):
        return at
    entry = catalog.entries[at]
    return Edited(catalog=catalog, step=Step(before=entry, after=entry))


def put_back(
    catalog: Catalog, seen: Seen, before: Entry, *, stamp: Mapping[str, str]
) -> Edited | Conflict:
    """``catalog`` with the translation of ``before`` in place of the one that was ``seen``.

    ``before`` is an earlier state of the same entry. It comes back with its state and its comments.
    What ``reject`` keeps of the newer words is kept here, too.
    """
    rejected = reject(catalog, seen, stamp=stamp)
    if isinstance(rejected, Conflict):
        return rejected
    newer, emptied = rejected.step.before, rejected.step.after
    kept, comments = rejected.step.kept, list(before.comments)
    if newer.msgstr == before.msgstr:
        kept = None  # no words go
    else:
        added = set(emptied.comments) - set(newer.comments)
        comments += sorted(added - set(comments))
    entry = replace(
        before,
        comments=tuple(comments),
        notes=(*emptied.notes, *states_of(before)),
        references=newer.references,
        line=newer.line,
    )
    at = catalog.entries.index(newer)
    return _replaced(catalog, at, entry, kept=kept, stamp=stamp)


def undo(
    catalog: Catalog, step: Step, *, stamp: Mapping[str, str]
) -> Edited | Conflict:
    """``catalog`` with the entry as it was before a step, unless somebody changed it since."""
    at = _place_of(catalog, step.after.context, step.after.msgid)
    if at is None:
        return Conflict(theirs=None)
    entry = catalog.entries[at]
    if _bare(entry) != _bare(step.after):
        return Conflict(theirs=entry)
    if step.before == step.after:
        return Edited(catalog=catalog, step=step)  # nothing was written
    undone = _replaced(catalog, at, step.before, stamp=stamp)
    entries = undone.catalog.entries
    others = tuple(entry for entry in entries if _bare(entry) != step.kept)
    return replace(undone, catalog=replace(undone.catalog, entries=others))


def stamp_of(who: str, when: str) -> dict[str, str]:
    """Return the fields of a header that say who has edited the catalogue, when, and with what."""
    stamp = {"PO-Revision-Date": when, "X-Generator": f"{GENERATOR} serve"}
    if who:
        stamp["Last-Translator"] = who
    return stamp


def cleaned(msgstr: str) -> str:
    """Return what was typed or pasted, without what a catalogue cannot hold or nobody sees.

    Line ends become ``\\n``; control characters go, and so does white space at the ends.
    """
    lines = msgstr.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSEEN.sub("", lines).strip()


def _place_of(catalog: Catalog, context: str | None, msgid: str) -> int | None:
    """Return where the live entry of a message stands among the entries; None if there is none."""
    for at, entry in enumerate(catalog.entries):
        if (entry.context, entry.msgid) == (context, msgid) and not entry.obsolete:
            return at
    return None


def _place_of_seen(catalog: Catalog, seen: Seen) -> int | Conflict:
    """Return where an entry stands that still is as it was ``seen``."""
    at = _place_of(catalog, seen.context, seen.msgid)
    if at is None:
        return Conflict(theirs=None)
    entry = catalog.entries[at]
    return at if seen.is_like(entry) else Conflict(theirs=entry)


def _replaced(
    catalog: Catalog,
    at: int,
    entry: Entry,
    *,
    kept: Entry | None = None,
    stamp: Mapping[str, str],
) -> Edited:
    """``catalog`` with another entry at a place, and with one more that is ``kept`` at its end."""
    entries = list(catalog.entries)
    before, entries[at] = entries[at], entry
    if kept is not None:
        entries.append(kept)
    header = {**catalog.header, **stamp}
    changed = replace(catalog, header=header, entries=tuple(entries))
    step = Step(before=before, after=entry, kept=kept)
    return Edited(catalog=changed, step=step)


def _bare(entry: Entry) -> Entry:
    """Return an entry without the line that it was read from."""
    return replace(entry, line=0)


def _comment_of(entry: Entry) -> str:
    """Return the words of an entry as a comment, with marks for long atoms: the memory keeps it.

    ``rejected: 茶冷。``; those of a copy say whose they are: ``tea.md, by Han Meimei, MIT: 茶冷。``
    """
    words = redact(entry.msgstr, entry.msgid)
    copy = copy_of(entry)
    if copy is not None:
        return copy.comment(words)
    return f"rejected: {' '.join(words.split())}"


def _written(entry: Entry, msgstr: str, *, is_draft: bool) -> Entry:
    """Return an entry with a new translation, and without what was said of the old one."""
    notes = tuple(note for note in entry.notes if not note.startswith(FUZZY))
    if is_draft and msgstr:
        # A fuzzy entry always says which English it was written for: here it is this one.
        return replace(
            entry, msgstr=msgstr, fuzzy=True, previous=entry.msgid, notes=notes
        )
    return replace(entry, msgstr=msgstr, fuzzy=False, previous=None, notes=notes)
