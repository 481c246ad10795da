"""A sheet as HTML. Every document is made a notebook first, so that one template serves them all.

This runs in processes of its own: sheets go in, what went wrong comes out, and nothing else is
shared.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from pipeline.adapters import files, kernel
from pipeline.adapters.html import notebook as html
from pipeline.adapters.html.rst import rst_html
from pipeline.core.document.read import is_myst_notebook
from pipeline.core.execution import notebook as execution
from pipeline.core.execution.placing import for_readers, with_ids
from pipeline.errors import PipelineError
from pipeline.stages.publish.sheet import Sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """The end of one page. ``problem`` is empty if its HTML is written."""

    page: str
    problem: str = ""


def render_sheet(sheet: Sheet) -> Rendered:
    """Write the HTML of one page, if it changes. Raises nothing: one page must stop no other."""
    try:
        files.write_if_changed(sheet.target, _html(sheet))
    except PipelineError as error:
        return Rendered(page=sheet.page, problem=str(error))
    except Exception as error:  # noqa: BLE001 - nbconvert and its filters raise anything
        return Rendered(page=sheet.page, problem=f"{type(error).__name__}: {error}")
    return Rendered(page=sheet.page)


def _html(sheet: Sheet) -> bytes:
    head = {
        "title": sheet.title,
        "state": sheet.state.text,
        "status": sheet.state.kind,
        "digest": sheet.digest,
        # Pages lie in folders as upstream's do: "../index.html"
        "index": os.path.relpath("index.html", PurePosixPath(sheet.page).parent),
    }
    text = html.page_html(
        _notebook(sheet), language=sheet.language, folder=sheet.folder, head=head
    )
    # Lone surrogates of a JSON escape ("\ud800") cannot be written as UTF-8.
    return text.encode("utf-8", "replace")


def _notebook(sheet: Sheet) -> dict[str, Any]:
    """The document of a sheet, whatever its format, as a notebook."""
    path = sheet.source
    data = files.read_bytes(path)
    if path.suffix == ".ipynb":
        return _for_readers(execution.parse_notebook(data, where=str(path)))
    text = data.decode("utf-8", "replace")
    if path.suffix == ".rst":
        # Nbconvert reads no reST, but passes HTML in a raw cell through.
        return _rst_notebook(text, sheet.folder)
    # Of the others, one that has a header of jupytext's is a notebook, with cells of code.
    if is_myst_notebook(text):
        return _for_readers(kernel.notebook_from_myst(text))
    return _for_readers(
        _of_one_cell({"cell_type": "markdown", "metadata": {}, "source": text})
    )


def _rst_notebook(text: str, folder: Path) -> dict[str, Any]:
    body = rst_html(text, folder=folder)
    metadata = {"raw_mimetype": "text/html"}
    return _of_one_cell({"cell_type": "raw", "metadata": metadata, "source": body})


def _of_one_cell(cell: Mapping[str, Any]) -> dict[str, Any]:
    return {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}


def _for_readers(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """The notebook with whole sources and ids, and without what is for running it only."""
    # The format allows a list of lines, too; the template wants a string.
    cells = [
        {**cell, "source": execution.source_of(cell)} for cell in notebook["cells"]
    ]
    return for_readers({**notebook, "cells": with_ids(cells, notebook)})
