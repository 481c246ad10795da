"""Functions to find processes of this machine in ``/proc``, and to wait for a condition."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


def is_alive(process: int) -> bool:
    """Return whether a process with this id exists and has not ended (as a zombie has)."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def processes_with(marker: str) -> list[int]:
    """Return the other live processes that have ``marker`` in their environment."""
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
    """Wait until ``condition`` holds. Return False if this takes longer than ``seconds``."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


@contextmanager
def outsider(orders: Path) -> Iterator[None]:
    """Run a thread, during the body, that sends the signals requested in the folder ``orders``.

    Code in cells cannot send signals to other processes if the system isolates the kernel.
    """
    orders.mkdir(parents=True, exist_ok=True)
    is_over = threading.Event()

    def obey() -> None:
        while not is_over.wait(0.05):
            for order in orders.glob("[0-9]*-SIG*"):
                process, _, name = order.name.partition("-")
                order.unlink()
                os.kill(int(process), signal.Signals[name])

    thread = threading.Thread(target=obey)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def order_of(orders: Path, process: str, name: str, *, seconds: int = 60) -> str:
    """Return code for a cell that requests the signal ``name`` from an ``outsider``, and waits.

    ``process`` is a Python expression for the receiving process: ``"os.getppid()"``.
    """
    path = f"{str(orders)!r} + f'/{{{process}}}-{name}'"
    return f"import os, psutil, time\nopen({path}, 'x').close()\ntime.sleep({seconds})"
