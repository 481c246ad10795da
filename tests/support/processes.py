"""Processes of this machine, looked up in ``/proc``, and waiting for something to happen."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


@contextmanager
def outsider(orders: Path) -> Iterator[None]:
    """While entered, a thread sends the signals that ``order_of`` asks for in ``orders``.

    Cells cannot send them themselves where the system keeps their signals inside.
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
    """Code of a cell that has an ``outsider`` send the signal ``name``, and waits.

    ``process`` is an expression for the process: ``"os.getppid()"``.
    """
    path = f"{str(orders)!r} + f'/{{{process}}}-{name}'"
    return f"import os, psutil, time\nopen({path}, 'x').close()\ntime.sleep({seconds})"
