"""The stage itself: every page that has changed is rendered, and the index of all is written.

In go the rows of a run, out come files under ``html/``. A page that cannot be rendered stops no
other; it is told at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from pipeline.adapters import files, kernel
from pipeline.adapters.html import notebook as html
from pipeline.core.execution.result import Status
from pipeline.core.progress import progress_of, whole_percent
from pipeline.core.results import PageResult
from pipeline.errors import PublishError
from pipeline.findings import Finding, Severity
from pipeline.run import Run
from pipeline.stages.publish.sheet import Sheet, language_tag, sheet_of

if TYPE_CHECKING:
    from pipeline.stages.publish.rendering import Rendered

# Pages. Each process loads for two seconds before it renders its first page, in about 0.1 s.
ENOUGH_FOR_PROCESSES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """The files written, and what kept pages from being rendered."""

    changes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


def render(run: Run, pages: Sequence[PageResult], *, locale: str) -> Published:
    """Write ``html/<page>.html`` for every page that has a document, and ``html/index.html``.

    The executed notebook is shown where there is one, else the merged document. All pages are
    tried; those that could not be rendered are findings.
    """
    paths, settings = run.paths, run.settings
    sheets: dict[str, Sheet] = {}
    for page in pages:
        sheet = sheet_of(run, page, locale=locale)
        if sheet is not None:
            sheets[page.page] = sheet
    # Rendering takes most of a build that has nothing to run: unchanged pages are left alone.
    stale = [sheet for sheet in sheets.values() if not sheet.is_fresh]
    findings: list[Finding] = []
    changes: list[str] = []
    workers = kernel.worker_count(settings.execution.jobs)
    with run.log.progress("render", total=len(stale)) as advance:
        for rendered in _render_all(stale, workers=workers):
            message = ""
            if rendered.problem:
                message = f"{rendered.page}: {rendered.problem}"
                findings.append(_not_rendered(rendered))
            if rendered.has_changed:
                changes.append(run.shown(sheets[rendered.page].target))
            findings += _outside(rendered)
            advance(1, message)
    # Also after a failure: the index shows what there is.
    if _write_index(run, pages, sheets, locale=locale):
        changes.append(run.shown(paths.preview(locale)))
    return Published(changes=tuple(changes), findings=tuple(findings))


def _outside(rendered: Rendered) -> Iterator[Finding]:
    """Yield a finding for each image of a page that lies outside of the docs folder."""
    for path in rendered.refused:
        yield Finding(
            code="outside",
            severity=Severity.WARNING,
            where=rendered.page,
            text=f"{path} lies outside of the docs folder, and is left out",
            page=rendered.page,
            hint="Name a file of the docs folder.",
        )


def _not_rendered(rendered: Rendered) -> Finding:
    """The finding for a page that is shown as its source."""
    error = PublishError(
        f"could not be rendered: {rendered.problem}",
        where=rendered.page,
        hint="Its source is shown instead. The other pages are complete.",
    )
    return Finding.of(error, page=rendered.page)


def _render_all(sheets: Sequence[Sheet], *, workers: int) -> Iterator[Rendered]:
    """Render every sheet; yield how each ended, as they come."""
    if not sheets:
        return
    # What reads documents takes a while to load, and most runs have nothing to render.
    from pipeline.stages.publish.rendering import render_sheet

    if len(sheets) < ENOUGH_FOR_PROCESSES or workers == 1:
        yield from map(render_sheet, sheets)
        return
    # Not forked: a copy of a process that has threads may hang on a lock that one of them held.
    context = get_context("spawn")
    # A few at a time: handing over a page costs as much as rendering a short one.
    with ProcessPoolExecutor(min(workers, len(sheets)), mp_context=context) as pool:
        yield from pool.map(render_sheet, sheets, chunksize=4)


def _write_index(
    run: Run, pages: Sequence[PageResult], sheets: dict[str, Sheet], *, locale: str
) -> bool:
    """Write the index of all pages, if it changes; whether it did."""
    target = run.paths.preview(locale)
    # A run of a few pages knows nothing of the others: their index stays.
    if run.pages and target.exists():
        return False
    root = target.parent
    rows = [_row(page, sheets.get(page.page), root=root) for page in pages]
    progress = progress_of(pages)
    count = f"{progress.translated} of {progress.messages} messages translated"
    text = html.index_html(
        rows,
        language=language_tag(locale),
        title=f"{run.name} · {locale}",
        summary=f"{len(rows)} pages, {count}; {_counts(rows)}",
    )
    return files.write_if_changed(target, text.encode("utf-8", "replace"))


def _counts(rows: Sequence[html.Row]) -> str:
    """``5 passed, 0 failed, 2 skipped``; pages that ran in part are named only if there are any."""
    counts = dict.fromkeys(map(str, Status), 0)
    for row in rows:
        # Pages without code have no such status.
        if row.status in counts:
            counts[row.status] += 1
    # Few projects have such pages; the other counts are worth knowing also if they are 0.
    if not counts[Status.PARTIAL]:
        del counts[Status.PARTIAL]
    return ", ".join(f"{count} {status}" for status, count in counts.items())


def _row(page: PageResult, sheet: Sheet | None, *, root: Path) -> html.Row:
    """The line of one page in the index, which lies in ``root``."""
    # Without a sheet merge has written nothing of it: the guard, or a document that is malformed.
    link, status, state = "", "plain", "not built"
    if sheet is not None:
        # A name may begin like an address: "javascript:x.md".
        link = quote(sheet.target.relative_to(root).as_posix())
        status, state = sheet.state.kind, sheet.state.text
    return html.Row(
        page=page.page,
        title=page.title or page.page,
        link=link,
        percent=whole_percent(page.translated, page.messages),
        fuzzy=page.fuzzy,
        untranslated=page.untranslated,
        status=status,
        state=state,
    )
