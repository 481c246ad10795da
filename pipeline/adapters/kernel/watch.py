"""Limits that hold for a page: its CPU time, its silence, its memory, what it prints.

They go by what the kernel and its children have used, so that a verdict is the same on a machine
that does nothing else and on one that is busy. The clock decides about two things only: a page that
neither works nor prints for long is stalled, and far beyond all of that every page ends. Time in
which the watch itself was not let run (a machine that is paused, or too busy) does not count.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from pipeline.adapters.kernel.job import Policy
from pipeline.adapters.kernel.processes import (
    MIB,
    cpu_seconds,
    descendants,
    kill,
    memory_of,
)

EVERY = 0.2  # seconds between two looks
# The share of a core below which a page does not work. A loop that looks a hundred times a second
# whether something has come takes half of it; a page on a machine that is ten times too busy has
# ten times as much.
AT_WORK = 0.01
# CPU seconds that count as work at once: several ticks of the system's clock.
_CLOCK = 0.1
# Seconds that may pass between two looks and count: what is longer says nothing of the page.
_LATE = 2.0


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
        self._now = 0.0  # seconds that were watched
        self._usage = _Usage()
        self._before_cell = 0.0  # CPU seconds that were used when the cell began
        self._last_sign = _Sign(at=0.0, cpu=0.0)
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

    def begin_cell(self) -> None:
        """From now on CPU time is that of another cell."""
        self._before_cell = self._usage.seconds
        self._give_sign()

    def admits(self, content: Any) -> bool:
        """Whether a message of the kernel is within what a page may print.

        If not, the kernel is killed.
        """
        self._give_sign()
        # Text is counted as characters: near enough, and images are base64.
        self._printed += size_of(content)
        if self._printed > self.policy.output * MIB:
            self._end(
                "OutputLimit", f"the page printed more than {self.policy.output} MiB"
            )
        return self.breach is None

    def _look(self) -> None:
        last = time.monotonic()
        while not self._over.wait(EVERY):
            now = time.monotonic()
            self._now += min(now - last, _LATE)
            last = now
            processes = descendants(self.spared)
            if self.breach is not None:
                # Whatever was started while the others were being killed.
                kill(processes)
                continue
            self._usage.take_in(cpu_seconds(processes))
            memory = memory_of(processes, limit=self.policy.memory)
            for limit, is_broken, message in self._limits(memory):
                if is_broken:
                    self._end(limit, message)

    def _limits(self, memory: int) -> tuple[tuple[str, bool, str], ...]:
        """Each limit by its name, whether it is broken, and what is told of that."""
        policy, cpu, now = self.policy, self._usage.seconds, self._now
        if self._last_sign.is_followed_by_work(now, cpu):
            self._give_sign()
        return (
            (
                "MemoryLimit",
                memory > policy.memory,
                f"the kernel and its children used {memory} MiB of memory of {policy.memory}",
            ),
            (
                "CellTimeout",
                cpu - self._before_cell > policy.timeout,
                f"the cell used more than {policy.timeout} s of CPU time",
            ),
            (
                "PageTimeout",
                cpu > policy.page_timeout,
                f"the page used more than {policy.page_timeout} s of CPU time",
            ),
            (
                "Stalled",
                now - self._last_sign.at > policy.stall,
                f"the page neither worked nor printed anything for {policy.stall} s",
            ),
            (
                "WallTimeout",
                now > policy.wall_timeout,
                f"the page was not done after {policy.wall_timeout} s",
            ),
        )

    def _give_sign(self) -> None:
        """The page lives: it has worked, or printed something, or gone on to its next cell."""
        self._last_sign = _Sign(at=self._now, cpu=self._usage.seconds)

    def _end(self, limit: str, message: str) -> None:
        if self.breach is None:  # what was broken first is what the page is stopped for
            self.breach = Breach(limit=limit, message=message)
        kill(descendants(self.spared))


class _Usage:
    """CPU seconds that a page has used, also by processes that nobody has waited for."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._alive = 0.0  # of the processes that were there at the last look

    def take_in(self, alive: float) -> None:
        """``alive`` is what the processes that are there now have used."""
        # A process that goes without a parent that waits for it takes its share along.
        self.seconds += max(0.0, alive - self._alive)
        self._alive = alive


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sign:
    """When a page last gave a sign of life, and what CPU time it had used by then.

    ``at`` is in seconds that were watched.
    """

    at: float
    cpu: float

    def is_followed_by_work(self, now: float, cpu: float) -> bool:
        """Whether the page has worked since, having used ``cpu`` seconds by ``now``."""
        return cpu - self.cpu > _CLOCK + AT_WORK * (now - self.at)


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
