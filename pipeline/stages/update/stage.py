"""Entry point of the stage: opens the memory, updates the catalogues, stores the memory.

The input is pages with their messages and the catalogues of the locale; the output is new
catalogues. Catalogues of other pages are read too, because messages move between pages. The
invariant: afterwards memory and catalogues agree, except where a finding reports otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes
from pipeline.core.catalog.lineage import read_redirects
from pipeline.core.catalog.update import Updated, update_catalogs, wanted_entries
from pipeline.core.document.reader import SplitPage
from pipeline.core.pin.lock import Lock
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity
from pipeline.run import Run
from pipeline.stages.update.locale import Locale, catalog_header
from pipeline.stages.update.opening import open_memory
from pipeline.stages.update.releases import documents_of
from pipeline.stages.update.store import store_memory


def update(
    locale: Locale, pages: Sequence[SplitPage], lock: Lock
) -> dict[str, Updated]:
    """Update the catalogues of ``pages`` and the memory.

    Return the result for each page that was updated or that upstream dropped.
    """
    locale.sweep()
    wanted: dict[str, Sequence[Entry]] = {}
    for page in pages:
        wanted[page.page.name] = wanted_entries(page.page.name, page.documents)
    open_memory(locale, wanted, lock)
    # The messages of an unreadable document are unknown, not gone.
    complete = {
        page.page.name: wanted[page.page.name] for page in pages if page.is_complete
    }
    updated = update_catalog_files(locale, complete, lock, asked=wanted.keys())
    store_memory(locale, updated, wanted=complete, lock=lock)
    locale.save_cache()
    return updated


# Counts of entries, in the order of the summary.
_COUNTED = ("kept", "carried", "fuzzy", "new", "obsolete")


def update_catalog_files(
    locale: Locale,
    wanted: Mapping[str, Sequence[Entry]],
    lock: Lock,
    *,
    asked: Collection[str],
) -> dict[str, Updated]:
    """Update the catalogues of the pages of ``wanted`` and write those that changed.

    A catalogue that cannot be parsed is left unchanged, and is a finding if its page is among
    ``asked``, the pages of this run. The catalogue of a page that upstream dropped keeps the
    translations that no other catalogue has, as obsolete. If there are none, it is removed.
    """
    run = locale.run
    with run.log.step("update") as step:
        there = documents_of(lock)
        # Findings about dropped pages are reported too, because no run includes these pages.
        catalogs = _read_catalogs(locale, unasked=there.difference(asked))
        unsafe = set(locale.catalog_pages()) - catalogs.keys()
        # From the lock and not from ``wanted``, because a run of a few pages has not split the
        # others.
        gone = sorted(catalogs.keys() - there)
        updated = update_catalogs(
            catalogs,
            {page: wanted[page] for page in wanted if page not in unsafe},
            header=partial(catalog_header, lock, locale.name),
            gone=gone,
            redirects=_redirects(run, lock, gone),
        )
        # Write all catalogues together: a moved message leaves one and enters another.
        _write(locale, updated)
        for name in gone:
            # Not reported: an empty catalogue, which is removed, and a page that the pin has.
            is_pinned = name in locale.elsewhere.pinned
            if updated[name].catalog.entries and not is_pinned:
                locale.report(_page_gone_finding(name, locale.catalog_name(name)))
        step.result = _summary(updated)
    return updated


def _read_catalogs(locale: Locale, *, unasked: Collection[str]) -> dict[str, Catalog]:
    """Return the catalogues of the locale, and report problems of their files.

    ``unasked`` are upstream's pages that are not in this run. For an unreadable file, the catalogue
    of the memory is returned.
    """
    catalogs: dict[str, Catalog] = {}
    for page in locale.catalog_pages():
        try:
            read = locale.read_catalog(page)
            catalogs[page], findings = read.catalog, read.findings
        except InputError as error:
            findings = (Finding.of(error),)
        if page not in unasked:
            for finding in findings:
                locale.report(replace(finding, page=page))
    return catalogs | locale.unreadable


def _write(locale: Locale, updated: Mapping[str, Updated]) -> None:
    """Write changed catalogues, then remove empty ones.

    In this order, an interrupted run may duplicate a translation but never lose one.
    """
    empty: list[str] = []
    for page, result in updated.items():
        if page in locale.unreadable:
            # Leave the file for a person to fix. Readers get the memory's version.
            locale.unreadable[page] = po.write_catalog(result.catalog).catalog
        elif result.catalog.entries:
            locale.write_catalog(page, result.catalog)
        elif page in locale.catalog_files and page not in locale.elsewhere.pinned:
            # Not removed: a page that the pin has, because its memory would restore the file.
            empty.append(page)
    # The content of an empty catalogue may have moved to a file that could not be written.
    if not locale.saved_meanwhile:
        locale.remove_catalogs(empty)


def _redirects(run: Run, lock: Lock, gone: Sequence[str]) -> dict[str, str]:
    """Return upstream's redirects of old pages, from its ``conf.py``.

    A page in ``gone`` may still exist under a new name, if other docs folders are configured now.
    Its new name is returned, too. Redirects are hints, so a missing ``conf.py`` is ignored.
    """
    redirects: dict[str, str] = {}
    there = documents_of(lock)
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
    counts = []
    for state in _COUNTED:
        # ``Updated`` has a field for each state.
        count = sum(getattr(result, state) for result in updated.values())
        if count:
            counts.append(f"{count} {state}")
    return ", ".join(counts) or "no messages"


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
