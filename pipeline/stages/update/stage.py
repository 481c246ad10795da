"""The stage itself: open the memory, update the catalogues, store them in the memory.

Pages with their messages and the catalogues of the locale come in; new catalogues come out. The
catalogues of other pages are read as well: a message may have moved from one page to another. After
it memory and catalogues agree, except for what findings report.
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
from pipeline.core.pin.lock import Lock, page_path
from pipeline.entries import Catalog, Entry
from pipeline.findings import Finding, Severity
from pipeline.run import Run
from pipeline.stages.update.locale import CatalogFiles, catalog_header
from pipeline.stages.update.opening import open_memory
from pipeline.stages.update.store import store_memory


def update(
    run: Run, pages: Sequence[SplitPage], *, locale: str, lock: Lock
) -> Catalogs:
    """Bring the catalogues of ``pages`` in ``locale`` up to date, and the memory with them.

    The findings and the files written are those of all three steps, each once, in their order.
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


# What became of the entries, in the order in which people are told.
_COUNTED = ("kept", "carried", "fuzzy", "new", "obsolete")


def update_catalog_files(
    run: Run,
    pages: Sequence[SplitPage],
    *,
    locale: str,
    lock: Lock,
    opened: Mapping[str, Catalog] | None = None,
) -> Catalogs:
    """Bring the catalogues of ``pages`` up to date; write those that changed if the run may.

    ``opened`` stand for files of the same pages that cannot be read, for readers only, or that a
    dry run has not written.

    A catalogue that cannot be read is a finding; its file is left as it is. That of a page that
    upstream dropped keeps what is nowhere else, as obsolete; it is removed when all of it lives on
    in other catalogues.
    """
    with run.log.step("update") as step:
        files = CatalogFiles(run=run, locale=locale)
        files.read_all()
        files.stand_in(opened or {})
        there = _documents(lock)
        _tell_only_of(files, pages, there)
        # Told by the lock, not by ``pages``: a run of a few pages has not split the others.
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
        # All at once: a message that moved leaves one catalogue as it comes to another.
        changes = files.write(updated)
        for name in gone:
            # A catalogue that has become empty is removed, and nobody need look after it.
            if updated[name].catalog.entries:
                files.tell(name, _gone(name, run.shown(files.path(name))))
        step.result = _summary(updated)
    # Also those that were only read: the memory knows by them what stands where.
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
    """The names of all documents that upstream has, also of those that are no page of this run."""
    return {page_path(file.path).rpartition(".")[0] for file in lock.files}


def _tell_only_of(
    files: CatalogFiles, pages: Sequence[SplitPage], there: set[str]
) -> None:
    """Say nothing of pages that are upstream's, but not in this run.

    Whoever asked for other pages did not ask for these.
    """
    asked = {page.page.name for page in pages}
    # Those of pages that upstream dropped are told: no run will ever ask for them.
    for page in files.findings.keys() & (there - asked):
        del files.findings[page]


def _is_unsafe(page: SplitPage, files: CatalogFiles) -> bool:
    """Whether the catalogue must stay as it is: it, or a document of the page, cannot be read.

    The messages of an unreadable document are not gone, they are only not seen.
    """
    if len(page.documents) < len(page.page.files):
        return True
    # It has bytes, but nothing was read from them.
    return page.page.name in files.data and page.page.name not in files.catalogs


def _redirects(run: Run, lock: Lock, gone: Sequence[str]) -> dict[str, str]:
    """Where upstream sends the readers of old pages, as its ``conf.py`` says.

    Pages that are ``gone`` may only have another name, since other docs folders are configured. All
    of it is a hint only, so that a file that is missing or unreadable is no matter.
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
    """``33 kept, 1 fuzzy``."""
    told = []
    for state in _COUNTED:
        # By name: the record of an update has a number for each of them.
        count = sum(getattr(result, state) for result in updated.values())
        if count:
            told.append(f"{count} {state}")
    return ", ".join(told) or "no messages"


def _gone(page: str, where: str) -> Finding:
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
