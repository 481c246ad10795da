"""What is kept of one run of a page's code, as a record and as bytes.

It holds for every page, place and locale with that code: so nothing in it may depend on the prose
around the cells.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from pipeline.core.execution.notebook import Notebook, code_cells, source_of
from pipeline.core.execution.result import CellFailure
from pipeline.errors import InputError

DAMAGED = "is no record of a run"
_CELL_FIELDS = {"cell_type", "execution_count", "metadata", "source"}
_FAILURE_TEXTS = ("source", "exception", "message", "traceback", "blame")


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheEntry:
    """One run of some code.

    ``failure.cell`` counts code cells only, from 0: prose around them may come and go.
    ``exceptions`` are the expected ones: numbers of code cells, from 1, with types.
    """

    outputs: Notebook
    seconds: float
    cell_seconds: tuple[float, ...] = ()
    failure: CellFailure | None = None
    exceptions: tuple[tuple[int, str], ...] = ()
    # For people: page, jax, python.
    facts: Mapping[str, str] = field(default_factory=dict)

    def failure_in(self, notebook: Notebook) -> CellFailure | None:
        """The failure, placed in a notebook with this code.

        Its cell is an index among all cells of ``notebook``, whatever prose is around it.
        """
        indices = code_cells(notebook)
        if self.failure is None or not indices:
            return self.failure
        # A run may fail behind its last cell.
        index = indices[min(self.failure.cell, len(indices) - 1)]
        return replace(
            self.failure, cell=index, source=source_of(notebook["cells"][index])
        )


def without_prose(failure: CellFailure, notebook: Notebook) -> CellFailure:
    """``failure`` of ``notebook`` with its cell counted among code cells.

    This is the inverse of ``CacheEntry.failure_in``.
    """
    before = [index for index in code_cells(notebook) if index < failure.cell]
    return replace(failure, cell=len(before))


def encode_entry(entry: CacheEntry) -> bytes:
    """``entry`` as JSON in ASCII; the same entry gives the same bytes."""
    value = {
        "facts": dict(entry.facts),
        "seconds": entry.seconds,
        "cell_seconds": entry.cell_seconds,
        "exceptions": entry.exceptions,
        "failure": asdict(entry.failure) if entry.failure else None,
        "outputs": entry.outputs,
    }
    return json.dumps(value, sort_keys=True).encode("ascii")


def decode_entry(data: bytes, *, where: str) -> CacheEntry:
    """The inverse of ``encode_entry``. ``where`` is the file, for complaints.

    Raises InputError, whatever ``data`` is: half a record, or one of another format.
    """
    try:
        value = json.loads(data)
        failure = value["failure"]
        return CacheEntry(
            outputs=_outputs(value["outputs"]),
            seconds=float(value["seconds"]),
            cell_seconds=tuple(map(float, value["cell_seconds"])),
            failure=None if failure is None else _failure(failure),
            exceptions=tuple(
                (int(number), str(name)) for number, name in value["exceptions"]
            ),
            facts={str(name): str(fact) for name, fact in value["facts"].items()},
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise InputError(
            DAMAGED, where=where, hint="Remove it; the code will run again."
        ) from error


def _outputs(value: Notebook) -> Notebook:
    """``value``, if it has the shape of an outputs notebook.

    Raises one of the errors that ``decode_entry`` catches.
    """
    cells = value["cells"]
    if not isinstance(value["metadata"], dict) or not isinstance(cells, list):
        raise TypeError("notebook")
    for cell in cells:
        # Whoever places outputs relies on these fields, long after the file was read.
        if not cell.keys() >= _CELL_FIELDS or not isinstance(cell["outputs"], list):
            raise KeyError("cell")
    return value


def _failure(value: Mapping[str, object]) -> CellFailure:
    """The failure in a record. Raises one of the errors that ``decode_entry`` catches."""
    cell = value["cell"]
    # A negative index would place it among the last cells.
    if not isinstance(cell, int) or cell < 0:
        raise ValueError("cell")
    texts = {name: str(value[name]) for name in _FAILURE_TEXTS}
    return CellFailure(cell=cell, **texts)
