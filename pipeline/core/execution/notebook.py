"""Code cells of notebooks: which ones run, and the cache key of a run.

A notebook is the plain value of its JSON. An *outputs notebook* has only the code cells of a run,
with source, tags, outputs and count; times, ids and papermill's metadata are left out. People refer
to a code cell by its number from 1; code uses its index among all cells.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pipeline.core.document.notebook import reject_pointer
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
SKIP = "skip-execution"
# Measured on pages of JAX 0.10 on a CPU. Precise enough to start the slowest page first.
SECONDS_TO_START = 1.0
SECONDS_PER_CELL = 0.1
# %timeit repeats a statement until the total is long enough to measure.
SECONDS_PER_TIMING = 2.5


def parse_notebook(text: str | bytes, *, where: str) -> dict[str, Any]:
    """Parse a notebook and return it in the shape that Jupyter's libraries rely on.

    Parts of a wrong type are dropped, for example metadata that are not an object. The code runs
    from the returned value, and pages show it. Upstream's file is not changed. Raises InputError.
    """
    return sanitized(read_json(text, where=where))


def faults_in(text: str | bytes, *, where: str) -> tuple[Fault, ...]:
    """Return what a notebook loses when it is sanitized. Raises InputError."""
    return faults_of(read_json(text, where=where))


def read_json(text: str | bytes, *, where: str) -> dict[str, Any]:
    """Return the value of a notebook's JSON.

    Raises InputError unless every cell is an object whose source is text.
    """
    hint = "Mend the file, or leave the page out of the selection."
    reject_pointer(text, where=where)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"is not valid JSON: {error}", where=where, hint=hint
        ) from error
    notebook: dict[str, Any] = value if isinstance(value, dict) else {}
    # Format 3 has worksheets in place of cells.
    cells = notebook.get("cells")
    if not isinstance(cells, list) or not all(isinstance(one, dict) for one in cells):
        raise InputError("is not a notebook of format 4", where=where, hint=hint)
    for number, cell in enumerate(cells, 1):
        # A source of another type could turn into code that upstream never wrote.
        if not is_text(cell.get("source", "")):
            raise InputError(
                f"cell {number} of {len(cells)} has a source that is no text",
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
    """Return the source of code cell ``number`` (from 1), or an empty string if there is none."""
    indices = code_cells(notebook)
    if not 0 < number <= len(indices):
        return ""
    return source_of(notebook["cells"][indices[number - 1]])


def cell_name(number: int) -> str:
    """Return the name of a code cell for messages, by its number from 1; empty for 0."""
    return f"code cell {number}" if number else ""


def text_with_contents(path: str, data: bytes, *, word: bytes = b"toctree") -> str:
    """Return a document's text; of a notebook that contains ``word``, only the prose.

    Any other notebook is returned as raw JSON. Raises InputError for an unreadable notebook.
    """
    # Notebooks are large and rarely have a table of contents, so parse only if necessary.
    if not path.endswith(".ipynb") or word not in data:
        return data.decode("utf-8", "replace")
    cells = parse_notebook(data, where=path)["cells"]
    prose = (source_of(cell) for cell in cells if cell.get("cell_type") == "markdown")
    return "\n".join(prose)


def source_of(cell: Cell) -> str:
    """Return a cell's source as one string; the format allows a list of lines as well."""
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def tags_of(cell: Cell) -> tuple[str, ...]:
    """Return a cell's tags, or none if its metadata are missing or malformed.

    ``{"metadata": {"tags": ["raises-exception"]}}`` → ``("raises-exception",)``
    """
    metadata = cell.get("metadata")
    if not isinstance(metadata, dict):
        return ()
    tags = metadata.get("tags")
    if not isinstance(tags, list):
        return ()
    return tuple(map(str, tags))


def kernel_of(notebook: Notebook) -> tuple[str, str]:
    """Return the kernel's name and language: ``("python3", "python")``, ``("ir", "r")``.

    A notebook that states neither is Python. The kernel's language has priority over that of the
    last run.
    """
    metadata = object_in(notebook, "metadata")
    kernel = object_in(metadata, "kernelspec")
    name = str(kernel.get("name") or "python3")
    # Use the first stated language. If there is none, a kernel named "python…" means Python.
    stated = kernel.get("language") or object_in(metadata, "language_info").get("name")
    by_name = "python" if name.startswith("python") else ""
    return name, str(stated or by_name).lower()


def is_run(cell: Cell) -> bool:
    """Return whether a code cell is sent to the kernel.

    Empty cells and cells tagged ``skip-execution`` are not.
    """
    return source_of(cell).strip() != "" and SKIP not in tags_of(cell)


def is_partial(notebook: Notebook, until: int) -> bool:
    """Return whether stopping before code cell ``until`` leaves out any code.

    It does not if the remaining cells are empty or tagged to be skipped.
    """
    return len(sent_cells(notebook, until)) < len(sent_cells(notebook, 0))


def sent_cells(notebook: Notebook, until: int) -> dict[int, Cell]:
    """Return the cells that a run without failures sends to the kernel, by number from 1.

    ``until`` is the number of the first code cell that must not run; 0 runs all of them.
    """
    sent = {}
    for number, index in enumerate(code_cells(notebook), start=1):
        cell = notebook["cells"][index]
        is_wanted = not until or number < until
        if is_wanted and is_run(cell):
            sent[number] = cell
    return sent


def guess_seconds(
    notebook: Notebook, *, until: int = 0, cell: float = SECONDS_PER_CELL
) -> float:
    """Return the estimated duration of a run in seconds, from its code alone.

    ``cell`` is the duration of a typical cell. Only the order of the estimates matters: the slowest
    page is run first.
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
    """Return the digest of everything that determines a run's outputs.

    Prose, ids, stored outputs and file paths are not included. ``policy`` is a plain value with the
    limits and variables of the run. ``data`` has digests of the files that the code can read, by
    name. ``environment`` has facts about interpreter and packages.
    """
    code: list[list[object]] = []
    for index in code_cells(notebook):
        cell = notebook["cells"][index]
        code.append([source_of(cell), sorted(tags_of(cell))])
    # The kernel's name determines the language.
    kernel, _ = kernel_of(notebook)
    facts = [FORMAT, code, kernel, policy, data, environment]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode("ascii")).hexdigest()
