"""Renderer of preview pages: writes the HTML file of one page.

``render_preview`` may run in worker processes, which receive previews and return results, and share
nothing else.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from pipeline.adapters import files, kernel
from pipeline.adapters.html import notebook as html
from pipeline.adapters.html.images import PageFolder
from pipeline.adapters.html.myst import markdown_html
from pipeline.adapters.html.rst import rst_html
from pipeline.adapters.html.sanitizer import Sanitized, sanitize
from pipeline.core.document.reader import Format, text_format_of
from pipeline.core.execution import code_cells as execution
from pipeline.core.execution.outputs import (
    for_readers,
    outputs_of,
    with_ids,
    with_outputs,
)
from pipeline.errors import PipelineError, check_limit
from pipeline.limits import PREVIEW_MARKS
from pipeline.site.texts import words
from pipeline.stages.publish.stage import PreviewPage

# Metadata of a notebook that nbconvert uses.
_SHOWN = frozenset(("kernelspec", "language_info", "widgets"))

# A line that may underline a title in reST: one punctuation mark, repeated.
_UNDERLINE = re.compile(r"^([!-/:-@\[-`{-~])\1*\s*$", re.MULTILINE)


class Rendered(Struct, frozen=True, kw_only=True):
    """Result of rendering one page."""

    page: str
    problem: str = ""  # "" on success
    has_changed: bool = False
    refused: tuple[str, ...] = ()  # image paths outside the docs folder


def render_preview(preview: PreviewPage) -> Rendered:
    """Write the HTML of one page if it changes; return the result. Never raises.

    If the page cannot be rendered, its HTML shows the source, and the result reports the problem.
    If the source cannot be shown either, nothing is written, and the result reports only this
    second problem.
    """
    try:
        return _written(preview, _html(preview, _body(preview)))
    except Exception as error:  # noqa: BLE001 - nbconvert and its filters raise anything
        problem = _words_of(error)
    try:
        # Leave out the digest, so that the next run renders the page again.
        source = files.read_bytes(preview.source).decode("utf-8", "replace")
        body = sanitize(f"<pre>{escape(source)}</pre>")
        shown = _html(replace(preview, digest=""), body)
        return replace(_written(preview, shown), problem=problem)
    except Exception as error:  # noqa: BLE001 - no page may end the run
        return Rendered(page=preview.page, problem=_words_of(error))


def _words_of(error: Exception) -> str:
    """Return the first line of an error. Its other lines may quote a large part of a notebook."""
    words = str(error).partition("\n")[0]
    if isinstance(error, PipelineError):
        return words
    return f"{type(error).__name__}: {words}"


def _written(preview: PreviewPage, page: bytes) -> Rendered:
    """Write a page if it changes; return its result. Raises WriteError."""
    has_changed = files.write_if_changed(preview.target, page)
    refused = tuple(dict.fromkeys(preview.folder.refused))
    return Rendered(page=preview.page, has_changed=has_changed, refused=refused)


def _html(preview: PreviewPage, body: Sanitized) -> bytes:
    head = {
        "title": preview.title,
        "state": preview.state.text,
        "status": preview.state.kind,
        "digest": preview.digest,
        "left_out": words(preview.language.replace("-", "_"), "preview")["left out"],
        # The link is relative: "../index.html" for a page in a folder.
        "index": os.path.relpath("index.html", PurePosixPath(preview.page).parent),
    }
    text = html.page_html(body, language=preview.language, head=head)
    # A notebook may contain a lone surrogate (in JSON "\ud800"), which UTF-8 cannot encode.
    return text.encode("utf-8", "replace")


def _body(preview: PreviewPage) -> Sanitized:
    """Return the sanitized HTML of a preview's document. Raises InputError."""
    path, folder = preview.source, preview.folder
    data = files.read_bytes(path)
    if path.suffix != ".ipynb":
        text = data.decode("utf-8", "replace")
        if text_format_of(path.name, text) is not Format.MYST_NOTEBOOK:
            check_marks([text], where=path.name)
            return sanitize(text_html(text, path.name, folder))
    notebook = notebook_of(path, data, preview.outputs, page=preview.page)
    prose = [cell["source"] for cell in notebook["cells"] if is_prose(cell)]
    check_marks(prose, where=path.name)
    return html.notebook_html(notebook, folder=folder)


def text_html(text: str, name: str, folder: PageFolder) -> str:
    """Return the HTML of a page without code cells; the suffix of ``name`` selects the language.

    Such a page does not need nbconvert, which loads slowly.
    """
    convert = rst_html if name.endswith(".rst") else markdown_html
    return convert(text, folder=folder)


def is_prose(cell: Mapping[str, Any]) -> bool:
    """Return whether a cell is prose: neither code nor raw. Translations change only prose."""
    return str(cell["cell_type"]) == "markdown"


def check_marks(texts: Sequence[str], *, where: str) -> None:
    """Raise InputError if the texts of a page have so many marks that rendering would take long.

    Marks are the characters ``[`` in Markdown, and lines of punctuation in reST.
    """
    count = 0
    for text in texts:
        if where.endswith(".rst"):
            count += sum(1 for _ in _UNDERLINE.finditer(text))
        else:
            count += text.count("[")
    check_limit(count, PREVIEW_MARKS, where=where)


def notebook_of(path: Path, data: bytes, outputs: Path | None, *, page: str) -> dict[str, Any]:
    """Return a document with code cells as a notebook for nbconvert. Raises InputError.

    The suffix of ``path`` selects the format: JSON, or MyST with jupytext's front matter.
    ``outputs`` is the executed notebook whose outputs are shown, if there is one.
    """
    if path.suffix == ".ipynb":
        notebook = execution.parse_notebook(data, where=str(path))
    else:
        notebook = kernel.notebook_from_myst(data.decode("utf-8", "replace"))
    if outputs is not None:
        # Show no outputs if the executed notebook cannot be read, or has other code.
        with suppress(PipelineError):
            ran = files.read_bytes(outputs)
            shown = outputs_of(execution.parse_notebook(ran, where=str(outputs)))
            notebook = with_outputs(notebook, shown, where=page)
    return _for_readers(notebook)


def _for_readers(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """Return a valid notebook with only the data that readers see or nbconvert needs."""
    # nbconvert validates all parts of a notebook, even the ones that it ignores.
    metadata = notebook.get("metadata", {})
    whole = {
        "metadata": {key: metadata[key] for key in _SHOWN & metadata.keys()},
        "nbformat": notebook.get("nbformat", 4),
        "nbformat_minor": notebook.get("nbformat_minor", 4),
    }
    cells = [_whole_cell(cell) for cell in notebook["cells"]]
    return for_readers({**whole, "cells": with_ids(cells, whole)})


def _whole_cell(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Return a cell with the keys that the format requires or nbconvert uses."""
    kind = cell["cell_type"]
    # The source may be a list of lines, but the template needs a string.
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
