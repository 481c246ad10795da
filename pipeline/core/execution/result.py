"""Results of execution: how the code of a page ran, why it stopped, and whose problem that is.

A run stops at an exception, or fails because a cell that is tagged to raise one did not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pipeline.core.execution.notebook import (
    RAISES,
    Cell,
    Notebook,
    cell_name,
    sent_cells,
    source_at,
    tags_of,
)

# Types of exceptions that tell of the machine, by what they tell.
_PACKAGES = "ModuleNotFoundError ImportError"
_NETWORK = (
    "URLError HTTPError ConnectionError ConnectionRefusedError ConnectionResetError"
    " ConnectionAbortedError ConnectTimeout ReadTimeout MaxRetryError NewConnectionError"
    " NameResolutionError ProxyError SSLError gaierror timeout TimeoutError"
)
_LIMITS = (
    "DeadKernelError CellTimeout CellTimeoutError PageTimeout WallTimeout Stalled MemoryLimit"
    " OutputLimit WorkerDied WorkerStopped NoSuchKernel MemoryError"
)
ENVIRONMENT_ERRORS = frozenset(f"{_PACKAGES} {_NETWORK} {_LIMITS}".split())
# Messages of other exceptions that tell of the machine: a device that is not there, or no network.
MISSING = re.compile(
    r"""
    unknown\ backend
    | no\ (\w+\ )?(gpu|tpu|cuda|accelerator)\b
    | (gpu|tpu|cuda)s?(\ devices?)?(\ is|\ are)?(\ not\b|\ required|\ needed|\.?$)
    | more\ than\ one\ device
    | nvidia-smi
    | libtpu
    | interpret\ mode\ is\ supported\ on\ cpu
    | this\ run\ is\ offline
    """,
    re.IGNORECASE | re.VERBOSE,
)
COLOURS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_TAIL = 20  # lines of a traceback that a person is shown
_SUMMARY = 200  # characters of a message in a summary


class Status(StrEnum):
    """How the execution of a page ended."""

    PASSED = "passed"
    # Up to a cell that this machine cannot run; the reason says why.
    PARTIAL = "partial"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class CellFailure:
    """Why the execution of a page stopped.

    ``cell`` is the number of the code cell, from 1; 0: it is about the page as a whole. Rules of
    the configuration count in the same way (``until``), and so does every message.
    """

    cell: int
    source: str
    exception: str  # class name, e.g. ``ModuleNotFoundError``
    message: str
    traceback: str  # may hold colours (ANSI escape sequences)
    blame: str  # "upstream" | "environment" | "expectation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """How the code cells of one page ran.

    ``seconds`` is wall time; ``cells`` counts code cells run.
    """

    page: str
    status: Status
    # Why skipped, why only in part, or a one-line summary of the failure.
    reason: str = ""
    cells: int = 0
    total: int = 0
    seconds: float = 0.0
    cached: bool = False
    failure: CellFailure | None = None
    # How it ran, if not as it is: "in interpret mode", "with stand-in data".
    note: str = ""
    cell_seconds: tuple[float, ...] = ()  # of each code cell that ran

    @property
    def ran_now(self) -> bool:
        """Whether this run has run its code: it does not come from the cache."""
        # A page that could not be read has failed without a ``failure`` in a cell.
        has_run = self.failure or self.status in (Status.PASSED, Status.PARTIAL)
        return bool(has_run) and not self.cached


def cell_failure(
    cell: int, source: str, *, exception: str, message: str, traceback: str
) -> CellFailure:
    """Return the record of an exception, with the blame laid.

    Its traceback keeps its colours, for the report that shows them.
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
    """Whose problem an exception is: the ``environment``'s or ``upstream``'s.

    The environment is to blame for packages, network, devices, kernel and limits.
    """
    name = exception.rpartition(".")[2]  # "urllib.error.URLError" → "URLError"
    if name in ENVIRONMENT_ERRORS or MISSING.search(message):
        return "environment"
    return "upstream"


def without_colours(text: str) -> str:
    """``text`` without terminal escape sequences: ``"\\x1b[31mNo\\x1b[0m"`` → ``"No"``."""
    return COLOURS.sub("", text)


def exception_of(cell: Cell) -> str:
    """Return the type of the exception that a cell ended with, or nothing.

    It is the class name as the kernel gives it: ``ZeroDivisionError``.
    """
    for output in cell["outputs"]:
        if output.get("output_type") == "error":
            return str(output.get("ename") or "Exception")
    return ""


def expected_exceptions(outputs: Notebook) -> tuple[tuple[int, str], ...]:
    """Return the exceptions of cells that were expected to raise and did.

    Each has the number of the code cell, from 1, and the type: ``((3, "TypeError"),)``.
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
    """Return numbers (code cells, from 1) of tagged cells that ran without raising.

    Those that are ``acknowledged`` are left out.

    ``until`` is the number of the first cell that was not to run; 0: all were.
    """
    unmet: list[int] = []
    for number, cell in sent_cells(outputs, until).items():
        # The configuration acknowledges cells that are known not to raise, with a reason.
        is_to_raise = RAISES in tags_of(cell) and number not in acknowledged
        if is_to_raise and not exception_of(cell):
            unmet.append(number)
    return tuple(unmet)


def expectation_failure(notebook: Notebook, numbers: Sequence[int]) -> CellFailure:
    """Return the failure of the code cells ``numbers`` (from 1): tagged to raise, and did not.

    It is filed under the first.
    """
    # The others are only named: a page has one failure.
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

    ``stop`` is what the run stopped at, and ``until`` the number of the first cell that was not to
    run.
    """
    sent = sent_cells(notebook, until)
    # A cell that was to raise and did not stops no run: it is noticed afterwards.
    if stop is None or stop.blame == "expectation":
        return len(sent)
    return sum(number <= stop.cell for number in sent)


def failure_summary(failure: CellFailure) -> str:
    """Return one line: where, what, whose: ``code cell 4: URLError: no route (environment)``."""
    first = failure.message.strip().split("\n")[0][:_SUMMARY]
    parts = (cell_name(failure.cell), failure.exception, f"{first} ({failure.blame})")
    return ": ".join(filter(None, parts))


def failure_text(page: str, failure: CellFailure) -> str:
    """Return several lines for a person: place, source of the cell, and the end of the traceback.

    ``guide/start, code cell 4: URLError: no route`` is the first one. The source stands behind
    ``|``, and no line has colours.
    """
    place = ", ".join(filter(None, (page, cell_name(failure.cell))))
    lines = [
        f"{place}: {failure.exception}: {failure.message.strip()}",
        f"  blame: {failure.blame}",
    ]
    # What is about the page as a whole has no source.
    if failure.cell:
        lines += [f"  | {line}" for line in failure.source.split("\n")]
    traceback = without_colours(failure.traceback).strip().split("\n")
    lines += [f"  {line}" for line in traceback[-_TAIL:] if line.strip()]
    return "\n".join(lines)
