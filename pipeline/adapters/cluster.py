"""Execution of notebooks on a Dask cluster, with the same interface as ``kernel``.

``run_on_cluster`` takes jobs (a notebook and how to run it) and yields their outcomes. The package
distributed must be installed here and on the workers. Every worker must have the same environment
as this machine: the same Python, packages and code.

Each page is a Dask task. The worker runs the task in a separate process, for two reasons:

- The code that watches a kernel uses signals. Python handles signals in main threads only, but Dask
  runs a task in another thread.
- The kernel's pool starts processes with multiprocessing, which a Dask worker must not do.

A worker runs as many pages at once as it has threads.

A pipe connects the process to its worker. The pipe closes when the worker dies or cancels the task.
The process then stops its kernel and removes its files.
"""

from __future__ import annotations

import hashlib
import io
import json
import logging
import os
import pickle
import platform
import queue
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from pipeline.adapters.files import remove_tree
from pipeline.adapters.kernel import (
    Job,
    Outcome,
    Stop,
    environment,
    run_notebooks,
    worker_count,
)
from pipeline.adapters.kernel.job import died
from pipeline.adapters.kernel.sandbox import data_in
from pipeline.adapters.kernel.watch import is_stopped
from pipeline.errors import ExecutionError
from pipeline.packages import how_to_install

INSTALL = (
    "Install the same on the workers as here: Python, this project, "
    "the packages of constraints.txt."
)
MOST_FACTS = 8  # maximum number of differing facts in a message
LOOK_SECONDS = 0.5  # interval between two checks whether the task was cancelled
STOP_SECONDS = 30  # time that a process has to stop its kernel
# Code of the process that runs a page. Arguments: the job's folder, and the worker's import path
# in JSON.
CHILD = """\
import json, sys
sys.path[:] = json.loads(sys.argv[2])
from pipeline.adapters.cluster import serve
serve(sys.argv[1])
"""
CONNECT_SECONDS = 20
ANSWER_SECONDS = 20  # time that the scheduler has to answer
WORKERS_SECONDS = 60  # time to wait for a first or a new worker
POLL_SECONDS = 5  # interval between two counts of the workers
AGAIN = "Run again when the cluster works: finished pages are in the cache."


def all_facts(facts: Mapping[str, str]) -> dict[str, str]:
    """Return the ``facts`` of an environment, plus the digest of the code in ``pipeline/adapters``.

    A fact is a name and a value, such as ``python`` and ``3.12.3`` (see ``kernel.environment``). A
    worker with another version of the code could run pages differently or fail.
    """
    adapters = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(adapters.rglob("*.py")):
        name = path.relative_to(adapters).as_posix()
        digest.update(f"{name}\0{path.read_text('utf-8')}\0".encode())
    return {**facts, "code of the pipeline": digest.hexdigest()[:12]}


def compare_facts(ours: Mapping[str, str], theirs: Mapping[str, str], *, where: str) -> None:
    """Raise ExecutionError if the facts of the worker at ``where`` differ from ours.

    The error lists the differences: ``numpy: 2.4.0 here, 2.3.1 there``.
    """
    differences = []
    for name in sorted(ours.keys() | theirs.keys()):
        if ours.get(name) != theirs.get(name):
            here, there = ours.get(name, "none"), theirs.get(name, "none")
            differences.append(f"{name}: {here} here, {there} there")
    if not differences:
        return
    named = differences[:MOST_FACTS]
    if len(differences) > MOST_FACTS:
        named.append(f"and {len(differences) - MOST_FACTS} more")
    raise ExecutionError(
        f"the worker has another environment, so no page was sent to it ({'; '.join(named)})",
        where=where,
        hint=INSTALL,
    )


class Parcel(Struct, frozen=True, kw_only=True):
    """All that a worker needs to run a page.

    The worker unpacks ``data`` to a new folder, and sets ``job.folder`` to that folder, because
    paths differ between machines.
    """

    job: Job
    data: bytes  # the files beside the notebook, as a compressed tar file
    # Facts of the sender's environment. Those of the worker must be equal.
    facts: Mapping[str, str]
    # Number of pages that each machine runs at once, by the machine's network name.
    pages: Mapping[str, int]


class Member(Struct, frozen=True, kw_only=True):
    """Description of a worker."""

    machine: str  # network name of the machine
    threads: int
    facts: Mapping[str, str]


def describe(dask_worker: Any) -> Member:
    """Describe the worker that runs this function; ``Client.run`` passes ``dask_worker``."""
    return Member(
        machine=platform.node(),
        threads=dask_worker.state.nthreads,
        facts=all_facts(environment()),
    )


def run_page(parcel: Parcel) -> bytes:
    """Run one page in a separate process and return its outcome as JSON.

    This is the task that a Dask worker runs. Raises ExecutionError if the worker's environment
    differs from the sender's.
    """
    from distributed import get_worker

    worker = get_worker()
    member = describe(worker)
    # A worker that joined after ``_survey`` has not been compared yet.
    compare_facts(parcel.facts, member.facts, where=f"worker {worker.address}")
    key = worker.get_current_task()

    def is_wanted() -> bool:
        # A worker that was told to end waits half a minute for its page.
        if worker.status.name not in ("running", "paused"):
            return False
        # Dask does not notify this thread when the task is cancelled, so look at the task's state.
        task = worker.state.tasks.get(key)
        return task is not None and task.state in ("executing", "long-running")

    folder = Path(tempfile.mkdtemp(prefix="p-", dir=worker.local_directory))
    try:
        _unpack(parcel, folder, pages=parcel.pages.get(member.machine, member.threads))
        code = _run_child(folder, is_wanted)
        if code:
            message = f"the process that ran it ended with code {code}"
            return _encoded(died(parcel.job, message))
        return (folder / "outcome").read_bytes()
    finally:
        with suppress(OSError):
            remove_tree(folder)


def _encoded(outcome: Outcome) -> bytes:
    # The standard library's JSON can encode lone surrogates, which error messages may contain.
    return json.dumps(to_builtins(outcome)).encode("ascii")


def _unpack(parcel: Parcel, folder: Path, *, pages: int) -> None:
    """Write the job and its files to ``folder``; this machine runs ``pages`` pages at once."""
    with tarfile.open(fileobj=io.BytesIO(parcel.data)) as archive:
        # The filter rejects members that would leave the folder. Python has it since 3.11.4; with
        # an older one, trust the archive as we trust the pickled job in the parcel.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder / "data")  # noqa: S202 - made by ``_packed``
    policy = parcel.job.policy
    threads = policy.threads or max(1, worker_count(0) // max(1, pages))
    job = replace(parcel.job, folder=folder / "data", policy=replace(policy, threads=threads))
    (folder / "job").write_bytes(pickle.dumps(job))


def _run_child(folder: Path, is_wanted: Callable[[], bool]) -> int:
    """Run the job in ``folder`` in a process; return the exit code of the process.

    Stop the process as soon as ``is_wanted`` returns False.
    """
    command = [sys.executable, "-c", CHILD, str(folder), json.dumps(sys.path)]
    child = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"TMPDIR": str(folder)},
    )
    assert child.stdin is not None
    # No single call waits both for the end of a process and for a cancellation, so poll.
    while child.poll() is None and is_wanted():
        # The code of a page may suspend (SIGSTOP) the child, which enforces the page's limits.
        # Resume the child.
        if is_stopped(child.pid):
            child.send_signal(signal.SIGCONT)
        with suppress(subprocess.TimeoutExpired):
            child.wait(LOOK_SECONDS)
    child.stdin.close()  # a child that is still running now stops its kernel
    try:
        return child.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait()


def serve(place: str) -> None:
    """Run the job in the folder ``place`` and write its outcome there.

    The process that ``run_page`` starts calls this function.
    """
    folder = Path(place)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=_watch_input, daemon=True).start()
    try:
        job: Job = pickle.loads((folder / "job").read_bytes())  # noqa: S301 - our own parent's
        (outcome,) = run_notebooks([job], workers=1)
        (folder / "outcome").write_bytes(_encoded(outcome))
    except KeyboardInterrupt:
        with suppress(OSError):
            remove_tree(folder)
        sys.exit(130)


def _watch_input() -> None:
    """Wait until the worker dies or closes the pipe, then interrupt the main thread.

    SIGINT, the signal of Ctrl-C, interrupts the main thread wherever it waits.
    """
    while os.read(0, 1):
        pass
    main = threading.main_thread().ident
    assert main is not None
    signal.pthread_kill(main, signal.SIGINT)


def run_on_cluster(
    jobs: Sequence[Job], *, address: str, environment: Mapping[str, str]
) -> Iterator[Outcome]:
    """Run ``jobs``, in their order, on the cluster with the scheduler at ``address``.

    Yield each outcome as soon as it arrives. ``environment`` has the facts from
    ``kernel.environment``, which must be the same on every worker. If a worker dies, another
    worker runs the page again; a page that kills several workers fails. Raises ExecutionError if
    the cluster cannot be reached, is lost, or differs in its environment. When the iterator is
    closed or raises, the remaining tasks are cancelled.
    """
    if not jobs:
        return
    facts = all_facts(environment)
    with _connected(address) as client:
        members = _survey(client, facts, address)
        # Count the pages that each machine runs at once: their kernels share the machine's cores.
        pages: Counter[str] = Counter()
        for member in members:
            pages[member.machine] += member.threads
        run = _Run(client, address, facts, dict(pages))
        waiting = deque(enumerate(jobs))
        try:
            run.fill(waiting)
            while waiting or run.sent:
                outcome = run.receive()
                if outcome is None:
                    run.fill(waiting)
                    continue
                # Yield this outcome first. If the error persists, the next ``fill`` raises it.
                with suppress(ExecutionError):
                    run.fill(waiting)
                yield outcome
        finally:
            futures = [sent.future for sent in run.sent.values()]
            with suppress(Exception):
                client.cancel(futures, force=True)


class _Cell(Struct):
    """Parts of a notebook's cell that are checked in the answer of a worker."""

    cell_type: str
    source: str | list[str] = ""
    outputs: list[dict[str, Any]] = []


class _Notebook(Struct):
    """Cells of a notebook that a worker sends back."""

    cells: list[_Cell]
    metadata: dict[str, Any] = {}


class _Sent(Struct, frozen=True, kw_only=True):
    """A submitted job and its Dask future."""

    job: Job
    future: Any


class _Run(Struct):
    """The submitted jobs, at most one for each thread of the cluster.

    When a worker dies, Dask blames all tasks of that worker, even tasks that only waited there. A
    task that has been blamed several times fails. So no task may wait on a worker.
    """

    client: Any
    address: str
    facts: Mapping[str, str]
    pages: Mapping[str, int]
    name: str = field(default_factory=lambda: f"execute-{uuid.uuid4().hex}")
    sent: dict[Any, _Sent] = field(default_factory=dict)  # by key
    # Finished futures, which Dask's thread puts here.
    done: queue.SimpleQueue[Any] = field(default_factory=queue.SimpleQueue)
    # When the cluster last had a worker, in seconds of the monotonic clock.
    seen: float = field(default_factory=time.monotonic)

    def fill(self, waiting: deque[tuple[int, Job]]) -> None:
        """Submit as many of the ``waiting`` jobs (number and job) as the cluster can run now.

        Raises ExecutionError if there was no worker for ``WORKERS_SECONDS``, or if the connection
        is lost.
        """
        threads = sum(_answer(self.client, self.client.nthreads, self.address).values())
        if threads:
            self.seen = time.monotonic()
        elif time.monotonic() - self.seen > WORKERS_SECONDS:
            raise _without_workers(self.address)
        while waiting and len(self.sent) < max(1, threads):
            place, job = waiting.popleft()
            self._send(job, priority=-place)

    def _send(self, job: Job, *, priority: int) -> None:
        parcel = Parcel(job=job, data=_packed(job.folder), facts=self.facts, pages=self.pages)
        key = (self.name, job.page)
        # pure=False: Dask must not reuse the result of an earlier run of the page.
        future = self.client.submit(run_page, parcel, key=key, priority=priority, pure=False)
        self.sent[future.key] = _Sent(job=job, future=future)
        future.add_done_callback(self.done.put)

    def receive(self) -> Outcome | None:
        """Return the next outcome, or None if none arrives within ``POLL_SECONDS``."""
        try:
            future = self.done.get(timeout=POLL_SECONDS)
        except queue.Empty:
            return None
        outcome = _result(future, self.sent[future.key].job, self.address)
        del self.sent[future.key]  # frees the result on the cluster
        return outcome


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """Yield a Dask client of the scheduler at ``address``. Raises ExecutionError."""
    try:
        from distributed import Client
    except ImportError as error:
        raise ExecutionError(
            "the package distributed is not installed: no page can be sent to a cluster",
            hint=f"{how_to_install('dask')}. Or run without --scheduler.",
        ) from error
    for name in ("distributed", "distributed.client", "tornado.application"):
        # Suppress Dask's messages, because this module reports failures itself.
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = str(error).split("\n")[0] or type(error).__name__
        raise ExecutionError(
            f"no Dask scheduler answers: {reason}",
            where=address,
            hint="Start one (dask scheduler, dask worker), or give the address that it prints, "
            "such as tcp://host:8786.",
        ) from error
    try:
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=5)


def _answer(client: Any, ask: Callable[[], Any], address: str) -> Any:
    """Return the scheduler's answer to the request ``ask``, a method of the client.

    Raises ExecutionError if no answer comes within ``ANSWER_SECONDS``. A suspended scheduler keeps
    its connections open, so Dask alone would wait forever.
    """
    try:
        return client.sync(ask, callback_timeout=ANSWER_SECONDS)
    except OSError as error:  # includes TimeoutError
        raise _lost(address) from error


def _survey(client: Any, facts: Mapping[str, str], address: str) -> list[Member]:
    """Return the descriptions of all workers.

    Raises ExecutionError if there is no worker, or if the facts of a worker differ from ``facts``.
    """
    try:
        client.sync(
            lambda: client.wait_for_workers(1, timeout=WORKERS_SECONDS),
            callback_timeout=WORKERS_SECONDS + ANSWER_SECONDS,
        )
    except TimeoutError as error:
        raise _without_workers(address) from error
    except OSError as error:
        raise _lost(address) from error
    try:
        members: Mapping[str, Member] = _answer(client, lambda: client.run(describe), address)
    except ExecutionError:
        raise
    except Exception as error:
        # A worker may raise any error. The usual reason: it cannot import this package.
        raise ExecutionError(
            f"a worker cannot run this project: {error}", where=address, hint=INSTALL
        ) from error
    for place, member in sorted(members.items()):
        compare_facts(facts, member.facts, where=f"worker {place}")
    return list(members.values())


def _without_workers(address: str) -> ExecutionError:
    return ExecutionError(
        f"the cluster has had no worker for {WORKERS_SECONDS} s",
        where=address,
        hint=f"Start one: dask worker {address} --nthreads 1. {AGAIN}",
    )


def _lost(address: str) -> ExecutionError:
    return ExecutionError("the connection to the cluster was lost", where=address, hint=AGAIN)


def _packed(folder: Path) -> bytes:
    """Return the files and folders of ``data_in`` as a tar file."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as archive:
        for path in data_in(folder):
            archive.add(path, path.relative_to(folder).as_posix(), recursive=False)
    return buffer.getvalue()


def _result(future: Any, job: Job, address: str) -> Outcome:
    """Return the outcome of ``job`` from its finished task.

    If only this page failed, return an outcome that says so. Raises ExecutionError if the cluster
    failed.
    """
    from distributed import KilledWorker

    if future.status == "cancelled":
        raise _lost(address)
    try:
        # Check the types: a worker may return anything, and the cache would store it.
        value = json.loads(future.result(ANSWER_SECONDS))
        outcome = msgspec.convert(value, Outcome)
        # The two notebooks may differ in their outputs only.
        if (outcome.page, _cells(outcome.notebook)) == (job.page, _cells(job.notebook)):
            return outcome
        return died(job, "the worker answered with another notebook")
    except ExecutionError:
        raise
    except KilledWorker:
        return died(job, "every worker that ran the page died")
    except TimeoutError as error:
        raise _lost(address) from error
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        return died(job, f"the worker's answer cannot be read: {error}")
    except Exception as error:  # noqa: BLE001 - for example a full disk; other pages continue
        stop = Stop(cell=0, exception=type(error).__name__, message=str(error), traceback="")
        return replace(died(job, ""), stop=stop)


def _cells(text: str) -> list[tuple[str, str]]:
    """Return the type and the source of each cell of a notebook in JSON."""
    notebook = msgspec.json.decode(text, type=_Notebook)
    return [(cell.cell_type, "".join(cell.source)) for cell in notebook.cells]
