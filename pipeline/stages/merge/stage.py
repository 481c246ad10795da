"""Merge of the pages of one locale, and removal of built files of deselected pages.

``merge`` takes the results of earlier stages. It writes merged files and returns a row of the
report for every page. Pages whose inputs have not changed are not merged again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from pipeline.adapters.files import paths_below, remove_files
from pipeline.adapters.memo import Memo, digest_of
from pipeline.core.pin.lock import Lock, Page
from pipeline.core.results import PageResult
from pipeline.findings import Finding
from pipeline.paths import preview_name
from pipeline.report.counts import written_text
from pipeline.run import Run
from pipeline.stages.merge.incremental import MergedFiles, MergedPage

if TYPE_CHECKING:
    from pipeline.core.catalog.update import Updated
    from pipeline.core.document.reader import SplitPage
    from pipeline.entries import Catalog


class MergedPages(Struct, frozen=True, kw_only=True):
    """Result of the stage."""

    rows: tuple[PageResult, ...]  # one for each page
    changes: tuple[str, ...]  # written files, relative to the project's root


class MergeInput(Struct, frozen=True, kw_only=True):
    """Results of the earlier stages for the pages of one locale."""

    pages: Sequence[Page]
    # Returns a page's documents and messages. It is called only for pages that must be merged.
    read: Callable[[Page], SplitPage]
    # Returns the catalogue of a page, by its name.
    catalog: Callable[[str], Catalog]
    # Returns the bytes of a catalogue's file, or None if ``catalog`` differs from the file. They
    # differ if the file cannot be read, or if somebody has saved the file during this run.
    catalog_bytes: Callable[[str], bytes | None]
    findings: Mapping[str, tuple[Finding, ...]]  # of earlier stages, by page
    updates: Mapping[str, Updated]  # results of the pages that this run has updated
    linked: Mapping[str, frozenset[str]]  # by page: the fragments of links to it
    code: str  # digest of everything else that affects a merge


def merge(
    run: Run, work: MergeInput, *, locale: str, lock: Lock, memo: Memo[MergedPage]
) -> MergedPages:
    """Write ``merged/<path>`` for every readable document that changed; return the rows.

    If a translation fails a check or the guard, its message stays English and a finding reports it.
    If a document would still differ from upstream's outside prose, it is not written. A page whose
    inputs are the same as in ``memo`` is not merged again. If only upstream's commit differs, only
    the attribution is edited.
    """
    files = MergedFiles(run, locale, lock)
    rows: list[PageResult] = []
    with run.log.step("merge") as step:
        for page in work.pages:
            # A new link on another page may affect the anchors of this page.
            linked = work.linked.get(page.name, frozenset())
            # A dry run writes no files, so it must not store a result.
            key = "" if run.dry else _key(work, page, linked)
            last = memo.get(page.name, key) if key else None
            merged = files.reuse(last) if last else None
            if merged is None:
                merged = _merge_page(files, work, page, linked)
            # Store the result only after the files are written.
            if key:
                memo.put(page.name, key, merged)
            rows.append(_row(work, page.name, merged))
        done = sum(row.translated for row in rows)
        total = sum(row.messages for row in rows)
        written = written_text(len(files.changes), dry=run.dry)
        step.result = f"{done} of {total} messages translated, {written}"
    return MergedPages(rows=tuple(rows), changes=tuple(files.changes))


def _key(work: MergeInput, page: Page, linked: Set[str]) -> str:
    """Return the digest of a page's inputs; "" if its result must not be stored."""
    data = work.catalog_bytes(page.name)
    if data is None:
        return ""
    return digest_of(work.code, repr(page.files), repr(sorted(linked)), data)


def _merge_page(
    files: MergedFiles, work: MergeInput, page: Page, linked: frozenset[str]
) -> MergedPage:
    # This import loads the Markdown parser, which most runs do not need.
    from pipeline.stages.merge.page import merge_page

    return merge_page(files, work.read(page), work.catalog(page.name), linked)


def _row(work: MergeInput, page: str, merged: MergedPage) -> PageResult:
    """Return a page's row with the findings of all stages so far, each once, in order."""
    findings = dict.fromkeys((*work.findings.get(page, ()), *merged.row.findings))
    row = replace(merged.row, findings=tuple(findings))
    updated = work.updates.get(page)
    return replace(row, update=updated.counts) if updated else row


def prune(run: Run, pages: Sequence[Page], *, locale: str) -> tuple[str, ...]:
    """Remove built files that belong to none of ``pages``; return their paths.

    ``pages`` must be all selected pages, even if the run is limited to a few. Paths are relative to
    the project's root. A dry run removes nothing.
    """
    paths = run.paths
    # The site's folders are not listed, because its builder removes outdated files itself.
    folders = (
        paths.merged(locale),
        paths.blocks(locale),
        paths.executed(locale),
        paths.html(locale),
    )
    # Join paths as text: with ``Path``, this function would take twice as long.
    merged, blocks, executed, html = (folder.as_posix() for folder in folders)
    wanted = {paths.preview(locale).as_posix()}  # the index belongs to no page
    for page in pages:
        # A page without code has no executed notebook, so this path does no harm.
        wanted.add(f"{executed}/{page.name}.ipynb")
        wanted.add(f"{html}/{preview_name(page.name)}")
        for file in page.files:
            wanted.add(f"{merged}/{file.path}")
            wanted.add(f"{blocks}/{file.path}.json")
    # List files only; ``remove_files`` removes the folders that become empty.
    stale: list[Path] = []
    for folder in folders:
        gone = set(paths_below(folder, "")) - wanted
        stale += map(Path, sorted(gone))
    if not run.dry:
        remove_files(stale)
    return tuple(map(run.shown, stale))
