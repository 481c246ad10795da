"""What commands on every upstream print: one table, a row for each upstream and locale.

Rows go in, a report or JSON comes out. A row is small, however many pages it is about.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pipeline.core.execution.result import Status
from pipeline.core.progress import Progress, progress_of
from pipeline.errors import worst
from pipeline.findings import Severity
from pipeline.report.counts import counted, outcomes_text, percent_text, totals
from pipeline.report.result import RunResult
from pipeline.report.value import Cell, Lines, Ours, Report, Table

_HEADINGS = (
    *("upstream", "release", "pages", "messages", "translated", "fuzzy"),
    *("words to do", "errors", "warnings", "execution", "ended"),
)
_WORDS = frozenset(("upstream", "release", "execution", "ended"))
_SPARE = ("messages", "words to do", "fuzzy", "warnings", "execution", "release")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocaleCounts:
    """How far one locale of an upstream is."""

    pages: int
    progress: Progress
    outcomes: str = ""  # of its code: ``3 passed, 1 failed``


@dataclass(frozen=True, slots=True, kw_only=True)
class HubRow:
    """What a command on one upstream came to. ``locales`` is empty if it came to nothing."""

    name: str
    exit_code: int = 0
    release: str = ""  # what was pulled: its ref, or its commit
    locales: dict[str, LocaleCounts] = field(default_factory=dict)
    errors: int = 0
    warnings: int = 0
    changes: int = 0  # files written
    report: str = ""  # as JSON, if that is asked for


def row_of(result: RunResult, *, report: str = "") -> HubRow:
    """The row of a result."""
    locales = {}
    for locale, pages in result.pages.items():
        locales[locale] = LocaleCounts(
            pages=len(pages),
            progress=progress_of(pages),
            outcomes=outcomes_text(totals(pages)),
        )
    severities = [finding.severity for finding in result.all_findings]
    # A page whose code fails has no finding.
    failed = [run for run in result.executions if run.status is Status.FAILED]
    return HubRow(
        name=result.name,
        exit_code=result.exit_code,
        release=result.lock.ref or result.lock.commit[:10],
        locales=locales,
        errors=severities.count(Severity.ERROR) + len(failed),
        warnings=severities.count(Severity.WARNING),
        changes=len(result.changes),
        report=report,
    )


def exit_code_of(rows: Sequence[HubRow]) -> int:
    """The worst of all upstreams."""
    return worst(row.exit_code for row in rows)


def hub_report(rows: Sequence[HubRow], locales: Sequence[str]) -> Report:
    """A table for each locale, with every upstream in it, and a line about those that failed."""
    tables = [
        Table(
            title=[(Ours(f"every upstream · {locale}"), "table.title")],
            headings=_HEADINGS,
            rows=[_cells(row, row.locales.get(locale)) for row in rows],
            footer=_footer(rows, locale),
            words=_WORDS,
            spare=_SPARE,
        )
        for locale in locales
    ]
    failed = [f"{row.name} ({row.exit_code})" for row in rows if row.exit_code]
    line = f"{counted(len(rows), 'upstream')}, all well"
    if failed:
        line = f"{counted(len(rows), 'upstream')}, not well: {', '.join(failed)}"
    return (*tables, Lines([Ours(line)]))


def hub_json(rows: Sequence[HubRow]) -> str:
    """The reports of all upstreams by name, with their exit codes."""
    upstreams: dict[str, Any] = {}
    for row in rows:
        report = json.loads(row.report) if row.report else None
        upstreams[row.name] = {"exit_code": row.exit_code, "report": report}
    value = {"exit_code": exit_code_of(rows), "upstreams": upstreams}
    return f"{json.dumps(value, ensure_ascii=False, indent=2)}\n"


def _cells(row: HubRow, counts: LocaleCounts | None) -> list[Cell]:
    """One line of the table; an upstream that came to nothing has its name and how it ended."""
    ended = Ours(f"exit {row.exit_code}") if row.exit_code else ""
    if counts is None:
        blank = [""] * (len(_HEADINGS) - 3)
        return [row.name, row.release, *blank, ended]
    return [
        row.name,
        row.release,
        *_numbers(counts.pages, counts.progress),
        str(row.errors or ""),
        str(row.warnings or ""),
        Ours(counts.outcomes),
        ended,
    ]


def _numbers(pages: int, progress: Progress) -> list[str]:
    return [
        str(pages),
        str(progress.messages),
        percent_text(progress.translated, progress.messages),
        str(progress.fuzzy or ""),
        str(progress.words_to_do or ""),
    ]


def _footer(rows: Sequence[HubRow], locale: str) -> list[str]:
    """The sums over all upstreams."""
    counts = [row.locales[locale] for row in rows if locale in row.locales]
    messages = sum(row.progress.messages for row in counts)
    translated = sum(row.progress.translated for row in counts)
    return [
        Ours(counted(len(rows), "upstream")),
        "",
        str(sum(row.pages for row in counts)),
        str(messages),
        percent_text(translated, messages),
        str(sum(row.progress.fuzzy for row in counts) or ""),
        str(sum(row.progress.words_to_do for row in counts) or ""),
        str(sum(row.errors for row in rows) or ""),
        str(sum(row.warnings for row in rows) or ""),
        "",
        "",
    ]
