"""Limits that hold for a page as a whole: its time, its memory, what it prints."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection
from types import TracebackType
from typing import Any

from pipeline.adapters.kernel import processes
from pipeline.adapters.kernel.pool import Policy

EVERY = 0.2  # seconds between two looks


class Watch:
    """While entered, kills the processes below this one that are not ``spared`` once they go beyond ``policy``.

    ``breach`` then holds the name of the limit and a message.
    """

    def __init__(self, policy: Policy, spared: Collection[int]) -> None:
        self.policy = policy
        self.spared = spared
        self.breach: tuple[str, str] | None = None
        self._printed = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()

    def admits(self, content: Any) -> bool:
        """Whether a message of the kernel is within what a page may print. If not, the kernel is killed."""
        self._printed += size_of(content)
        if self._printed > self.policy.output * processes.MIB:
            self._end("OutputLimit", f"the page printed more than {self.policy.output} MiB")
        return self.breach is None

    def _look(self) -> None:
        end = time.monotonic() + self.policy.page_timeout
        while not self._over.wait(EVERY) and self.breach is None:
            if time.monotonic() > end:
                self._end("PageTimeout", f"the page ran for more than {self.policy.page_timeout} s")
            used = processes.memory_of(processes.descendants(self.spared), limit=self.policy.memory)
            if used > self.policy.memory:
                words = f"the kernel and its children used {used} MiB of memory, and may use {self.policy.memory} MiB"
                self._end("MemoryLimit", words)

    def _end(self, name: str, message: str) -> None:
        self.breach = self.breach or (name, message)
        processes.kill(processes.descendants(self.spared))


def size_of(value: Any) -> int:
    """About how many bytes a value of JSON takes: its texts."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(size_of, value.values()))
    return sum(map(size_of, value)) if isinstance(value, list) else 0
