"""Whole-process cost of commands, run in turns; medians, ratios, and the table that is printed."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

MEBIBYTE = 1024 * 1024
PRINTED = ".printed"  # what the last command in a folder printed
MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024  # bytes per unit of ru_maxrss


class CommandError(Exception):
    """A command under measurement, or one that prepares it, ended with another code than 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a command took.

    ``cpu`` is user + system seconds of a process and all its children, ``wall`` is seconds,
    ``peak`` is MiB of the largest of them.
    """

    cpu: float
    wall: float
    peak: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """One tool in one scene.

    ``prepare`` gets the number of the round, from 1, and is not measured; nor is ``outcome``.
    A command that ends with another code than those of ``accepted`` ends the bench.
    """

    name: str
    # Run one after the other, their cost added up.
    commands: tuple[tuple[str, ...], ...]
    folder: Path
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    prepare: Callable[[int], None] = lambda _: None
    outcome: Callable[[], str] = lambda: ""
    note: str = ""  # what makes it not quite the same job
    missing: str = ""  # why it cannot run here
    accepted: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """How many times smaller than those of ``rival`` our figures are to be.

    0 means that there is no target.
    """

    rival: str
    cpu: float = 0.0
    peak: float = 0.0
    wall: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """What is asked of one contender by itself.

    At most so many seconds ``wall`` or ``cpu`` (0: no limit), and this ``outcome`` in every round
    ("": any).
    """

    contender: str
    outcome: str = ""
    wall: float = 0.0
    cpu: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One job.

    The first contender is ours; the others are compared with it, or with the one that ``beside``
    names for them.
    ``rounds`` is how often it is run unless somebody asks for another number.
    """

    name: str
    title: str
    contenders: tuple[Contender, ...]
    targets: tuple[Target, ...] = ()
    limits: tuple[Limit, ...] = ()
    beside: Mapping[str, str] = field(default_factory=dict)
    rounds: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one contender cost.

    The ratios say how many times more than ours; 0 where there is nothing to compare.
    """

    name: str
    costs: tuple[Cost, ...] = ()
    middle: Cost | None = None
    cpu_ratio: float = 0.0
    peak_ratio: float = 0.0
    wall_ratio: float = 0.0
    beside: str = ""
    outcome: str = ""
    note: str = ""


def run_commands(
    commands: Sequence[Sequence[str]],
    *,
    folder: Path,
    environ: Mapping[str, str],
    accepted: Sequence[int] = (0,),
) -> Cost:
    """Run ``commands`` one after the other.

    Raises CommandError with the end of what the failing one printed.
    """
    costs = [_run(command, folder, environ, accepted) for command in commands]
    return Cost(
        cpu=sum(cost.cpu for cost in costs),
        wall=sum(cost.wall for cost in costs),
        peak=max(cost.peak for cost in costs),
    )


def _run(
    command: Sequence[str],
    folder: Path,
    environ: Mapping[str, str],
    accepted: Sequence[int],
) -> Cost:
    printed = folder / PRINTED
    started = time.perf_counter()
    with printed.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        _, status, usage = os.wait4(process.pid, 0)  # with all children it waited for
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in accepted:
        tail = printed.read_text(encoding="utf-8", errors="replace")[-2000:]
        raise CommandError(
            f"{' '.join(command)}\nended with {process.returncode}:\n{tail}"
        )
    return Cost(
        cpu=usage.ru_utime + usage.ru_stime,
        wall=wall,
        peak=usage.ru_maxrss * MAXRSS_UNIT / MEBIBYTE,
    )


def run_scene(
    scene: Scene, *, rounds: int, tell: Callable[[str], None]
) -> tuple[Row, ...]:
    """Let the contenders work in turns, A B C A B C.

    So whatever else the machine does meets all of them.
    """
    able = [contender for contender in scene.contenders if not contender.missing]
    costs: dict[str, list[Cost]] = {contender.name: [] for contender in able}
    outcomes: dict[str, list[str]] = {contender.name: [] for contender in able}
    for number in range(1, rounds + 1):
        for contender in able:
            contender.prepare(number)
            cost = run_commands(
                contender.commands,
                folder=contender.folder,
                environ=contender.environ,
                accepted=contender.accepted,
            )
            costs[contender.name].append(cost)
            outcomes[contender.name].append(contender.outcome())
            tell(
                f"{scene.name} {number}/{rounds}  {contender.name}: {cost.cpu:.2f} s CPU, "
                f"{cost.wall:.2f} s wall, {cost.peak:.0f} MiB"
            )
    return compare(
        scene,
        costs,
        {name: " / ".join(dict.fromkeys(found)) for name, found in outcomes.items()},
    )


def compare(
    scene: Scene, costs: Mapping[str, Sequence[Cost]], outcomes: Mapping[str, str]
) -> tuple[Row, ...]:
    """Medians and ratios, one row per contender, in their order."""
    middles = {name: middle(found) for name, found in costs.items()}
    rows = []
    for contender in scene.contenders:
        name = contender.name
        if name not in middles:
            rows.append(Row(name=name, note=f"skipped: {contender.missing}"))
            continue
        ours = scene.beside.get(name, scene.contenders[0].name)
        base = middles.get(ours) if ours != name else None
        rows.append(
            Row(
                name=name,
                costs=tuple(costs[name]),
                middle=middles[name],
                cpu_ratio=middles[name].cpu / base.cpu if base else 0.0,
                peak_ratio=middles[name].peak / base.peak if base else 0.0,
                wall_ratio=middles[name].wall / base.wall if base else 0.0,
                beside=ours if base else "",
                outcome=outcomes.get(name, ""),
                note=contender.note,
            )
        )
    return tuple(rows)


def middle(costs: Sequence[Cost]) -> Cost:
    """The median of each figure by itself."""
    return Cost(
        cpu=median(c.cpu for c in costs),
        wall=median(c.wall for c in costs),
        peak=median(c.peak for c in costs),
    )


def judge(scene: Scene, rows: Sequence[Row]) -> tuple[str, ...]:
    """One line per target and limit: met or missed, and by how much. Nothing fails for it."""
    by_name = {row.name: row for row in rows}
    lines = [
        line
        for target in scene.targets
        for line in _judge_target(target, by_name[target.rival])
    ]
    return (
        *lines,
        *(
            line
            for limit in scene.limits
            for line in _judge_limit(limit, by_name[limit.contender])
        ),
    )


def _judge_target(target: Target, row: Row) -> Iterator[str]:
    if row.middle is None:
        yield f"no verdict beside {target.rival}: {row.note}"
        return
    wanted = [
        ("CPU", target.cpu, row.cpu_ratio),
        ("peak memory", target.peak, row.peak_ratio),
        ("wall time", target.wall, row.wall_ratio),
    ]
    for what, least, ratio in wanted:
        if least:
            found = f"{what} of {target.rival} is {ratio:.1f} × that of {row.beside}"
            yield f"{_verdict(ratio >= least)}: {found} (target: at least {least:g} ×)"


def _judge_limit(limit: Limit, row: Row) -> Iterator[str]:
    if row.middle is None:
        yield f"no verdict on {limit.contender}: {row.note}"
        return
    if limit.outcome:
        is_met = row.outcome == limit.outcome
        yield f"{_verdict(is_met)}: {row.name}: {row.outcome or 'nothing'}" + (
            "" if is_met else f" (wanted: {limit.outcome})"
        )
    for what, most, found in (
        ("wall", limit.wall, row.middle.wall),
        ("CPU", limit.cpu, row.middle.cpu),
    ):
        if most:
            yield (
                f"{_verdict(found <= most)}: {row.name}: {found:.2f} s {what} "
                f"(limit: {most:g} s)"
            )


def _verdict(is_met: bool) -> str:
    return "met" if is_met else "MISSED"


def format_table(scene: Scene, rows: Sequence[Row]) -> str:
    """The rows as text, the verdicts below."""
    width = max(len(row.name) for row in rows)
    lines = [
        scene.title,
        (
            f"  {'':{width}}  {'CPU s':>7} {'wall s':>7} {'MiB':>6}   {'CPU ×':>6} {'wall ×':>6} "
            f"{'MiB ×':>6}"
        ),
    ]
    for row in rows:
        if row.middle is None:
            lines.append(f"  {row.name:{width}}  {row.note}")
            continue
        ratios = (
            f"{row.cpu_ratio:6.1f} {row.wall_ratio:6.1f} {row.peak_ratio:6.1f}"
            if row.beside
            else f"{'1':>6} {'1':>6} {'1':>6}"
        )
        remark = "; ".join(
            text
            for text in (
                row.outcome,
                row.note,
                f"× of {row.beside}" if _is_other(scene, row) else "",
            )
            if text
        )
        figures = f"{row.middle.cpu:7.2f} {row.middle.wall:7.2f} {row.middle.peak:6.0f}   {ratios}"
        lines.append(f"  {row.name:{width}}  {figures}   {remark}".rstrip())
    return "\n".join([*lines, *(f"  {line}" for line in judge(scene, rows))])


def _is_other(scene: Scene, row: Row) -> bool:
    return row.beside not in ("", scene.contenders[0].name)


def to_record(scene: Scene, rows: Sequence[Row]) -> dict[str, Any]:
    """A scene and its rows as JSON takes it."""
    return {
        "name": scene.name,
        "title": scene.title,
        "rows": [asdict(row) for row in rows],
        "targets": [asdict(target) for target in scene.targets],
        "limits": [asdict(limit) for limit in scene.limits],
        "verdicts": list(judge(scene, rows)),
    }


def own_peak() -> float:
    """MiB of this process at most: below it no child's peak memory is reported."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * MAXRSS_UNIT / MEBIBYTE
