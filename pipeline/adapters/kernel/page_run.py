"""One run of one page, as the parts that take part in it see it."""

from __future__ import annotations

from ctypes import c_int
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.adapters.kernel.watch import Watch


@dataclass(slots=True)
class Progress:
    """How far a run has come; written by the client of the kernel."""

    index: int = 0  # of the cell that it is at, among all cells
    # The number of the code cell that it is at. The pool shares it, and so can name the cell of a
    # worker that dies.
    shared: c_int = field(default_factory=c_int)
    seconds: list[float] = field(default_factory=list)  # of each code cell that ran
    process: Any = None  # the kernel's, as subprocess started it

    @property
    def number(self) -> int:
        """The number of the code cell that it is at, from 1; 0: none has begun."""
        return self.shared.value

    def begin_code_cell(self) -> None:
        """Go on to the next code cell."""
        self.shared.value += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRun:
    """Where a page runs, in what limits, and who is told how far it is."""

    folder: Path  # the page's own
    offline: bool
    watch: Watch
    progress: Progress
