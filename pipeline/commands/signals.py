"""Signal handlers: SIGTERM acts like Ctrl-C, and critical sections ignore both.

Handlers belong to the whole process, so each function restores the previous handlers at its end.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn


@contextmanager
def terminated_like_interrupted() -> Iterator[None]:
    """Raise KeyboardInterrupt on SIGTERM, so that kernels stop and locks are released."""
    if not _is_main_thread():
        yield
        return

    # If a job is cancelled, CI sends SIGTERM first, and kills the job some seconds later.
    def interrupt(signum: int, frame: FrameType | None) -> NoReturn:
        """Raise KeyboardInterrupt, as Python does on Ctrl-C."""
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ignore SIGINT and SIGTERM while the body runs.

    Use it for short operations that must not stop halfway.
    """
    if not _is_main_thread():
        yield
        return
    before = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        before[number] = signal.signal(number, signal.SIG_IGN)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _is_main_thread() -> bool:
    """Return whether this thread may set signal handlers: Python allows only the main thread.

    A caller in another thread is responsible for its own signals.
    """
    return threading.current_thread() is threading.main_thread()
