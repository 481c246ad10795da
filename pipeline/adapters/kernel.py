"""Running notebooks in worker processes, with papermill. Nothing here knows pages, policies or caches."""

from __future__ import annotations

import multiprocessing
import os
import platform
import sys
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

ENGINE = "expectations"
PYTHON = "python3"
# Set for every kernel. A fixed hash seed makes printed sets come out alike on every run.
ENVIRONMENT: Mapping[str, str] = {"JAX_PLATFORMS": "cpu", "PYTHONHASHSEED": "0", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One notebook to run. ``folder`` holds the files beside it; ``timeout`` is seconds per cell."""

    page: str
    notebook: str  # JSON
    folder: Path
    kernel: str
    timeout: int
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
    """A notebook (JSON) as the run left it."""

    page: str
    notebook: str
    seconds: float
    stop: Stop | None


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    connection: Connection
    job: Job


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
    with tempfile.TemporaryDirectory(prefix="notebooks-") as scratch:
        waiting = deque(replace(job, scratch=Path(scratch)) for job in jobs)
        try:
            while waiting and len(running) < workers:
                running.append(_start(context, waiting.popleft()))
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


def worker_count(jobs: int) -> int:
    """``jobs``, or for 0 one per core this process may use."""
    return jobs or len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1))


def _start(context: Any, job: Job) -> _Worker:
    from pipeline.adapters.kernel_worker import work

    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    ours.send(job)
    return _Worker(process, ours, job)


def _next(context: Any, worker: _Worker, job: Job) -> _Worker:
    """Give ``job`` to the worker, or to a new one if it died."""
    with suppress(OSError):
        if worker.process.is_alive():
            worker.connection.send(job)
            return _Worker(worker.process, worker.connection, job)
    _end([worker])
    return _start(context, job)


def _receive(worker: _Worker) -> Outcome:
    try:
        outcome = worker.connection.recv()
    except (EOFError, OSError):
        worker.process.join(5)
        message = f"the worker process ended with code {worker.process.exitcode}"
        stop = Stop(cell=0, exception="WorkerDied", message=message, traceback="")
        return Outcome(page=worker.job.page, notebook=worker.job.notebook, seconds=0.0, stop=stop)
    assert isinstance(outcome, Outcome)
    return outcome


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
