"""Work in a process of its own that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable

from pipeline.adapters import sphinx


def killed_after(seconds: float, work: Callable[[], object]) -> bool:
    """Do ``work`` silently in a process, and kill that; return whether it was still at work."""
    child = os.fork()
    if child == 0:
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            # One of its own: the tests' process that has loaded Sphinx would answer the next run.
            sphinx.subprocess = subprocess  # type: ignore[attr-defined]
            work()
        finally:
            os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])
