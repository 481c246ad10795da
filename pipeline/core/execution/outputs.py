"""Transfer of outputs from an executed notebook to another one with the same code.

``outputs_of`` extracts the outputs, and ``with_outputs`` inserts them if the code is equal. So a
page only shows outputs of its own code. Local folders and process ids are removed from file names,
so that outputs do not depend on the machine.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.core.execution.code_cells import (
    Cell,
    Notebook,
    cell_name,
    code_cells,
    source_of,
    tags_of,
)
from pipeline.core.execution.shape import sound_outputs, with_sound_ids
from pipeline.errors import GuardError

# First version of the format that requires ids of cells; earlier versions forbid them.
_WITH_IDS = (4, 5)
_FOLDER = r"(?:/[\w.+@~-]+)*"
# Patterns of paths, with their replacements.
_PLACES = (
    # The folder of a page's run: "/tmp/nb-a1b2c3d4/p-e5f6g7h8/data.csv" becomes "/data.csv".
    (re.compile(rf"{_FOLDER}/nb-\w{{8}}/p-\w{{8}}(?=/)"), ""),
    # "/tmp/ipykernel_4711/1.py" contains the process id.
    (re.compile(r"(?<=/ipykernel)_\d+(?=/)"), ""),
    (re.compile(rf"{_FOLDER}/(?:site|dist)-packages(?=/)"), "site-packages"),
    # The standard library, independent of where Python is installed.
    (re.compile(rf"{_FOLDER}/lib/(python3\.\d+)(?=/)"), r"lib/\1"),
    # Our own code in a traceback.
    (re.compile(rf"{_FOLDER}/(pipeline/adapters/kernel/[\w/-]+\.py)\b"), r"\1"),
)
# Fields of an output that contain text.
_TEXTS = ("text", "traceback", "evalue")


def outputs_of(executed: Notebook) -> dict[str, Any]:
    """Return a notebook with only the code cells and their outputs, for ``with_outputs``.

    The result has only the metadata that the run has added: ``language_info`` from the kernel, and
    ``widgets``, the state of widgets in outputs.
    """
    metadata = executed.get("metadata", {})
    kept = [key for key in ("language_info", "widgets") if key in metadata]
    return {
        "cells": [_outputs_of_cell(executed["cells"][index]) for index in code_cells(executed)],
        "metadata": {key: metadata[key] for key in kept},
        "nbformat": 4,
        "nbformat_minor": 4,
    }


def _outputs_of_cell(cell: Cell) -> dict[str, Any]:
    """Return a code cell of an outputs notebook.

    The tags are included, because they say whether an exception was expected.
    """
    return {
        "cell_type": "code",
        "execution_count": cell.get("execution_count"),
        "metadata": {"tags": list(tags_of(cell))},
        "outputs": cell.get("outputs", []),
        "source": source_of(cell),
    }


def with_outputs(notebook: Notebook, outputs: Notebook, *, where: str) -> dict[str, Any]:
    """Return ``notebook`` with the outputs of a run of the same code.

    Raises GuardError if the code differs.
    """
    indices = code_cells(notebook)
    if len(indices) != len(outputs["cells"]):
        raise _differs(f"{len(indices)} code cells instead of {len(outputs['cells'])}", where)
    # Copy the cells, so that the arguments are not changed.
    cells = list(map(dict, notebook["cells"]))
    for number, (index, ran) in enumerate(zip(indices, outputs["cells"], strict=True), start=1):
        if source_of(cells[index]) != source_of(ran):
            raise _differs(
                "code that differs from the code that was run",
                f"{where}, {cell_name(number)}",
            )
        sound = sound_outputs(ran["outputs"]).sound
        cells[index]["outputs"] = list(map(portable_output, sound))
        cells[index]["execution_count"] = ran["execution_count"]
    metadata = dict(notebook.get("metadata", {}))
    # This state of widgets belongs to upstream's outputs, which are replaced.
    metadata.pop("widgets", None)
    return {
        **notebook,
        "cells": with_ids(cells, notebook),
        "metadata": {**outputs["metadata"], **metadata},
    }


def with_ids(cells: list[dict[str, Any]], notebook: Notebook) -> list[dict[str, Any]]:
    """Return copies of the cells, with ids only if the format of ``notebook`` requires them.

    If it does, valid ids from upstream are kept, and the others are made from positions
    (``cell-0``), because random ids would differ in every run. If not, all ids are removed.
    """
    version = notebook.get("nbformat", 4), notebook.get("nbformat_minor", 0)
    if version >= _WITH_IDS:
        return with_sound_ids(cells)
    bare = list(map(dict, cells))
    for cell in bare:
        cell.pop("id", None)
    return bare


def for_readers(notebook: Notebook) -> dict[str, Any]:
    """Return a notebook without the parts that ``remove-*`` tags hide, for display.

    ``remove-cell`` drops a cell; the other tags drop parts of a cell. Notebooks for download stay
    complete, because readers run them.
    """
    shown = [cell for cell in notebook["cells"] if "remove-cell" not in tags_of(cell)]
    return {**notebook, "cells": list(map(_for_readers, shown))}


def _for_readers(cell: dict[str, Any]) -> dict[str, Any]:
    """Return a cell without the source and the outputs that its tags hide.

    The tags are those of Jupyter Book: ``remove-input``, ``remove-output``, ``remove-stdout`` and
    ``remove-stderr``.
    """
    tags = tags_of(cell)
    is_marked = any(tag.startswith("remove-") for tag in tags)
    if cell.get("cell_type") != "code" or not is_marked:
        return cell
    metadata = dict(cell["metadata"])
    if "remove-input" in tags:
        # nbconvert's templates check this flag.
        metadata["transient"] = {"remove_source": True}
    return {**cell, "outputs": _shown_outputs(cell, tags), "metadata": metadata}


def _shown_outputs(cell: Cell, tags: Sequence[str]) -> list[dict[str, Any]]:
    """Return the outputs of a code cell that its ``tags`` do not hide."""
    if "remove-output" in tags:
        return []
    outputs = cell.get("outputs", [])
    # Only streams have a name: "stdout" or "stderr".
    return [output for output in outputs if f"remove-{output.get('name')}" not in tags]


def _differs(what: str, where: str) -> GuardError:
    """Return the error for a merged notebook whose code is not the code that was run."""
    return GuardError(
        f"the merged notebook has {what}",
        where=where,
        hint="Merge this page again. If the error persists, report a bug of the pipeline.",
    )


def portable(text: Any) -> Any:
    """Return a text, or a list of lines, without local paths; other values are unchanged.

    ``/home/me/.venv/lib/python3.11/site-packages/jax/_src/api.py`` →
    ``site-packages/jax/_src/api.py``
    """
    if isinstance(text, list):
        return list(map(portable, text))
    # Most texts have no path, so skip the slow patterns.
    if not isinstance(text, str) or "/" not in text:
        return text
    for place, instead in _PLACES:
        text = place.sub(instead, text)
    return text


def portable_output(output: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of an output without local paths in its texts; see ``portable``."""
    changed = dict(output)
    for name in _TEXTS:
        if name in output:
            changed[name] = portable(output[name])
    if "data" in output:
        # Change only text/… types. Images, for example, are base64, in which a slash is no path.
        changed["data"] = dict(output["data"])
        for kind, data in output["data"].items():
            if kind.startswith("text/"):
                changed["data"][kind] = portable(data)
    return changed
