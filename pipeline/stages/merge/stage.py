"""The stage merge: merge the pages that changed, and remove built files of pages that left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.adapters.files import remove_files
from pipeline.adapters.memo import Memo, digest_of
from pipeline.core.pin.lock import Lock, Page
from pipeline.core.results import PageResult
from pipeline.findings import Finding
from pipeline.report.counts import written_text
from pipeline.run import Run
from pipeline.stages.merge.files import MergedFiles, MergedPage

if TYPE_CHECKING:
    from pipeline.core.catalog.update import Catalogs
    from pipeline.core.document.reader import SplitPage


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedPages:
    """What the stage made of every page, and the files it wrote, relative to the root."""

    rows: tuple[PageResult, ...]
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToMerge:
    """What the stages before have to say of the pages of one locale."""

    pages: Sequence[Page]
    # A page's documents and messages, if it must be made.
    read: Callable[[Page], SplitPage]
    # None: no catalogue was updated, those that lie there count.
    catalogs: Catalogs | None
    findings: Mapping[str, tuple[Finding, ...]]  # by page
    linked: Mapping[str, frozenset[str]]  # the fragments that links point to, by page
    code: str  # the digest of all else that decides about a merge


def merge(
    run: Run, work: ToMerge, *, locale: str, lock: Lock, memo: Memo[MergedPage]
) -> MergedPages:
    """Write ``merged/<path>`` for every document that can be read, if it changed.

    A translation in which a check finds an error, or that the guard refuses, is a finding, and its
    message stays English. A document that would differ from upstream all the same is not written. A
    page that ``memo`` knows under all that it is made from stays as it is; if only the commit is
    another one, its attribution is edited.
    """
    files = MergedFiles(run, locale, lock)
    rows: list[PageResult] = []
    with run.log.step("merge") as step:
        for page in work.pages:
            # A new link on one page changes the headings of another.
            linked = work.linked.get(page.name, frozenset())
            key = _key(files, work, page, linked)
            last = memo.recall(page.name, key) if key else None
            merged = files.made_again(last) if last else None
            if merged is None:
                merged = _make(files, work, page, linked)
            # Only now: whatever is remembered of a page has been written.
            if key:
                memo.keep(page.name, key, merged)
            rows.append(_row(work, page.name, merged))
        done = sum(row.translated for row in rows)
        total = sum(row.messages for row in rows)
        written = written_text(len(files.changes), dry=run.dry)
        step.result = f"{done} of {total} messages translated, {written}"
    return MergedPages(rows=tuple(rows), changes=tuple(files.changes))


def _key(files: MergedFiles, work: ToMerge, page: Page, linked: Set[str]) -> str:
    """The digest of all that the page is made from; empty if nothing may be known of it."""
    # A dry run writes nothing, so that nothing of it may be known.
    if files.run.dry:
        return ""
    data = _catalog_bytes(files, work, page.name)
    if data is None:
        return ""
    return digest_of(work.code, repr(page.files), repr(sorted(linked)), data)


def _catalog_bytes(files: MergedFiles, work: ToMerge, page: str) -> bytes | None:
    """The file of a page's catalogue, empty if there is none.

    None if the catalogue is not that of the file: somebody has saved it meanwhile, or broken it.
    """
    if work.catalogs is not None and page in work.catalogs.unreadable:
        return None
    if work.catalogs is not None and page in work.catalogs.by_page:
        return work.catalogs.data.get(page)
    # This run has not looked at it, since nothing has changed.
    path = files.run.paths.catalog(files.locale, page)
    if not path.is_file():
        return b""
    return path.read_bytes()


def _make(
    files: MergedFiles, work: ToMerge, page: Page, linked: frozenset[str]
) -> MergedPage:
    # Reads Markdown: most runs make no page.
    from pipeline.stages.merge.page import make

    catalog = None
    if work.catalogs is not None:
        catalog = work.catalogs.shown(page.name)
    return make(files, work.read(page), catalog, linked)


def _row(work: ToMerge, page: str, merged: MergedPage) -> PageResult:
    """What there is to say of a page after all stages so far, in their order and once."""
    findings = dict.fromkeys((*work.findings.get(page, ()), *merged.row.findings))
    row = replace(merged.row, findings=tuple(findings))
    if work.catalogs is None:
        return row
    from pipeline.core.catalog.counts import update_counts

    return replace(row, update=update_counts(work.catalogs, page))


def prune(run: Run, pages: Sequence[Page], *, locale: str) -> tuple[str, ...]:
    """Remove built files that belong to none of ``pages``; return them, relative to the root.

    ``pages`` are all that are selected, not those that a run of a few pages is about.
    """
    paths = run.paths
    # The site has folders of its own, and removes there what it does not make any more.
    merged, executed, html = (
        paths.merged(locale),
        paths.executed(locale),
        paths.html(locale),
    )
    blocks = paths.blocks(locale)
    wanted = {paths.preview(locale)}  # it belongs to no page
    for page in pages:
        # Also of pages without code, which have no executed notebook: it is only a name.
        wanted.add(executed / f"{page.name}.ipynb")
        wanted.add(paths.html_page(locale, page.name))
        for file in page.files:
            wanted.add(merged / file.path)
            wanted.add(blocks / f"{file.path}.json")
    # One by one: a folder is removed when its last file is.
    stale: list[Path] = []
    for folder in (merged, blocks, executed, html):
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        stale += [path for path in files if path not in wanted]
    if not run.dry:
        remove_files(stale)
    return tuple(map(run.shown, stale))
