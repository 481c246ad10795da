"""Records sent to a worker and back: jobs, policies and outcomes.

They travel between processes and machines, so they are plain values. They do not depend on the
project's pages, its configuration, or its caches.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field


class Startup(Struct, frozen=True, kw_only=True):
    """Code that runs in a kernel before the first cell.

    ``name`` is the path of the file with the code, for messages. The kernel may be on a machine
    without that file.
    """

    name: str
    text: str


class Policy(Struct, frozen=True, kw_only=True):
    """Limits and environment of a notebook's run."""

    # Most limits count what the kernel and its children use, not how long they run. So no page
    # fails because the machine is busy.
    timeout: int = 100  # CPU seconds per cell
    page_timeout: int = 1800  # CPU seconds for the whole page
    stall: int = 300  # seconds without any CPU time or output
    wall_timeout: int = 14400  # seconds of wall time
    memory: int = 8192  # MiB for the kernel and its children
    output: int = 20  # MiB of output
    processes: int = 256  # the kernel and its children
    threads: int = 0  # threads for computing; 0: cores divided by workers
    offline: bool = False
    # Environment variables, besides those of every kernel.
    variables: Mapping[str, str] = field(default_factory=dict)
    startup: tuple[Startup, ...] = ()  # in the order of execution
    # Number (from 1) of the first code cell that is not run; 0 means that all run.
    until: int = 0


class Job(Struct, frozen=True, kw_only=True):
    """One notebook to run. ``folder`` contains the files beside the notebook.

    The page must not change the folder ``project``, which may be on another machine.
    """

    page: str
    notebook: str  # JSON
    folder: Path
    kernel: str  # name of a kernel spec: "python3"
    policy: Policy = field(default_factory=Policy)
    scratch: Path = Path()  # set by run_notebooks
    project: Path | None = None


class Stop(Struct, frozen=True, kw_only=True):
    """Reason why a run ended before its last cell.

    ``cell`` is the number of the code cell, from 1, as in ``Policy.until``; 0 if none had started.
    ``traceback`` may contain ANSI colours.
    """

    cell: int
    exception: str
    message: str
    traceback: str


class Outcome(Struct, frozen=True, kw_only=True):
    """Result of a run. ``notebook`` is the notebook after the run, as JSON.

    ``stop`` is None if the run ended as planned: after the last cell, or at ``Policy.until``.
    """

    page: str
    notebook: str
    seconds: float
    stop: Stop | None
    cell_seconds: tuple[float, ...] = ()  # of each code cell that ran
    # Numbers of the code cells during which files of the project changed, with the paths of these
    # files. Empty if the system confines writes, because then no page can change them.
    changed: tuple[tuple[int, tuple[str, ...]], ...] = ()


def died(job: Job, message: str, *, cell: int = 0) -> Outcome:
    """Return the outcome of a job whose process died at code cell number ``cell``."""
    stop = Stop(cell=cell, exception="WorkerDied", message=message, traceback="")
    return Outcome(page=job.page, notebook=job.notebook, seconds=0.0, stop=stop)
