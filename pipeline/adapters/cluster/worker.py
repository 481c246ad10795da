"""What runs on the workers of a Dask cluster; ``scheduler`` sends them the pages.

A page is a task of the cluster. A worker gives it a process of its own, for two reasons: kernels
and their memory are watched with signals, which Python handles in main threads only, and workers of
Dask may not start processes with multiprocessing. So a worker may have several threads: it runs as
many pages at once. The process holds on to its worker by a pipe; when the worker dies, or the task
is cancelled, the pipe ends, and the process stops its kernel and removes its files.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import platform
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipeline.adapters.cluster.facts import all_facts, compare_facts
from pipeline.adapters.files import remove_tree
from pipeline.adapters.kernel import (
    Job,
    Outcome,
    environment,
    run_notebooks,
    worker_count,
)
from pipeline.adapters.kernel.job import died
from pipeline.adapters.kernel.processes import is_stopped

POLL_SECONDS = 0.5
STOP_SECONDS = 30  # that a process may take to stop its kernel
# What the process of a page is given to run. It finds its packages where the worker found them.
CHILD = """\
import json, sys
sys.path[:] = json.loads(sys.argv[2])
from pipeline.adapters.cluster.worker import serve
serve(sys.argv[1])
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """All that a worker needs to run a page; nothing in it is a place on the sender's machine."""

    job: Job
    data: bytes  # the files beside the notebook, as a tar file
    facts: Mapping[str, str]  # what must be true on the worker as well
    pages: Mapping[str, int]  # by machine: how many pages it runs at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """What a worker says of itself."""

    machine: str
    threads: int
    facts: Mapping[str, str]


def describe(dask_worker: Any) -> Member:
    """What the worker that this runs on is; ``Client.run`` fills in the argument."""
    return Member(
        machine=platform.node(),
        threads=dask_worker.state.nthreads,
        facts=all_facts(environment()),
    )


def run_page(parcel: Parcel) -> Outcome:
    """Run one page, in a process of its own."""
    from distributed import get_worker

    worker = get_worker()
    member = describe(worker)
    # It may have come after the others were asked.
    compare_facts(parcel.facts, member.facts, where=f"worker {worker.address}")
    key = worker.get_current_task()
    folder = Path(tempfile.mkdtemp(prefix="p-", dir=worker.local_directory))
    try:
        _unpack(parcel, folder, pages=parcel.pages.get(member.machine, member.threads))
        code = _run_child(folder, lambda: _is_wanted(worker, key))
        if code:
            message = f"the process that ran it ended with code {code}"
            return died(parcel.job, message)
        return _read_outcome(folder)
    finally:
        with suppress(OSError):
            remove_tree(folder)


def _read_outcome(folder: Path) -> Outcome:
    outcome = pickle.loads((folder / "outcome").read_bytes())  # noqa: S301 - our own child's
    assert isinstance(outcome, Outcome)
    return outcome


def _is_wanted(worker: Any, key: Any) -> bool:
    """Whether a running task was not cancelled.

    Dask does not tell its thread, so the worker's books are looked at.
    """
    task = worker.state.tasks.get(key)
    return task is not None and task.state in ("executing", "long-running")


def _unpack(parcel: Parcel, folder: Path, *, pages: int) -> None:
    with tarfile.open(fileobj=io.BytesIO(parcel.data)) as archive:
        # The filter refuses what would leave the folder.
        archive.extractall(folder / "data", filter="data")
    policy = parcel.job.policy
    threads = policy.threads or max(1, worker_count(0) // max(1, pages))
    job = replace(
        parcel.job, folder=folder / "data", policy=replace(policy, threads=threads)
    )
    (folder / "job").write_bytes(pickle.dumps(job))


def _run_child(folder: Path, is_wanted: Callable[[], bool]) -> int:
    """Let a process run the job in ``folder``; return its exit code.

    It is stopped when the job is no longer wanted.
    """
    command = [sys.executable, "-c", CHILD, str(folder), json.dumps(sys.path)]
    child = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"TMPDIR": str(folder)},
    )
    assert child.stdin is not None
    # Nothing waits for both, the end of a process and of the wish for it: so one is looked at.
    while child.poll() is None and is_wanted():
        # Whatever has stopped the child: without it nothing keeps the limits of its page.
        if is_stopped(child.pid):
            child.send_signal(signal.SIGCONT)
        with suppress(subprocess.TimeoutExpired):
            child.wait(POLL_SECONDS)
    child.stdin.close()  # a child that still runs stops its kernel now
    try:
        return child.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait()


def serve(place: str) -> None:
    """Be the process that ``run_page`` starts.

    Run the job in the folder ``place``, and leave the outcome there.
    """
    folder = Path(place)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=_watch_input, daemon=True).start()
    try:
        job: Job = pickle.loads((folder / "job").read_bytes())  # noqa: S301 - our own parent's
        (outcome,) = run_notebooks([job], workers=1)
        (folder / "outcome").write_bytes(pickle.dumps(outcome))
    except KeyboardInterrupt:
        with suppress(OSError):
            remove_tree(folder)
        sys.exit(130)


def _watch_input() -> None:
    """Wait until the worker is gone, or closes the pipe; then stop the main thread.

    It is stopped as Ctrl-C does it, wherever it waits.
    """
    while os.read(0, 1):
        pass
    main = threading.main_thread().ident
    assert main is not None
    signal.pthread_kill(main, signal.SIGINT)
