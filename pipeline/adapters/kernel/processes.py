"""The processes that a kernel leaves behind, wherever they went: found, measured, killed."""

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

PR_SET_CHILD_SUBREAPER = 36
MIB = 1 << 20


def adopt_orphans() -> None:
    """From now on, processes below this one whose parent dies become its children. Linux only; elsewhere it does nothing."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def descendants(spared: Collection[int] = ()) -> list[Process]:
    """All processes below this one, but for those whose ids are ``spared``."""
    import psutil

    return [
        process
        for process in psutil.Process().children(recursive=True)
        if process.pid not in spared
    ]


def kill(found: Iterable[Process]) -> None:
    """Kill the processes, and do not wait."""
    import psutil

    for process in found:
        with suppress(psutil.Error):
            process.kill()


def kill_descendants(spared: Collection[int] = (), *, seconds: float = 5.0) -> None:
    """Kill everything below this process, however often it forks meanwhile; return when it is gone."""
    import psutil

    end = time.monotonic() + seconds
    while (found := descendants(spared)) and time.monotonic() < end:
        kill(found)
        psutil.wait_procs(found, timeout=0.5)


def kill_strays(folder: Path) -> None:
    """Kill every process that was given a place in ``folder``: what is left of kernels whose worker was killed. Linux only."""
    import psutil

    marker = os.fsencode(folder)
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, psutil.Error):
            if marker in (entry / "environ").read_bytes() and int(entry.name) != os.getpid():
                psutil.Process(int(entry.name)).kill()


def memory_of(found: Iterable[Process], *, limit: int) -> int:
    """MiB of memory that the processes use together. Beyond ``limit`` pages that they share are counted once, which takes longer."""
    import psutil

    resident: dict[Process, int] = {}
    for process in found:
        with suppress(psutil.Error):
            resident[process] = process.memory_info().rss
    if sum(resident.values()) > limit * MIB and len(resident) > 1:
        for process, rss in resident.items():
            with suppress(psutil.Error):
                resident[process] = getattr(process.memory_full_info(), "pss", rss)
    return sum(resident.values()) // MIB
