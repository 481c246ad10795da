"""Entry point of the stage: opens the memory, updates the catalogues, stores the memory.

The input is pages with their messages, and the catalogues of the locale. The output is new
catalogues. Catalogues of other pages are read, too, because messages move between pages. The
invariant: at the end, memory and catalogues agree. A finding reports each page where they do not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes
from pipeline.core.catalog.lineage import read_redirects
from pipeline.core.catalog.update import Updated, update_catalogs, wanted_entries
from pipeline.core.document.reader import SplitPage
from pipeline.core.pin.lock import Lock
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError
from pipeline.findings import Finding
from pipeline.run import Run
from pipeline.stages.update.locale import Locale, catalog_header
from pipeline.stages.update.opening import open_memory
from pipeline.stages.update.releases import documents_of
from pipeline.stages.update.store import store_memory


def update(locale: Locale, pages: Sequence[SplitPage], lock: Lock) -> dict[str, Updated]:
    """Update the catalogues of ``pages`` and the memory.

    Return the result for each page that was updated, and for each page that upstream dropped.
    """
    wanted: dict[str, Sequence[Entry]] = {}
    for page in pages:
        wanted[page.page.name] = wanted_entries(page.page.name, page.documents)
    open_memory(locale, wanted, lock)
    # If a document cannot be read, its messages are unknown. They must not count as gone.
    complete = {page.page.name: wanted[page.page.name] for page in pages if page.is_complete}
    updated = update_catalog_files(locale, complete, lock, asked=wanted.keys())
    store_memory(locale, updated, wanted=complete, lock=lock)
    locale.save_cache()
    return updated


def update_catalog_files(
    locale: Locale,
    wanted: Mapping[str, Sequence[Entry]],
    lock: Lock,
    *,
    asked: Collection[str],
) -> dict[str, Updated]:
    """Update the catalogues of the pages of ``wanted`` and write those that changed.

    ``asked`` are the pages of this run. A catalogue that cannot be parsed stays unchanged, and is a
    finding if its page is among ``asked``. If upstream dropped a page, its catalogue keeps the
    translations that no other catalogue has, as obsolete entries. If there are no such
    translations, the catalogue is removed.
    """
    run = locale.run
    with run.log.step("update") as step:
        there = documents_of(lock)
        # ``unasked`` lacks dropped pages, because no run includes these. So every run reports their
        # findings.
        catalogs = _read_catalogs(locale, unasked=there.difference(asked))
        unsafe = set(locale.catalog_pages()) - catalogs.keys()
        # Compare with all pages of the lock, because ``wanted`` has only the pages of this run.
        gone = sorted(catalogs.keys() - there)
        updated = update_catalogs(
            catalogs,
            {page: wanted[page] for page in wanted if page not in unsafe},
            header=partial(catalog_header, lock, locale.name),
            gone=gone,
            redirects=_redirects(run, lock, gone),
        )
        # Write all catalogues together, because a message may have moved from one to another.
        _write(locale, updated)
        for name in gone:
            # The removal of an empty catalogue needs no report. A page that the pinned release has
            # needs none either.
            is_pinned = name in locale.elsewhere.pinned
            if updated[name].catalog.entries and not is_pinned:
                locale.report_row("page-gone", name)
        step.result = _summary(updated)
    return updated


def _read_catalogs(locale: Locale, *, unasked: Collection[str]) -> dict[str, Catalog]:
    """Return the catalogues of the locale, and report problems of their files.

    ``unasked`` are pages of upstream that are not part of this run; their problems are not
    reported. For an unreadable file, return the catalogue that the memory gives.
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

    With this order, an interrupted run may duplicate a translation, but never loses one.
    """
    empty: list[str] = []
    for page, result in updated.items():
        if page in locale.unreadable:
            # A person must fix the file, so do not write it. Readers get the memory's version.
            locale.unreadable[page] = po.write_catalog(result.catalog).catalog
        elif result.catalog.entries:
            locale.write_catalog(page, result.catalog)
        elif page in locale.catalog_files and page not in locale.elsewhere.pinned:
            # Keep an empty catalogue if the pinned release has the page, because the page's memory
            # would restore the file.
            empty.append(page)
    # The content of an empty catalogue may have moved to a file that could not be written.
    if not locale.saved_meanwhile:
        locale.remove_catalogs(empty)


def _redirects(run: Run, lock: Lock, gone: Sequence[str]) -> dict[str, str]:
    """Return redirects of old page names to new ones.

    They come from upstream's ``conf.py``, if there is one. A page in ``gone`` may also have a new
    name because other docs folders are configured now; then its new name is returned, too.
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
    totals: Counter[str] = Counter()
    for result in updated.values():
        of_page = result.counts
        totals["kept"] += of_page.kept
        totals["carried"] += of_page.carried
        totals["fuzzy"] += sum(of_page.fuzzy.values())
        totals["new"] += of_page.new
        totals["obsolete"] += of_page.obsolete
    shown = [f"{count} {state}" for state, count in totals.items() if count]
    return ", ".join(shown) or "no messages"
