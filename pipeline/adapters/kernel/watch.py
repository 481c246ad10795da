"""Limits that hold for a page as a whole: its time, its memory, what it prints."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from pipeline.adapters.kernel.job import Policy
from pipeline.adapters.kernel.processes import MIB, descendants, kill, memory_of

EVERY = 0.2  # seconds between two looks


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """A limit that was gone beyond: its name, as an exception would have, and what happened."""

    limit: str
    message: str


class Watch:
    """While entered, kills the processes below this one once they go beyond ``policy``.

    Those that are ``spared`` do not count. ``breach`` is then the first limit that was broken.
    """

    def __init__(self, policy: Policy, spared: Collection[int]) -> None:
        self.policy = policy
        self.spared = spared
        self.breach: Breach | None = None
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
        """Whether a message of the kernel is within what a page may print.

        If not, the kernel is killed.
        """
        # Text is counted as characters: near enough, and images are base64.
        self._printed += size_of(content)
        if self._printed > self.policy.output * MIB:
            self._end(
                "OutputLimit", f"the page printed more than {self.policy.output} MiB"
            )
        return self.breach is None

    def _look(self) -> None:
        policy = self.policy
        end = time.monotonic() + policy.page_timeout
        while not self._over.wait(EVERY) and self.breach is None:
            if time.monotonic() > end:
                self._end(
                    "PageTimeout", f"the page ran for more than {policy.page_timeout} s"
                )
            used = memory_of(descendants(self.spared), limit=policy.memory)
            if used > policy.memory:
                message = (
                    f"the kernel and its children used {used} MiB of memory, "
                    f"and may use {policy.memory} MiB"
                )
                self._end("MemoryLimit", message)

    def _end(self, limit: str, message: str) -> None:
        if self.breach is None:  # what was broken first is what the page is stopped for
            self.breach = Breach(limit=limit, message=message)
        kill(descendants(self.spared))


def size_of(value: Any) -> int:
    """About how many bytes a value of JSON takes: its texts."""
    match value:
        case str():
            return len(value)
        case dict():
            return sum(map(size_of, value.values()))
        case list():
            return sum(map(size_of, value))
        case _:
            return 0
