"""Whole-process cost of commands, run in turns; medians, ratios, and the table that is printed."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import truediv
from pathlib import Path
from statistics import median
from typing import Any

from msgspec import Struct, field, to_builtins
from msgspec.structs import astuple, replace

MEBIBYTE = 1024 * 1024
PRINTED = ".printed"  # what the last command in a folder printed


class CommandError(Exception):
    """A command under measurement, or one that prepares it, ended with another code than 0."""


class Cost(Struct, frozen=True):
    """What a command took, or how many times more than ours.

    ``cpu`` is user + system seconds of a process and all its children, ``wall`` is seconds,
    ``peak`` is MiB of the largest of them.
    """

    cpu: float
    wall: float
    peak: float


def environment() -> dict[str, str]:
    """What every child has: no colours, nobody's git settings, and byte code is kept.

    Who compiles anew each time measures nothing else.
    """
    without = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
    kept = {name: value for name, value in os.environ.items() if name not in without}
    git = dict.fromkeys(("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"), os.devnull)
    return {**kept, **git, "NO_COLOR": "1"}


class Contender(Struct, frozen=True, kw_only=True):
    """One tool in one scene.

    ``prepare`` gets the number of the round, from 1, and is not measured; nor is ``outcome``.
    A command that ends with another code than those of ``accepted`` ends the bench.
    """

    name: str
    # Run one after the other, their cost added up.
    commands: tuple[tuple[str, ...], ...]
    folder: Path
    environ: Mapping[str, str] = field(default_factory=environment)
    prepare: Callable[[int], None] = lambda _: None
    outcome: Callable[[], str] = lambda: ""
    note: str = ""  # what makes it not quite the same job
    missing: str = ""  # why it cannot run here
    accepted: tuple[int, ...] = (0,)


class Target(Struct, frozen=True, kw_only=True):
    """How many times smaller than those of ``rival`` our figures are to be.

    0 means that there is no target.
    """

    rival: str
    cpu: float = 0.0
    peak: float = 0.0
    wall: float = 0.0


class Limit(Struct, frozen=True, kw_only=True):
    """What is asked of one contender by itself.

    At most so many seconds ``wall`` or ``cpu`` (0: no limit), and this ``outcome`` in every round
    ("": any).
    """

    contender: str
    outcome: str = ""
    wall: float = 0.0
    cpu: float = 0.0


class Scene(Struct, frozen=True, kw_only=True):
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


class Row(Struct, frozen=True, kw_only=True):
    """What one contender cost.

    The ratios are 0 where there is nothing to compare.
    """

    name: str
    costs: tuple[Cost, ...] = ()
    middle: Cost | None = None
    ratios: Cost = Cost(cpu=0, wall=0, peak=0)
    beside: str = ""
    outcome: str = ""
    note: str = ""


def run_contender(contender: Contender) -> Cost:
    """Run the commands of a contender one after the other.

    Raises CommandError with the end of what the failing one printed.
    """
    costs = [_run(command, contender) for command in contender.commands]
    return Cost(
        cpu=sum(cost.cpu for cost in costs),
        wall=sum(cost.wall for cost in costs),
        peak=max(cost.peak for cost in costs),
    )


def _run(command: Sequence[str], contender: Contender) -> Cost:
    printed = contender.folder / PRINTED
    started = time.perf_counter()
    with printed.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=contender.folder,
            env=contender.environ,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        _, status, usage = os.wait4(process.pid, 0)  # with all children it waited for
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in contender.accepted:
        tail = printed.read_text(encoding="utf-8", errors="replace")[-2000:]
        raise CommandError(f"{' '.join(command)}\nended with {process.returncode}:\n{tail}")
    cpu, peak = usage.ru_utime + usage.ru_stime, _mebibytes(usage)
    return Cost(cpu=cpu, wall=wall, peak=peak)


def run_scene(scene: Scene, *, rounds: int, tell: Callable[[str], None]) -> tuple[Row, ...]:
    """Let the contenders work in turns, A B C A B C.

    So whatever else the machine does meets all of them.
    """
    able = [contender for contender in scene.contenders if not contender.missing]
    costs: dict[str, list[Cost]] = {contender.name: [] for contender in able}
    outcomes: dict[str, list[str]] = {contender.name: [] for contender in able}
    for number in range(1, rounds + 1):
        for contender in able:
            contender.prepare(number)
            cost = run_contender(contender)
            costs[contender.name].append(cost)
            outcomes[contender.name].append(contender.outcome())
            tell(
                f"{scene.name} {number}/{rounds}  {contender.name}: {cost.cpu:.2f} s CPU, "
                f"{cost.wall:.2f} s wall, {cost.peak:.0f} MiB"
            )
    told = {name: " / ".join(dict.fromkeys(found)) for name, found in outcomes.items()}
    return compare(scene, costs, told)


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
        row = Row(
            name=name,
            costs=tuple(costs[name]),
            middle=middles[name],
            outcome=outcomes.get(name, ""),
            note=contender.note,
        )
        if ours != name and ours in middles:
            ratios = times(middles[name], middles[ours])
            row = replace(row, ratios=ratios, beside=ours)
        rows.append(row)
    return tuple(rows)


def middle(costs: Sequence[Cost]) -> Cost:
    """The median of each figure by itself."""
    return Cost(*map(median, zip(*map(astuple, costs), strict=True)))


def times(cost: Cost, ours: Cost) -> Cost:
    """How many times more than ours each figure is."""
    return Cost(*map(truediv, astuple(cost), astuple(ours)))


def judge(scene: Scene, rows: Sequence[Row]) -> tuple[str, ...]:
    """One line per target and limit: met or missed, and by how much. Nothing fails for it."""
    by_name = {row.name: row for row in rows}
    lines: list[str] = []
    for target in scene.targets:
        lines += _judge_target(target, by_name[target.rival])
    for limit in scene.limits:
        lines += _judge_limit(limit, by_name[limit.contender])
    return tuple(lines)


def _judge_target(target: Target, row: Row) -> Iterator[str]:
    if row.middle is None:
        yield f"no verdict beside {target.rival}: {row.note}"
        return
    for what, least, ratio in (
        ("CPU", target.cpu, row.ratios.cpu),
        ("peak memory", target.peak, row.ratios.peak),
        ("wall time", target.wall, row.ratios.wall),
    ):
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
            took = f"{row.name}: {found:.2f} s {what}"
            yield f"{_verdict(found <= most)}: {took} (limit: {most:g} s)"


def _verdict(is_met: bool) -> str:
    return "met" if is_met else "MISSED"


def format_table(scene: Scene, rows: Sequence[Row]) -> str:
    """The rows as text, the verdicts below."""
    width = max(len(row.name) for row in rows)
    head = f"{'CPU s':>7} {'wall s':>7} {'MiB':>6}   {'CPU ×':>6} {'wall ×':>6} {'MiB ×':>6}"
    lines = [scene.title, f"  {'':{width}}  {head}"]
    for row in rows:
        if row.middle is None:
            lines.append(f"  {row.name:{width}}  {row.note}")
            continue
        ratios = f"{'1':>6} {'1':>6} {'1':>6}"
        if row.beside:
            found = row.ratios
            ratios = f"{found.cpu:6.1f} {found.wall:6.1f} {found.peak:6.1f}"
        is_other = row.beside not in ("", scene.contenders[0].name)
        other = f"× of {row.beside}" if is_other else ""
        remark = "; ".join(filter(None, (row.outcome, row.note, other)))
        figures = f"{row.middle.cpu:7.2f} {row.middle.wall:7.2f} {row.middle.peak:6.0f}   {ratios}"
        lines.append(f"  {row.name:{width}}  {figures}   {remark}".rstrip())
    return "\n".join([*lines, *(f"  {line}" for line in judge(scene, rows))])


def to_record(scene: Scene, rows: Sequence[Row]) -> dict[str, Any]:
    """A scene and its rows as JSON takes it."""
    return {
        "name": scene.name,
        "title": scene.title,
        "rows": to_builtins(rows),
        "targets": to_builtins(scene.targets),
        "limits": to_builtins(scene.limits),
        "verdicts": list(judge(scene, rows)),
    }


def own_peak() -> float:
    """MiB of this process at most: below it no child's peak memory is reported."""
    return _mebibytes(resource.getrusage(resource.RUSAGE_SELF))


def _mebibytes(usage: resource.struct_rusage) -> float:
    """The peak memory. ``ru_maxrss`` has KiB, or bytes on macOS."""
    return usage.ru_maxrss / (MEBIBYTE if sys.platform == "darwin" else 1024)
