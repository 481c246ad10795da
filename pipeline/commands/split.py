"""split: bring the catalogues up to date with what was pulled; status tells the same without writing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.commands.holding import only_this_run
from pipeline.commands.pages import pages_of_run
from pipeline.core.pin.lock import Lock, Page
from pipeline.core.results import PageResult
from pipeline.entries import Catalog
from pipeline.report.result import RunResult
from pipeline.run import Run
from pipeline.stages import pull as pull_stage
from pipeline.stages import recall


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdatedLocale:
    """The pages of one locale after their update, and the files written, relative to the root."""

    pages: tuple[PageResult, ...]
    changes: tuple[str, ...] = ()


def split(run: Run) -> RunResult:
    """Split, and update the catalogues."""
    with only_this_run(run):
        return update_pulled(run)


def update_pulled(run: Run) -> RunResult:
    """Everything up to the catalogues, for what is pulled."""
    lock = pull_stage.read_pulled(run)
    pages = pages_of_run(run, lock)
    by_locale: dict[str, tuple[PageResult, ...]] = {}
    changes: tuple[str, ...] = ()
    for locale in run.locales:
        updated = _update_locale(run, pages, lock, locale)
        by_locale[locale] = updated.pages
        changes += updated.changes
    return RunResult(name=run.name, lock=lock, pages=by_locale, changes=changes, check_only=run.dry)


def _update_locale(run: Run, pages: Sequence[Page], lock: Lock, locale: str) -> UpdatedLocale:
    """Update the catalogues of the pages that upstream has changed since the last time; of those asked for, if any are."""
    if run.pages:
        return _update_pages(run, pages, lock, locale, rows={})
    inputs = recall.fingerprint_inputs(run.paths, run.upstream, locale=locale)
    known = recall.recall(run.paths, locale=locale, inputs=inputs, merged=False)
    known = known or recall.recall(run.paths, locale=locale, inputs=inputs)
    names = {page.name for page in pages}
    if known:
        run.log.note(f"nothing changed for {locale} since the last run")
        return UpdatedLocale(pages=tuple(page for page in known if page.page in names))
    rows = recall.recall_pages(run.paths, locale=locale, inputs=inputs)
    if rows.keys() - names:
        rows = {}  # a page has gone, and others may be made from it
    updated = _update_pages(run, pages, lock, locale, rows=rows)
    if not run.dry:
        inputs = recall.fingerprint_inputs(run.paths, run.upstream, locale=locale)
        recall.remember(run.paths, updated.pages, locale=locale, inputs=inputs, merged=False)
    return updated


def _update_pages(
    run: Run, pages: Sequence[Page], lock: Lock, locale: str, *, rows: dict[str, PageResult]
) -> UpdatedLocale:
    """Update the catalogues of ``pages``, but for those whose row is of the same documents already."""
    from pipeline.core.catalog.standing import with_classes
    from pipeline.core.catalog.update import count_catalog
    from pipeline.stages.split import split as split_stage
    from pipeline.stages.update.stage import update

    results = dict(rows)
    stale = [page for page in pages if page.name not in rows or rows[page.name].files != page.files]
    documents = split_stage(run, stale)
    catalogs = update(run, documents, locale=locale, lock=lock)
    for document in documents:
        name = document.page.name
        catalog = catalogs.by_page.get(name, Catalog())
        row = PageResult(
            page=name,
            files=document.page.files,
            title=document.title,
            findings=(*document.findings, *catalogs.findings.get(name, ())),
        )
        results[name] = with_classes(count_catalog(row, catalog), catalog)
    return UpdatedLocale(
        pages=tuple(results[page.name] for page in pages), changes=catalogs.changes
    )
