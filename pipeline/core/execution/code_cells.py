"""Code cells of notebooks: which of them run, and the cache key of a run.

A notebook is the plain value of its JSON. An *outputs notebook* contains only the code cells of a
run, each with source, tags, outputs and execution count. It has no times, ids and metadata of
papermill. In messages and the configuration, the *number* of a code cell counts code cells from 1.
Its *index* counts all cells from 0.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pipeline.core.document.notebook_json import reject_pointer
from pipeline.core.execution.shape import (
    Fault,
    faults_of,
    is_text,
    object_in,
    sanitized,
)
from pipeline.errors import InputError

Notebook = Mapping[str, Any]
Cell = Mapping[str, Any]

FORMAT = 3  # increase it when the meaning of cache entries changes
RAISES = "raises-exception"  # tag of a cell that must raise
SKIP = "skip-execution"  # tag of a cell that does not run
# Estimates from pages of JAX 0.10 on a CPU. They decide which page starts first.
SECONDS_TO_START = 1.0
SECONDS_PER_CELL = 0.1
# %timeit repeats a statement until the total is long enough to measure.
SECONDS_PER_TIMING = 2.5


def parse_notebook(text: str | bytes, *, where: str) -> dict[str, Any]:
    """Parse a notebook and return it in the shape that Jupyter's libraries rely on.

    Parts of a wrong type, such as metadata that are not an object, are dropped. The code runs from
    the returned value, and pages show it; upstream's file is not changed. Raises InputError if the
    text is no notebook. ``where`` is its path, for errors.
    """
    return sanitized(read_json(text, where=where))


def faults_in(text: str | bytes, *, where: str) -> tuple[Fault, ...]:
    """Return a fault for each part of a notebook whose absence readers may notice.

    ``parse_notebook`` drops these parts. Raises InputError if the text is no notebook.
    """
    return faults_of(read_json(text, where=where))


def read_json(text: str | bytes, *, where: str) -> dict[str, Any]:
    """Return the value of a notebook's JSON.

    Raises InputError unless every cell is an object whose source is text.
    """
    hint = "Correct the file, or leave the page out of the selection."
    reject_pointer(text, where=where)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not valid JSON: {error}", where=where, hint=hint) from error
    notebook: dict[str, Any] = value if isinstance(value, dict) else {}
    # Notebooks of format 3 have worksheets instead of cells.
    cells = notebook.get("cells")
    if not isinstance(cells, list) or not all(isinstance(one, dict) for one in cells):
        raise InputError("is not a notebook of format 4", where=where, hint=hint)
    for number, cell in enumerate(cells, 1):
        # Converting a source of another type to text could give code that upstream never wrote.
        if not is_text(cell.get("source", "")):
            raise InputError(
                f"cell {number} of {len(cells)} has a source that is not text",
                where=where,
                hint=hint,
            )
    return notebook


def code_cells(notebook: Notebook) -> tuple[int, ...]:
    """Return the indexes of the code cells among all cells, from 0.

    A notebook of prose, code, prose, code → ``(1, 3)``.
    """
    cells = enumerate(notebook["cells"])
    return tuple(index for index, cell in cells if cell.get("cell_type") == "code")


def source_at(notebook: Notebook, number: int) -> str:
    """Return the source of code cell ``number``, or "" if there is no such cell."""
    indices = code_cells(notebook)
    if not 0 < number <= len(indices):
        return ""
    return source_of(notebook["cells"][indices[number - 1]])


def cell_name(number: int) -> str:
    """Return the name of a code cell for messages: ``code cell 4``; "" for 0."""
    return f"code cell {number}" if number else ""


def text_with_contents(path: str, data: bytes, *, word: bytes = b"toctree") -> str:
    """Return the text of a document, for a search for directives such as ``toctree``.

    If a notebook contains ``word``, this is the text of its Markdown cells. Any other notebook is
    returned as JSON, because parsing all notebooks would take long. Raises InputError for an
    unreadable notebook.
    """
    if not path.endswith(".ipynb") or word not in data:
        return data.decode("utf-8", "replace")
    cells = parse_notebook(data, where=path)["cells"]
    prose = (source_of(cell) for cell in cells if cell.get("cell_type") == "markdown")
    return "\n".join(prose)


def source_of(cell: Cell) -> str:
    """Return a cell's source as one string; in a notebook it may be a list of lines."""
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def tags_of(cell: Cell) -> tuple[str, ...]:
    """Return a cell's tags; none if its metadata are missing or malformed.

    ``{"metadata": {"tags": ["raises-exception"]}}`` → ``("raises-exception",)``
    """
    tags = object_in(cell, "metadata").get("tags")
    return tuple(map(str, tags)) if isinstance(tags, list) else ()


def kernel_of(notebook: Notebook) -> tuple[str, str]:
    """Return the kernel's name and language: ``("python3", "python")``, ``("ir", "r")``.

    The language of the kernel takes precedence over the language of the last run. A notebook that
    states neither of them is Python.
    """
    metadata = object_in(notebook, "metadata")
    kernel = object_in(metadata, "kernelspec")
    name = str(kernel.get("name") or "python3")
    # Without a language, a kernel named "python…" is Python.
    stated = kernel.get("language") or object_in(metadata, "language_info").get("name")
    by_name = "python" if name.startswith("python") else ""
    return name, str(stated or by_name).lower()


def is_run(cell: Cell) -> bool:
    """Return whether a code cell runs: it is not empty, and not tagged ``skip-execution``."""
    return source_of(cell).strip() != "" and SKIP not in tags_of(cell)


def is_partial(notebook: Notebook, until: int) -> bool:
    """Return whether a run that stops before code cell ``until`` leaves out code.

    Return False if all remaining cells are empty or tagged ``skip-execution``.
    """
    return len(sent_cells(notebook, until)) < len(sent_cells(notebook, 0))


def sent_cells(notebook: Notebook, until: int) -> dict[int, Cell]:
    """Return the code cells that a run without failures sends to the kernel, by number.

    ``until`` is the number of the first code cell that must not run; 0 means none.
    """
    sent = {}
    for number, index in enumerate(code_cells(notebook), start=1):
        cell = notebook["cells"][index]
        is_wanted = not until or number < until
        if is_wanted and is_run(cell):
            sent[number] = cell
    return sent


def guess_seconds(notebook: Notebook, *, until: int = 0, cell: float = SECONDS_PER_CELL) -> float:
    """Return the estimated duration of a run in seconds, from its code alone.

    ``cell`` is the duration of a typical cell. The estimate need not be precise: it only decides
    which page runs first.
    """
    cells = sent_cells(notebook, until).values()
    timings = sum(source_of(code_cell).count("%timeit") for code_cell in cells)
    return SECONDS_TO_START + cell * len(cells) + SECONDS_PER_TIMING * timings


def execution_key(
    notebook: Notebook,
    *,
    policy: Mapping[str, Any],
    data: Mapping[str, str],
    environment: Mapping[str, str],
) -> str:
    """Return the digest of everything that determines a run's outputs, as 64 hex digits.

    Prose, ids, stored outputs and file paths do not determine them. ``policy`` is a plain value
    with the limits and variables of the run. ``data`` has digests of the files that the code can
    read, by name. ``environment`` has facts about the interpreter and its packages.
    """
    code: list[list[object]] = []
    for index in code_cells(notebook):
        cell = notebook["cells"][index]
        code.append([source_of(cell), sorted(tags_of(cell))])
    # The language is not needed, because the name of the kernel determines it.
    kernel, _ = kernel_of(notebook)
    facts = [FORMAT, code, kernel, policy, data, environment]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode("ascii")).hexdigest()
