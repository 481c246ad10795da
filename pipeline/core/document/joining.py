"""A document with the edits of all its units, compared with upstream once more.

The guard has looked at each unit by then. Here the whole is looked at by other means: the notebook
as JSON, the MyST notebook as jupytext reads it. What fails here is a bug of ours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pipeline.core.document.markdown import guard
from pipeline.core.document.notebook import Notebook, edit_cells
from pipeline.core.document.read import Document, Format
from pipeline.core.document.splice import Edit, splice
from pipeline.errors import GuardError

BUG = (
    "The page was not written. This is a bug of the pipeline: "
    "please report it with the page's name and commit."
)


def joined(document: Document, edits: Mapping[int, tuple[Edit, ...]]) -> str:
    """The merged document. ``edits`` are those of each unit, by its number.

    Raises GuardError if it would differ from upstream outside prose.
    """
    if document.notebook is not None:
        return _notebook(document, document.notebook, edits)
    merged = splice(document.raw, edits.get(0, ()))
    is_run = document.format is Format.MYST_NOTEBOOK
    dialect = document.reading.dialect
    if is_run and guard.executable(merged, dialect) != guard.executable(
        document.raw, dialect
    ):
        raise GuardError(
            "jupytext would read other cells than upstream's",
            where=document.path,
            hint=BUG,
        )
    return merged


def _notebook(
    document: Document, notebook: Notebook, edits: Mapping[int, tuple[Edit, ...]]
) -> str:
    """The merged notebook as JSON text.

    It is read back as JSON: each cell with edits has to say what they make of it, and all else
    has to be equal to upstream's. Raises GuardError.
    """
    cells: dict[int, tuple[Edit, ...]] = {}
    for number, changes in edits.items():
        cell = document.units[number].cell
        assert cell is not None  # every unit of a notebook is a cell
        cells[cell] = changes
    raw = edit_cells(notebook, cells)
    # NaN is kept as text: as a number it would differ from itself.
    upstream = json.loads(document.raw, parse_constant=str)
    merged = json.loads(raw, parse_constant=str)
    for cell, changes in cells.items():
        expected = splice(notebook.cells[cell].source, changes)
        if "".join(merged["cells"][cell]["source"]) != expected:
            raise GuardError(
                "a cell does not read back as it was written",
                where=f"{document.path}, cell {cell + 1}",
                hint=BUG,
            )
        # All else has to be equal, so the sources are made so.
        merged["cells"][cell]["source"] = upstream["cells"][cell]["source"]
    if merged != upstream:
        raise GuardError(
            "the notebook differs from upstream outside prose",
            where=document.path,
            hint=BUG,
        )
    return raw
