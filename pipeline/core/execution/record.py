"""Records of runs: the cache entry of a piece of code, and the history of each page.

An entry is valid for every page and locale with the same code, so it contains no prose. The history
decides which page runs first, and shows which exceptions have changed between two releases. Such a
change matters: a page may explain an exception that its code no longer raises.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace

import msgspec

from pipeline.core.execution.code_cells import Notebook, source_at, source_of
from pipeline.core.execution.result import CellFailure
from pipeline.errors import InputError

DAMAGED = "is not a record of a run"
_CELL_FIELDS = {"cell_type", "execution_count", "metadata", "source"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheEntry:
    """Result of running the code of a page, as the cache stores it."""

    outputs: Notebook  # an outputs notebook
    seconds: float  # wall time of the run
    cell_seconds: tuple[float, ...] = ()  # of each code cell that ran
    # Without the source of its cell, which ``failure_in`` adds.
    failure: CellFailure | None = None
    # Expected exceptions: the number of the code cell, and the type.
    exceptions: tuple[tuple[int, str], ...] = ()
    # Page, release and Python version of the run, for people who read the cache.
    facts: Mapping[str, str] = field(default_factory=dict)

    def failure_in(self, notebook: Notebook) -> CellFailure | None:
        """Return the failure, with the source of its cell from ``notebook``; or None."""
        if self.failure is None:
            return None
        return replace(self.failure, source=source_at(notebook, self.failure.cell))


def encode_entry(entry: CacheEntry) -> bytes:
    """Return ``entry`` as ASCII JSON; equal entries give equal bytes."""
    value = msgspec.to_builtins(entry)
    return json.dumps(value, sort_keys=True).encode("ascii")


def decode_entry(data: bytes, *, where: str) -> CacheEntry:
    """Parse the bytes of an entry: the inverse of ``encode_entry``.

    Raises InputError that names ``where`` if ``data`` is truncated or in another format.
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
    """Raise an error that ``decode_entry`` catches if an entry has the wrong structure."""
    # A negative number would select a cell counted from the end.
    if entry.failure is not None and entry.failure.cell < 0:
        raise ValueError("cell")
    cells = entry.outputs["cells"]
    if not isinstance(entry.outputs["metadata"], dict) or not isinstance(cells, list):
        raise TypeError("notebook")
    for cell in cells:
        # ``with_outputs`` relies on these fields.
        if not cell.keys() >= _CELL_FIELDS or not isinstance(cell["outputs"], list):
            raise KeyError("cell")


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """Expected exception that one cell raised."""

    cell: int  # number of the code cell
    code: str  # digest of its source
    exception: str  # type


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseExceptions:
    """Exceptions that a page raised with one release of the package."""

    release: str
    raised: tuple[Raised, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRecord:
    """Last run of a page."""

    key: str  # cache key
    seconds: float
    now: ReleaseExceptions
    # The exceptions before the last change of the release or of an exception; None if neither has
    # changed since the first run.
    before: ReleaseExceptions | None = None


def raised_in(
    outputs: Notebook, exceptions: Iterable[tuple[int, str]]
) -> tuple[Raised, ...]:
    """Return ``exceptions`` (number of a code cell, type) with digests of the cells' code.

    A digest identifies a cell even after cells before it were inserted or removed.
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
    """Return the page's record after another run, from the last ``record``.

    ``is_whole`` is False if the run failed. In that case the exceptions of ``record`` stay, because
    the cells after the failure did not run.
    """
    if record is None:
        return PageRecord(key=key, seconds=seconds, now=now)
    # Keep ``before`` until the exceptions or the release change again, so that every run until then
    # reports the last change.
    if not is_whole or now == record.now:
        return replace(record, key=key, seconds=seconds)
    return PageRecord(key=key, seconds=seconds, now=now, before=record.now)


def exception_changes(record: PageRecord) -> tuple[tuple[int, str, str], ...]:
    """Return the cells that raise another exception than before, although their code is the same.

    Each item has the number of the code cell, and the types before and now.
    """
    if record.before is None:
        return ()
    # Cells with the same code are compared in order.
    earlier: dict[str, list[str]] = defaultdict(list)
    for raised in record.before.raised:
        earlier[raised.code].append(raised.exception)
    changes: list[tuple[int, str, str]] = []
    for raised in record.now.raised:
        # Match cells by code instead of number, because cells may have been inserted or removed.
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
    """Parse records: the inverse of ``history_text``.

    Damaged records are skipped, because only the order of execution and a warning need them.
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
