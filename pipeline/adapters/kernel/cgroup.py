"""Cgroup of a worker's kernel: makes the system limit the number of the kernel's processes.

The watch alone (``watch``) cannot stop a page that forks without end, because such a page takes all
CPU time. A cgroup is a folder of the system. Only Linux has cgroups, and not every user may create
one. The name of the folder contains the worker's process id, so that the next run finds the cgroups
of killed workers.

Without a cgroup, `launch.py` limits the number of the user's processes. This does not limit root.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
MEMBERSHIP = Path("/proc/self/cgroup")
_NAME = "docs-kernel-"
# Number of threads that the limit allows for each computing thread of a page, because libraries
# have several pools of threads.
_THREADS = 32
_EVERY = 0.02  # seconds between checks whether killed processes are gone


def task_limit(processes: int, threads: int) -> int:
    """Return the limit for a page's processes and threads; the system counts both together."""
    return processes + _THREADS * threads


def make_group(limit: int) -> Path | None:
    """Create a cgroup with at most ``limit`` processes and threads; return its folder.

    Return None if the system does not permit that.
    """
    for parent in _parents():
        group = parent / f"{_NAME}{os.getpid()}"
        with suppress(OSError):
            group.mkdir()
            with suppress(OSError), (group / "pids.max").open("r+") as file:
                file.write(str(limit))
                return group
            group.rmdir()
    return None


def _parents() -> Iterator[Path]:
    """Yield the cgroups in which this process may be able to create another one."""
    with suppress(OSError):
        for line in MEMBERSHIP.read_text("utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if "pids" in controllers.split(","):  # version 1
                yield ROOT / "pids" / path[1:]
            elif not controllers:
                # In version 2, only the root may both contain processes and limit cgroups inside
                # it. So if this process is in another cgroup, use the parent of that cgroup.
                yield ROOT if path == "/" else (ROOT / path[1:]).parent


def is_full(group: Path) -> bool:
    """Return whether the system has refused to start a process in ``group``."""
    with suppress(OSError):
        return "max 0\n" not in (group / "pids.events").read_text("ascii")
    return False


def kill_group(group: Path) -> None:
    """Kill all processes in ``group``, without waiting for their end."""
    with suppress(OSError):
        # From now on no process can start another one, so one round finds all processes.
        (group / "pids.max").write_text("0", "ascii")
        for line in (group / "cgroup.procs").read_text("ascii").split():
            # 0 stands for a process that this one cannot see. Do not pass it to `kill`, for which 0
            # means the process group of this process.
            if int(line) not in (0, os.getpid()):
                with suppress(OSError):
                    os.kill(int(line), signal.SIGKILL)


def remove_group(group: Path, *, seconds: float = 5.0) -> None:
    """Kill all processes in ``group`` and remove it; give up after ``seconds``."""
    end = time.monotonic() + seconds
    while group.exists() and time.monotonic() < end:
        kill_group(group)
        with suppress(OSError):  # fails until the last process is gone
            group.rmdir()
            return
        time.sleep(_EVERY)


def remove_strays() -> None:
    """Remove the cgroups of workers that no longer exist, with all processes in them."""
    for parent in _parents():
        for group in parent.glob(f"{_NAME}*"):
            if not Path("/proc", group.name.removeprefix(_NAME)).exists():
                remove_group(group)
