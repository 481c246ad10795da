"""Processes of this machine, looked up in ``/proc``, and waiting for something to happen."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path


def is_alive(process: int) -> bool:
    """Whether there is a process with this id that has not ended; a zombie has."""
    try:
        return (
            Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
            != "Z"
        )
    except OSError:
        return False


def processes_with(marker: str) -> list[int]:
    """Live processes, but this one, that were started with ``marker`` in their environment."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            text = (entry / "environ").read_bytes()
        except OSError:  # it has ended by now, or belongs to somebody else
            continue
        process = int(entry.name)
        if os.fsencode(marker) in text and process != os.getpid() and is_alive(process):
            found.append(process)
    return found


def until(condition: Callable[[], object], *, seconds: float) -> bool:
    """Wait until ``condition`` holds; False if it does not do so in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
