"""Records of runs: the cache's entry of some code, and each page's history from run to run.

An entry holds for every page, place and locale with the same code, so it must not depend on the
prose around the cells. The history says what to run first, and which exceptions have changed
between releases: a page that shows an error and explains it is wrong when the error is another
one.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace

import msgspec

from pipeline.core.execution.notebook import Notebook, source_at, source_of
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
        """Return the failure, with the source that its cell has in a notebook with this code."""
        if self.failure is None:
            return None
        return replace(self.failure, source=source_at(notebook, self.failure.cell))


def encode_entry(entry: CacheEntry) -> bytes:
    """``entry`` as JSON in ASCII; the same entry gives the same bytes."""
    value = msgspec.to_builtins(entry)
    return json.dumps(value, sort_keys=True).encode("ascii")


def decode_entry(data: bytes, *, where: str) -> CacheEntry:
    """Return the inverse of ``encode_entry``. ``where`` is the file, for complaints.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """The exception that one cell was expected to raise, and did."""

    cell: int  # number of the code cell, from 1
    code: str  # digest of its source
    exception: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a page raised with a release of the package of the docs."""

    release: str
    raised: tuple[Raised, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRecord:
    """The last run of a page.

    ``before`` is the last one that was not like it in release or exceptions.
    """

    key: str
    seconds: float
    now: Ran
    before: Ran | None = None


def raised_in(
    outputs: Notebook, exceptions: Iterable[tuple[int, str]]
) -> tuple[Raised, ...]:
    """Return the exceptions with digests of the code that raised them.

    ``exceptions`` are numbers of code cells, from 1, with types. By their digests they are found
    when cells come or go.
    """
    raised: list[Raised] = []
    for number, name in exceptions:
        code = source_of(outputs["cells"][number - 1])
        # 16 hex digits tell the cells of one page apart.
        digest = hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        raised.append(Raised(cell=number, code=digest, exception=name))
    return tuple(raised)


def advance(
    record: PageRecord | None, *, key: str, seconds: float, now: Ran, is_whole: bool
) -> PageRecord:
    """Return what to remember after another run.

    One that failed half-way (not ``is_whole``) says nothing of what the rest raises.
    """
    if record is None:
        return PageRecord(key=key, seconds=seconds, now=now)
    # ``before`` stays until something else is raised: so that a page that runs twice still tells.
    if not is_whole or now == record.now:
        return replace(record, key=key, seconds=seconds)
    return PageRecord(key=key, seconds=seconds, now=now, before=record.now)


def exception_changes(record: PageRecord) -> tuple[tuple[int, str, str], ...]:
    """Return the cells whose code is as it was, and raises something else than before.

    Each has its number, from 1, and the exceptions before and now. They stay the same until another
    run is remembered.
    """
    if record.before is None:
        return ()
    # Several cells may have the same code: they are compared in their order.
    earlier: dict[str, list[str]] = defaultdict(list)
    for raised in record.before.raised:
        earlier[raised.code].append(raised.exception)
    changes: list[tuple[int, str, str]] = []
    for raised in record.now.raised:
        names = earlier[raised.code]
        if not names:
            continue  # the code is new
        before = names.pop(0)
        if before != raised.exception:
            changes.append((raised.cell, before, raised.exception))
    return tuple(changes)


def history_text(records: Mapping[str, PageRecord]) -> str:
    """Return records by page, as JSON that is the same for the same records."""
    table = {page: asdict(record) for page, record in records.items()}
    return json.dumps(table, indent=1, sort_keys=True) + "\n"


def parse_history(text: str | bytes) -> dict[str, PageRecord]:
    """Return the inverse of ``history_text``.

    What is damaged is left out: nothing but an order and a warning depends on it.
    """
    try:
        table = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    records: dict[str, PageRecord] = {}
    if not isinstance(table, dict):
        return records
    for page, row in table.items():
        try:
            records[page] = msgspec.convert(row, PageRecord)
        except ValueError:
            continue
    return records
