"""What GitHub shows on the page of a workflow run (``$GITHUB_STEP_SUMMARY``): short Markdown.

A result goes in, text comes out. What pages and catalogues say is no markup in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.core.execution.result import Execution, Status
from pipeline.findings import Severity
from pipeline.report.advice import advice, whose
from pipeline.report.counts import executed_by_class, percent_text, totals
from pipeline.report.markdown import code, cut_table, markdown_table, plain
from pipeline.report.result import RunResult
from pipeline.report.since import Previous, Since, since

LISTED = 20  # failing pages, and errors, that are shown; GitHub takes 1 MiB, people much less


def to_summary(result: RunResult, *, previous: Previous | None = None) -> str:
    """Counts, pages that failed, errors, and what changed since ``previous``.

    That is the report.json of the run before, as a plain value.
    """
    # Only what a person looks at first: all else is in the report.
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
        _changes(since(previous, result)),
        "All of it: <code>report.html</code> among the artifacts of this run.",
    )
    # Tables that have no rows are empty: a clean run has a short summary.
    return "\n\n".join(filter(None, blocks)) + "\n"


def _standing(result: RunResult) -> str:
    """How much is translated, a row for each locale."""
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
    """How the notebooks ran, a row for each class of outcome."""
    rows: list[Sequence[object]] = []
    pages = cells = total = 0
    for name, sums in executed_by_class(runs).items():
        rows.append((plain(name), sums["pages"], sums["cells"], sums["total"]))
        pages += sums["pages"]
        cells += sums["cells"]
        total += sums["total"]
    if len(rows) > 1:  # of one class, the sums would say the same again
        rows.append(("**all**", pages, cells, total))
    return markdown_table(("outcome", "notebooks", "cells run", "of"), rows)


def _failures(runs: Sequence[Execution]) -> str:
    """Pages that failed: what happened, whose problem it is, what to do."""
    rows = []
    for run in runs:
        if run.status is not Status.FAILED:
            continue
        # A document that could not be read failed before any cell: it has no failure.
        cell: object = ""  # its number, if it is about one
        what = plain(run.reason)
        if run.failure:
            cell = run.failure.cell or ""
            what = f"{code(run.failure.exception)}: {plain(run.failure.message)}"
        rows.append((code(run.page), cell, what, plain(whose(run)), plain(advice(run))))
    headings = ("failed", "code cell", "what", "whose problem", "what to do")
    return cut_table(headings, rows, listed=LISTED)


def _errors(result: RunResult) -> str:
    """Findings that make the run end with an error; warnings and notes stand in the report."""
    rows = []
    for finding in result.all_findings:
        if finding.severity is Severity.ERROR:
            text = f"{plain(finding.text)} ({plain(finding.code)})"
            rows.append((code(finding.where), text, plain(finding.hint)))
    return cut_table(("where", "error", "what to do"), rows, listed=LISTED)


def _changes(changes: Since | None) -> str:
    """What is new since the last run, as a list; nothing if nothing is."""
    if changes is None or changes.is_nothing:
        return ""
    lines = []
    if changes.upstream:
        lines.append(f"- {plain(' → '.join(changes.upstream))}")
    # Bad news first, as in the page.
    for title, pages in (
        ("fail now", changes.failing),
        ("pass now", changes.passing),
        ("run only in part now", changes.partial),
        ("are skipped now", changes.skipped),
        ("appeared", changes.appeared),
        ("vanished", changes.vanished),
    ):
        if pages:
            lines.append(f"- {title}: {_names(pages)}")
    for locale, (then, now) in changes.progress.items():
        lines.append(f"- translated, {plain(locale)}: {then} → {now} messages")
    return "Since the last run:\n\n" + "\n".join(lines)


def _names(pages: Sequence[str]) -> str:
    """The first of ``pages``, and how many there are more."""
    names = ", ".join(code(page) for page in pages[:LISTED])
    if len(pages) > LISTED:
        names += f", … and {len(pages) - LISTED} more"
    return names
