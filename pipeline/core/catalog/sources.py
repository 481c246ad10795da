"""Which translations of a locale other messages may take over.

Every translation may serve as a source, except those that wait for a person to confirm them where
they are. A source is free if its own message is gone.
"""

from __future__ import annotations

from collections.abc import Collection

from pipeline.core.catalog.origins import is_draft
from pipeline.core.catalog.plan import Plan
from pipeline.core.catalog.reuse import Source
from pipeline.core.catalog.spare import finished_in, is_spare
from pipeline.core.catalog.states import is_emptied
from pipeline.entries import Catalog


def find_sources(plan: Plan) -> list[Source]:
    """The sources of all pages: those that are updated first, then the others by name.

    The order decides ties only, so that every run chooses the same.
    """
    renamed = set(plan.renames.values())
    catalogs = dict(plan.own)
    for page in sorted(plan.old):
        # The catalogue of a renamed page is there already, under its new name.
        if page not in plan.wanted and page not in renamed:
            catalogs[page] = plan.old[page]
    sources: list[Source] = []
    for page, catalog in catalogs.items():
        sources += _sources_of_page(page, plan, catalog)
    return sources


def _sources_of_page(page: str, plan: Plan, catalog: Catalog) -> list[Source]:
    """The sources of one page, of which ``catalog`` is the catalogue that it starts from.

    They come in the order of its entries. A renamed page stands under its new name.
    """
    texts = _remaining_texts(page, plan, catalog)
    finished = finished_in(catalog.entries)
    offered = _offered_on_page(catalog, texts)
    sources: list[Source] = []
    for entry in catalog.entries:
        # Of a spare one the finished one is a source itself.
        if not entry.msgstr or is_spare(entry, finished):
            continue
        # What somebody has taken out is for no message.
        if is_emptied(entry):
            continue
        # What a machine has made serves no other message: that one may have its own draft.
        if is_draft(entry):
            continue
        # On a page that is updated an obsolete entry comes back when its text does.
        is_used = page in plan.wanted or not entry.obsolete
        stays = is_used and entry.msgid in texts
        if entry.fuzzy and stays:
            continue  # a person has to confirm it first
        is_free = not stays and (entry.msgid, entry.msgstr) not in offered
        sources.append(Source(page=page, entry=entry, free=is_free))
    return sources


def _remaining_texts(page: str, plan: Plan, catalog: Catalog) -> set[str]:
    """The messages that a page has from now on: none if upstream dropped it.

    Of a page that is not updated nothing more is known than what its catalogue holds.
    """
    if page in plan.gone:
        return set()
    entries = plan.wanted.get(page, catalog.entries)
    return {entry.msgid for entry in entries}


def _offered_on_page(
    catalog: Catalog, texts: Collection[str]
) -> set[tuple[str | None, str]]:
    """The translations that live entries of the page wait with, each with the English it is of.

    They have found a place, so they are not free for others, whatever became of their own message.
    """
    offered: set[tuple[str | None, str]] = set()
    for entry in catalog.entries:
        if entry.is_waiting and entry.msgid in texts:
            offered.add((entry.previous, entry.msgstr))
    return offered
