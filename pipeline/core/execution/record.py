"""Records of runs: the cache entry of a piece of code, and the history of each page.

An entry is valid for every page, path and locale with the same code, so it must not depend on the
prose around the cells. The history decides which page runs first, and shows which exceptions
changed between releases. Such a change matters: a page that explains an exception is wrong once the
code raises another one.
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

    The failure is stored without the source of its cell; ``failure_in`` adds it from a page.
    ``exceptions`` are the expected ones, each with the number of its code cell, from 1, and its
    type.
    """

    outputs: Notebook
    seconds: float
    cell_seconds: tuple[float, ...] = ()
    failure: CellFailure | None = None
    exceptions: tuple[tuple[int, str], ...] = ()
    # For people only: page, release, python.
    facts: Mapping[str, str] = field(default_factory=dict)

    def failure_in(self, notebook: Notebook) -> CellFailure | None:
        """Return the failure with the source of its cell in ``notebook``, or None."""
        if self.failure is None:
            return None
        return replace(self.failure, source=source_at(notebook, self.failure.cell))


def encode_entry(entry: CacheEntry) -> bytes:
    """Return ``entry`` as ASCII JSON; equal entries give equal bytes."""
    value = msgspec.to_builtins(entry)
    return json.dumps(value, sort_keys=True).encode("ascii")


def decode_entry(data: bytes, *, where: str) -> CacheEntry:
    """Parse an entry, the inverse of ``encode_entry``. ``where`` is the file, for messages.

    Raises InputError for any invalid ``data``: truncated, or in another format.
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
    """Raise an error that ``decode_entry`` catches, if an entry has the wrong structure."""
    # A negative number would select one of the last cells.
    if entry.failure is not None and entry.failure.cell < 0:
        raise ValueError("cell")
    cells = entry.outputs["cells"]
    if not isinstance(entry.outputs["metadata"], dict) or not isinstance(cells, list):
        raise TypeError("notebook")
    for cell in cells:
        # Code that inserts outputs relies on these fields, long after the file was read.
        if not cell.keys() >= _CELL_FIELDS or not isinstance(cell["outputs"], list):
            raise KeyError("cell")


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """Expected exception that one cell raised."""

    cell: int  # number of the code cell, from 1
    code: str  # digest of its source
    exception: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseExceptions:
    """Exceptions that a page raised with one release of the package."""

    release: str
    raised: tuple[Raised, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRecord:
    """Last run of a page, with its exceptions ``now`` and those ``before``.

    ``before`` has the exceptions until the release or an exception changed last.
    """

    key: str
    seconds: float
    now: ReleaseExceptions
    before: ReleaseExceptions | None = None


def raised_in(
    outputs: Notebook, exceptions: Iterable[tuple[int, str]]
) -> tuple[Raised, ...]:
    """Return the exceptions with digests of the code that raised them.

    Each of ``exceptions`` has the number of a code cell, from 1, and a type. The digests identify a
    cell even after cells were inserted or removed.
    """
    raised: list[Raised] = []
    for number, name in exceptions:
        code = source_of(outputs["cells"][number - 1])
        # 16 hex digits suffice to distinguish the cells of one page.
        digest = hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        raised.append(Raised(cell=number, code=digest, exception=name))
    return tuple(raised)


def next_record(
    record: PageRecord | None,
    *,
    key: str,
    seconds: float,
    now: ReleaseExceptions,
    is_whole: bool,
) -> PageRecord:
    """Return the page's record after another run.

    If the run failed (not ``is_whole``), an existing record keeps its exceptions, because later
    cells did not run.
    """
    if record is None:
        return PageRecord(key=key, seconds=seconds, now=now)
    # Keep ``before`` until the exceptions or the release change again. Until then, every run
    # reports the last change.
    if not is_whole or now == record.now:
        return replace(record, key=key, seconds=seconds)
    return PageRecord(key=key, seconds=seconds, now=now, before=record.now)


def exception_changes(record: PageRecord) -> tuple[tuple[int, str, str], ...]:
    """Return the cells with unchanged code that raise a different exception than before.

    Each item has the cell's number, from 1, and the exceptions before and now. The result stays the
    same until the record changes.
    """
    if record.before is None:
        return ()
    # Several cells may have the same code, so compare them in order.
    earlier: dict[str, list[str]] = defaultdict(list)
    for raised in record.before.raised:
        earlier[raised.code].append(raised.exception)
    changes: list[tuple[int, str, str]] = []
    for raised in record.now.raised:
        # Matched by code, not by number, because cells may have been inserted or removed.
        names = earlier[raised.code]
        if not names:
            continue  # the code is new
        before = names.pop(0)
        if before != raised.exception:
            changes.append((raised.cell, before, raised.exception))
    return tuple(changes)


def history_text(records: Mapping[str, PageRecord]) -> str:
    """Return the records by page as JSON; equal records give equal text."""
    table = {page: asdict(record) for page, record in records.items()}
    return json.dumps(table, indent=1, sort_keys=True) + "\n"


def parse_history(text: str | bytes) -> dict[str, PageRecord]:
    """Parse records, the inverse of ``history_text``.

    Damaged records are skipped: only the order of execution and a warning depend on them.
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
