"""What is kept of one run of a page's code, as a record and as bytes.

It holds for every page, place and locale with that code: so nothing in it may depend on the prose
around the cells.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import msgspec

from pipeline.core.execution.notebook import Notebook, source_at
from pipeline.core.execution.result import CellFailure
from pipeline.errors import InputError

DAMAGED = "is no record of a run"
_CELL_FIELDS = {"cell_type", "execution_count", "metadata", "source"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheEntry:
    """One run of some code.

    Its failure has no source: that is read from the page. ``exceptions`` are the expected ones:
    numbers of code cells, from 1, with types.
    """

    outputs: Notebook
    seconds: float
    cell_seconds: tuple[float, ...] = ()
    failure: CellFailure | None = None
    exceptions: tuple[tuple[int, str], ...] = ()
    # For people: page, jax, python.
    facts: Mapping[str, str] = field(default_factory=dict)

    def failure_in(self, notebook: Notebook) -> CellFailure | None:
        """The failure, with the source that its cell has in a notebook with this code."""
        if self.failure is None:
            return None
        return replace(self.failure, source=source_at(notebook, self.failure.cell))


def encode_entry(entry: CacheEntry) -> bytes:
    """``entry`` as JSON in ASCII; the same entry gives the same bytes."""
    value = msgspec.to_builtins(entry)
    return json.dumps(value, sort_keys=True).encode("ascii")


def decode_entry(data: bytes, *, where: str) -> CacheEntry:
    """The inverse of ``encode_entry``. ``where`` is the file, for complaints.

    Raises InputError, whatever ``data`` is: half a record, or one of another format.
    """
    try:
        entry = msgspec.convert(json.loads(data), CacheEntry)
        _check(entry)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise InputError(
            DAMAGED, where=where, hint="Remove it; the code will run again."
        ) from error
    return entry


def _check(entry: CacheEntry) -> None:
    """Raise one of the errors that ``decode_entry`` catches if an entry is not as we write it."""
    # A negative index would place it among the last cells.
    if entry.failure is not None and entry.failure.cell < 0:
        raise ValueError("cell")
    cells = entry.outputs["cells"]
    if not isinstance(entry.outputs["metadata"], dict) or not isinstance(cells, list):
        raise TypeError("notebook")
    for cell in cells:
        # Whoever places outputs relies on these fields, long after the file was read.
        if not cell.keys() >= _CELL_FIELDS or not isinstance(cell["outputs"], list):
            raise KeyError("cell")
