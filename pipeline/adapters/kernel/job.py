"""What goes to a worker and what comes back: the records of running notebooks.

They travel between processes and machines, so they are plain values. Nothing here knows pages of a
project, policies of its configuration, or caches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Startup:
    """Code that runs in a kernel before the first cell.

    ``name`` is what people call it: the path of the file that it is from. The kernel may be on a
    machine that has no such file.
    """

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How a notebook is run, and what it may use."""

    # What the kernel and its children may use: a busy machine makes no page fail.
    timeout: int = 100  # CPU seconds per cell
    page_timeout: int = 1800  # CPU seconds for all of it
    stall: int = 300  # seconds without any CPU time or output
    wall_timeout: int = 14400  # seconds of the clock, whatever happens in them
    memory: int = 8192  # MiB that the kernel and its children may use
    output: int = 20  # MiB that it may print
    threads: int = 0  # for computing; 0: cores divided by workers
    offline: bool = False
    # Variables of the environment, besides those that every kernel gets.
    variables: Mapping[str, str] = field(default_factory=dict)
    startup: tuple[Startup, ...] = ()  # in the order in which they run
    # The number (from 1) of the first code cell that is not run; 0: all are.
    until: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One notebook to run. ``folder`` holds the files beside it."""

    page: str
    notebook: str  # JSON
    folder: Path
    kernel: str
    policy: Policy = field(default_factory=Policy)
    scratch: Path = Path()  # set by run_notebooks


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """What ended a run before its last cell.

    ``cell`` is the number of the code cell, from 1, as ``Policy.until`` counts; 0: none had begun.
    ``traceback`` may hold colours.
    """

    cell: int
    exception: str
    message: str
    traceback: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A notebook (JSON) as the run left it. A run that ends at ``Policy.until`` was not stopped."""

    page: str
    notebook: str
    seconds: float
    stop: Stop | None
    cell_seconds: tuple[float, ...] = ()  # of each code cell that ran


def died(job: Job, message: str, *, cell: int = 0) -> Outcome:
    """Return the outcome of a job whose process died at code cell number ``cell``."""
    stop = Stop(cell=cell, exception="WorkerDied", message=message, traceback="")
    return Outcome(page=job.page, notebook=job.notebook, seconds=0.0, stop=stop)
