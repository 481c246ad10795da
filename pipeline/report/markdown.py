"""Writer of GitHub Markdown: tables, and the summary on the page of a workflow run.

Texts from pages and catalogues are escaped, so that they cannot contain markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pipeline.core.execution.result import Execution, Status, without_colours
from pipeline.findings import Severity
from pipeline.log import printable
from pipeline.report.counts import executed_by_class, percent_text, totals
from pipeline.report.failure_advice import advice, whose
from pipeline.report.json import Previous, RunChanges, compare_runs
from pipeline.report.result import RunResult

_NOTHING = "&#8203;"  # a zero-width space
_LONG = 300  # maximum number of characters of a text in a cell
# All ASCII characters with a meaning in Markdown, HTML or GitHub's extensions ("@name", "#7").
_MARKUP = re.compile(r"[^\w\s.,;()=+'%/-]|_", re.ASCII)


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table, or "" without rows. Cells must be Markdown."""
    lines = [_table_line(map(str, row)) for row in rows]
    if not lines:
        return ""
    return "\n".join([_table_line(headings), "|" + " --- |" * len(headings), *lines])


def cut_table(
    headings: Sequence[str], rows: Sequence[Sequence[object]], *, listed: int
) -> str:
    """Return a table of the first ``listed`` rows, and the number of the rest."""
    table = markdown_table(headings, rows[:listed])
    if len(rows) <= listed:
        return table
    return f"{table}\n\n… and {len(rows) - listed} more"


def plain(text: str) -> str:
    """Return ``text`` on one line, truncated, without Markdown or HTML: ``a*b`` → ``a&#42;b``."""
    # A line end would end the cell of a table.
    line = " ".join(without_colours(text).split())
    if len(line) > _LONG:
        line = line[: _LONG - 1] + "…"
    return escaped(line)


def escaped(text: str) -> str:
    """Return ``text`` in full, with Markdown and HTML escaped."""
    return _MARKUP.sub(_entity, printable(text))


def code(text: str) -> str:
    """Return ``text`` as code: an HTML element, because backticks cannot enclose every text."""
    return f"<code>{plain(text)}</code>"


def _table_line(cells: Iterable[str]) -> str:
    """Return one line of a table."""
    return f"| {' | '.join(cells)} |"


def _entity(match: re.Match[str]) -> str:
    """Return a character as an HTML entity, so that Markdown does not interpret it."""
    if not match[0].isascii():
        return match[0]  # the pattern also matches Chinese, which is no markup
    entity = f"&#{ord(match[0])};"
    # GitHub decodes entities before it links "@name" and "#7". So insert a character without width,
    # which prevents the link.
    return f"{entity}{_NOTHING}" if match[0] in "@#" else entity


LISTED = 20  # maximum number of failing pages, and of errors, in a summary


def to_summary(result: RunResult, *, previous: Previous | None = None) -> str:
    """Return the summary of a run: counts, failed pages, errors, and changes since ``previous``."""
    # Keep the summary short. It names the full report, which has everything else.
    lock = result.lock
    title = [result.name, lock.ref]
    release = f"{plain(lock.release)}, " if lock.release else ""
    blocks = (
        f"### {plain(' '.join(filter(None, title)))}",
        f"{release}commit {code(lock.commit[:10])}",
        _standing(result),
        _outcomes(result.executions),
        _failures(result.executions),
        _errors(result),
        _changes(compare_runs(previous, result)),
        "Full report: <code>report.html</code>, among the artifacts of this run.",
    )
    # Tables without rows are empty, so a clean run has a short summary.
    return "\n\n".join(filter(None, blocks)) + "\n"


def _standing(result: RunResult) -> str:
    """Return the table of progress, with a row for each locale."""
    rows = []
    for locale, pages in result.pages.items():
        total = totals(pages)
        translated, messages = total["translated"], total["messages"]
        rows.append(
            (
                plain(locale),
                total["pages"],
                f"{translated} of {messages} ({percent_text(translated, messages)})",
                total["fuzzy"],
                total["untranslated"],
                total["findings"],
            )
        )
    headings = ("locale", "pages", "translated", "fuzzy", "untranslated", "findings")
    return markdown_table(headings, rows)


def _outcomes(runs: Sequence[Execution]) -> str:
    """Return the table of executed notebooks, with a row for each class of outcome."""
    rows: list[Sequence[object]] = []
    pages = cells = total = 0
    for name, sums in executed_by_class(runs).items():
        rows.append((plain(name), sums["pages"], sums["cells"], sums["total"]))
        pages += sums["pages"]
        cells += sums["cells"]
        total += sums["total"]
    if len(rows) > 1:  # for a single class, the sums would repeat its row
        rows.append(("**all**", pages, cells, total))
    return markdown_table(("outcome", "notebooks", "cells run", "of"), rows)


def _failures(runs: Sequence[Execution]) -> str:
    """Return the table of failed pages: the exception, who has to solve it, what to do."""
    rows = []
    for run in runs:
        if run.status is not Status.FAILED:
            continue
        # ``failure`` is None if the page failed before its first cell, as an invalid notebook does.
        cell: object = ""  # the number of the cell that failed
        what = plain(run.reason)
        if run.failure:
            cell = run.failure.cell or ""
            what = f"{code(run.failure.exception)}: {plain(run.failure.message)}"
        rows.append((code(run.page), cell, what, plain(whose(run)), plain(advice(run))))
    headings = ("failed", "code cell", "what", "whose problem", "what to do")
    return cut_table(headings, rows, listed=LISTED)


def _errors(result: RunResult) -> str:
    """Return the table of errors. Warnings and notes are only in the report."""
    rows = []
    for finding in result.all_findings:
        if finding.severity is Severity.ERROR:
            text = f"{plain(finding.text)} ({plain(finding.code)})"
            rows.append((code(finding.where), text, plain(finding.hint)))
    return cut_table(("where", "error", "what to do"), rows, listed=LISTED)


def _changes(changes: RunChanges | None) -> str:
    """Return the changes since the last run as a list, or ""."""
    if changes is None or changes.is_nothing:
        return ""
    lines = []
    if changes.upstream:
        lines.append(f"- {plain(' → '.join(changes.upstream))}")
    for title, pages in changes.pages.items():
        lines.append(f"- {title}: {_names(pages)}")
    for locale, (then, now) in changes.progress.items():
        lines.append(f"- translated, {plain(locale)}: {then} → {now} messages")
    return "Since the last run:\n\n" + "\n".join(lines)


def _names(pages: Sequence[str]) -> str:
    """Return the first of ``pages``, and the number of the rest."""
    names = ", ".join(code(page) for page in pages[:LISTED])
    if len(pages) > LISTED:
        names += f", … and {len(pages) - LISTED} more"
    return names
