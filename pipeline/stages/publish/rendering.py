"""A sheet as HTML. Markdown is made a notebook first, so that one template serves all of it.

This runs in processes of its own: sheets go in, what went wrong comes out, and nothing else is
shared.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from pipeline.adapters import files, kernel
from pipeline.adapters.html import notebook as html
from pipeline.adapters.html.images import PageFolder
from pipeline.adapters.html.rst import rst_html
from pipeline.core.document.read import is_myst_notebook
from pipeline.core.execution import notebook as execution
from pipeline.core.execution.placing import (
    for_readers,
    outputs_of,
    with_ids,
    with_outputs,
)
from pipeline.errors import PipelineError
from pipeline.stages.publish.sheet import Sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """The end of one page. ``problem`` is empty if its HTML is as it should be."""

    page: str
    problem: str = ""
    has_changed: bool = False
    refused: tuple[str, ...] = ()  # paths that lead out of the docs folder


def render_sheet(sheet: Sheet) -> Rendered:
    """Write the HTML of one page, if it changes. Raises nothing: one page must stop no other."""
    try:
        has_changed = files.write_if_changed(sheet.target, _html(sheet))
    except PipelineError as error:
        return Rendered(page=sheet.page, problem=str(error))
    except Exception as error:  # noqa: BLE001 - nbconvert and its filters raise anything
        return Rendered(page=sheet.page, problem=f"{type(error).__name__}: {error}")
    refused = tuple(dict.fromkeys(sheet.folder.refused))
    return Rendered(page=sheet.page, has_changed=has_changed, refused=refused)


def _html(sheet: Sheet) -> bytes:
    head = {
        "title": sheet.title,
        "state": sheet.state.text,
        "status": sheet.state.kind,
        "digest": sheet.digest,
        # Pages lie in folders as upstream's do: "../index.html"
        "index": os.path.relpath("index.html", PurePosixPath(sheet.page).parent),
    }
    text = html.page_html(_body(sheet), language=sheet.language, head=head)
    # Lone surrogates of a JSON escape ("\ud800") cannot be written as UTF-8.
    return text.encode("utf-8", "replace")


def _body(sheet: Sheet) -> str:
    """The document of a sheet as HTML."""
    data = files.read_bytes(sheet.source)
    if sheet.source.suffix == ".rst":
        # nbconvert reads no reST, and takes HTML out of raw cells.
        return rst_html(data.decode("utf-8", "replace"), folder=sheet.folder)
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
    # Of what the format demands, many notebooks lack something. Nbconvert insists on it.
    whole = {"metadata": {}, "nbformat_minor": 4, **notebook}
    cells = [_whole_cell(cell) for cell in notebook["cells"]]
    return for_readers({**whole, "cells": with_ids(cells, whole)})


def _whole_cell(cell: Mapping[str, Any]) -> dict[str, Any]:
    """A cell with all that the format demands of it."""
    default: dict[str, Any] = {"metadata": {}}
    if cell.get("cell_type") == "code":
        default |= {"outputs": [], "execution_count": None}
    # The format allows a list of lines, too; the template wants a string.
    return {**default, **cell, "source": execution.source_of(cell)}
