"""How the code cells of a page ran: what reports, caches and workers hand on.

These records stand apart from the code that makes them, because workers in other processes make
them too.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
