"""The reports of the shards of one run as one report. Plain values of JSON go in, and come out.

Each shard reports all pages, but an execution only of those that it ran. The merged report is, byte
for byte, that of one run without shards; reports that are not of one run are refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.core.results import PageResult
from pipeline.errors import InputError, worst
from pipeline.report.counts import executed_by_class, totals
from pipeline.report.reading import Report, page_of, renewed, result_of
from pipeline.report.result import executions_of

_ALIKE = {
    "name": "the upstream",
    "commit": "the commit",
    "version": "the pinned version",
}
_ONE_COMMIT = "Run all shards from one commit"


def merge_reports(reports: Sequence[Report]) -> dict[str, Any]:
    """One report from those of all shards of one run, in any order. Raises InputError.

    They must agree on upstream, commit, version and pages; each page that can run has been run in
    one of them; findings are united.
    """
    if not reports:
        raise InputError(
            "there are no reports to merge", hint="Name the report.json of every shard."
        )
    for number, report in enumerate(reports, start=1):
        # It refuses what cannot be worked with.
        result_of(report, where=f"report {number}")
    # Their order decides the order of findings, so the order they are given in must not.
    shards = _in_order(list(map(renewed, reports)))
    first = shards[0]
    for other in shards[1:]:
        _check_upstreams(first, other)
        _check_pages(first, other)
    # What is not told anew below is the same in all of them: upstream, and the order of keys.
    merged = dict(first.report)
    del merged["shard"]
    ordered = [shard.report for shard in shards]
    merged["exit_code"] = worst(report["exit_code"] for report in ordered)
    merged["findings"] = _united(ordered)
    merged["locales"] = {}
    results: dict[str, tuple[PageResult, ...]] = {}
    for locale in first.report["locales"]:
        rows = _merged_rows(shards, locale)
        # Sums are made from the records, as those of any other run are.
        results[locale] = tuple(map(page_of, rows))
        merged["locales"][locale] = {"totals": totals(results[locale]), "pages": rows}
    merged["executed"] = executed_by_class(executions_of(results))
    return merged


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shard:
    """The report of shard ``index`` (from 1) of ``count``; it can be read."""

    index: int
    count: int
    report: Report

    def rows(self, locale: str) -> dict[str, Report]:
        """The rows of a locale by page, in their order; none for a locale that is not there."""
        table = self.report["locales"].get(locale, {"pages": ()})
        return {row["page"]: row for row in table["pages"]}


def _in_order(reports: Sequence[Report]) -> list[_Shard]:
    """By number of shard; every shard must be there, once. Raises InputError."""
    shards = [
        _shard_of(report, number) for number, report in enumerate(reports, start=1)
    ]
    # The most telling complaint first: who mixes two runs misses shards of both.
    counts = sorted({shard.count for shard in shards})
    if len(counts) > 1:
        raise InputError(
            f"the reports are of runs of {' and '.join(map(str, counts))} shards",
            hint="Merge the reports of one run, and only those.",
        )
    count = counts[0]
    times = Counter(shard.index for shard in shards)
    missing = sorted(set(range(1, count + 1)) - set(times))
    if missing:
        raise InputError(
            f"the report of {_names(missing, count)} is missing",
            hint="Merge when every shard has ended.",
        )
    repeated = sorted(index for index in times if times[index] > 1)
    if repeated:
        raise InputError(
            f"there are several reports of {_names(repeated, count)}",
            hint="Name the report of each shard once.",
        )
    return sorted(shards, key=lambda shard: shard.index)


def _shard_of(report: Report, number: int) -> _Shard:
    """The ``number``-th report that was given, as that of a shard. Raises InputError."""
    match report.get("shard"):
        case {"index": int(index), "count": int(count)} if 1 <= index <= count:
            return _Shard(index=index, count=count, report=report)
    raise InputError(
        "is not the report of a shard",
        where=f"report {number}",
        hint="Merge reports of runs with --shard.",
    )


def _names(indices: Sequence[int], count: int) -> str:
    """Shards as people name them: ``shard 2/3``, ``shards 1/3, 3/3``."""
    names = ", ".join(f"{index}/{count}" for index in indices)
    return f"shard {names}" if len(indices) == 1 else f"shards {names}"


def _check_upstreams(first: _Shard, other: _Shard) -> None:
    """Both must be of the same docs, run with the same version. Raises InputError."""
    for key, name in _ALIKE.items():
        here, there = first.report["upstream"][key], other.report["upstream"][key]
        if here != there:
            raise InputError(
                f"{name} differs: {here} in shard {first.index}, {there} in shard {other.index}",
                hint=f"{_ONE_COMMIT} of the project.",
            )


def _check_pages(first: _Shard, other: _Shard) -> None:
    """Both must tell of the same pages in the same locales. Raises InputError."""
    for locale in {**first.report["locales"], **other.report["locales"]}:
        differing = first.rows(locale).keys() ^ other.rows(locale).keys()
        if differing:
            shards = f"shard {first.index} and shard {other.index}"
            names = ", ".join(sorted(differing)[:5])  # enough to see what went wrong
            raise InputError(
                f"the pages of {locale} differ between {shards}: {names}",
                hint=f"{_ONE_COMMIT} of the project, with the same --pages and --locale.",
            )


def _merged_rows(shards: Sequence[_Shard], locale: str) -> list[dict[str, Any]]:
    """The rows of a locale, in the order of the first shard. Raises InputError."""
    copies: dict[str, dict[int, Report]] = {}
    for shard in shards:
        for page, row in shard.rows(locale).items():
            copies.setdefault(page, {})[shard.index] = row
    return [_merged_row(page, rows) for page, rows in copies.items()]


def _merged_row(page: str, copies: Mapping[int, Report]) -> dict[str, Any]:
    """The row of a page with the execution of the shard that ran it. Raises InputError.

    ``copies`` are its rows in all reports, by number of shard.
    """
    first = next(iter(copies.values()))
    executions = {
        index: row["execution"] for index, row in copies.items() if row["execution"]
    }
    # What is skipped has run no cell, and may be told by every shard.
    ran = [index for index, execution in executions.items() if execution["cells"]]
    if len(ran) > 1:
        raise InputError(
            f"ran in the shards {' and '.join(map(str, ran))}",
            where=page,
            hint=f"{_ONE_COMMIT}, with the same pages.",
        )
    # A page with code of which no shard tells: one of them was run with other --pages.
    if not executions and first["code_cells"]:
        raise InputError(
            "ran in no shard",
            where=page,
            hint=f"{_ONE_COMMIT}, with the same pages, and execute.",
        )
    # If none ran, the first that says why: "skipped" is the same in all.
    told = (*ran, *executions)
    return {
        **first,
        "findings": _united(copies.values()),
        "execution": executions[told[0]] if told else None,
    }


def _united(reports: Iterable[Report]) -> list[Report]:
    """The findings of several reports, or of several rows of a page, each once and in order.

    ``[a, b]`` and ``[b, c, c]`` → ``a, b, c, c``.
    """
    united: list[Report] = []
    for report in reports:
        # A shard that tells the same thing twice keeps both: one run would tell both too.
        united += [finding for finding in report["findings"] if finding not in united]
    return united
