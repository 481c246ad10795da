"""A ``report.json`` read back into the records that it was written from (``json``).

A plain value of JSON goes in, which may be anything; records come out, or an InputError that says
where and what to do. What no report keeps has its default in the records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pipeline.core.execution.result import CellFailure, Execution, Status
from pipeline.core.pin.lock import Lock, SourceFile
from pipeline.core.results import PageResult
from pipeline.errors import InputError
from pipeline.findings import Finding
from pipeline.report.json import OF_THIS_RUN, VERSION
from pipeline.report.result import RunResult

Report = Mapping[str, Any]

# What a value of another shape raises, at whatever depth it differs.
_MISSHAPEN = (AttributeError, KeyError, TypeError, ValueError)


def result_of(report: Report, *, where: str = "report.json") -> RunResult:
    """The records that ``report`` was written from. Raises InputError."""
    check_shape(report, where)
    # What is checked above is enough to merge reports; the records need more keys than that.
    try:
        upstream = report["upstream"]
        lock = Lock(
            url=upstream["url"],
            ref=upstream["ref"],
            commit=upstream["commit"],
            date=upstream["date"],
            jax=upstream["jax"],
            docs="",
            files=(),
        )
        pages = {}
        for locale, table in report["locales"].items():
            pages[locale] = tuple(map(page_of, table["pages"]))
        return RunResult(
            name=upstream["name"],
            lock=lock,
            pages=pages,
            findings=tuple(map(Finding.of_record, report["findings"])),
        )
    except _MISSHAPEN as error:
        raise _no_report(where) from error


def check_shape(report: Any, where: str) -> None:
    """Refuse a value that cannot be worked with as a report. Raises InputError."""
    try:
        is_sound = (
            report["version"] == VERSION
            and isinstance(report["exit_code"], int)
            and isinstance(report["findings"], list)
            and report["upstream"].keys() >= {"name", "commit", "jax"}
        )
        for table in report["locales"].values():
            for row in table["pages"]:
                page_of(row)  # raises what no page can be made of
    except _MISSHAPEN as error:
        raise _no_report(where) from error
    if not is_sound:
        raise _no_report(where)


def page_of(row: Report) -> PageResult:
    """The page that ``row`` of a table was written from."""
    # What is without a msgstr follows from the other numbers. Any other key that is not a field
    # ends in a TypeError: the report is of another version.
    fields = dict(row)
    fields.pop("untranslated", None)
    fields["execution"] = None
    execution = row["execution"]
    return replace(
        PageResult(**fields),
        files=tuple(SourceFile(**file) for file in row["files"]),
        findings=tuple(map(Finding.of_record, row["findings"])),
        execution=_execution_of(execution) if execution else None,
    )


def _execution_of(record: Report) -> Execution:
    """How the page ran that ``record`` was written from."""
    fields = dict(record)
    for name in OF_THIS_RUN:
        fields.pop(name, None)  # no report of ours has them
    fields["status"] = Status(record["status"])
    failure = record["failure"]
    if failure:
        fields["failure"] = CellFailure(**failure)
    return Execution(**fields)


def _no_report(where: str) -> InputError:
    """One error for all that is wrong: nobody mends a report by hand."""
    return InputError(
        "is not a report of this version of the pipeline",
        where=where,
        hint="Make it again: nox -s execute.",
    )
