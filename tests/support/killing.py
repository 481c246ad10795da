"""Helper that kills a process while it works."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable

from pipeline.adapters import sphinx


def killed_after(seconds: float, work: Callable[[], object]) -> bool:
    """Run ``work`` in another process, and kill it. Return whether it was still running."""
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
