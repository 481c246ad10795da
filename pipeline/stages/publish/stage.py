"""Previews in ``html/``: renders the pages that have changed, and an index of all pages.

``render`` takes the rows of the report. Each HTML file contains a digest of its inputs, so a page
is rendered again only if one of the inputs changes. A page that cannot be rendered becomes a
finding and never stops the others.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from msgspec import Struct

from pipeline.adapters import files, kernel
from pipeline.adapters.html import notebook as html
from pipeline.adapters.html.images import PageFolder
from pipeline.core.execution.code_cells import parse_notebook
from pipeline.core.execution.result import Status
from pipeline.core.results import PageResult, progress_of, whole_percent
from pipeline.errors import InputError, PublishError
from pipeline.findings import Finding
from pipeline.paths import Paths
from pipeline.report.counts import counted
from pipeline.run import Run

# Part of every digest. Raise the number when the layout changes, so that all pages are rendered
# again.
FORMAT = "5"
_HEAD = 400  # number of bytes at a file's start that contain the digest


class RunState(Struct, frozen=True, kw_only=True):
    """State of a page's execution, as the page shows it."""

    kind: str  # a status ("passed"), or "plain" without an execution
    text: str


class PreviewPage(Struct, frozen=True, kw_only=True):
    """A page to render, with all its inputs."""

    page: str  # the page's name
    source: Path  # document to render: an executed notebook or a merged document
    outputs: Path | None  # executed notebook whose outputs are added to the source
    target: Path  # HTML file
    folder: PageFolder  # folder of the page, for images
    language: str  # HTML language tag
    title: str
    state: RunState
    digest: str  # of title, state, and the content of source and outputs

    @property
    def is_fresh(self) -> bool:
        """Return whether the target has this digest, so that the page need not be rendered."""
        with suppress(OSError), self.target.open("rb") as stream:
            return self.digest.encode("ascii") in stream.read(_HEAD)
        return False


def preview_of(run: Run, page: PageResult, *, locale: str) -> PreviewPage | None:
    """Return the preview of ``page``; None if none of its documents exists."""
    paths = run.paths
    executed = paths.executed(locale) / f"{page.page}.ipynb"
    ran = executed if executed.is_file() else None
    # Render the executed notebook only if this run has written it, because an older one may have
    # outdated prose. Instead of an older one, render the merged document with the older outputs.
    is_run_now = page.execution is not None
    source = ran if ran and is_run_now else _merged(paths, page, locale)
    if source is None:
        return None
    outputs = None if is_run_now or not page.code_cells else ran
    # The digest includes the state, because a failed run changes the state, but no document.
    state = _state(page, run.release, has_outputs=outputs is not None)
    title = page.title or page.page
    facts = "\n".join([FORMAT, title, state.kind, state.text]).encode("utf-8", "replace")
    digest = hashlib.sha256(facts + files.read_bytes(source))
    if outputs is not None:
        digest.update(files.read_bytes(outputs))
    return PreviewPage(
        page=page.page,
        source=source,
        outputs=outputs,
        target=paths.html_page(locale, page.page),
        # The merged folder has no images, so read upstream's docs.
        folder=PageFolder.of(paths.docs, page.files[0].path),
        language=language_tag(locale),
        title=title,
        state=state,
        digest=digest.hexdigest(),
    )


def language_tag(locale: str) -> str:
    """Return the locale as an HTML language tag: ``zh-CN`` for ``zh_CN``."""
    return locale.replace("_", "-")


def _merged(paths: Paths, page: PageResult, locale: str) -> Path | None:
    """Return the first existing merged document, or upstream's document if it is readable.

    The notebook of a jupytext pair comes first, because it has upstream's outputs.
    """
    for document in page.files:
        path = paths.merged(locale) / document.path
        if path.is_file():
            return path
    # The page could not be merged. Show it in English if possible.
    path = paths.docs / page.files[0].path
    return path if _is_readable(path) else None


def _is_readable(path: Path) -> bool:
    """Return whether an upstream document that could not be merged can be shown."""
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
    """Return how the code of ``page`` ran, for the head of the page.

    ``has_outputs`` is True if the page shows outputs of an earlier run. If code ran, the text names
    the ``release``, so that readers can compare it with theirs.
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

# Minimum number of pages for several processes. A process needs two seconds to start, and a page
# about 0.1 s.
ENOUGH_FOR_PROCESSES = 32


class Published(Struct, frozen=True, kw_only=True):
    """Result of the stage."""

    changes: tuple[str, ...] = ()  # written files, relative to the project's root
    findings: tuple[Finding, ...] = ()


def render(run: Run, pages: Sequence[PageResult], *, locale: str) -> Published:
    """Write ``html/<page>.html`` for every page with a document, and ``html/index.html``.

    A page that cannot be rendered becomes a finding. The other pages are rendered all the same.
    """
    paths, settings = run.paths, run.settings
    previews: dict[str, PreviewPage] = {}
    for page in pages:
        preview = preview_of(run, page, locale=locale)
        if preview is not None:
            previews[page.page] = preview
    # Skip unchanged pages: without execution, rendering takes most of the time of a build.
    stale = [preview for preview in previews.values() if not preview.is_fresh]
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
                changes.append(run.shown(previews[rendered.page].target))
            name = rendered.page
            findings += [
                Finding.from_table("outside", where=name, page=name, path=path)
                for path in rendered.refused
            ]
            advance(1, message)
    # Write the index even if pages failed. It lists the pages that exist.
    if _write_index(run, pages, previews, locale=locale):
        changes.append(run.shown(paths.preview(locale)))
    return Published(changes=tuple(changes), findings=tuple(findings))


def _not_rendered(rendered: Rendered) -> Finding:
    """Return the finding about a page that is shown as its source."""
    error = PublishError(
        f"could not be rendered: {rendered.problem}",
        where=rendered.page,
        hint="Its source is shown instead. The other pages are complete.",
    )
    return Finding.of(error, page=rendered.page)


def _render_all(previews: Sequence[PreviewPage], *, workers: int) -> Iterator[Rendered]:
    """Render every preview; yield the results as they arrive."""
    if not previews:
        return
    # The renderer loads slowly, and most runs render nothing.
    from pipeline.stages.publish.renderer import render_preview

    if len(previews) < ENOUGH_FOR_PROCESSES or workers == 1:
        yield from map(render_preview, previews)
        return
    # Do not fork: a thread may hold a lock, which nobody would release in the copy of the process.
    context = get_context("spawn")
    # Send pages in chunks: sending a single page takes as long as rendering a short one.
    with ProcessPoolExecutor(min(workers, len(previews)), mp_context=context) as pool:
        yield from pool.map(render_preview, previews, chunksize=4)


def _write_index(
    run: Run,
    pages: Sequence[PageResult],
    previews: dict[str, PreviewPage],
    *,
    locale: str,
) -> bool:
    """Write the index of all pages; return whether it changed."""
    target = run.paths.preview(locale)
    # A run limited to a few pages cannot write an index of all pages.
    if run.pages and target.exists():
        return False
    root = target.parent
    rows = [_row(page, previews.get(page.page), root=root) for page in pages]
    progress = progress_of(pages)
    count = f"{progress.translated} of {progress.messages} messages translated"
    text = html.index_html(
        rows,
        language=language_tag(locale),
        title=f"{run.name} · {locale}",
        summary=f"{len(rows)} pages, {count}; {_counts(rows)}",
    )
    return files.write_if_changed(target, text.encode("utf-8", "replace"))


def _counts(rows: Sequence[Mapping[str, object]]) -> str:
    """Return the number of pages by status: ``5 passed, 0 failed, 2 skipped``."""
    # Pages without an execution have the status "plain", which is not counted.
    counts = Counter(row["status"] for row in rows)
    # Partial runs are rare, so leave out their count if it is 0.
    shown = [each for each in Status if counts[each] or each is not Status.PARTIAL]
    return ", ".join(f"{counts[status]} {status}" for status in shown)


def _row(page: PageResult, preview: PreviewPage | None, *, root: Path) -> dict[str, object]:
    """Return the row of one page for the index in the folder ``root``."""
    # A page has no preview if its document is malformed, or if the guard has stopped it.
    link, status, state = "", "plain", "not built"
    if preview is not None:
        # Quote the path, because a name may look like an address: "javascript:x.md".
        link = quote(preview.target.relative_to(root).as_posix())
        status, state = preview.state.kind, preview.state.text
    return {
        "page": page.page,
        "title": page.title or page.page,
        "link": link,
        "percent": whole_percent(page.translated, page.messages),
        "fuzzy": page.fuzzy,
        "untranslated": page.untranslated,
        "status": status,
        "state": state,
    }
