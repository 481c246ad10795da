"""Entry point of the stage: opens the memory, updates the catalogues, stores the memory.

The input is pages with their messages and the catalogues of the locale; the output is new
catalogues. Catalogues of other pages are read too, because messages move between pages. The
invariant: afterwards memory and catalogues agree, except where a finding reports otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from pipeline.adapters.files import read_bytes
from pipeline.core.catalog.lineage import read_redirects
from pipeline.core.catalog.update import (
    Catalogs,
    Updated,
    update_catalogs,
    wanted_entries,
)
from pipeline.core.document.reader import SplitPage
from pipeline.core.pin.lock import Lock, page_name
from pipeline.entries import Catalog, Entry
from pipeline.findings import Finding, Severity
from pipeline.run import Run
from pipeline.stages.update.locale import CatalogFiles, catalog_header
from pipeline.stages.update.opening import open_memory
from pipeline.stages.update.store import store_memory


def update(
    run: Run, pages: Sequence[SplitPage], *, locale: str, lock: Lock
) -> Catalogs:
    """Update the catalogues of ``pages`` in ``locale`` and the memory; return the catalogues.

    The result has the findings and written files of all three steps, without duplicates, in order.
    """
    opened = open_memory(run, pages, locale=locale, lock=lock)
    catalogs = update_catalog_files(
        run, pages, locale=locale, lock=lock, opened=opened.opened
    )
    stored = store_memory(run, pages, catalogs, locale=locale, lock=lock)
    findings: dict[str, tuple[Finding, ...]] = {}
    changes: tuple[str, ...] = ()
    for step in (opened, catalogs, stored):
        for page, found in step.findings.items():
            findings[page] = (*findings.get(page, ()), *found)
        changes += step.changes
    # Two steps may read the same broken file, and write the same page.
    return replace(
        catalogs,
        findings={
            page: tuple(dict.fromkeys(found)) for page, found in findings.items()
        },
        changes=tuple(dict.fromkeys(changes)),
    )


# Counts of entries, in the order of the summary.
_COUNTED = ("kept", "carried", "fuzzy", "new", "obsolete")


def update_catalog_files(
    run: Run,
    pages: Sequence[SplitPage],
    *,
    locale: str,
    lock: Lock,
    opened: Mapping[str, Catalog] | None = None,
) -> Catalogs:
    """Update the catalogues of ``pages`` and write those that changed.

    ``opened`` has catalogues for files that cannot be read (for readers only), or that a dry run
    has not written. A dry run writes nothing.

    A catalogue that cannot be read is a finding, and its file is not touched. The catalogue of a
    page that upstream dropped keeps what no other catalogue has, as obsolete. It is removed once
    other catalogues have all of it.
    """
    with run.log.step("update") as step:
        files = CatalogFiles(run=run, locale=locale)
        files.read_all()
        files.use_opened(opened or {})
        there = _documents(lock)
        _drop_findings_outside_run(files, pages, there)
        # From the lock and not from ``pages``, because a run of a few pages has not split the
        # others.
        gone = sorted(files.catalogs.keys() - there)
        wanted: dict[str, Sequence[Entry]] = {}
        for page in pages:
            if not _is_unsafe(page, files):
                wanted[page.page.name] = wanted_entries(page.page.name, page.documents)
        updated = update_catalogs(
            files.catalogs,
            wanted,
            header=partial(catalog_header, lock, locale),
            gone=gone,
            redirects=_redirects(run, lock, gone),
        )
        # All together: a message that moved is removed from one catalogue and added to another.
        changes = files.write(updated)
        for name in gone:
            # An empty catalogue is removed, so there is nothing to report.
            if updated[name].catalog.entries:
                files.report(
                    name, _page_gone_finding(name, run.shown(files.path(name)))
                )
        step.result = _summary(updated)
    # Includes catalogues that were only read: the memory uses them to find English.
    by_page = dict(files.catalogs)
    by_page.update({page: result.catalog for page, result in updated.items()})
    unreadable = {page: by_page.pop(page) for page in files.unreadable}
    return Catalogs(
        by_page={page: catalog for page, catalog in by_page.items() if catalog.entries},
        findings=files.findings,
        changes=changes,
        counts=updated,
        data=files.data,
        wanted=wanted,
        unreadable=unreadable,
    )


def _documents(lock: Lock) -> set[str]:
    """Return the names of all documents of upstream, including those outside this run."""
    return {page_name(file.path) for file in lock.files}


def _drop_findings_outside_run(
    files: CatalogFiles, pages: Sequence[SplitPage], there: set[str]
) -> None:
    """Drop findings about upstream's pages that are not in this run."""
    asked = {page.page.name for page in pages}
    # Findings about dropped pages are kept, because no run will include these pages.
    for page in files.findings.keys() & (there - asked):
        del files.findings[page]


def _is_unsafe(page: SplitPage, files: CatalogFiles) -> bool:
    """Return whether a catalogue must not change: it or a document of the page is unreadable.

    The messages of an unreadable document are unknown, not gone.
    """
    if len(page.documents) < len(page.page.files):
        return True
    # The file has bytes, but they could not be parsed.
    return page.page.name in files.data and page.page.name not in files.catalogs


def _redirects(run: Run, lock: Lock, gone: Sequence[str]) -> dict[str, str]:
    """Return upstream's redirects of old pages, from its ``conf.py``.

    A page in ``gone`` may only have a new name because other docs folders are configured. Redirects
    are hints, so a missing or unreadable file is ignored.
    """
    redirects: dict[str, str] = {}
    there = _documents(lock)
    for page in gone:
        names = [name for name in lock.docs.names_of(page) if name in there]
        if names:
            redirects[page] = names[0]
    for prefix in lock.docs.prefixes:
        path = run.paths.docs / f"{prefix}conf.py"
        if path.is_file():
            code = read_bytes(path).decode("utf-8", "replace")
            redirects |= read_redirects(code, below=prefix)
    return redirects


def _summary(updated: Mapping[str, Updated]) -> str:
    """Return the summary of an update: ``33 kept, 1 fuzzy``."""
    told = []
    for state in _COUNTED:
        # ``Updated`` has a field for each state.
        count = sum(getattr(result, state) for result in updated.values())
        if count:
            told.append(f"{count} {state}")
    return ", ".join(told) or "no messages"


def _page_gone_finding(page: str, where: str) -> Finding:
    return Finding(
        code="page-gone",
        severity=Severity.WARNING,
        where=where,
        text="upstream has no such page any more; the catalogue is kept",
        page=page,
        hint=(
            "It goes on serving equal texts of other pages. "
            "When nothing in it is of use, delete it and its memory."
        ),
    )
