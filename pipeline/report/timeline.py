"""Where each page stands in a picture of a run: a lane per worker, a bar per page.

Runs go in, numbers come out, in units of the picture; the template draws them. Times come from the
clocks of several machines: whatever they say, the numbers stay in the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.core.execution.result import Execution

WIDTH = 1000  # units of the picture, from the first start to the last end
_SHORTEST = 0.1  # seconds that a picture shows at least
# Seconds between two ticks.
_STEPS = (*(1, 2, 5, 10, 15, 30), *(60, 120, 300, 600, 900, 1800, 3600))
_TICKS = 9  # at most
_LETTER = 8  # units that a letter of a label takes
_PADDING = 10  # units of a bar that a label leaves free
_SHORT = 4  # letters that a label has at least, if it is cut


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One page in a lane, in units. ``label`` is empty where it has no room."""

    run: Execution
    x: float
    width: float
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """What one worker did, in order; how much of the time it was at work, in percent."""

    worker: int
    bars: tuple[Bar, ...]
    busy: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """``ticks`` are places and seconds. ``cached`` are pages that were not run now."""

    lanes: tuple[Lane, ...] = ()
    ticks: tuple[tuple[float, int], ...] = ()
    seconds: float = 0.0
    cached: tuple[Execution, ...] = ()


def timeline(runs: Sequence[Execution]) -> Timeline:
    """The picture of ``runs``; without lanes if none of them says which worker ran it."""
    cached = tuple(run for run in runs if run.cached)
    by_worker: dict[int, list[Execution]] = {}
    seconds = _SHORTEST
    for run in sorted(runs, key=lambda run: (run.worker, run.started)):
        if run.worker:  # 0 stands for "not run now"
            by_worker.setdefault(run.worker, []).append(run)
            seconds = max(seconds, run.started + run.seconds)
    if not by_worker:
        return Timeline(cached=cached)
    return Timeline(
        lanes=tuple(_lane(worker, lane, seconds) for worker, lane in by_worker.items()),
        ticks=_ticks(seconds),
        seconds=seconds,
        cached=cached,
    )


def _lane(worker: int, runs: Sequence[Execution], seconds: float) -> Lane:
    """What ``worker`` did in a run of ``seconds``."""
    at_work = sum(run.seconds for run in runs)
    return Lane(
        worker=worker,
        bars=tuple(_bar(run, scale=WIDTH / seconds) for run in runs),
        busy=min(100.0, 100 * at_work / seconds),
    )


def _bar(run: Execution, *, scale: float) -> Bar:
    """The bar of a page; ``scale`` is units per second."""
    # A unit is left to the next bar; a page that took no time can be seen all the same.
    width = max(run.seconds * scale - 1, 2)
    return Bar(
        run=run,
        x=round(max(run.started, 0.0) * scale, 1),
        width=round(width, 1),
        label=_label(run.page, letters=int((width - _PADDING) / _LETTER)),
    )


def _label(page: str, *, letters: int) -> str:
    """The page's name; its last part or the beginning of that, as there is room.

    ``guide/sharding`` in 8 letters is ``sharding``, in 6 ``shard…``, in 3 nothing.
    """
    if len(page) <= letters:
        return page
    name = page.rpartition("/")[2]
    if len(name) <= letters:
        return name
    if letters < _SHORT:
        return ""
    return name[: letters - 1] + "…"


def _ticks(seconds: float) -> tuple[tuple[float, int], ...]:
    """Where a run of ``seconds`` has ticks: the place of each, and its seconds.

    A run of 100 seconds has them 15 apart: ``(0, 0), (150, 15), (300, 30), …``.
    """
    scale = WIDTH / seconds
    step = max(_STEPS[-1], round(seconds / _TICKS))  # of a run of many hours
    for seconds_apart in reversed(_STEPS):
        if seconds / seconds_apart <= _TICKS:
            step = seconds_apart
    places = range(0, int(seconds) + 1, step)
    return tuple((round(at * scale, 1), at) for at in places)
