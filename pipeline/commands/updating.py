"""Split and update for one locale: only the pages that have changed since the last run.

In go all pages of the run and what is known of them, out comes what is known now. Either nothing is
read at all, or every catalogue is: an update looks for texts that have moved between pages. Pages
that nothing can have come to are not split.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pipeline.commands.known import Known, UpdatedPage
from pipeline.core.pin.lock import Lock, Page
from pipeline.core.results import PageResult
from pipeline.entries import Catalog
from pipeline.run import Run

if TYPE_CHECKING:
    from pipeline.core.catalog.update import Catalogs
    from pipeline.core.document.reader import SplitPage


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdatedLocale:
    """The pages of one locale after their update.

    ``splits`` are the pages that this run has read, ``catalogs`` what it has updated.
    """

    pages: Mapping[str, UpdatedPage]
    # What is left of pages that upstream does not have any more.
    dropped: tuple[PageResult, ...]
    splits: Mapping[str, SplitPage] = field(default_factory=dict)
    catalogs: Catalogs | None = None

    @property
    def readable(self) -> Mapping[str, UpdatedPage]:
        """The pages but those whose catalogue cannot be read: the next run reads these again."""
        unreadable = self.catalogs.unreadable if self.catalogs else {}
        return {
            name: page for name, page in self.pages.items() if name not in unreadable
        }

    @property
    def changes(self) -> tuple[str, ...]:
        """The files written, relative to the root."""
        if self.catalogs is None:
            return ()
        return self.catalogs.changes


def update_locale(
    run: Run,
    pages: Sequence[Page],
    known: Known,
    *,
    locale: str,
    lock: Lock,
    thorough: bool = False,
) -> UpdatedLocale:
    """Bring the catalogues of ``pages`` up to date.

    A ``thorough`` run looks at all of them, and counts what it kept.
    """
    # Asked in any case: what it has digested is what this run begins with.
    found = known.updated(pages)
    # Who names pages wants them looked at, whatever is known of them.
    if thorough or run.pages:
        found = {}
    stale = [page for page in pages if page.name not in found]
    if not stale:
        run.log.note(f"nothing changed for {locale} since the last run")
        return UpdatedLocale(pages=found, dropped=known.dropped())
    # From here on something is to be done: what reads Markdown and compares texts is loaded now.
    from pipeline.core.catalog.counts import count_catalog, is_settled, with_classes
    from pipeline.stages.merge.page import links_of
    from pipeline.stages.split import split
    from pipeline.stages.update.stage import update

    splits = split(run, stale)
    catalogs = update(run, splits, locale=locale, lock=lock)
    # The same counts as merge makes, for commands that do not merge.
    for page in splits:
        name = page.page.name
        # A page without any prose has no catalogue.
        catalog = catalogs.shown(name) or Catalog()
        told = catalogs.findings.get(name, ())
        row = PageResult(
            page=name,
            files=page.page.files,
            title=page.title,
            findings=(*page.findings, *told),
        )
        found[name] = UpdatedPage(
            row=with_classes(count_catalog(row, catalog), catalog),
            links=links_of(page),
            # What an update has told of is told of once: the next one looks again.
            is_settled=not told and is_settled(catalog),
        )
    return UpdatedLocale(
        pages=found,
        splits={page.page.name: page for page in splits},
        catalogs=catalogs,
        dropped=_dropped(catalogs, found),
    )


def _dropped(
    catalogs: Catalogs, pages: Mapping[str, UpdatedPage]
) -> tuple[PageResult, ...]:
    """What there is to say of catalogues whose page is none of ``pages``."""
    from pipeline.core.catalog.counts import update_counts

    names = {*catalogs.findings, *catalogs.counts} - pages.keys()
    rows = []
    for name in sorted(names):
        findings = catalogs.findings.get(name, ())
        counts = update_counts(catalogs, name)
        rows.append(PageResult(page=name, findings=findings, update=counts))
    return tuple(rows)
