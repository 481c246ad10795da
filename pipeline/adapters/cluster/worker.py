"""What of ``dask_cluster`` runs on the workers.

A page is a task of the cluster. A worker gives it a process of its own, for two reasons: kernels and their memory are
watched with signals, which Python handles in main threads only, and workers of Dask may not start processes with
multiprocessing. So a worker may have several threads: it runs as many pages at once. The process holds on to its worker by a
pipe; when the worker dies, or the task is cancelled, the pipe ends, and the process stops its kernel and removes its files.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import platform
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipeline.adapters.kernel import (
    Job,
    Outcome,
    Stop,
    environment,
    run_notebooks,
    worker_count,
)
from pipeline.errors import ExecutionError

POLL_SECONDS = 0.5
STOP_SECONDS = 30  # that a process may take to stop its kernel
INSTALL = "Install on the workers what is installed here: the same Python, this project, the packages of constraints.txt."
CHILD = "import json, sys; sys.path[:] = json.loads(sys.argv[2]); from pipeline.adapters.cluster.worker import serve; serve(sys.argv[1])"
MOST_FACTS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """All that a worker needs to run a page: nothing in it is a place on the submitter's machine."""

    job: Job
    data: bytes  # the files beside the notebook, as a tar file
    facts: Mapping[str, str]  # what must be true on the worker as well
    pages: Mapping[str, int]  # by machine: how many pages it runs at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """What a worker says of itself."""

    name: str  # stays when the worker is restarted
    machine: str
    threads: int
    facts: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What comes back for a parcel."""

    worker: str  # its name; empty: unknown
    outcome: Outcome
    age: float = 0.0  # seconds since the page was begun, by the worker's clock, which may not be the submitter's


def describe(dask_worker: Any) -> Member:
    """What the worker that this runs on is; ``Client.run`` fills in the argument."""
    return Member(
        name=str(dask_worker.name),
        machine=platform.node(),
        threads=dask_worker.state.nthreads,
        facts=all_facts(environment()),
    )


def all_facts(facts: Mapping[str, str]) -> dict[str, str]:
    """``facts`` and the digest of the code that runs a page: an older copy of it would run pages differently, or fail oddly."""
    folder = Path(__file__).parent.parent  # the adapters
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(
            f"{path.relative_to(folder).as_posix()}\0{path.read_text('utf-8')}\0".encode()
        )
    return {**facts, "code of the pipeline": digest.hexdigest()[:12]}


def compare_facts(ours: Mapping[str, str], theirs: Mapping[str, str], *, where: str) -> None:
    """Raise ExecutionError, with the facts that differ, if the worker at ``where`` is another environment."""
    differ = sorted(
        name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)
    )
    if differ:
        lines = [
            f"{name}: {ours.get(name, 'none')} here, {theirs.get(name, 'none')} there"
            for name in differ[:MOST_FACTS]
        ]
        lines += [f"and {len(differ) - MOST_FACTS} more"] if len(differ) > MOST_FACTS else []
        raise ExecutionError(
            f"the worker is another environment, no page was sent to it ({'; '.join(lines)})",
            where=where,
            hint=INSTALL,
        )


def died(job: Job, message: str) -> Outcome:
    """The outcome of a job whose process is gone without one."""
    stop = Stop(cell=0, exception="WorkerDied", message=message, traceback="")
    return Outcome(page=job.page, notebook=job.notebook, seconds=0.0, stop=stop)


def run_page(parcel: Parcel) -> Delivery:
    """Run one page, in a process of its own."""
    from distributed import get_worker

    worker = get_worker()
    member = describe(worker)
    compare_facts(
        parcel.facts, member.facts, where=f"worker {worker.address}"
    )  # it may have come after the others were asked
    key = worker.get_current_task()
    began = time.time()
    folder = Path(tempfile.mkdtemp(prefix="p-", dir=worker.local_directory))
    try:
        _unpack(parcel, folder, pages=parcel.pages.get(member.machine, member.threads))
        code = _run_child(folder, lambda: _is_wanted(worker, key))
        if code:
            outcome = died(parcel.job, f"the process that ran it ended with code {code}")
        else:
            outcome = pickle.loads((folder / "outcome").read_bytes())  # noqa: S301 - our own child's
        return Delivery(
            worker=member.name, outcome=outcome, age=time.time() - (outcome.started or began)
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _is_wanted(worker: Any, key: Any) -> bool:
    """Whether a running task was not cancelled: Dask does not tell its thread, so the worker's books are looked at."""
    task = worker.state.tasks.get(key)
    return task is not None and task.state in ("executing", "long-running")


def _unpack(parcel: Parcel, folder: Path, *, pages: int) -> None:
    with tarfile.open(fileobj=io.BytesIO(parcel.data)) as archive:
        archive.extractall(folder / "data", filter="data")
    policy = parcel.job.policy
    threads = policy.threads or max(1, worker_count(0) // max(1, pages))
    job = replace(parcel.job, folder=folder / "data", policy=replace(policy, threads=threads))
    (folder / "job").write_bytes(pickle.dumps(job))


def _run_child(folder: Path, is_wanted: Callable[[], bool]) -> int:
    """Let a process run the job in ``folder``; give its exit code. It is stopped when the job is no longer wanted."""
    command = [sys.executable, "-c", CHILD, str(folder), json.dumps(sys.path)]
    child = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"TMPDIR": str(folder)},
    )
    assert child.stdin is not None
    while child.poll() is None and is_wanted():
        with suppress(subprocess.TimeoutExpired):
            child.wait(POLL_SECONDS)
    child.stdin.close()
    try:
        return child.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait()


def serve(place: str) -> None:
    """Be the process that ``run_page`` starts: run the job in the folder ``place``, leave the outcome there."""
    folder = Path(place)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=_watch_input, daemon=True).start()
    try:
        (outcome,) = run_notebooks([pickle.loads((folder / "job").read_bytes())], workers=1)  # noqa: S301 - our own parent's
        (folder / "outcome").write_bytes(pickle.dumps(outcome))
    except KeyboardInterrupt:
        shutil.rmtree(folder, ignore_errors=True)
        sys.exit(130)


def _watch_input() -> None:
    """When the worker is gone, or closes the pipe, stop the main thread as Ctrl-C does, wherever it waits."""
    while os.read(0, 1):
        pass
    main = threading.main_thread().ident
    assert main is not None
    signal.pthread_kill(main, signal.SIGINT)
