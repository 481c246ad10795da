"""The reports of the shards of one run as one report, and a report read back into records. Plain values of JSON in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pipeline.core.execution.result import CellFailure, Execution, Status
from pipeline.core.pin.lock import Lock, SourceFile
from pipeline.core.results import PageResult
from pipeline.errors import InputError, worst
from pipeline.findings import Finding, Severity
from pipeline.report.result import RunResult
from pipeline.report.results import OF_THIS_RUN, VERSION, executed_by_class, totals

Report = Mapping[str, Any]

_ALIKE = {"name": "the upstream", "commit": "the commit", "jax": "JAX"}


def merge_reports(reports: Sequence[Report]) -> dict[str, Any]:
    """One report from those of all shards of one run, in any order. Raises InputError.

    They must agree on upstream, commit, JAX and pages; each page that can run has been run in one of them; findings are united.
    """
    if not reports:
        raise InputError(
            "there are no reports to merge", hint="Name the report.json of every shard."
        )
    for number, report in enumerate(reports, start=1):
        _check_shape(report, f"report {number}")
    ordered = _in_order(reports)
    first = ordered[0]
    for other in ordered[1:]:
        _check_alike(first, other)
    rows = {
        locale: [_merged_row(copies) for copies in _copies(ordered, locale)]
        for locale in first["locales"]
    }
    merged = {key: value for key, value in first.items() if key != "shard"}
    merged["exit_code"] = worst(report["exit_code"] for report in ordered)
    merged["findings"] = _united(report["findings"] for report in ordered)
    results = {locale: tuple(_page_of(row) for row in pages) for locale, pages in rows.items()}
    merged["locales"] = {
        locale: {"totals": totals(results[locale]), "pages": pages}
        for locale, pages in rows.items()
    }
    merged["executed"] = executed_by_class(_executions(results))
    return merged


def result_of(report: Report, *, where: str = "report.json") -> RunResult:
    """The records that ``report`` was written from, but for what no report keeps. Raises InputError."""
    _check_shape(report, where)
    try:
        lock = Lock(
            **{key: report["upstream"][key] for key in ("url", "ref", "commit", "date", "jax")},
            docs="",
            files=(),
        )
        return RunResult(
            name=report["upstream"]["name"],
            lock=lock,
            pages={
                locale: tuple(map(_page_of, table["pages"]))
                for locale, table in report["locales"].items()
            },
            findings=tuple(map(_finding_of, report["findings"])),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _misshapen(where) from error


def _misshapen(where: str) -> InputError:
    return InputError(
        "is not a report of this version of the pipeline",
        where=where,
        hint="Make it again: nox -s execute.",
    )


def _check_shape(report: Any, where: str) -> None:
    """Refuse what cannot be worked with. Raises InputError."""
    try:
        sound = (
            report["version"] == VERSION
            and isinstance(report["exit_code"], int)
            and isinstance(report["findings"], list)
        )
        sound = sound and {"name", "commit", "jax"} <= report["upstream"].keys()
        for table in report["locales"].values():
            for row in table["pages"]:
                _page_of(row)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _misshapen(where) from error
    if not sound:
        raise _misshapen(where)


def _in_order(reports: Sequence[Report]) -> list[Report]:
    """By number of shard; every shard must be there, once. Raises InputError."""
    shards = [_shard_of(report, number) for number, report in enumerate(reports, start=1)]
    counts = sorted({count for _, count in shards})
    if len(counts) != 1:
        raise InputError(
            f"the reports are of runs of {' and '.join(map(str, counts))} shards",
            hint="Merge the reports of one run, and only those.",
        )
    indices = [index for index, _ in shards]
    if missing := sorted(set(range(1, counts[0] + 1)) - set(indices)):
        names = ", ".join(f"{index}/{counts[0]}" for index in missing)
        raise InputError(
            f"the report of {_plural(missing)} {names} is missing",
            hint="Merge when every shard has ended.",
        )
    if twice := sorted({index for index in indices if indices.count(index) > 1}):
        names = ", ".join(f"{index}/{counts[0]}" for index in twice)
        raise InputError(
            f"there are several reports of {_plural(twice)} {names}",
            hint="Name the report of each shard once.",
        )
    return sorted(reports, key=lambda report: int(report["shard"]["index"]))


def _plural(shards: Sequence[int]) -> str:
    return "shard" if len(shards) == 1 else "shards"


def _shard_of(report: Report, number: int) -> tuple[int, int]:
    shard = report.get("shard")
    values = [shard.get(key) for key in ("index", "count")] if isinstance(shard, dict) else []
    match values:
        case [int(index), int(count)] if 1 <= index <= count:
            return index, count
    raise InputError(
        "is not the report of a shard",
        where=f"report {number}",
        hint="Merge reports of runs with --shard.",
    )


def _check_alike(first: Report, other: Report) -> None:
    ours, theirs = first["shard"]["index"], other["shard"]["index"]
    for key, name in _ALIKE.items():
        if first["upstream"][key] != other["upstream"][key]:
            values = f"{first['upstream'][key]} in shard {ours}, {other['upstream'][key]} in shard {theirs}"
            raise InputError(
                f"{name} differs: {values}", hint="Run all shards from one commit of the project."
            )
    for locale in {**first["locales"], **other["locales"]}:
        here, there = (
            {row["page"] for row in one["locales"].get(locale, {"pages": ()})["pages"]}
            for one in (first, other)
        )
        if here != there:
            names = ", ".join(sorted(here ^ there)[:5])
            text = f"the pages of {locale} differ between shard {ours} and shard {theirs}: {names}"
            raise InputError(
                text,
                hint="Run all shards from one commit of the project, with the same --pages and --locale.",
            )


def _copies(reports: Sequence[Report], locale: str) -> list[list[tuple[int, Report]]]:
    """The rows of each page, each with the number of its shard."""
    tables = [
        {row["page"]: row for row in report["locales"][locale]["pages"]} for report in reports
    ]
    indices = [report["shard"]["index"] for report in reports]
    return [
        [(index, table[page]) for index, table in zip(indices, tables, strict=True)]
        for page in tables[0]
    ]


def _merged_row(copies: Sequence[tuple[int, Report]]) -> dict[str, Any]:
    """The row of a page with the execution of the shard that ran it. Raises InputError."""
    page = copies[0][1]["page"]
    told = [(index, row["execution"]) for index, row in copies if row["execution"]]
    ran = [
        (index, execution) for index, execution in told if execution["cells"]
    ]  # what is skipped may be told by every shard
    if len(ran) > 1:
        shards = " and ".join(str(index) for index, _ in ran)
        raise InputError(
            f"ran in the shards {shards}",
            where=page,
            hint="Run all shards from one commit, with the same pages.",
        )
    if not told and copies[0][1]["code_cells"]:
        raise InputError(
            "ran in no shard",
            where=page,
            hint="Run all shards from one commit, with the same pages, and execute.",
        )
    findings = _united(row["findings"] for _, row in copies)
    return {
        **copies[0][1],
        "findings": findings,
        "execution": next((execution for _, execution in (*ran, *told)), None),
    }


def _united(lists: Iterable[Sequence[Report]]) -> list[Report]:
    """Each finding once, in the order of the shards."""
    found: list[Report] = []
    for findings in lists:
        found += [finding for finding in findings if finding not in found]
    return found


def _executions(pages: Mapping[str, Sequence[PageResult]]) -> list[Execution]:
    ran = {page.page: page.execution for rows in pages.values() for page in rows if page.execution}
    return list(ran.values())


def _page_of(row: Report) -> PageResult:
    fields = {key: value for key, value in row.items() if key != "untranslated"}
    page = PageResult(**{**fields, "execution": None})
    execution = row["execution"]
    return replace(
        page,
        files=tuple(SourceFile(**file) for file in row["files"]),
        findings=tuple(map(_finding_of, row["findings"])),
        execution=_execution_of(execution) if execution else None,
    )


def _execution_of(record: Report) -> Execution:
    failure = record["failure"]
    known = {
        key: value
        for key, value in record.items()
        if key not in (*OF_THIS_RUN, "failure", "status")
    }
    return Execution(
        **known,
        status=Status(record["status"]),
        failure=CellFailure(**failure) if failure else None,
    )


def _finding_of(record: Report) -> Finding:
    return Finding(**{**record, "severity": Severity(record["severity"])})
