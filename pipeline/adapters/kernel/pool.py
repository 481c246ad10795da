"""A pool of worker processes, each of which runs one notebook after another.

A worker is given its next job when it has handed over the outcome of the last one. One that dies is
replaced, and its job has an outcome that says so.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path

from pipeline.adapters.kernel.interpreter import worker_count
from pipeline.adapters.kernel.job import Job, Outcome, died
from pipeline.adapters.kernel.processes import kill_strays
from pipeline.adapters.kernel.sandbox import scratch_parent
from pipeline.adapters.kernel.worker import work

_SECONDS_TO_END = 5  # that a worker may take to stop its kernel


@dataclass(slots=True, kw_only=True)
class _Worker:
    process: BaseProcess
    connection: Connection
    job: Job
    number: int
    given: float  # time.time() when it got the job


def run_notebooks(jobs: Sequence[Job], *, workers: int) -> Iterator[Outcome]:
    """Run ``jobs`` in their order, ``workers`` at a time; yield each outcome as it comes.

    When the iterator is closed, or an exception passes through (Ctrl-C), all workers and kernels
    are gone.
    """
    at_once = max(1, min(workers, len(jobs)))
    threads = max(1, worker_count(0) // at_once)
    with tempfile.TemporaryDirectory(
        prefix="nb-",  # short: the names of sockets begin with it
        dir=scratch_parent(),
        ignore_cleanup_errors=True,
    ) as folder:
        scratch = Path(folder)
        waiting = deque(_settled(job, scratch, threads=threads) for job in jobs)
        try:
            yield from _run_all(waiting, workers=workers)
        finally:
            kill_strays(scratch)


def _run_all(waiting: deque[Job], *, workers: int) -> Iterator[Outcome]:
    # Not forked: a worker must not inherit our threads, locks and open files.
    context = multiprocessing.get_context("spawn")
    running: list[_Worker] = []
    try:
        while waiting and len(running) < workers:
            running.append(_start(context, waiting.popleft(), number=len(running) + 1))
        while running:
            ready = wait([worker.connection for worker in running])
            for worker in [worker for worker in running if worker.connection in ready]:
                outcome = _receive(worker)
                # The next job is under way before the outcome is handed over: whoever takes it may
                # be slow.
                running.remove(worker)
                if waiting:
                    running.append(_next(context, worker, waiting.popleft()))
                else:
                    _end([worker])
                yield outcome
    finally:
        _end(running)


def _settled(job: Job, scratch: Path, *, threads: int) -> Job:
    """The job with what only the run as a whole can know."""
    policy = replace(job.policy, threads=job.policy.threads or threads)
    return replace(job, scratch=scratch, policy=policy)


def _start(context: SpawnContext, job: Job, *, number: int) -> _Worker:
    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(theirs,), daemon=True)
    process.start()
    theirs.close()  # so that recv ends when the worker is gone
    with suppress(OSError):  # it is dead already, which _receive will tell
        ours.send(job)
    return _Worker(
        process=process, connection=ours, job=job, number=number, given=time.time()
    )


def _next(context: SpawnContext, worker: _Worker, job: Job) -> _Worker:
    """Give ``job`` to the worker, or to a new one if it died."""
    with suppress(OSError):
        if worker.process.is_alive():
            worker.connection.send(job)
            return replace(worker, job=job, given=time.time())
    _end([worker])
    return _start(context, job, number=worker.number)


def _receive(worker: _Worker) -> Outcome:
    try:
        outcome = worker.connection.recv()
    except (EOFError, OSError):
        worker.process.join(_SECONDS_TO_END)
        message = f"the worker process ended with code {worker.process.exitcode}"
        outcome = died(worker.job, message, started=worker.given)
    assert isinstance(outcome, Outcome)
    return replace(outcome, worker=worker.number)


def _end(workers: Sequence[_Worker]) -> None:
    """Stop the workers; each kills its own kernel first."""
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        worker.process.join(_SECONDS_TO_END)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.connection.close()
