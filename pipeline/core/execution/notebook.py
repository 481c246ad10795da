"""What execution reads from a notebook: its code cells, and which of them are run.

A notebook is the plain value of its JSON. An *outputs notebook* holds only what a run adds: the
code cells with sources, outputs and counts. It carries no times, ids or papermill metadata. A code
cell has a number from 1, which people read and write, and an index among all cells, which only code
uses.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pipeline.core.execution.shape import (
    Fault,
    faults_of,
    is_text,
    object_in,
    shaped,
)
from pipeline.errors import InputError

Notebook = Mapping[str, Any]
Cell = Mapping[str, Any]

FORMAT = 3  # raise it when entries of the cache change their meaning
RAISES = "raises-exception"  # the tag of a cell that must raise
SKIP = "skip-execution"
# Of pages of JAX 0.10 on a CPU. Good enough to begin with what takes long.
SECONDS_TO_START = 1.0
SECONDS_PER_CELL = 0.1
# %timeit repeats a line, or a cell, until that is long enough to be measured.
SECONDS_PER_TIMING = 2.5


def parse_notebook(text: str | bytes, *, where: str) -> dict[str, Any]:
    """Return the value of a notebook's JSON, with as much shape as Jupyter's libraries rely on.

    What has another shape is left out, such as metadata that are no object: upstream's file stays
    as it is, and what is run and shown of it is made from this. Raises InputError.
    """
    return shaped(read_json(text, where=where))


def faults_in(text: str | bytes, *, where: str) -> tuple[Fault, ...]:
    """Return what readers miss of the cells of a notebook. Raises InputError."""
    return faults_of(read_json(text, where=where))


def read_json(text: str | bytes, *, where: str) -> dict[str, Any]:
    """Return the value of a notebook's JSON, whose cells are objects with sources.

    Raises InputError.
    """
    hint = "Mend the file, or leave the page out of the selection."
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
        # Anything else might be run as code that upstream never wrote.
        if not is_text(cell.get("source", "")):
            raise InputError(
                f"cell {number} of {len(cells)} has a source that is no text",
                where=where,
                hint=hint,
            )
    return notebook


def code_cells(notebook: Notebook) -> tuple[int, ...]:
    """Return the positions of the code cells among all cells, from 0.

    A notebook of prose, code, prose, code → ``(1, 3)``.
    """
    cells = enumerate(notebook["cells"])
    return tuple(index for index, cell in cells if cell.get("cell_type") == "code")


def source_at(notebook: Notebook, number: int) -> str:
    """Return the source of code cell ``number`` (from 1); empty if there is no such cell."""
    indices = code_cells(notebook)
    if not 0 < number <= len(indices):
        return ""
    return source_of(notebook["cells"][indices[number - 1]])


def cell_name(number: int) -> str:
    """Return the name of a code cell in messages, by its number from 1; empty for 0."""
    return f"code cell {number}" if number else ""


def text_with_contents(path: str, data: bytes, *, word: bytes = b"toctree") -> str:
    """Return what a document says besides code, as far as those need it who look for ``word``.

    Raises InputError for a notebook that cannot be read.
    """
    # Few notebooks have a table of contents, and they are large.
    if not path.endswith(".ipynb") or word not in data:
        return data.decode("utf-8", "replace")
    cells = parse_notebook(data, where=path)["cells"]
    prose = (source_of(cell) for cell in cells if cell.get("cell_type") == "markdown")
    return "\n".join(prose)


def source_of(cell: Cell) -> str:
    """Return a cell's source as one string: the format allows a list of lines too."""
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def tags_of(cell: Cell) -> tuple[str, ...]:
    """Return a cell's tags; none where the metadata are missing or odd.

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
    """Return the kernel name and language: ``("python3", "python")``, ``("ir", "r")``.

    A notebook that states neither is Python, as the format's habit is. The language of the
    kernel counts for more than that of the last run.
    """
    metadata = object_in(notebook, "metadata")
    kernel = object_in(metadata, "kernelspec")
    name = str(kernel.get("name") or "python3")
    # The first one that is stated; "" if the kernel's name says nothing either.
    stated = kernel.get("language") or object_in(metadata, "language_info").get("name")
    by_name = "python" if name.startswith("python") else ""
    return name, str(stated or by_name).lower()


def is_run(cell: Cell) -> bool:
    """Return whether a code cell is sent to the kernel at all.

    An empty one is not, nor one with the tag ``skip-execution``.
    """
    return source_of(cell).strip() != "" and SKIP not in tags_of(cell)


def is_partial(notebook: Notebook, until: int) -> bool:
    """Return whether code is left out if code cell ``until`` and all after it are not run.

    It is not if those cells are empty, or were to be skipped anyway.
    """
    return len(sent_cells(notebook, until)) < len(sent_cells(notebook, 0))


def sent_cells(notebook: Notebook, until: int) -> dict[int, Cell]:
    """Return the cells that a run sends to the kernel if nothing stops it, by their numbers from 1.

    ``until`` is the number of the first code cell that is not to run; 0: all are.
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
    """Return how many seconds a run may take, from the code alone.

    ``cell`` is what most of its cells take. Only the order of the guesses counts: the
    longest page is run first.
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
    """Return the digest of all that decides what a run prints.

    Prose, ids, stored outputs and places in the file system are not part of it. ``policy`` is how
    it is run (a plain value); ``data`` are digests of the files that the code can read, by name;
    ``environment`` are the facts about interpreter and packages.
    """
    code: list[list[object]] = []
    for index in code_cells(notebook):
        cell = notebook["cells"][index]
        code.append([source_of(cell), sorted(tags_of(cell))])
    # The language follows from the kernel.
    kernel, _ = kernel_of(notebook)
    facts = [FORMAT, code, kernel, policy, data, environment]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode("ascii")).hexdigest()
