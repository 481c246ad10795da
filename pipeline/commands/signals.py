"""What signals do to a run: they end it as Ctrl-C does, or wait for a moment that must not be cut.

Handlers are those of the process. Whoever sets one here puts back the one that was there.
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
    """Let SIGTERM unwind like Ctrl-C, so that kernels are stopped and locks released."""
    if not _is_main_thread():
        yield
        return

    # CI ends a job with SIGTERM, and kills it some seconds later.
    def interrupt(signum: int, frame: FrameType | None) -> NoReturn:
        """Do as Python does on Ctrl-C."""
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let the body come to its end whatever is pressed.

    It is for what takes a moment, and is worse half done than not begun.
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
    """Whether handlers can be set here: Python lets no other thread do it.

    Whoever calls us from another one sees to signals.
    """
    return threading.current_thread() is threading.main_thread()
