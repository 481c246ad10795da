"""The stage publish: render every page that has changed, and write the index of all.

Rows of a run come in, files under ``html/`` go out. The digest of a sheet stands for everything in
its HTML file, so a page is rendered again only if one of its parts has changed. A page that cannot
be rendered stops no other page; the stage reports it as a finding.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from pipeline.adapters import files, kernel
from pipeline.adapters.html import notebook as html
from pipeline.adapters.html.images import PageFolder
from pipeline.core.execution.notebook import parse_notebook
from pipeline.core.execution.result import Status
from pipeline.core.results import PageResult, progress_of, whole_percent
from pipeline.errors import InputError, PublishError
from pipeline.findings import Finding, Severity
from pipeline.paths import Paths
from pipeline.report.counts import counted
from pipeline.run import Run

FORMAT = "5"  # raise it when the look changes
_HEAD = 400  # bytes at the start of an HTML file, within which its digest stands


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """Whether a page ran, for people: ``kind`` is the name of a status, or ``plain``."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One page that is to be rendered."""

    page: str  # its name
    source: Path  # executed notebook, or merged document
    outputs: Path | None  # a notebook that ran, whose outputs the source gets
    target: Path
    folder: PageFolder  # where images are looked up
    language: str
    title: str
    state: RunState
    digest: str  # of all of this, and of the source

    @property
    def is_fresh(self) -> bool:
        """Whether the target was rendered from the same parts: its head says so."""
        with suppress(OSError), self.target.open("rb") as stream:
            return self.digest.encode("ascii") in stream.read(_HEAD)
        return False


def sheet_of(run: Run, page: PageResult, *, locale: str) -> Sheet | None:
    """The sheet of ``page``; None if none of its documents is there."""
    paths = run.paths
    executed = paths.executed(locale) / f"{page.page}.ipynb"
    ran = executed if executed.is_file() else None
    # What ran is as old as its run: a page that is not run now may say something else by now.
    is_run_now = page.execution is not None
    source = ran if ran and is_run_now else _merged(paths, page, locale)
    if source is None:
        return None
    outputs = None if is_run_now or not page.code_cells else ran
    # Everything that the head shows is part of the digest: a run that fails changes no document.
    state = _state(page, run.release, has_outputs=outputs is not None)
    title = page.title or page.page
    facts = "\n".join([FORMAT, title, state.kind, state.text]).encode(
        "utf-8", "replace"
    )
    digest = hashlib.sha256(facts + files.read_bytes(source))
    if outputs is not None:
        digest.update(files.read_bytes(outputs))
    return Sheet(
        page=page.page,
        source=source,
        outputs=outputs,
        target=paths.html_page(locale, page.page),
        # Merged pages lie without their images: those of upstream's docs are shown.
        folder=PageFolder.of(paths.docs, page.files[0].path),
        language=language_tag(locale),
        title=title,
        state=state,
        digest=digest.hexdigest(),
    )


def language_tag(locale: str) -> str:
    """The locale as HTML writes it: zh_CN → zh-CN."""
    return locale.replace("_", "-")


def _merged(paths: Paths, page: PageResult, locale: str) -> Path | None:
    """The first merged document that is there, or upstream's own.

    Of a pair that is the notebook, which has outputs of upstream's at least.
    """
    for document in page.files:
        path = paths.merged(locale) / document.path
        if path.is_file():
            return path
    # Nothing of it is translated, but perhaps it can be read.
    path = paths.docs / page.files[0].path
    return path if _is_readable(path) else None


def _is_readable(path: Path) -> bool:
    """Whether a document of upstream's, which could not be translated, can be shown."""
    if not path.is_file():
        return False
    try:
        data = files.read_bytes(path)
        if path.suffix == ".ipynb":
            parse_notebook(data, where=str(path))
    except InputError:
        return False
    return True


def _state(page: PageResult, release: str, *, has_outputs: bool) -> RunState:
    """How the code of ``page`` ran, for the head of its page.

    If it was not run now, the page may have outputs all the same (``has_outputs``). The
    ``release`` is named wherever code ran: people look at this to know what theirs does.
    """
    run = page.execution
    if run is None and not page.code_cells:
        return RunState(kind="plain", text="no code to run")
    if run is None:
        earlier = ", outputs are of an earlier run" if has_outputs else ""
        return RunState(kind="plain", text=f"code was not run{earlier}")
    if run.status is Status.PASSED:
        verb = "passed"
    elif run.status is Status.PARTIAL:
        verb = "ran in part"
    else:
        return RunState(kind=str(run.status), text=f"{run.status}: {run.reason}")
    # For example: ran in part in interpret mode on JAX 0.10.2: 3 of 9 code cells (accelerator)
    how = f" {run.note}" if run.note else ""
    on = f" on {release}" if release else ""
    why = f" ({run.reason})" if run.reason else ""
    text = f"{verb}{how}{on}: {run.cells} of {counted(run.total, 'code cell')}{why}"
    return RunState(kind=str(run.status), text=text)


if TYPE_CHECKING:
    from pipeline.stages.publish.renderer import Rendered

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
    from pipeline.stages.publish.renderer import render_sheet

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
