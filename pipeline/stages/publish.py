"""Show the result: stand-alone HTML of every page, and an index. Unchanged pages are not rendered
again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path, PurePosixPath
from typing import Any

from pipeline.adapters import files, kernel
from pipeline.adapters.html import notebook as html
from pipeline.adapters.html.rst import rst_html
from pipeline.config import Settings, Upstream
from pipeline.core.document.read import is_myst_notebook
from pipeline.core.execution import notebook as execution
from pipeline.core.execution.placing import for_readers, with_ids
from pipeline.core.execution.result import Status
from pipeline.core.pin.lock import PAGE_SUFFIXES
from pipeline.core.progress import whole_percent
from pipeline.core.results import PageResult
from pipeline.errors import PipelineError, PublishError
from pipeline.paths import Paths
from pipeline.run import Run

FORMAT = "2"  # raise it when the look changes
ENOUGH_FOR_PROCESSES = 8  # pages; for fewer, starting processes takes longer than the work


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sheet:
    """One page that is to be rendered."""

    page: str
    source: Path  # executed notebook, or merged document
    target: Path
    folder: Path  # where images are looked up
    language: str
    title: str
    status: str
    state: str
    digest: str


def render(run: Run, pages: Sequence[PageResult], *, locale: str) -> None:
    """Write ``html/<page>.html`` for every page that has an executed or merged document, and
    ``html/index.html``.

    Raises PublishError after all pages were tried, naming those that could not be rendered.
    """
    paths, settings = run.paths, run.settings
    sheets = [
        sheet for page in pages if (sheet := _sheet(paths, settings, page, locale)) is not None
    ]
    stale = [sheet for sheet in sheets if not _is_fresh(sheet)]
    failed: list[str] = []
    with run.log.progress("render", total=len(stale)) as advance:
        for page, problem in _render_all(
            stale, workers=kernel.worker_count(settings.execution.jobs)
        ):
            if problem:
                failed.append(f"{page}: {problem}")
            advance(1, f"{page}: {problem}" if problem else "")
    _write_index(paths, run.upstream, pages, sheets, locale)
    if failed:
        raise PublishError(
            f"could not be rendered: {'; '.join(failed)}",
            where=str(paths.html(locale)),
            hint="The other pages are complete.",
        )


def _sheet(paths: Paths, settings: Settings, page: PageResult, locale: str) -> _Sheet | None:
    merged = [
        paths.merged(locale) / document.path
        for document in page.files
        if document.path.endswith(PAGE_SUFFIXES)
    ]
    source = next(
        (
            path
            for path in [paths.executed(locale) / f"{page.page}.ipynb", *merged]
            if path.is_file()
        ),
        None,
    )
    if source is None:
        return None
    status, state = _state(page, settings.jax)
    title = page.title or page.page
    facts = "\n".join([FORMAT, title, status, state]).encode("utf-8", "replace")
    return _Sheet(
        page=page.page,
        source=source,
        target=paths.html(locale) / f"{page.page}.html",
        folder=(paths.docs / page.page).parent,
        language=_language(locale),
        title=title,
        status=status,
        state=state,
        digest=hashlib.sha256(facts + files.read_bytes(source)).hexdigest(),
    )


def _language(locale: str) -> str:
    """The locale as HTML writes it: zh_CN → zh-CN."""
    return locale.replace("_", "-")


def _state(page: PageResult, jax: str) -> tuple[str, str]:
    """Class and text that say whether the page ran."""
    run = page.execution
    if run is None:
        return "plain", "no code to run"
    how = f" {run.note}" if run.note else ""
    if run.status in (Status.PASSED, Status.PARTIAL):
        verb = "passed" if run.status is Status.PASSED else "ran in part"
        why = f" ({run.reason})" if run.reason else ""
        return str(
            run.status
        ), f"{verb}{how} on JAX {jax}: {run.cells} of {run.total} code cells{why}"
    return str(run.status), f"{run.status}: {run.reason}"


def _is_fresh(sheet: _Sheet) -> bool:
    """Whether the target was rendered from the same source: its head says so."""
    with suppress(OSError), sheet.target.open("rb") as stream:
        return sheet.digest.encode("ascii") in stream.read(400)
    return False


def _render_all(sheets: Sequence[_Sheet], *, workers: int) -> Any:
    """Yield page and problem (empty if none), as they come."""
    if len(sheets) < ENOUGH_FOR_PROCESSES or workers == 1:
        yield from map(_render, sheets)
        return
    with ProcessPoolExecutor(min(workers, len(sheets)), mp_context=get_context("spawn")) as pool:
        yield from pool.map(_render, sheets, chunksize=4)


def _render(sheet: _Sheet) -> tuple[str, str]:
    try:
        index = os.path.relpath("index.html", PurePosixPath(sheet.page).parent)
        head = {
            "title": sheet.title,
            "state": sheet.state,
            "status": sheet.status,
            "digest": sheet.digest,
            "index": index,
        }
        text = html.page_html(
            _notebook(sheet), language=sheet.language, folder=sheet.folder, head=head
        )
        files.write_if_changed(sheet.target, text.encode("utf-8", "replace"))
    except PipelineError as error:
        return sheet.page, str(error)
    except Exception as error:  # noqa: BLE001 - nbconvert and its filters raise anything; one page must not stop the others
        return sheet.page, f"{type(error).__name__}: {error}"
    return sheet.page, ""


def _notebook(sheet: _Sheet) -> dict[str, Any]:
    """Any document as a notebook; a plain page is a notebook of one cell."""
    path = sheet.source
    if path.suffix == ".rst":
        body = rst_html(files.read_bytes(path).decode("utf-8", "replace"), folder=sheet.folder)
        cell = {"cell_type": "raw", "metadata": {"raw_mimetype": "text/html"}, "source": body}
        return {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    if path.suffix == ".ipynb":
        notebook = execution.parse_notebook(files.read_bytes(path), where=str(path))
    else:
        text = files.read_bytes(path).decode("utf-8", "replace")
        plain = {
            "cells": [{"cell_type": "markdown", "metadata": {}, "source": text}],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 4,
        }
        notebook = kernel.notebook_from_myst(text) if is_myst_notebook(text) else plain
    cells = [{**cell, "source": execution.source_of(cell)} for cell in notebook["cells"]]
    return for_readers({**notebook, "cells": with_ids(cells, notebook)})


def _write_index(
    paths: Paths,
    upstream: Upstream,
    pages: Sequence[PageResult],
    sheets: Sequence[_Sheet],
    locale: str,
) -> None:
    by_page = {sheet.page: sheet for sheet in sheets}
    rows = [_row(page, by_page.get(page.page)) for page in pages]
    translated, messages = (
        sum(page.translated for page in pages),
        sum(page.messages for page in pages),
    )
    found = [(sum(row.status == status for row in rows), status) for status in Status]
    counts = ", ".join(
        f"{count} {status}" for count, status in found if count or status is not Status.PARTIAL
    )
    summary = f"{len(rows)} pages, {translated} of {messages} messages translated; {counts}"
    text = html.index_html(
        rows, language=_language(locale), title=f"{upstream.name} · {locale}", summary=summary
    )
    files.write_if_changed(paths.html(locale) / "index.html", text.encode("utf-8", "replace"))


def _row(page: PageResult, sheet: _Sheet | None) -> html.Row:
    status, state = (sheet.status, sheet.state) if sheet else ("plain", "not built")
    return html.Row(
        page=page.page,
        title=page.title or page.page,
        link=f"{page.page}.html" if sheet else "",
        percent=whole_percent(page.translated, page.messages),
        fuzzy=page.fuzzy,
        untranslated=page.untranslated,
        status=status,
        state=state,
    )
