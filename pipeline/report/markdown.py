"""Markdown as GitHub renders it: tables, and the summary on the page of a workflow run.

Texts of strangers are no markup in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pipeline.core.execution.result import Execution, Status, without_colours
from pipeline.findings import Severity
from pipeline.log import printable
from pipeline.report.advice import advice, whose
from pipeline.report.counts import executed_by_class, percent_text, totals
from pipeline.report.json import Previous, Since, since
from pipeline.report.result import RunResult

_NOTHING = "&#8203;"  # a space without a width
_LONG = 300  # characters of a text that are shown
# All ASCII signs that mean something in Markdown, HTML or GitHub's own language ("@name", "#7").
_MARKUP = re.compile(r"[^\w\s.,;()=+'%/-]|_", re.ASCII)


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table, or nothing if it has no rows. Cells are Markdown already."""
    lines = [_table_line(map(str, row)) for row in rows]
    if not lines:
        return ""
    return "\n".join([_table_line(headings), "|" + " --- |" * len(headings), *lines])


def cut_table(
    headings: Sequence[str], rows: Sequence[Sequence[object]], *, listed: int
) -> str:
    """A table of the first ``listed`` rows, and how many more there are."""
    table = markdown_table(headings, rows[:listed])
    if len(rows) <= listed:
        return table
    return f"{table}\n\n… and {len(rows) - listed} more"


def plain(text: str) -> str:
    """``text`` on one line, in which nothing is Markdown or HTML: ``a*b`` → ``a&#42;b``."""
    # A cell of a table ends with its line.
    line = " ".join(without_colours(text).split())
    if len(line) > _LONG:
        line = line[: _LONG - 1] + "…"
    return escaped(line)


def escaped(text: str) -> str:
    """``text`` as it is, however long, in which nothing is Markdown or HTML."""
    return _MARKUP.sub(_entity, printable(text))


def code(text: str) -> str:
    """``text`` as code: an element of HTML, because backticks cannot hold everything."""
    return f"<code>{plain(text)}</code>"


def _table_line(cells: Iterable[str]) -> str:
    """One line of a table."""
    return f"| {' | '.join(cells)} |"


def _entity(match: re.Match[str]) -> str:
    """Return a sign as an entity, which shows it and means nothing."""
    if not match[0].isascii():
        return match[0]  # the pattern finds all of Chinese too, where nothing is markup
    entity = f"&#{ord(match[0])};"
    # GitHub looks for names and numbers when the entities are signs again.
    return f"{entity}{_NOTHING}" if match[0] in "@#" else entity


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
    for title, pages in changes.pages.items():
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
