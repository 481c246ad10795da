"""The wanted entries of one page, each with the old entries that it keeps.

Those that have none are open.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.core.catalog.change import classify
from pipeline.core.catalog.origins import are_replaceable, lasting_notes, settled_notes
from pipeline.core.catalog.reuse import Open
from pipeline.core.catalog.states import CARRIED, DRAFT, FUZZY, is_emptied, states_of
from pipeline.entries import Catalog, Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """The wanted entries of a page in page order, and what the page itself has for them.

    Messages whose entries are drafts are both kept and open: a draft is there, and gives way.
    """

    wanted: Sequence[Entry]
    # By msgid; several if a translator told contexts apart.
    kept: Mapping[str, tuple[Entry, ...]]
    open: Mapping[str, Open]  # by msgid


def find_slots(page: str, catalog: Catalog, wanted: Sequence[Entry]) -> Slots:
    """The slots of ``page``, filled from the catalogue that it starts from.

    A message that the page had is kept, also without a translation if a translator has
    told its contexts apart. All others are open.
    """
    old_entries: dict[str, list[Entry]] = defaultdict(list)
    for entry in catalog.entries:
        if not is_emptied(entry):
            old_entries[entry.msgid].append(entry)
    kept: dict[str, tuple[Entry, ...]] = {}
    unfilled: dict[str, Open] = {}
    for entry in wanted:
        before = old_entries.get(entry.msgid, [])
        kept_entries = _kept_of(before)
        if kept_entries:
            kept[entry.msgid] = tuple(kept_entries)
        # A draft is kept until a person has translated the same text elsewhere.
        if kept_entries and not are_replaceable(kept_entries):
            continue
        blank = _with_comments_of(before, entry)
        is_new = all(old.obsolete for old in before)
        unfilled[entry.msgid] = Open(page=page, entry=blank, is_new=is_new)
    return Slots(wanted=wanted, kept=kept, open=unfilled)


def _kept_of(old_entries: Sequence[Entry]) -> list[Entry]:
    """What a message keeps of the entries that its page had for it; nothing if it is open.

    A translator may have told contexts apart, and not be done with all of them: then the
    entries that are still empty stay, too.
    """
    live = [entry for entry in old_entries if not entry.obsolete]
    if any(map(_is_begun, live)):
        return live
    # Only obsolete ones can have a translation here: the text is back, and so is that.
    return [entry for entry in old_entries if entry.msgstr]


def _is_begun(entry: Entry) -> bool:
    """Whether a translator has given an entry a translation, or a context to give one for."""
    return entry.msgstr != "" or entry.context is not None


def kept_entry(wanted: Entry, old: Entry) -> Entry:
    """The old translation in its place of today.

    The note that tells its state stays while it is true: once a translator has removed the
    fuzzy mark, ``fuzzy: numbers: …`` goes.
    """
    # A fuzzy mark on an empty msgstr, as some tools leave it, says nothing.
    is_fuzzy = old.fuzzy and old.msgstr != ""
    previous = old.previous if is_fuzzy else None
    still_true = (FUZZY, DRAFT) if is_fuzzy else (CARRIED,)
    # A draft that somebody has changed is one no more.
    notes = [note for note in settled_notes(old) if note.startswith(still_true)]
    if previous is not None and not notes:
        # Another tool, or a translator, has marked it fuzzy and left what changed for us to tell.
        notes.append(f"{FUZZY} {classify(previous, wanted.msgid)}")
    return replace(
        wanted,
        msgstr=old.msgstr,
        fuzzy=is_fuzzy,
        previous=previous,
        context=old.context,
        comments=old.comments,
        flags=old.flags,
        notes=(*wanted.notes, *notes, *lasting_notes(old)),
    )


def obsolete_entry(entry: Entry) -> Entry:
    """``entry`` as one that has lost its message.

    Only its state is still worth a note: what the message was on the page is past.
    """
    return replace(
        entry,
        obsolete=True,
        references=(),
        notes=states_of(entry),
        line=0,
        previous=entry.previous if entry.fuzzy else None,
    )


def _with_comments_of(old_entries: Sequence[Entry], entry: Entry) -> Entry:
    """``entry`` with what translators noted on it before they translated it.

    A question to the team, for example, that stands on an entry without a translation.
    """
    comments: list[str] = []
    for old in old_entries:
        comments += old.comments
    if not comments:
        return entry  # nearly always
    return replace(entry, comments=tuple(comments))
