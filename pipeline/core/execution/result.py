"""Results of execution: how a page's code ran, why it stopped, and the likely culprit.

An unexpected exception stops a run, and the run fails. A run also fails if a cell tagged
``raises-exception`` does not raise.

The cache stores the result of a piece of code. Such an entry is valid for every page and locale
with the same code, so it contains no prose. The history of each page decides which page runs first,
and shows which exceptions have changed between two releases. Such a change matters: a page may
explain an exception that its code no longer raises.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum

import msgspec
from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from pipeline.core.execution.code_cells import (
    RAISES,
    Cell,
    Notebook,
    cell_name,
    sent_cells,
    source_at,
    source_of,
    tags_of,
)
from pipeline.errors import InputError
from pipeline.tables import read_table

_BLAME = read_table(__name__, "blame")
ENVIRONMENT_ERRORS = frozenset(
    f"{_BLAME['packages']} {_BLAME['network']} {_BLAME['limits']}".split()
)
MISSING = re.compile(_BLAME["messages"], re.IGNORECASE | re.VERBOSE)
COLOURS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_TAIL = 20  # a report shows at most this many lines of a traceback
_SUMMARY = 200  # a summary shows at most this many characters of a message


class Status(StrEnum):
    """Status of a page's execution."""

    PASSED = "passed"
    # The code ran up to a cell that this machine cannot run; ``Execution.reason`` says why.
    PARTIAL = "partial"
    FAILED = "failed"
    SKIPPED = "skipped"


class CellFailure(Struct, frozen=True, kw_only=True):
    """Reason why the execution of a page failed."""

    cell: int  # number of the code cell; 0 if the failure concerns the whole page
    source: str  # of the cell
    exception: str  # class name, e.g. ``ModuleNotFoundError``
    message: str
    traceback: str  # may contain ANSI colours
    blame: str  # "upstream" | "environment" | "expectation"


class Execution(Struct, frozen=True, kw_only=True):
    """Result of running the code cells of one page."""

    page: str
    status: Status
    # Why the page was skipped or ran in part, or a summary of the failure in one line.
    reason: str = ""
    cells: int = 0  # number of code cells that ran
    total: int = 0  # number of all code cells
    seconds: float = 0.0  # wall time
    cached: bool = False  # whether the outputs are from the cache
    failure: CellFailure | None = None
    # How the page ran, unless in the default way: "in interpret mode", "with stand-in data".
    note: str = ""
    cell_seconds: tuple[float, ...] = ()  # of each code cell that ran

    @property
    def ran_now(self) -> bool:
        """Return whether this run has executed the code, instead of using the cache."""
        # An unreadable page has the status FAILED without a ``failure``.
        has_run = self.failure or self.status in (Status.PASSED, Status.PARTIAL)
        return bool(has_run) and not self.cached


def cell_failure(
    cell: int, source: str, *, exception: str, message: str, traceback: str
) -> CellFailure:
    """Return the failure for an exception, with its ``blame``.

    The traceback keeps its colours, because some reports can show them.
    """
    message = without_colours(message)
    return CellFailure(
        cell=cell,
        source=source,
        exception=exception,
        message=message,
        traceback=traceback,
        blame=blame_of(exception, message),
    )


def blame_of(exception: str, message: str) -> str:
    """Return the likely culprit of an exception: ``environment`` or ``upstream``.

    The environment is to blame for missing packages and devices, the network, dead kernels and
    exceeded limits; upstream is to blame for everything else.
    """
    name = exception.rpartition(".")[2]  # "urllib.error.URLError" → "URLError"
    if name in ENVIRONMENT_ERRORS or MISSING.search(message):
        return "environment"
    return "upstream"


def without_colours(text: str) -> str:
    """Return ``text`` without ANSI escape sequences: ``"\\x1b[31mNo\\x1b[0m"`` → ``"No"``."""
    return COLOURS.sub("", text)


def exception_of(cell: Cell) -> str:
    """Return the type of the exception that a cell raised (``ZeroDivisionError``), or ""."""
    for output in cell["outputs"]:
        if output.get("output_type") == "error":
            return str(output.get("ename") or "Exception")
    return ""


def expected_exceptions(outputs: Notebook) -> tuple[tuple[int, str], ...]:
    """Return the exceptions of cells tagged ``raises-exception``.

    Each item has the number of the code cell and the type: ``((3, "TypeError"),)``.
    """
    raised: list[tuple[int, str]] = []
    for number, cell in enumerate(outputs["cells"], start=1):
        exception = exception_of(cell)
        if exception and RAISES in tags_of(cell):
            raised.append((number, exception))
    return tuple(raised)


def unmet_expectations(
    outputs: Notebook, *, acknowledged: Collection[int] = (), until: int = 0
) -> tuple[int, ...]:
    """Return the numbers of code cells tagged ``raises-exception`` that did not raise.

    ``acknowledged`` cells are left out. ``until`` is the number of the first code cell that must
    not run; 0 means none.
    """
    unmet: list[int] = []
    for number, cell in sent_cells(outputs, until).items():
        # The configuration may acknowledge that a cell no longer raises, with a reason.
        is_to_raise = RAISES in tags_of(cell) and number not in acknowledged
        if is_to_raise and not exception_of(cell):
            unmet.append(number)
    return tuple(unmet)


def expectation_failure(notebook: Notebook, numbers: Sequence[int]) -> CellFailure:
    """Return the failure of the code cells ``numbers``, which should have raised.

    A page has one failure, so it is recorded for the first cell, and the message names all cells.
    """
    if len(numbers) == 1:
        subject = f"{cell_name(numbers[0])} is"
    else:
        subject = f"code cells {', '.join(map(str, numbers))} are"
    return CellFailure(
        cell=numbers[0],
        source=source_at(notebook, numbers[0]),
        exception="NoException",
        message=f"{subject} tagged {RAISES} and did not raise",
        traceback="",
        blame="expectation",
    )


def cells_run(notebook: Notebook, stop: CellFailure | None, *, until: int = 0) -> int:
    """Return how many code cells of ``notebook`` were sent to the kernel.

    ``stop`` is the failure of the run, or None. ``until`` is the number of the first code cell that
    must not run; 0 means none.
    """
    sent = sent_cells(notebook, until)
    # A cell that should have raised is detected after the run, so it does not stop the run.
    if stop is None or stop.blame == "expectation":
        return len(sent)
    return sum(number <= stop.cell for number in sent)


def failure_summary(failure: CellFailure) -> str:
    """Return the failure in one line: ``code cell 4: URLError: no route (environment)``."""
    first = failure.message.strip().split("\n")[0][:_SUMMARY]
    parts = (cell_name(failure.cell), failure.exception, f"{first} ({failure.blame})")
    return ": ".join(filter(None, parts))


def failure_text(page: str, failure: CellFailure) -> str:
    """Return a description of a failure in several lines, without colours.

    The first line is like ``guide/start, code cell 4: URLError: no route``. The other lines have
    the blame, the source of the cell (after ``|``), and the end of the traceback.
    """
    place = ", ".join(filter(None, (page, cell_name(failure.cell))))
    lines = [
        f"{place}: {failure.exception}: {failure.message.strip()}",
        f"  blame: {failure.blame}",
    ]
    # A failure of the whole page has no source.
    if failure.cell:
        lines += [f"  | {line}" for line in failure.source.split("\n")]
    traceback = without_colours(failure.traceback).strip().split("\n")
    lines += [f"  {line}" for line in traceback[-_TAIL:] if line.strip()]
    return "\n".join(lines)


DAMAGED = "is not a record of a run"
_CELL_FIELDS = {"cell_type", "execution_count", "metadata", "source"}


class CacheEntry(Struct, frozen=True, kw_only=True):
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


class Raised(Struct, frozen=True, kw_only=True):
    """Expected exception that one cell raised."""

    cell: int  # number of the code cell
    code: str  # digest of its source
    exception: str  # type


class ReleaseExceptions(Struct, frozen=True, kw_only=True):
    """Exceptions that a page raised with one release of the package."""

    release: str
    raised: tuple[Raised, ...] = ()


class PageRecord(Struct, frozen=True, kw_only=True):
    """Last run of a page."""

    key: str  # cache key
    seconds: float
    now: ReleaseExceptions
    # The exceptions before the last change of the release or of an exception; None if neither has
    # changed since the first run.
    before: ReleaseExceptions | None = None


def raised_in(outputs: Notebook, exceptions: Iterable[tuple[int, str]]) -> tuple[Raised, ...]:
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
    table = {page: to_builtins(record) for page, record in records.items()}
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
