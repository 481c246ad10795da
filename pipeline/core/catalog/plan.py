"""Which catalogue each page of an update starts from.

That is its own, or the one of the page that it was called before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from pipeline.core.catalog.lineage import find_kin, find_renames
from pipeline.entries import Catalog, Entry

_NOTHING = Catalog()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an update works on, by page, and which page comes from which."""

    old: Mapping[str, Catalog]  # all catalogues of the locale
    wanted: Mapping[str, Sequence[Entry]]  # of the pages to update
    gone: Collection[str]  # pages that upstream dropped
    own: Mapping[str, Catalog]  # what each page of ``wanted`` starts from, if there is anything
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
    """Find out where the text of each page was before."""
    wanted_texts = {page: {entry.msgid for entry in entries} for page, entries in wanted.items()}
    live_texts = {page: _live_texts(catalog) for page, catalog in old.items()}
    added: dict[str, set[str]] = {}  # texts that a page has and had not
    for page, texts in wanted_texts.items():
        new_texts = texts - live_texts.get(page, set())
        if new_texts:
            added[page] = new_texts
    lost: dict[str, set[str]] = {}  # texts that a page had and has no more
    for page, texts in live_texts.items():
        # Of a page that is not updated and not gone, nothing is known to be lost.
        remaining = wanted_texts.get(page, set() if page in gone else texts)
        lost_texts = texts - remaining
        if lost_texts:
            lost[page] = lost_texts
    # Without a new text nothing can have come from anywhere.
    kin = find_kin(added, lost, redirects) if added else {}
    unborn = {page: texts for page, texts in added.items() if page not in old}
    vanished = {page: texts for page, texts in lost.items() if page in gone}
    renames = find_renames(unborn, vanished, kin)
    own: dict[str, Catalog] = {}
    for page in wanted:
        before = renames.get(page, page)
        if before in old:
            own[page] = old[before]
    return Plan(old=old, wanted=wanted, gone=gone, own=own, kin=kin, renames=renames)


def _live_texts(catalog: Catalog) -> set[str]:
    return {entry.msgid for entry in catalog.entries if not entry.obsolete}
