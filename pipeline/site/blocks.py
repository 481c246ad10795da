"""The blocks of a page: what of it can be read in two languages, and how it stands in each.

In comes where every message of the page's document has landed (``core.document.landing``) and the
entries of its catalogue; out comes one block for every message, in the order of the document. So
a block's number is its place in that order, and it is the same in every run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.core.catalog.origins import OriginKind, kind_of
from pipeline.core.document.landing import Landed
from pipeline.core.document.message import Kind
from pipeline.entries import Entry
from pipeline.site.names import Standing, State


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One message of a page. ``line`` is that of its entry in the catalogue, 0 if it has none."""

    landed: Landed
    state: State
    standing: Standing = Standing.ENGLISH
    previous: str = ""  # of a stale one: the English that its translation was made from
    line: int = 0
    origin: OriginKind | None = None  # where the words of a fuzzy one come from

    @property
    def has_place(self) -> bool:
        """Whether it can stand on the page as a block of its own.

        The text of an image is an attribute of it; of front matter a page shows its title.
        """
        return self.landed.kind not in (Kind.IMAGE, Kind.FRONT_MATTER)


def blocks_of(
    landings: Sequence[Landed], entries: Sequence[Entry]
) -> tuple[Block, ...]:
    """The blocks of a document whose messages have landed so, with the entries that serve them."""
    by_msgid: dict[str, list[Entry]] = {}
    for entry in entries:
        if not entry.obsolete:
            by_msgid.setdefault(entry.msgid, []).append(entry)
    blocks: list[Block] = []
    for landed in landings:
        serving = _entry_for(landed, by_msgid.get(landed.msgid, ()))
        state = _state(landed, serving)
        standing = _standing(landed, serving)
        block = Block(
            landed=landed,
            state=state,
            standing=standing,
            previous=_previous(serving) if standing is Standing.STALE else "",
            line=serving.line if serving else 0,
            origin=kind_of(serving) if serving and state is State.FUZZY else None,
        )
        blocks.append(block)
    return tuple(blocks)


def _entry_for(landed: Landed, entries: Sequence[Entry]) -> Entry | None:
    """The one of a message's entries that serves it in its section."""
    # First the entry for this very section, then the one for all places (it has no msgctxt).
    for context in (landed.section, None):
        for entry in entries:
            if entry.context == context:
                return entry
    # A message that moved to another section: any translation is better than none.
    return next(iter(entries), None)


def _state(landed: Landed, entry: Entry | None) -> State:
    """How a block stands to its English, given the entry that serves it, if there is one."""
    # A name stays what it is in Chinese: `JAX` for `JAX` has nothing to show in two languages.
    if not landed.is_translated or landed.text == landed.english:
        return State.ENGLISH
    if entry is not None and entry.fuzzy:
        return State.FUZZY
    return State.TRANSLATED


def _standing(landed: Landed, entry: Entry | None) -> Standing:
    """What has become of a block's translation, whether readers see it or not."""
    if entry is None or not entry.is_waiting:
        return Standing.TRANSLATED if landed.is_translated else Standing.ENGLISH
    if kind_of(entry) is OriginKind.DRAFT:
        return Standing.DRAFT
    # Without the English of that time nobody can tell what has changed.
    if entry.previous and entry.previous != landed.msgid:
        return Standing.STALE
    return Standing.UNREVIEWED


def _previous(entry: Entry | None) -> str:
    """The English that a translation was made from, if it is known."""
    return (entry.previous if entry else None) or ""
