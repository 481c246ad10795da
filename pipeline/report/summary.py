"""What GitHub shows on the page of a workflow run (``$GITHUB_STEP_SUMMARY``): short Markdown. Values in, text out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pipeline.core.execution.notebook import without_colours
from pipeline.core.execution.result import Execution, Status
from pipeline.findings import Severity
from pipeline.log import printable
from pipeline.report.advice import advice, whose
from pipeline.report.result import RunResult
from pipeline.report.results import executed_by_class, percent, totals
from pipeline.report.since import Since, since

LISTED = 20  # failing pages, and errors, that are shown; GitHub takes 1 MiB, people much less
_LONG = 300  # characters of a message that are shown
_MARKUP = re.compile(r"[^\w\s.,;()=+'%/-]|_", re.ASCII)


def to_summary(
    result: RunResult, *, previous: object = None, shard: tuple[int, int] | None = None
) -> str:
    """Counts, pages that failed, errors, what changed since ``previous`` (the report.json of the run before, as a plain value)."""
    lock = result.lock
    title = " ".join(
        filter(None, (result.name, lock.ref, f"· shard {shard[0]} of {shard[1]}" if shard else ""))
    )
    blocks = [
        f"### {plain(title)}",
        f"JAX {plain(lock.jax)}, commit <code>{plain(lock.commit[:10])}</code>",
    ]
    blocks += [
        _standing(result),
        _ran(result.executions),
        _failures(result.executions),
        _errors(result),
        _since(since(previous, result)),
    ]
    blocks.append("All of it: <code>report.html</code> among the artifacts of this run.")
    return "\n\n".join(filter(None, blocks)) + "\n"


def _standing(result: RunResult) -> str:
    rows = []
    for locale, pages in result.pages.items():
        total = totals(pages)
        done = f"{total['translated']} of {total['messages']} ({percent(total['translated'], total['messages'])})"
        rows.append(
            (
                plain(locale),
                total["pages"],
                done,
                total["fuzzy"],
                total["untranslated"],
                total["findings"],
            )
        )
    return markdown_table(
        ("locale", "pages", "translated", "fuzzy", "untranslated", "findings"), rows
    )


def _ran(runs: Sequence[Execution]) -> str:
    classes = executed_by_class(runs)
    rows = [
        (plain(name), sums["pages"], sums["cells"], sums["total"]) for name, sums in classes.items()
    ]
    whole = [sum(one[key] for one in classes.values()) for key in ("pages", "cells", "total")]
    return markdown_table(
        ("outcome", "notebooks", "cells run", "of"),
        [*rows, ("**all**", *whole)] if len(rows) > 1 else rows,
    )


def _failures(runs: Sequence[Execution]) -> str:
    failed = [run for run in runs if run.status is Status.FAILED]
    rows = []
    for run in failed[:LISTED]:
        failure = run.failure
        said = (
            f"<code>{plain(failure.exception)}</code>: {plain(failure.message)}"
            if failure
            else plain(run.reason)
        )
        rows.append(
            (
                f"<code>{plain(run.page)}</code>",
                failure.cell if failure else "",
                said,
                plain(whose(run)),
                plain(advice(run)),
            )
        )
    table = markdown_table(("failed", "cell", "what", "whose problem", "what to do"), rows)
    return f"{table}\n\n… and {len(failed) - LISTED} more" if len(failed) > LISTED else table


def _errors(result: RunResult) -> str:
    errors = [finding for finding in result.all_findings if finding.severity is Severity.ERROR]
    rows = [
        (
            f"<code>{plain(one.where)}</code>",
            f"{plain(one.text)} ({plain(one.code)})",
            plain(one.hint),
        )
        for one in errors[:LISTED]
    ]
    table = markdown_table(("where", "error", "what to do"), rows)
    return f"{table}\n\n… and {len(errors) - LISTED} more" if len(errors) > LISTED else table


def _since(changes: Since | None) -> str:
    if changes is None or changes.is_nothing:
        return ""
    groups = {
        "fail now": changes.failing,
        "pass now": changes.passing,
        "run only in part now": changes.partial,
        "are skipped now": changes.skipped,
        "appeared": changes.appeared,
        "vanished": changes.vanished,
    }
    lines = [f"- {plain(' → '.join(changes.upstream))}"] if changes.upstream else []
    lines += [f"- {name}: {_names(pages)}" for name, pages in groups.items() if pages]
    moved = {
        locale: counts
        for locale, counts in (changes.translated or {}).items()
        if counts[0] != counts[1]
    }
    lines += [
        f"- translated, {plain(locale)}: {then} → {now} messages"
        for locale, (then, now) in moved.items()
    ]
    return "Since the last run:\n\n" + "\n".join(lines)


def _names(pages: Sequence[str]) -> str:
    listed = ", ".join(f"<code>{plain(page)}</code>" for page in pages[:LISTED])
    return f"{listed}, … and {len(pages) - LISTED} more" if len(pages) > LISTED else listed


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table, or nothing if it has no rows. Cells are Markdown already."""
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return (
        "\n".join([f"| {' | '.join(headings)} |", "|" + " --- |" * len(headings), *lines])
        if lines
        else ""
    )


def plain(text: str) -> str:
    """``text`` on one line, in which nothing is Markdown or HTML."""
    line = " ".join(without_colours(text).split())
    line = printable(line if len(line) <= _LONG else line[: _LONG - 1] + "…")
    return _MARKUP.sub(
        lambda match: f"&#{ord(match[0])};" if match[0].isascii() else match[0], line
    )
