"""The stage merge: merges the pages that changed, and removes built files of deselected pages.

The pages of one locale and the results of earlier stages come in. Merged files and a report row for
every page go out. Unchanged pages are not merged again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.adapters.files import paths_below, remove_files
from pipeline.adapters.memo import Memo, digest_of
from pipeline.core.pin.lock import Lock, Page
from pipeline.core.results import PageResult
from pipeline.findings import Finding
from pipeline.paths import preview_name
from pipeline.report.counts import written_text
from pipeline.run import Run
from pipeline.stages.merge.files import MergedFiles, MergedPage

if TYPE_CHECKING:
    from pipeline.core.catalog.update import Updated
    from pipeline.core.document.reader import SplitPage
    from pipeline.entries import Catalog


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedPages:
    """Result of the stage: a row for each page, and the written files relative to the root."""

    rows: tuple[PageResult, ...]
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeInput:
    """Results of the earlier stages for the pages of one locale."""

    pages: Sequence[Page]
    # Returns a page's documents and messages; called only for pages to be merged.
    read: Callable[[Page], SplitPage]
    # The catalogue that readers of a page get, and the bytes of its file. There are none if the
    # file does not hold it: it was saved meanwhile, or cannot be read.
    catalog: Callable[[str], Catalog]
    catalog_bytes: Callable[[str], bytes | None]
    findings: Mapping[str, tuple[Finding, ...]]  # by page
    updates: Mapping[str, Updated]  # of the pages that this run has updated
    linked: Mapping[str, frozenset[str]]  # the fragments that links point to, by page
    code: str  # digest of everything else that affects a merge


def merge(
    run: Run, work: MergeInput, *, locale: str, lock: Lock, memo: Memo[MergedPage]
) -> MergedPages:
    """Write ``merged/<path>`` for every readable document that changed; return the rows.

    A translation that fails a check or the guard is reported, and its message stays English. A
    document that would still differ from upstream outside prose is not written. A page whose inputs
    equal those in ``memo`` is not merged again. If only the commit differs, its attribution is
    edited.
    """
    files = MergedFiles(run, locale, lock)
    rows: list[PageResult] = []
    with run.log.step("merge") as step:
        for page in work.pages:
            # A new link on one page affects a heading on another.
            linked = work.linked.get(page.name, frozenset())
            # A dry run writes no files, so there is nothing to remember.
            key = "" if run.dry else _key(work, page, linked)
            last = memo.get(page.name, key) if key else None
            merged = files.reuse(last) if last else None
            if merged is None:
                merged = _merge_page(files, work, page, linked)
            # Remember the page only after its files are written.
            if key:
                memo.put(page.name, key, merged)
            rows.append(_row(work, page.name, merged))
        done = sum(row.translated for row in rows)
        total = sum(row.messages for row in rows)
        written = written_text(len(files.changes), dry=run.dry)
        step.result = f"{done} of {total} messages translated, {written}"
    return MergedPages(rows=tuple(rows), changes=tuple(files.changes))


def _key(work: MergeInput, page: Page, linked: Set[str]) -> str:
    """Return the digest of a page's inputs; empty if the page must not be remembered."""
    data = work.catalog_bytes(page.name)
    if data is None:
        return ""
    return digest_of(work.code, repr(page.files), repr(sorted(linked)), data)


def _merge_page(
    files: MergedFiles, work: MergeInput, page: Page, linked: frozenset[str]
) -> MergedPage:
    # Loads the Markdown parser, which most runs do not need.
    from pipeline.stages.merge.page import merge_page

    return merge_page(files, work.read(page), work.catalog(page.name), linked)


def _row(work: MergeInput, page: str, merged: MergedPage) -> PageResult:
    """Return a page's row with the distinct findings of all stages so far, in order."""
    findings = dict.fromkeys((*work.findings.get(page, ()), *merged.row.findings))
    row = replace(merged.row, findings=tuple(findings))
    updated = work.updates.get(page)
    if updated is None:
        return row
    from pipeline.core.catalog.counts import update_counts

    return replace(row, update=update_counts(updated))


def prune(run: Run, pages: Sequence[Page], *, locale: str) -> tuple[str, ...]:
    """Remove built files that belong to none of ``pages``; return them, relative to the root.

    ``pages`` must be all selected pages, even if the run is limited to a few.
    """
    paths = run.paths
    # The site builder removes the stale files in its own folders.
    folders = (
        paths.merged(locale),
        paths.blocks(locale),
        paths.executed(locale),
        paths.html(locale),
    )
    # As text: joining paths for thousands of documents takes as long as everything else here.
    merged, blocks, executed, html = (folder.as_posix() for folder in folders)
    wanted = {paths.preview(locale).as_posix()}  # the index belongs to no page
    for page in pages:
        # Harmless for pages without code, whose notebook never exists.
        wanted.add(f"{executed}/{page.name}.ipynb")
        wanted.add(f"{html}/{preview_name(page.name)}")
        for file in page.files:
            wanted.add(f"{merged}/{file.path}")
            wanted.add(f"{blocks}/{file.path}.json")
    # File by file: an empty folder is removed with its last file.
    stale: list[Path] = []
    for folder in folders:
        gone = set(paths_below(folder, "")) - wanted
        stale += map(Path, sorted(gone))
    if not run.dry:
        remove_files(stale)
    return tuple(map(run.shown, stale))
