"""Limits of a page, and the processes that they are about: CPU time, silence, memory, output.

Limits go by what the kernel and its children have used, so that a verdict is the same on an idle
machine and on a busy one. The clock decides about two things only: a page that neither works nor
prints for long is stalled, and far beyond all of that every page ends. Time in which the watch
itself could not run (a machine that is paused, or too busy) does not count.

A page may start anything. A process whose parent is gone is still found below ours, since ours
adopts orphans. What is left of a worker that was killed itself is found by the folder that it was
given.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from ctypes import c_int
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from pipeline.adapters.kernel.job import Policy

if TYPE_CHECKING:
    from psutil import Process

EVERY = 0.2  # seconds between two looks
# The share of a core below which a page does not work. A loop that looks a hundred times a second
# whether something has come takes half of it; a page on a machine that is ten times too busy has
# ten times as much.
AT_WORK = 0.01
# CPU seconds that count as work at once: several ticks of the system's clock.
_CLOCK = 0.1
# Seconds that may pass between two looks and count: what is longer says nothing of the page.
_LATE = 2.0
PR_SET_CHILD_SUBREAPER = 36  # of prctl(2)
MIB = 1 << 20
_MESSAGES = {
    "MemoryLimit": "the kernel and its children used {used} MiB of memory of {most}",
    "CellTimeout": "the cell used more than {most} s of CPU time",
    "PageTimeout": "the page used more than {most} s of CPU time",
    "Stalled": "the page neither worked nor printed anything for {most} s",
    "WallTimeout": "the page was not done after {most} s",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """A limit that was gone beyond: its name, as an exception would have, and what happened."""

    limit: str
    message: str


class Watch:
    """While entered, kills the processes below this one once they go beyond ``policy``.

    Those that are ``spared`` do not count. ``breach`` is then the first limit that was broken.
    """

    def __init__(self, policy: Policy, spared: Collection[int]) -> None:
        self.policy = policy
        self.spared = spared
        self.breach: Breach | None = None
        self._printed = 0
        self._now = 0.0  # seconds that were watched
        self._cpu = 0.0  # seconds that the page has used
        self._cpu_alive = 0.0  # those of the processes that were there at the last look
        self._before_cell = 0.0  # CPU seconds that were used when the cell began
        # When the page last gave a sign of life, and what CPU time it had used by then.
        self._sign_at = self._sign_cpu = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()

    def begin_cell(self) -> None:
        """From now on CPU time is that of another cell."""
        self._before_cell = self._cpu
        self._give_sign()

    def admits(self, content: Any) -> bool:
        """Return whether a message of the kernel is within what a page may print.

        If not, the kernel is killed.
        """
        self._give_sign()
        # Text is counted as characters: near enough, and images are base64.
        self._printed += size_of(content)
        if self._printed > self.policy.output * MIB:
            self._end(
                "OutputLimit", f"the page printed more than {self.policy.output} MiB"
            )
        return self.breach is None

    def _look(self) -> None:
        last = time.monotonic()
        while not self._over.wait(EVERY):
            now = time.monotonic()
            self._now += min(now - last, _LATE)
            last = now
            processes = descendants(self.spared)
            if self.breach is not None:
                # Whatever was started while the others were being killed.
                kill(processes)
                continue
            alive = cpu_seconds(processes)
            # A process that nobody waits for takes its share along when it ends.
            self._cpu += max(0.0, alive - self._cpu_alive)
            self._cpu_alive = alive
            self._check_limits(memory_of(processes, limit=self.policy.memory))

    def _check_limits(self, memory: int) -> None:
        """End the page if it has gone beyond a limit; ``memory`` is in MiB."""
        policy, cpu, now = self.policy, self._cpu, self._now
        if cpu - self._sign_cpu > _CLOCK + AT_WORK * (now - self._sign_at):
            self._give_sign()
        limits = {
            "MemoryLimit": (memory, policy.memory),
            "CellTimeout": (cpu - self._before_cell, policy.timeout),
            "PageTimeout": (cpu, policy.page_timeout),
            "Stalled": (now - self._sign_at, policy.stall),
            "WallTimeout": (now, policy.wall_timeout),
        }
        for limit, (used, most) in limits.items():
            if used > most:
                self._end(limit, _MESSAGES[limit].format(used=used, most=most))

    def _give_sign(self) -> None:
        """Note that the page lives: it has worked, printed something, or begun its next cell."""
        self._sign_at, self._sign_cpu = self._now, self._cpu

    def _end(self, limit: str, message: str) -> None:
        if self.breach is None:  # what was broken first is what the page is stopped for
            self.breach = Breach(limit=limit, message=message)
        kill(descendants(self.spared))


def size_of(value: Any) -> int:
    """Return about how many bytes a value of JSON takes: its texts."""
    match value:
        case str():
            return len(value)
        case dict():
            return sum(map(size_of, value.values()))
        case list():
            return sum(map(size_of, value))
        case _:
            return 0


def adopt_orphans() -> None:
    """From now on, processes below this one whose parent dies become its children.

    Linux only; elsewhere it does nothing.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def descendants(spared: Collection[int] = ()) -> list[Process]:
    """Return all processes below this one, but for those whose ids are ``spared``."""
    import psutil

    below = psutil.Process().children(recursive=True)
    return [process for process in below if process.pid not in spared]


def is_stopped(pid: int) -> bool:
    """Return whether a signal has stopped the process, and nothing has continued it since."""
    import psutil

    with suppress(psutil.Error):
        return str(psutil.Process(pid).status()) == "stopped"
    return False


def release(pid: int) -> None:
    """Kill all processes below a process that was stopped, and let it go on."""
    import psutil

    with suppress(psutil.Error):
        process = psutil.Process(pid)
        # In this order: what has stopped it must not do so again.
        kill(process.children(recursive=True))
        process.resume()


def kill(processes: Iterable[Process]) -> None:
    """Kill the processes, and do not wait."""
    import psutil

    for process in processes:
        with suppress(psutil.Error):
            process.kill()


def kill_descendants(spared: Collection[int] = (), *, seconds: float = 5.0) -> None:
    """Kill everything below this process, however often it forks meanwhile.

    Return when it is gone, or after so many ``seconds``.
    """
    import psutil

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        alive = descendants(spared)
        if not alive:
            return
        kill(alive)
        # Those that were started meanwhile are found by the next look.
        psutil.wait_procs(alive, timeout=0.5)


def kill_strays(folder: Path) -> None:
    """Kill every process that was given a place in ``folder``. Linux only.

    This finds what is left of kernels whose worker was killed.
    """
    import psutil

    # TMPDIR, HOME and others in the environment of a kernel name its folder.
    marker = os.fsencode(folder)
    for entry in Path("/proc").glob("[0-9]*"):
        pid = int(entry.name)
        # It has gone meanwhile, or is another user's.
        with suppress(OSError, psutil.Error):
            if marker in (entry / "environ").read_bytes() and pid != os.getpid():
                psutil.Process(pid).kill()


def cpu_seconds(processes: Iterable[Process]) -> float:
    """Return CPU seconds of the processes, and of their children that have ended."""
    import psutil

    seconds = 0.0
    for process in processes:
        with suppress(psutil.Error):
            times = process.cpu_times()
            seconds += times.user + times.system
            # What a process has used counts for its parent once it is gone: nothing is lost
            # when a page starts thousands of programs that end at once.
            seconds += times.children_user + times.children_system
    return seconds


def memory_of(processes: Iterable[Process], *, limit: int) -> int:
    """Return MiB of memory that the processes use together.

    Beyond ``limit`` pages that they share are counted once, which takes longer to find out.
    """
    import psutil

    resident: dict[Process, int] = {}
    for process in processes:
        with suppress(psutil.Error):
            resident[process] = process.memory_info().rss
    # The resident size of each process counts shared pages again: eight workers that were forked
    # from one look eight times as large. The proportional size does not, but takes long.
    if len(resident) > 1 and sum(resident.values()) > limit * MIB:
        for process, rss in resident.items():
            with suppress(psutil.Error):
                resident[process] = getattr(process.memory_full_info(), "pss", rss)
    return sum(resident.values()) // MIB


@dataclass(slots=True)
class Progress:
    """How far a run has come; written by the client of the kernel."""

    index: int = 0  # of the cell that it is at, among all cells
    # The number of the code cell that it is at. The pool shares it, and so can name the cell of a
    # worker that dies.
    shared: c_int = field(default_factory=c_int)
    seconds: list[float] = field(default_factory=list)  # of each code cell that ran
    process: Any = None  # the kernel's, as subprocess started it

    @property
    def number(self) -> int:
        """The number of the code cell that it is at, from 1; 0: none has begun."""
        return self.shared.value

    def begin_code_cell(self) -> None:
        """Go on to the next code cell."""
        self.shared.value += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRun:
    """Where a page runs, in what limits, and who is told how far it is."""

    folder: Path  # the page's own
    offline: bool
    watch: Watch
    progress: Progress
