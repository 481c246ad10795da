"""Running notebooks on a Dask cluster, as ``kernel`` runs them here.

Jobs go in, outcomes come out; ``worker`` is what runs there. It needs the package distributed, here
and on the workers.
"""

from __future__ import annotations

import io
import logging
import queue
import tarfile
import time
import uuid
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pipeline.adapters.cluster.facts import INSTALL, all_facts, compare_facts
from pipeline.adapters.cluster.worker import Member, Parcel, describe, run_page
from pipeline.adapters.kernel import Job, Outcome, Stop
from pipeline.adapters.kernel.job import died
from pipeline.adapters.kernel.sandbox import is_left_out
from pipeline.errors import ExecutionError
from pipeline.packages import how_to_install

CONNECT_SECONDS = 20
WORKERS_SECONDS = 60  # that a cluster without workers is waited for
POLL_SECONDS = 5  # between two looks whether workers have come or gone
AGAIN = "Run again when it is there: pages that ran are in the cache."


def run_on_cluster(
    jobs: Sequence[Job], *, address: str, environment: Mapping[str, str]
) -> Iterator[Outcome]:
    """Run ``jobs`` on the cluster whose scheduler is at ``address``, the first ones first.

    Yields each outcome as it comes, once. Every worker must be the given ``environment`` (facts, as
    from ``kernel.environment``). A page whose worker dies is run again by another one; only if it
    takes several with it, its outcome says so. Raises ExecutionError if the cluster cannot be
    reached, is another environment, or is gone. When the iterator is closed, or an exception passes
    through, what is left is cancelled.
    """
    if not jobs:
        return
    facts = all_facts(environment)
    with _connected(address) as client:
        members = _survey(client, facts, address)
        run = _Run(client, address, facts, _pages_at_once(members))
        waiting = deque(enumerate(jobs))
        try:
            run.fill(waiting)
            while waiting or run.sent:
                outcome = run.receive()
                if outcome is None:
                    run.fill(waiting)
                    continue
                # An error is raised again, when what is there has been handed over.
                with suppress(ExecutionError):
                    run.fill(waiting)
                yield outcome
        finally:
            futures = [sent.future for sent in run.sent.values()]
            with suppress(Exception):
                client.cancel(futures, force=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sent:
    """A job that is on its way, and Dask's handle for it."""

    job: Job
    future: Any


@dataclass(slots=True)
class _Run:
    """What is on its way.

    No more is sent than can run at once: when a worker dies, Dask blames all that waits for it.
    """

    client: Any
    address: str
    facts: Mapping[str, str]
    pages: Mapping[str, int]
    name: str = field(default_factory=lambda: f"execute-{uuid.uuid4().hex}")
    sent: dict[Any, _Sent] = field(default_factory=dict)  # by key
    # Futures that are done; written by Dask's thread.
    done: queue.SimpleQueue[Any] = field(default_factory=queue.SimpleQueue)
    seen: float = field(default_factory=time.monotonic)  # when there was a worker

    def fill(self, waiting: deque[tuple[int, Job]]) -> None:
        """Send as many more as the cluster can run now.

        Raises ExecutionError if it has had no worker for long, or is gone.
        """
        try:
            threads = sum(self.client.nthreads().values())
        except OSError as error:
            raise _lost(self.address) from error
        if threads:
            self.seen = time.monotonic()
        elif time.monotonic() - self.seen > WORKERS_SECONDS:
            raise _without_workers(self.address)
        while waiting and len(self.sent) < max(1, threads):
            place, job = waiting.popleft()
            self._send(job, priority=-place)

    def _send(self, job: Job, *, priority: int) -> None:
        parcel = Parcel(
            job=job, data=_packed(job.folder), facts=self.facts, pages=self.pages
        )
        key = (self.name, job.page)
        # pure=False: two runs of the same page are two tasks.
        future = self.client.submit(
            run_page, parcel, key=key, priority=priority, pure=False
        )
        self.sent[future.key] = _Sent(job=job, future=future)
        future.add_done_callback(self.done.put)

    def receive(self) -> Outcome | None:
        """What is done next; nothing if that takes long."""
        try:
            future = self.done.get(timeout=POLL_SECONDS)
        except queue.Empty:
            return None
        outcome = _result(future, self.sent[future.key].job, self.address)
        del self.sent[future.key]  # and with it what the cluster keeps of it
        return outcome


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    try:
        from distributed import Client
    except ImportError as error:
        raise ExecutionError(
            "the package distributed is not installed: no page can be sent to a cluster",
            hint=f"{how_to_install('dask')}. Or run without --scheduler.",
        ) from error
    for name in ("distributed", "distributed.client", "tornado.application"):
        # What goes wrong is told by us.
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


def _survey(client: Any, facts: Mapping[str, str], address: str) -> list[Member]:
    """Ask every worker what it is.

    Raises ExecutionError if there is none, or one that differs from ``facts``.
    """
    try:
        client.wait_for_workers(1, timeout=WORKERS_SECONDS)
    except TimeoutError as error:
        raise _without_workers(address) from error
    try:
        members: Mapping[str, Member] = client.run(describe)
    except Exception as error:
        # Whatever a worker raises; often it cannot import this project.
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
    return ExecutionError(
        "the connection to the cluster was lost", where=address, hint=AGAIN
    )


def _pages_at_once(members: Sequence[Member]) -> dict[str, int]:
    """By machine, how many pages run there at once: their kernels share its cores."""
    pages: Counter[str] = Counter()
    for member in members:
        pages[member.machine] += member.threads
    return dict(pages)


def _packed(folder: Path) -> bytes:
    """The files beside a notebook that its code gets, as a tar file."""

    def kept(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
        if not (member.isfile() or member.isdir()):
            return None
        is_top = not member.name  # the folder itself, whatever it is called
        if not is_top and is_left_out(folder / member.name):
            return None
        return member

    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as archive:
        if folder.is_dir():
            archive.add(folder, arcname="", filter=kept)
    return buffer.getvalue()


def _result(future: Any, job: Job, address: str) -> Outcome:
    """What came back for ``job``.

    Raises ExecutionError if it is the cluster that failed.
    """
    from distributed import KilledWorker

    if future.status == "cancelled":
        raise _lost(address)
    try:
        outcome: Outcome = future.result()
    except ExecutionError:
        raise
    except KilledWorker:
        return died(job, "every worker that ran the page died")
    except Exception as error:  # noqa: BLE001 - a full disk, say; one page must not stop the others
        stop = Stop(
            cell=0, exception=type(error).__name__, message=str(error), traceback=""
        )
        return replace(died(job, ""), stop=stop)
    return outcome
