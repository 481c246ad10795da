"""Where each page stands in a picture of a run: a lane per worker, a bar per page. Numbers in, numbers out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.core.execution.result import Execution

WIDTH = 1000  # units of the picture, from the first start to the last end
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600)
_TICKS = 9  # at most
_LETTER = 8  # units that a letter of a label takes


@dataclass(frozen=True, slots=True)
class Bar:
    """One page in a lane, in units. ``label`` is empty where it has no room."""

    run: Execution
    x: float
    width: float
    label: str


@dataclass(frozen=True, slots=True)
class Lane:
    """What one worker did, in order; how much of the time it was at work, in percent."""

    worker: int
    bars: tuple[Bar, ...]
    busy: float


@dataclass(frozen=True, slots=True)
class Timeline:
    """``ticks`` are places and seconds. ``cached`` are pages that were not run now."""

    lanes: tuple[Lane, ...]
    ticks: tuple[tuple[float, int], ...]
    seconds: float
    cached: tuple[Execution, ...]


def timeline(runs: Sequence[Execution]) -> Timeline:
    """The picture of ``runs``; without lanes if none of them says which worker ran it."""
    ran = sorted((run for run in runs if run.worker), key=lambda run: (run.worker, run.started))
    cached = tuple(run for run in runs if run.cached)
    if not ran:
        return Timeline((), (), 0.0, cached)
    seconds = max(0.1, *(run.started + run.seconds for run in ran))
    scale = WIDTH / seconds
    lanes = []
    for worker in sorted({run.worker for run in ran}):
        own = [run for run in ran if run.worker == worker]
        lanes.append(
            Lane(
                worker,
                tuple(_bar(run, scale) for run in own),
                min(100.0, 100 * sum(run.seconds for run in own) / seconds),
            )
        )
    return Timeline(tuple(lanes), _ticks(seconds, scale), seconds, cached)


def _bar(run: Execution, scale: float) -> Bar:
    width = max(run.seconds * scale - 1, 2)  # a gap to the next one; seen even if it took no time
    room = int((width - 10) / _LETTER)
    name = run.page if len(run.page) <= room else run.page.rpartition("/")[2]
    if len(name) > room:
        name = name[: room - 1] + "…" if room >= 4 else ""
    return Bar(run, round(max(run.started, 0.0) * scale, 1), round(width, 1), name)


def _ticks(seconds: float, scale: float) -> tuple[tuple[float, int], ...]:
    step = next(
        (step for step in _STEPS if seconds / step <= _TICKS),
        max(_STEPS[-1], round(seconds / _TICKS)),
    )
    return tuple((round(at * scale, 1), at) for at in range(0, int(seconds) + 1, step))
