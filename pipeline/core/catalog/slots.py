"""The wanted entries of one page, each with the old entries that it keeps.

Those that have none are open.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.core.catalog.change import classify
from pipeline.core.catalog.reuse import Open
from pipeline.core.catalog.states import CARRIED, FUZZY, STATES
from pipeline.entries import Catalog, Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """The wanted entries of a page in page order, and what the page itself has for them."""

    wanted: Sequence[Entry]
    # By msgid; several if a translator told contexts apart.
    kept: Mapping[str, tuple[Entry, ...]]
    open: Mapping[str, Open]  # by msgid


def find_slots(page: str, catalog: Catalog, wanted: Sequence[Entry]) -> Slots:
    """The slots of ``page``, filled from the catalogue that it starts from."""
    old_entries: dict[str, list[Entry]] = defaultdict(list)
    for entry in catalog.entries:
        old_entries[entry.msgid].append(entry)
    kept: dict[str, tuple[Entry, ...]] = {}
    unfilled: dict[str, Open] = {}
    for entry in wanted:
        before = old_entries.get(entry.msgid, [])
        kept_entries = _kept_of(before)
        if kept_entries:
            kept[entry.msgid] = tuple(kept_entries)
            continue
        blank = _with_comments_of(before, entry)
        is_new = all(old.obsolete for old in before)
        unfilled[entry.msgid] = Open(page=page, entry=blank, is_new=is_new)
    return Slots(wanted=wanted, kept=kept, open=unfilled)


def _kept_of(old_entries: Sequence[Entry]) -> list[Entry]:
    """What a message keeps of the entries that its page had for it; nothing if it is open."""
    live = [entry for entry in old_entries if not entry.obsolete]
    # A translator may have told contexts apart, and not be done with all of them: then the entries
    # that are still empty stay, too.
    if any(entry.msgstr or entry.context is not None for entry in live):
        return live
    # Only obsolete ones can have a translation here: the text is back, and so is that.
    return [entry for entry in old_entries if entry.msgstr]


def kept_entry(wanted: Entry, old: Entry) -> Entry:
    """The old translation in its place of today.

    The note that tells its state stays while it is true.
    """
    is_fuzzy = old.fuzzy and bool(old.msgstr)
    previous = old.previous if is_fuzzy else None
    still_true = FUZZY if is_fuzzy else CARRIED
    notes = [note for note in old.notes if note.startswith(still_true)]
    if previous is not None and not notes:
        # Another tool, or a translator, has marked it fuzzy and left what changed for us to tell.
        notes = [f"{FUZZY} {classify(previous, wanted.msgid)}"]
    return replace(
        wanted,
        msgstr=old.msgstr,
        fuzzy=is_fuzzy,
        previous=previous,
        context=old.context,
        comments=old.comments,
        flags=old.flags,
        notes=(*wanted.notes, *notes),
    )


def obsolete_entry(entry: Entry) -> Entry:
    """``entry`` as one that has lost its message. Only its state is still worth a note."""
    return replace(
        entry,
        obsolete=True,
        references=(),
        notes=tuple(note for note in entry.notes if note.startswith(STATES)),
        line=0,
        previous=entry.previous if entry.fuzzy else None,
    )


def _with_comments_of(old_entries: Sequence[Entry], entry: Entry) -> Entry:
    """``entry`` with what translators noted on it before they translated it."""
    comments: list[str] = []
    for old in old_entries:
        comments += old.comments
    if not comments:
        return entry  # nearly always
    return replace(entry, comments=tuple(comments))
