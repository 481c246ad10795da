"""Edits of a catalogue: changes of one entry, and of the header fields that name the translator.

An edit states which version of the entry its author has seen. If the entry has changed since then,
ConflictError reports the other version, and nothing is overwritten. The argument ``stamp`` has the
new values of the header fields (``stamp_of``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from pipeline.core.catalog.origins import FUZZY, STATES, copy_of, machine_of, states_of
from pipeline.core.catalog.reuse import finished_in, is_spare
from pipeline.core.catalog.update import obsolete_entry
from pipeline.core.memory.record import redact
from pipeline.entries import GENERATOR, Catalog, Entry

# Invisible or invalid characters: control characters, line separators, bidirectional controls, lone
# surrogates.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


class Seen(Struct, frozen=True, kw_only=True):
    """Version of an entry that the author of an edit has seen."""

    msgid: str
    context: str | None
    msgstr: str
    fuzzy: bool

    def is_like(self, entry: Entry) -> bool:
        """Return whether the translation of ``entry`` is still the one that was seen."""
        return entry.msgstr == self.msgstr and entry.fuzzy == self.fuzzy


class Step(Struct, frozen=True, kw_only=True):
    """Effect of an edit on an entry, for undoing the edit."""

    before: Entry
    after: Entry
    # Obsolete entry that the edit added to save a person's words.
    kept: Entry | None = None


class Edited(Struct, frozen=True, kw_only=True):
    """Catalogue after an edit, and the step to undo."""

    catalog: Catalog
    step: Step


class ConflictError(Exception):
    """Somebody else has changed an entry meanwhile; ``theirs`` is None if the entry is gone."""

    def __init__(self, theirs: Entry | None) -> None:
        super().__init__()
        self.theirs = theirs


def edit(
    catalog: Catalog,
    seen: Seen,
    msgstr: str,
    *,
    is_draft: bool = False,
    stamp: Mapping[str, str],
) -> Edited:
    """Return ``catalog`` with ``msgstr`` as the translation of the ``seen`` entry.

    With ``is_draft`` the entry becomes fuzzy. Raises ConflictError if the entry has changed.
    """
    at = _place_of(catalog, seen)
    entry = catalog.entries[at]
    written = _written(entry, msgstr, is_draft=is_draft)
    if written == entry:  # no conflict, even if somebody else has written the same
        return Edited(catalog=catalog, step=Step(before=entry, after=entry))
    if not seen.is_like(entry):
        raise ConflictError(entry)
    return _replaced(catalog, at, written, stamp=stamp)


def reject(catalog: Catalog, seen: Seen, *, stamp: Mapping[str, str]) -> Edited:
    """Return ``catalog`` without the translation of the ``seen`` entry.

    A machine's words are deleted. A person's words stay in the catalogue: a translation of older
    English becomes an obsolete entry; any other translation becomes a comment of the entry. Raises
    ConflictError if the entry has changed.
    """
    at = _place_of_seen(catalog, seen)
    entry = catalog.entries[at]
    notes = entry.notes_without(STATES)
    emptied = replace(entry, msgstr="", fuzzy=False, previous=None, notes=notes)
    # The obsolete entry stays fuzzy, so that a person reviews it if its English comes back.
    older = replace(obsolete_entry(entry), msgid=entry.source_text, context=None, comments=())
    entries = catalog.entries
    is_known = older in map(_bare, entries) or is_spare(older, finished_in(entries))
    if not entry.msgstr or machine_of(entry) or is_known:
        return _replaced(catalog, at, emptied, stamp=stamp)
    # A catalogue can have only one entry for each message, including obsolete entries.
    names = {(other.context, other.msgid) for other in entries}
    if older.msgid != entry.msgid and (older.context, older.msgid) not in names:
        return _replaced(catalog, at, emptied, kept=older, stamp=stamp)
    comments = (*entry.comments, _comment_of(entry))
    emptied = replace(emptied, comments=tuple(dict.fromkeys(comments)))
    return _replaced(catalog, at, emptied, stamp=stamp)


def keep(catalog: Catalog, seen: Seen) -> Edited:
    """Return ``catalog`` unchanged. Raises ConflictError if the ``seen`` entry has changed."""
    entry = catalog.entries[_place_of_seen(catalog, seen)]
    return Edited(catalog=catalog, step=Step(before=entry, after=entry))


def put_back(catalog: Catalog, seen: Seen, before: Entry, *, stamp: Mapping[str, str]) -> Edited:
    """Return ``catalog`` with ``before``, an earlier version of the ``seen`` entry.

    State and comments of the earlier version are restored as well. A person's newer words are
    saved as in ``reject``.
    """
    rejected = reject(catalog, seen, stamp=stamp)
    newer, emptied = rejected.step.before, rejected.step.after
    kept, comments = rejected.step.kept, list(before.comments)
    if newer.msgstr == before.msgstr:
        kept = None  # no words are lost
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


def undo(catalog: Catalog, step: Step, *, stamp: Mapping[str, str]) -> Edited:
    """Return ``catalog`` with the entry as it was before ``step``.

    Raises ConflictError if the entry has changed since then.
    """
    at = _place_of(catalog, step.after)
    entry = catalog.entries[at]
    if _bare(entry) != _bare(step.after):
        raise ConflictError(entry)
    if step.before == step.after:
        return Edited(catalog=catalog, step=step)  # the step changed nothing
    undone = _replaced(catalog, at, step.before, stamp=stamp)
    entries = undone.catalog.entries
    others = tuple(entry for entry in entries if _bare(entry) != step.kept)
    return replace(undone, catalog=replace(undone.catalog, entries=others))


def stamp_of(who: str, when: str) -> dict[str, str]:
    """Return the header fields for the translator ``who``, the date ``when``, and the tool."""
    stamp = {"PO-Revision-Date": when, "X-Generator": f"{GENERATOR} serve"}
    if who:
        stamp["Last-Translator"] = who
    return stamp


def cleaned(msgstr: str) -> str:
    """Return typed or pasted text without invisible and invalid characters.

    Line ends become ``\\n``; surrounding white space is removed.
    """
    lines = msgstr.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSEEN.sub("", lines).strip()


def _place_of(catalog: Catalog, wanted: Seen | Entry) -> int:
    """Return the index of a message's live entry. Raises ConflictError if there is none."""
    name = wanted.context, wanted.msgid
    for at, entry in enumerate(catalog.entries):
        if (entry.context, entry.msgid) == name and not entry.obsolete:
            return at
    raise ConflictError(None)


def _place_of_seen(catalog: Catalog, seen: Seen) -> int:
    """Return the index of the ``seen`` entry. Raises ConflictError if the entry has changed."""
    at = _place_of(catalog, seen)
    if not seen.is_like(catalog.entries[at]):
        raise ConflictError(catalog.entries[at])
    return at


def _replaced(
    catalog: Catalog,
    at: int,
    entry: Entry,
    *,
    kept: Entry | None = None,
    stamp: Mapping[str, str],
) -> Edited:
    """Return ``catalog`` with ``entry`` at index ``at``, ``kept`` at the end, and a new header."""
    entries = list(catalog.entries)
    before, entries[at] = entries[at], entry
    if kept is not None:
        entries.append(kept)
    header = {**catalog.header, **stamp}
    changed = replace(catalog, header=header, entries=tuple(entries))
    step = Step(before=before, after=entry, kept=kept)
    return Edited(catalog=changed, step=step)


def _bare(entry: Entry) -> Entry:
    """Return the entry without its line number."""
    return replace(entry, line=0)


def _comment_of(entry: Entry) -> str:
    """Return the translation of an entry as a comment: ``rejected: 茶冷。``.

    If it was adopted from a copy, the comment names the origin: ``tea.md, by Han Meimei, MIT:
    茶冷。``. Long atoms are redacted, because the memory stores comments but no text of upstream.
    """
    words = redact(entry.msgstr, entry.msgid)
    copy = copy_of(entry)
    if copy is not None:
        return copy.comment(words)
    return f"rejected: {' '.join(words.split())}"


def _written(entry: Entry, msgstr: str, *, is_draft: bool) -> Entry:
    """Return an entry with a new translation, and without notes about the state of the old one."""
    notes = entry.notes_without(FUZZY)
    if is_draft and msgstr:
        # The ``previous`` of a fuzzy entry is the English that it translates: here, the current
        # English.
        return replace(entry, msgstr=msgstr, fuzzy=True, previous=entry.msgid, notes=notes)
    return replace(entry, msgstr=msgstr, fuzzy=False, previous=None, notes=notes)
