"""Running notebooks in worker processes, with papermill. Nothing here knows pages, policies or caches."""

from __future__ import annotations

import multiprocessing
import os
import platform
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from pipeline.adapters.kernel import processes, sandbox

PYTHON = "python3"
# Set for every kernel. A fixed hash seed makes printed sets come out alike on every run.
# What is installed is what the facts below say: a page does not install anything.
ENVIRONMENT: Mapping[str, str] = {
    "JAX_PLATFORMS": "cpu",
    "PYTHONHASHSEED": "0",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    "PIP_CONFIG_FILE": os.devnull,
    "PIP_NO_INDEX": "1",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How a notebook is run, and what it may use."""

    timeout: int = 100  # seconds per cell
    page_timeout: int = 1800  # seconds for all of it
    memory: int = 8192  # MiB that the kernel and its children may use
    output: int = 20  # MiB that it may print
    threads: int = 0  # for computing; 0: cores divided by workers
    offline: bool = False
    variables: Mapping[str, str] = field(
        default_factory=dict
    )  # of the environment, besides what a kernel needs
    startup: tuple[str, ...] = ()  # names of files in startup/ that run before the first cell
    until: int = 0  # the number (from 1) of the first code cell that is not run; 0: all are


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
    """What ended a run before its last cell. ``cell`` counts all cells, from 0; ``traceback`` may hold colours."""

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
    started: float = 0.0  # time.time()
    worker: int = 0  # from 1; 0: unknown
    cell_seconds: tuple[float, ...] = ()  # of each code cell that ran


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    connection: Connection
    job: Job
    number: int
    given: float  # time.time() when it got the job


def environment() -> dict[str, str]:
    """All facts about this interpreter that can change an output: Python, platform, variables, every distribution."""
    from importlib.metadata import distributions

    facts = {"python": platform.python_version(), "implementation": sys.implementation.name}
    facts |= {"platform": f"{platform.system()} {platform.machine()} {platform.libc_ver()[0]}"}
    facts |= {f"variable {name}": value for name, value in ENVIRONMENT.items()}
    return facts | {f"package {found.name.lower()}": found.version for found in distributions()}


def notebook_from_myst(text: str) -> dict[str, Any]:
    """Convert a MyST notebook to the plain value of a notebook. Raises ValueError."""
    import jupytext

    try:
        notebook = jupytext.reads(text, fmt="md:myst")
    except Exception as error:  # jupytext raises whatever its parsers raise
        raise ValueError(str(error).split("\n")[0] or type(error).__name__) from error
    for cell in notebook.cells:
        cell.pop("id", None)  # random
    return dict(notebook)


def notebook_text(notebook: Mapping[str, Any]) -> str:
    """A notebook as nbformat writes it. The same value gives the same text."""
    import nbformat
    from nbformat.v4 import nbjson

    text: str = nbjson.writes(nbformat.from_dict(dict(notebook)))  # type: ignore[no-untyped-call]
    return text + "\n"


def run_notebooks(jobs: Sequence[Job], *, workers: int) -> Iterator[Outcome]:
    """Run ``jobs`` in their order, ``workers`` at a time; yield each outcome as it comes.

    When the iterator is closed, or an exception passes through (Ctrl-C), all workers and kernels are gone.
    """
    context = multiprocessing.get_context("spawn")
    running: list[_Worker] = []
    share = max(1, worker_count(0) // max(1, min(workers, len(jobs))))
    # Short names: sockets lie in it.
    with tempfile.TemporaryDirectory(
        prefix="nb-", dir=sandbox.scratch_parent(), ignore_cleanup_errors=True
    ) as scratch:
        waiting = deque(_settled(job, Path(scratch), threads=share) for job in jobs)
        try:
            while waiting and len(running) < workers:
                running.append(_start(context, waiting.popleft(), len(running) + 1))
            while running:
                ready = wait([worker.connection for worker in running])
                for worker in [worker for worker in running if worker.connection in ready]:
                    outcome = _receive(worker)
                    running.remove(worker)
                    if waiting:
                        running.append(_next(context, worker, waiting.popleft()))
                    else:
                        _end([worker])
                    yield outcome
        finally:
            _end(running)
            processes.kill_strays(Path(scratch))


def _settled(job: Job, scratch: Path, *, threads: int) -> Job:
    """The job with what only the run as a whole can know."""
    return replace(
        job, scratch=scratch, policy=replace(job.policy, threads=job.policy.threads or threads)
    )


def worker_count(jobs: int) -> int:
    """``jobs``, or for 0 one per core this process may use."""
    return jobs or len(
        os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    )


def _start(context: Any, job: Job, number: int) -> _Worker:
    from pipeline.adapters.kernel.worker import work

    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    with suppress(OSError):  # it is dead already, which _receive will tell
        ours.send(job)
    return _Worker(process, ours, job, number, time.time())


def _next(context: Any, worker: _Worker, job: Job) -> _Worker:
    """Give ``job`` to the worker, or to a new one if it died."""
    with suppress(OSError):
        if worker.process.is_alive():
            worker.connection.send(job)
            return _Worker(worker.process, worker.connection, job, worker.number, time.time())
    _end([worker])
    return _start(context, job, worker.number)


def _receive(worker: _Worker) -> Outcome:
    try:
        outcome = worker.connection.recv()
    except (EOFError, OSError):
        worker.process.join(5)
        message = f"the worker process ended with code {worker.process.exitcode}"
        stop = Stop(cell=0, exception="WorkerDied", message=message, traceback="")
        outcome = Outcome(
            page=worker.job.page,
            notebook=worker.job.notebook,
            seconds=0.0,
            stop=stop,
            started=worker.given,
        )
    assert isinstance(outcome, Outcome)
    return replace(outcome, worker=worker.number)


def _end(workers: Sequence[_Worker]) -> None:
    """Stop the workers; each kills its own kernel first."""
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        worker.process.join(5)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.connection.close()
