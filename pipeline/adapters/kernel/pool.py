"""Pool of worker processes, each of which runs one notebook after another.

When the pool has received the outcome of a worker's job, it sends the worker the next job. If a
worker dies, the pool replaces the worker, and the outcome of the job says so.

A worker enforces the limits of its page. It cannot do so after a signal (SIGSTOP) has stopped it.
So the pool kills the page of a stopped worker and resumes the worker, which continues with the next
page.
"""

from __future__ import annotations

import multiprocessing
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from ctypes import c_int
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess

from msgspec import Struct
from msgspec.structs import replace

from pipeline.adapters.files import scratch_folder
from pipeline.adapters.kernel.cgroup import remove_strays
from pipeline.adapters.kernel.interpreter import worker_count
from pipeline.adapters.kernel.job import Job, Outcome, died
from pipeline.adapters.kernel.sandbox import scratch_parent
from pipeline.adapters.kernel.watch import end_page_and_resume, is_stopped, kill_strays
from pipeline.adapters.kernel.worker import work

_SECONDS_TO_END = 5  # time for a worker to stop its kernel
_LOOK = 1.0  # seconds between checks for stopped workers
# Seconds to wait before ending the page of a stopped worker. A person who has stopped the whole run
# may be about to resume all workers.
_GRACE = 0.5


class _Worker(Struct, kw_only=True):
    process: BaseProcess
    connection: Connection
    job: Job
    cell: c_int  # number of its current code cell, in shared memory
    was_stopped: bool = False  # during this job

    @property
    def pid(self) -> int:
        """Return the id of its process."""
        assert self.process.pid is not None  # it has been started
        return self.process.pid


def run_notebooks(jobs: Sequence[Job], *, workers: int) -> Iterator[Outcome]:
    """Run ``jobs`` in order, ``workers`` at a time; yield each outcome when it is complete.

    When the iterator is closed, or an exception such as KeyboardInterrupt occurs, all workers and
    kernels are ended.
    """
    at_once = max(1, min(workers, len(jobs)))
    threads = max(1, worker_count(0) // at_once)
    # Use a short prefix: the paths of sockets start with it, and their length is limited.
    with scratch_folder("nb-", scratch_parent()) as scratch:
        waiting: deque[Job] = deque()
        for job in jobs:
            policy = replace(job.policy, threads=job.policy.threads or threads)
            waiting.append(replace(job, scratch=scratch, policy=policy))
        remove_strays()  # of runs that were killed
        try:
            yield from _run_all(waiting, workers=workers)
        finally:
            remove_strays()
            kill_strays(scratch)


def _run_all(waiting: deque[Job], *, workers: int) -> Iterator[Outcome]:
    # Spawn workers, do not fork: a worker must not inherit our threads, locks and open files.
    context = multiprocessing.get_context("spawn")
    running: list[_Worker] = []
    try:
        while waiting and len(running) < workers:
            running.append(_start(context, waiting.popleft()))
        while running:
            ready = wait([worker.connection for worker in running], timeout=_LOOK)
            _end_stopped_pages(running)
            for worker in [worker for worker in running if worker.connection in ready]:
                outcome = _receive(worker)
                # Send the next job before the outcome is yielded, because the consumer may be slow.
                running.remove(worker)
                if waiting:
                    running.append(_next(context, worker, waiting.popleft()))
                else:
                    _end([worker])
                yield outcome
    finally:
        _end(running)


def _start(context: SpawnContext, job: Job) -> _Worker:
    # Create the folder again: a worker that exits removes the folder if it is empty.
    job.scratch.mkdir(mode=0o700, exist_ok=True)
    ours, theirs = context.Pipe()
    cell = context.RawValue(c_int)
    process = context.Process(target=work, args=(theirs, cell), daemon=True)
    process.start()
    theirs.close()  # otherwise recv would not fail when the worker dies
    with suppress(OSError):  # already dead, which _receive reports
        ours.send(job)
    return _Worker(process=process, connection=ours, job=job, cell=cell)


def _next(context: SpawnContext, worker: _Worker, job: Job) -> _Worker:
    """Give ``job`` to the worker, or to a new one if it died."""
    with suppress(OSError):
        if worker.process.is_alive():
            worker.cell.value = 0
            worker.connection.send(job)
            return replace(worker, job=job, was_stopped=False)
    _end([worker])
    return _start(context, job)


def _end_stopped_pages(workers: Sequence[_Worker]) -> None:
    """Kill the pages of workers that a signal has stopped, and resume these workers.

    A resumed worker then sends the outcome of its killed page.
    """
    if not any(is_stopped(worker.pid) for worker in workers):
        return
    time.sleep(_GRACE)
    for worker in workers:
        if is_stopped(worker.pid):
            worker.was_stopped = True
            end_page_and_resume(worker.pid)


def _receive(worker: _Worker) -> Outcome:
    try:
        outcome = worker.connection.recv()
    except (EOFError, OSError):
        worker.process.join(_SECONDS_TO_END)
        message = f"the worker process ended with code {worker.process.exitcode}"
        cell = worker.cell.value
        outcome = died(worker.job, message, cell=cell)
    assert isinstance(outcome, Outcome)
    if worker.was_stopped and outcome.stop is not None:
        # Report the cause: the kernel was killed because its worker had been stopped.
        return replace(
            outcome,
            stop=replace(
                outcome.stop,
                exception="WorkerStopped",
                message="a signal stopped the worker process, so the page was ended: "
                "nothing was enforcing its limits",
            ),
        )
    return outcome


def _end(workers: Sequence[_Worker]) -> None:
    """Stop the workers; each of them kills its own kernel first."""
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        worker.process.join(_SECONDS_TO_END)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.connection.close()
