"""The messages of a page as a translator meets them, each with its entry and its state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pipeline.core.catalog.origins import copy_of, machine_of
from pipeline.core.catalog.states import fuzzy_class
from pipeline.core.document.guard import Refusal
from pipeline.core.document.merge import Merged
from pipeline.core.document.message import Message
from pipeline.core.document.reader import Document
from pipeline.entries import Catalog, Entry


class State(StrEnum):
    """What a person has to do about a message, if anything."""

    TRANSLATED = "translated"
    FUZZY = "fuzzy"  # it was written for other English
    DRAFT = "draft"  # it was written for this English, by a machine or not to the end
    ADOPTED = "adopted"  # it comes from a copy that was made elsewhere
    ENGLISH = "english"  # there is no translation
    REFUSED = "refused"  # there is one, which readers cannot be shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One message on a page. Several may have the same entry.

    ``entry`` is an empty one if the catalogue has none. ``refusal`` says why a finished
    translation is not shown.
    """

    number: int
    message: Message
    entry: Entry
    state: State
    refusal: Refusal | None = None


def blocks_of(
    document: Document,
    catalog: Catalog,
    merged: Merged,
    refused: Mapping[str, Refusal],
) -> tuple[Block, ...]:
    """All messages of ``document``, in its order.

    ``merged`` is what came of it. ``refused`` are translations that were kept from it before, by
    msgid: those in which a check finds an error.
    """
    refusals = dict(refused)
    for rejection in merged.rejected:
        refusals.setdefault(rejection.message.msgid, rejection.refusal)
    entries = _entries_by_key(catalog.entries)
    blocks = []
    for number, (_, message) in enumerate(document.messages()):
        entry = entry_for(message, entries)
        refusal = refusals.get(message.msgid) if entry.is_translated else None
        state = State.REFUSED if refusal else state_of(entry)
        blocks.append(
            Block(
                number=number,
                message=message,
                entry=entry,
                state=state,
                refusal=refusal,
            )
        )
    return tuple(blocks)


def entry_for(
    message: Message, entries: Mapping[tuple[str | None, str], Entry]
) -> Entry:
    """The entry that a message is translated by: that of its section goes before the other."""
    of_section = entries.get((message.section, message.msgid))
    if of_section is not None:
        return of_section
    return entries.get((None, message.msgid)) or Entry(msgid=message.msgid)


def state_of(entry: Entry) -> State:
    """The state of an entry, as far as the catalogue tells."""
    if not entry.msgstr:
        return State.ENGLISH
    if not entry.fuzzy:
        return State.TRANSLATED
    if copy_of(entry):
        return State.ADOPTED
    is_of_this_english = entry.written_for == entry.msgid and not fuzzy_class(entry)
    if machine_of(entry) or is_of_this_english:
        return State.DRAFT
    return State.FUZZY


def _entries_by_key(
    entries: Iterable[Entry],
) -> dict[tuple[str | None, str], Entry]:
    live: Sequence[Entry] = [entry for entry in entries if not entry.obsolete]
    return {(entry.context, entry.msgid): entry for entry in live}
