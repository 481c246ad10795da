"""The processes that a kernel leaves behind, wherever they went: found, measured, killed.

A page may start anything. A process whose parent is gone is still found below ours, since ours
adopts orphans; what is left of a worker that was killed itself is found by the folder that it was
given.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from psutil import Process

PR_SET_CHILD_SUBREAPER = 36  # of prctl(2)
MIB = 1 << 20


def adopt_orphans() -> None:
    """From now on, processes below this one whose parent dies become its children.

    Linux only; elsewhere it does nothing.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def descendants(spared: Collection[int] = ()) -> list[Process]:
    """All processes below this one, but for those whose ids are ``spared``."""
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
    """CPU seconds of the processes, and of their children that have ended."""
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
    """MiB of memory that the processes use together.

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
