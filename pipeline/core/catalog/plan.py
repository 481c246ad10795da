"""Which catalogue each page of an update starts from.

That is its own, or the one of the page that it was called before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.core.catalog.lineage import find_kin, find_renames
from pipeline.entries import Catalog, Entry

_NOTHING = Catalog()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an update works on, by page, and which page comes from which."""

    old: Mapping[str, Catalog]  # all catalogues of the locale
    wanted: Mapping[str, Sequence[Entry]]  # of the pages to update
    gone: Collection[str]  # pages that upstream dropped
    # What each page of ``wanted`` starts from, if there is anything.
    own: Mapping[str, Catalog]
    kin: Mapping[str, tuple[str, ...]]
    renames: Mapping[str, str]  # new page → the page that it was called before

    def start_of(self, page: str) -> Catalog:
        """The catalogue that ``page`` starts from; an empty one for a new page."""
        return self.own.get(page, _NOTHING)


def plan_update(
    old: Mapping[str, Catalog],
    wanted: Mapping[str, Sequence[Entry]],
    *,
    gone: Collection[str],
    redirects: Mapping[str, str],
) -> Plan:
    """Find out where the text of each page was before.

    The arguments are those of ``update_catalogs``.
    """
    moves = _moves(old, wanted, gone)
    kin: dict[str, tuple[str, ...]] = {}
    renames: dict[str, str] = {}
    if moves.added:  # else nothing can have come from anywhere
        unborn = {page: texts for page, texts in moves.added.items() if page not in old}
        vanished = {page: texts for page, texts in moves.lost.items() if page in gone}
        kin = find_kin(moves.added, moves.lost, redirects)
        renames = find_renames(unborn, vanished, kin)
    own: dict[str, Catalog] = {}
    for page in wanted:
        before = renames.get(page, page)
        if before in old:
            own[page] = old[before]
    return Plan(old=old, wanted=wanted, gone=gone, own=own, kin=kin, renames=renames)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moves:
    """The texts that came to pages and went from them; pages without any are left out."""

    added: dict[str, set[str]] = field(default_factory=dict)
    lost: dict[str, set[str]] = field(default_factory=dict)


def _moves(
    old: Mapping[str, Catalog],
    wanted: Mapping[str, Sequence[Entry]],
    gone: Collection[str],
) -> _Moves:
    """What the pages of an update gain and lose, and what vanished pages leave."""
    moves = _Moves()
    for page, entries in wanted.items():
        before = _live_texts(old.get(page, _NOTHING))
        now = {entry.msgid for entry in entries}
        moves.added[page] = now - before
        moves.lost[page] = before - now
    # A page that is neither updated nor gone has lost nothing, as far as this run can see.
    for page in old.keys() & set(gone) - wanted.keys():
        moves.lost[page] = _live_texts(old[page])
    return _Moves(added=_filled(moves.added), lost=_filled(moves.lost))


def _live_texts(catalog: Catalog) -> set[str]:
    """The messages that a page had when its catalogue was written."""
    return {entry.msgid for entry in catalog.entries if not entry.obsolete}


def _filled(texts: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """``texts`` without the pages that have none: most pages of most updates."""
    return {
        page: texts_of_page for page, texts_of_page in texts.items() if texts_of_page
    }
