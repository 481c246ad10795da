"""Results of execution: how a page's code ran, why it stopped, and the likely culprit.

An unexpected exception stops a run, and the run fails. A run also fails if a cell tagged
``raises-exception`` does not raise.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pipeline.core.execution.code_cells import (
    RAISES,
    Cell,
    Notebook,
    cell_name,
    sent_cells,
    source_at,
    tags_of,
)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class CellFailure:
    """Reason why the execution of a page failed."""

    cell: int  # number of the code cell; 0 if the failure concerns the whole page
    source: str  # of the cell
    exception: str  # class name, e.g. ``ModuleNotFoundError``
    message: str
    traceback: str  # may contain ANSI colours
    blame: str  # "upstream" | "environment" | "expectation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
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
