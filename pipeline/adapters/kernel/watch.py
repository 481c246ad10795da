"""Watch on a page's processes: limits on CPU time, silence, memory and output.

Limits measure what the kernel and its children used, so that the verdict does not depend on how
busy the machine is. There are two limits on wall time: one on the time in which a page neither
works nor prints, and a very high one on the whole page. Time during which the watch itself could
not run (on a paused or overloaded machine) does not count.

A page may start any process. A process is "below" the worker if the worker has started it, directly
or through other processes. Orphaned processes stay below the worker, because the worker adopts
them. If a worker was killed, its remaining processes are found by their environment variables,
which contain the path of the scratch folder.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from ctypes import c_int
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from pipeline.adapters.kernel.cgroup import is_full, kill_group, task_limit
from pipeline.adapters.kernel.job import Job, Policy
from pipeline.adapters.kernel.sandbox import ProjectChanges

if TYPE_CHECKING:
    from psutil import Process

EVERY = 0.2  # seconds between checks
# A page that uses a smaller share of a core does not count as working. For comparison: a loop that
# polls a hundred times a second uses half of this share. A page on an overloaded machine, with a
# tenth of its usual CPU time, uses ten times this share.
AT_WORK = 0.01
# CPU seconds that a page must use beyond that share: several ticks of the system's clock.
_CLOCK = 0.1
# Maximum number of seconds that count between two checks. A longer gap means that the machine was
# paused or overloaded.
_LATE = 2.0
PR_SET_CHILD_SUBREAPER = 36  # of prctl(2)
MIB = 1 << 20
VALUE_SIZE = 32  # bytes that the smallest value takes in memory
_MESSAGES = {
    "MemoryLimit": "the kernel and its children used {used} MiB of memory; the limit is {most}",
    "ProcessLimit": "the kernel and its children were {used} processes; the limit is {most}",
    "CellTimeout": "the cell used more than {most} s of CPU time",
    "PageTimeout": "the page used more than {most} s of CPU time",
    "Stalled": "the page neither worked nor printed anything for {most} s",
    "WallTimeout": "the page was not done after {most} s",
}


class Breach(Struct, frozen=True, kw_only=True):
    """Violated limit."""

    limit: str  # its name, which reports show like the name of an exception
    message: str


class Watch:
    """Context manager that kills all processes below this one when they exceed ``policy``.

    Processes in ``spared`` do not count. ``group`` is the kernel's cgroup, if there is one.
    ``breach`` is the first violated limit.
    """

    def __init__(self, policy: Policy, spared: Collection[int], group: Path | None) -> None:
        self.policy = policy
        self.spared = spared
        self.group = group
        self.breach: Breach | None = None
        self._printed = 0
        self._now = 0.0  # watched time, in seconds
        self._cpu = 0.0  # CPU seconds used by the page
        self._cpu_alive = 0.0  # CPU seconds of the processes alive at the last check
        self._before_cell = 0.0  # CPU seconds used before the current cell
        # Time of the page's last sign of life, and the CPU time used until then.
        self._sign_at = self._sign_cpu = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def launch_limit(self) -> str:
        """Return the argument PROCESSES of `launch.py`: the cgroup's folder, or a number."""
        if self.group is not None:
            return str(self.group)
        most = task_limit(self.policy.processes, self.policy.threads)
        return str(most + tasks_of_user())

    def begin_cell(self) -> None:
        """Count CPU time for a new cell from now on."""
        self._before_cell = self._cpu
        self._give_sign()

    def admits(self, content: Any) -> bool:
        """Return whether the page may still print the content of a kernel's message.

        If not, the kernel is killed.
        """
        self._give_sign()
        self._printed += size_of(content)
        if self._printed > self.policy.output * MIB:
            self.refuse_output()
        return self.breach is None

    def refuse_output(self) -> None:
        """End the page, because it printed too much."""
        self._end("OutputLimit", f"the page printed more than {self.policy.output} MiB")

    def _look(self) -> None:
        last = time.monotonic()
        while not self._over.wait(EVERY):
            now = time.monotonic()
            self._now += min(now - last, _LATE)
            last = now
            # Check this first: endless forks leave no time for the slower checks below.
            if self.group is not None and is_full(self.group):
                self._end("ProcessLimit", "the page started processes without end")
            processes = descendants(self.spared)
            if self.breach is not None:
                # Kill processes started while the others were being killed.
                kill(processes)
                continue
            alive = cpu_seconds(processes)
            # The CPU time of an ended process is lost if its parent does not wait for it. So the
            # sum for all processes may fall.
            self._cpu += max(0.0, alive - self._cpu_alive)
            self._cpu_alive = alive
            self._check_limits(processes)

    def _check_limits(self, processes: Sequence[Process]) -> None:
        """End the page if it or its ``processes`` exceed a limit."""
        policy, cpu, now = self.policy, self._cpu, self._now
        if cpu - self._sign_cpu > _CLOCK + AT_WORK * (now - self._sign_at):
            self._give_sign()
        limits = {
            "ProcessLimit": (len(processes), policy.processes),
            "MemoryLimit": (memory_of(processes, limit=policy.memory), policy.memory),
            "CellTimeout": (cpu - self._before_cell, policy.timeout),
            "PageTimeout": (cpu, policy.page_timeout),
            "Stalled": (now - self._sign_at, policy.stall),
            "WallTimeout": (now, policy.wall_timeout),
        }
        for limit, (used, most) in limits.items():
            if used > most:
                self._end(limit, _MESSAGES[limit].format(used=used, most=most))

    def _give_sign(self) -> None:
        """Record a sign of life: the page worked, printed something, or started its next cell."""
        self._sign_at, self._sign_cpu = self._now, self._cpu

    def _end(self, limit: str, message: str) -> None:
        if self.breach is None:  # the first violated limit is the reason
            self.breach = Breach(limit=limit, message=message)
        if self.group is not None:
            kill_group(self.group)
        kill(descendants(self.spared))


def size_of(value: Any) -> int:
    """Return the approximate size of a message's value in bytes.

    Every value counts, because empty ones take memory, too.
    """
    match value:
        case str() | memoryview():
            # Count characters instead of bytes, which is faster. For images, which are base64, the
            # two numbers are equal.
            return VALUE_SIZE + len(value)
        case dict():
            return VALUE_SIZE + sum(map(size_of, (*value, *value.values())))
        case list():
            return VALUE_SIZE + sum(map(size_of, value))
        case _:
            return VALUE_SIZE


def adopt_orphans() -> None:
    """Become the parent of all orphaned processes below this one, from now on.

    This works only on Linux, and does nothing elsewhere.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def descendants(spared: Collection[int] = ()) -> list[Process]:
    """Return all processes below this one, except those with ``spared`` ids."""
    import psutil

    below = psutil.Process().children(recursive=True)
    return [process for process in below if process.pid not in spared]


def is_stopped(pid: int) -> bool:
    """Return whether a signal has stopped the process, and none has resumed it since."""
    import psutil

    with suppress(psutil.Error):
        return str(psutil.Process(pid).status()) == "stopped"
    return False


def end_page_and_resume(pid: int) -> None:
    """Kill all processes below a stopped process, and resume the stopped one."""
    import psutil

    with suppress(psutil.Error):
        process = psutil.Process(pid)
        # Kill the children first: one of them may have sent the signal, and would send it again.
        kill(process.children(recursive=True))
        process.resume()


def kill(processes: Iterable[Process]) -> None:
    """Kill the processes without waiting for their end."""
    import psutil

    for process in processes:
        with suppress(psutil.Error):
            process.kill()


def kill_descendants(spared: Collection[int] = (), *, seconds: float = 5.0) -> None:
    """Kill everything below this process, however often it forks meanwhile.

    Return when all are gone, or after ``seconds``.
    """
    import psutil

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        alive = descendants(spared)
        if not alive:
            return
        kill(alive)
        # The next iteration finds processes that were started meanwhile.
        psutil.wait_procs(alive, timeout=0.5)


def kill_strays(folder: Path) -> None:
    """Kill every process whose environment names ``folder``. This works only on Linux.

    These are the remaining kernels of a worker that was killed.
    """
    import psutil

    # TMPDIR, HOME and other variables of a kernel contain its folder.
    marker = os.fsencode(folder)
    for entry in Path("/proc").glob("[0-9]*"):
        pid = int(entry.name)
        # The process has ended, or belongs to another user.
        with suppress(OSError, psutil.Error):
            if marker in (entry / "environ").read_bytes() and pid != os.getpid():
                psutil.Process(pid).kill()


def cpu_seconds(processes: Iterable[Process]) -> float:
    """Return the CPU seconds of the processes, including their ended children."""
    import psutil

    seconds = 0.0
    for process in processes:
        with suppress(psutil.Error):
            times = process.cpu_times()
            seconds += times.user + times.system
            # The system adds the time of an ended process to its parent. So thousands of short
            # programs count, too.
            seconds += times.children_user + times.children_system
    return seconds


def memory_of(processes: Iterable[Process], *, limit: int) -> int:
    """Return the memory that the processes use together, in MiB.

    If the sum exceeds ``limit``, compute it again, and count shared memory only once. This takes
    longer.
    """
    import psutil

    resident: dict[Process, int] = {}
    for process in processes:
        with suppress(psutil.Error):
            resident[process] = process.memory_info().rss
    # The resident size counts shared memory once per process: eight forks of a process look eight
    # times as large. The proportional size (PSS) avoids that, but is slow to get.
    if len(resident) > 1 and sum(resident.values()) > limit * MIB:
        for process, rss in resident.items():
            with suppress(psutil.Error):
                resident[process] = getattr(process.memory_full_info(), "pss", rss)
    return sum(resident.values()) // MIB


def tasks_of_user() -> int:
    """Return the number of processes and threads that this process's user has."""
    import psutil

    tasks = 0
    for process in psutil.process_iter(["uids", "num_threads"]):
        uids = process.info["uids"]
        if uids is not None and uids.real == os.getuid():
            tasks += process.info["num_threads"] or 1
    return tasks


class Progress(Struct):
    """Progress of a run, updated by the kernel's client."""

    index: int = 0  # of the current cell, among all cells
    # Number of the current code cell. It is shared with the pool, which can thus name the cell when
    # a worker dies.
    shared: c_int = field(default_factory=c_int)
    seconds: list[float] = field(default_factory=list)  # of each code cell that ran
    process: Any = None  # the kernel's process, from subprocess

    @property
    def number(self) -> int:
        """Return the number of the current code cell, from 1; 0 if none has started."""
        return self.shared.value

    def begin_code_cell(self) -> None:
        """Advance to the next code cell."""
        self.shared.value += 1


class PageRun(Struct, frozen=True, kw_only=True):
    """Context of a page's run: the job, its folder, its limits and its progress."""

    job: Job
    folder: Path  # the page's own folder
    watch: Watch
    progress: Progress
    changes: ProjectChanges
