"""A sheet as HTML. Markdown is made a notebook first, so that one template serves all of it.

This runs in processes of its own: sheets go in, what went wrong comes out, and nothing else is
shared.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any

from pipeline.adapters import files, kernel
from pipeline.adapters.html import notebook as html
from pipeline.adapters.html.images import PageFolder
from pipeline.adapters.html.rst import rst_html
from pipeline.adapters.html.sanitizer import Sanitized, sanitize
from pipeline.core.document.reader import is_myst_notebook
from pipeline.core.execution import notebook as execution
from pipeline.core.execution.outputs import (
    for_readers,
    outputs_of,
    with_ids,
    with_outputs,
)
from pipeline.errors import PipelineError
from pipeline.site.texts import words
from pipeline.stages.publish.stage import Sheet

# Metadata of a notebook that nbconvert looks at.
_SHOWN = frozenset(("kernelspec", "language_info", "widgets"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """The end of one page. ``problem`` is empty if its HTML is as it should be."""

    page: str
    problem: str = ""
    has_changed: bool = False
    refused: tuple[str, ...] = ()  # paths that lead out of the docs folder


def render_sheet(sheet: Sheet) -> Rendered:
    """Write the HTML of one page, if it changes. Raises nothing: one page must stop no other.

    A page that cannot be rendered is shown as its source.
    """
    try:
        return _written(sheet, _html(sheet, _body(sheet)))
    except Exception as error:  # noqa: BLE001 - nbconvert and its filters raise anything
        problem = _words_of(error)
    try:
        # Without the digest: the next run tries again.
        source = files.read_bytes(sheet.source).decode("utf-8", "replace")
        body = sanitize(f"<pre>{escape(source)}</pre>")
        shown = _html(replace(sheet, digest=""), body)
        return replace(_written(sheet, shown), problem=problem)
    except PipelineError as error:
        return Rendered(page=sheet.page, problem=_words_of(error))


def _words_of(error: Exception) -> str:
    """An error in one line; libraries quote half a notebook in the next ones."""
    words = str(error).partition("\n")[0]
    if isinstance(error, PipelineError):
        return words
    return f"{type(error).__name__}: {words}"


def _written(sheet: Sheet, page: bytes) -> Rendered:
    """The end of a page that is HTML, which is written now if it changes. Raises WriteError."""
    has_changed = files.write_if_changed(sheet.target, page)
    refused = tuple(dict.fromkeys(sheet.folder.refused))
    return Rendered(page=sheet.page, has_changed=has_changed, refused=refused)


def _html(sheet: Sheet, body: Sanitized) -> bytes:
    head = {
        "title": sheet.title,
        "state": sheet.state.text,
        "status": sheet.state.kind,
        "digest": sheet.digest,
        "left_out": words(sheet.language.replace("-", "_"), "preview")["left out"],
        # Pages lie in folders as upstream's do: "../index.html"
        "index": os.path.relpath("index.html", PurePosixPath(sheet.page).parent),
    }
    text = html.page_html(body, language=sheet.language, head=head)
    # Lone surrogates of a JSON escape ("\ud800") cannot be written as UTF-8.
    return text.encode("utf-8", "replace")


def _body(sheet: Sheet) -> Sanitized:
    """Return the document of a sheet as HTML."""
    data = files.read_bytes(sheet.source)
    if sheet.source.suffix == ".rst":
        # nbconvert reads no reST, and takes HTML out of raw cells.
        text = data.decode("utf-8", "replace")
        return sanitize(rst_html(text, folder=sheet.folder))
    source = Source(
        path=sheet.source, data=data, outputs=sheet.outputs, folder=sheet.folder
    )
    notebook = notebook_of(source, page=sheet.page)
    return html.notebook_html(notebook, folder=sheet.folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A document that is to be rendered: its suffix says how it is written."""

    path: Path
    data: bytes
    outputs: Path | None  # a notebook that ran, whose outputs it gets
    folder: PageFolder  # where images are looked up


def notebook_of(source: Source, *, page: str) -> dict[str, Any]:
    """A document of Markdown, whatever its format, as a notebook. Raises InputError."""
    path, data = source.path, source.data
    if path.suffix == ".ipynb":
        notebook = execution.parse_notebook(data, where=str(path))
        return _for_readers(_with_outputs(notebook, source.outputs, page))
    text = data.decode("utf-8", "replace")
    # Of the others, one that has a header of jupytext's is a notebook, with cells of code.
    if is_myst_notebook(text):
        notebook = kernel.notebook_from_myst(text)
        return _for_readers(_with_outputs(notebook, source.outputs, page))
    return _for_readers(
        _of_one_cell({"cell_type": "markdown", "metadata": {}, "source": text})
    )


def _with_outputs(
    notebook: dict[str, Any], outputs: Path | None, page: str
) -> dict[str, Any]:
    """``notebook`` with what its code printed when it ran; as it is if other code ran."""
    if outputs is None:
        return notebook
    with suppress(PipelineError):
        ran = execution.parse_notebook(files.read_bytes(outputs), where=str(outputs))
        return with_outputs(notebook, outputs_of(ran), where=page)
    return notebook


def _of_one_cell(cell: Mapping[str, Any]) -> dict[str, Any]:
    return {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}


def _for_readers(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """The notebook with whole sources and ids, and without what is for running it only."""
    # Nbconvert insists on all that the format demands, also of what it does not look at.
    metadata = notebook.get("metadata", {})
    whole = {
        "metadata": {key: metadata[key] for key in _SHOWN & metadata.keys()},
        "nbformat": notebook.get("nbformat", 4),
        "nbformat_minor": notebook.get("nbformat_minor", 4),
    }
    cells = [_whole_cell(cell) for cell in notebook["cells"]]
    return for_readers({**whole, "cells": with_ids(cells, whole)})


def _whole_cell(cell: Mapping[str, Any]) -> dict[str, Any]:
    """A cell with all that the format demands of it, and what nbconvert looks at."""
    kind = cell["cell_type"]
    # The format allows a list of lines, too; the template wants a string.
    whole: dict[str, Any] = {"cell_type": kind, "source": execution.source_of(cell)}
    tags = [tag for tag in execution.tags_of(cell) if "," not in tag]
    whole["metadata"] = {"tags": list(dict.fromkeys(tags))}
    media = cell.get("metadata", {}).get("raw_mimetype")
    if isinstance(media, str):
        whole["metadata"]["raw_mimetype"] = media
    if "id" in cell:
        whole["id"] = cell["id"]
    if kind == "code":
        whole["outputs"] = cell.get("outputs", [])
        whole["execution_count"] = cell.get("execution_count")
    elif "attachments" in cell:
        whole["attachments"] = cell["attachments"]
    return whole
