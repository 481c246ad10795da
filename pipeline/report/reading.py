"""A ``report.json`` read back into the records that it was written from (``json``).

A plain value of JSON goes in, which may be anything; records come out, or an InputError that says
where and what to do. msgspec compares the value with the types of the records; what no report
keeps has its default in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import msgspec

from pipeline import formerly
from pipeline.core.pin.lock import Lock
from pipeline.core.results import PageResult
from pipeline.errors import InputError
from pipeline.findings import Finding
from pipeline.folders import WHOLE
from pipeline.packages import how_to_run
from pipeline.report.json import VERSION
from pipeline.report.result import RunResult

Report = Mapping[str, Any]

# The keys of a row: what is without a msgstr follows from the other numbers.
_ROW_KEYS = frozenset((*(field.name for field in fields(PageResult)), "untranslated"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Upstream:
    name: str
    url: str
    ref: str
    commit: str
    date: str
    version: str
    package: str = formerly.PACKAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    pages: tuple[Report, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Report:
    """As much of a report as is read; the rest follows from it."""

    version: int
    upstream: _Upstream
    exit_code: int
    locales: dict[str, _Table]
    findings: tuple[Finding, ...]
    only: tuple[str, ...] = ()


def renewed(report: Report) -> Report:
    """``report`` with the keys of today: the version had another one when all docs were of JAX.

    Anything that is no report comes back as it is.
    """
    upstream = report.get("upstream") if isinstance(report, dict) else None
    if not isinstance(upstream, dict) or formerly.VERSION_KEY not in upstream:
        return report
    keys = {formerly.VERSION_KEY: "version"}
    # The order stays: a merged report has that of a run without shards.
    named = {keys.get(key, key): value for key, value in upstream.items()}
    return {**report, "upstream": named}


def result_of(report: Report, *, where: str = "report.json") -> RunResult:
    """The records that ``report`` was written from. Raises InputError."""
    try:
        read = msgspec.convert(renewed(report), _Report)
        pages = {}
        for locale, table in read.locales.items():
            pages[locale] = tuple(map(page_of, table.pages))
    except (msgspec.ValidationError, ValueError) as error:
        raise _no_report(where) from error
    if read.version != VERSION:
        raise _no_report(where)
    upstream = read.upstream
    lock = Lock(
        url=upstream.url,
        ref=upstream.ref,
        commit=upstream.commit,
        date=upstream.date,
        version=upstream.version,
        package=upstream.package,
        # A report does not list what was pulled.
        docs=WHOLE,
        files=(),
    )
    return RunResult(
        name=upstream.name,
        lock=lock,
        pages=pages,
        findings=read.findings,
        only=read.only,
    )


def page_of(row: Report) -> PageResult:
    """The page that ``row`` was written from. Raises ValueError, or msgspec's ValidationError."""
    # msgspec passes over keys that it does not know. Here one would be lost when reports are
    # merged, so a row that has more to tell is of a report of another version.
    unknown = row.keys() - _ROW_KEYS
    if unknown:
        raise ValueError(f"a page has no {', '.join(sorted(unknown))}")
    return msgspec.convert(row, PageResult)


def _no_report(where: str) -> InputError:
    """One error for all that is wrong: nobody mends a report by hand."""
    return InputError(
        "is not a report of this version of the pipeline",
        where=where,
        hint=f"Make it again: {how_to_run('execute')}.",
    )
