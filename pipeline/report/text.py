"""What a run says at its end, to a person: tables, findings, failures, one line of summary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipeline.core.execution.result import Execution, Status, failure_text
from pipeline.core.progress import progress_of
from pipeline.core.results import PageResult
from pipeline.packages import how_to_run
from pipeline.report.counts import (
    class_of,
    counted,
    executed_by_class,
    outcomes_text,
    percent_text,
    totals,
)
from pipeline.report.finding_text import LISTED, more
from pipeline.report.result import RunResult
from pipeline.report.value import Cell, Findings, Line, Lines, Ours, Report, Table

# Of more pages than this a terminal shows those that have something to tell.
_ALL_SHOWN = 20
_COLOURS = {
    Status.PASSED: "green",
    Status.PARTIAL: "cyan",
    Status.FAILED: "red",
    Status.SKIPPED: "yellow",
}
_HEADINGS = (
    *("page", "messages", "translated", "fuzzy", "words to do", "findings"),
    *("execution", "seconds"),
)
_WORDS = frozenset(("page", "execution"))
_SPARE = ("words to do", "seconds", "messages", "findings", "fuzzy")


def run_report(result: RunResult, *, verbose: bool = False) -> Report:
    """A table for each locale, the findings, pages that failed, one line of summary.

    Pages without anything to tell, where there are many, and notes among the findings are listed
    only if ``verbose``.
    """
    tables: list[Table] = []
    silent: list[str] = []
    for locale, pages in result.pages.items():
        shown: Sequence[PageResult] = pages
        if len(pages) > _ALL_SHOWN and not verbose:
            shown = [page for page in pages if _tells_something(page)]
        if shown or not pages:
            tables.append(_table(f"{result.name} · {locale}", pages, shown=shown))
        silent += _hidden_lines(result.name, locale, len(shown), len(pages))
    return (
        *tables,
        Lines(list(map(Ours, silent))),
        Findings(findings=result.all_findings, has_notes=verbose),
        Lines(failure_lines(result.executions)),
        Lines(summary_lines(result)),
    )


def _hidden_lines(name: str, locale: str, shown: int, there: int) -> list[str]:
    """What is true of the pages that the table does not list, in a line or two."""
    if shown == there:
        return []
    if shown:
        others = counted(there - shown, "other page")
        return [f"{locale}: {others}, all translated: -v lists them"]
    # Nothing is left to do here: ``status`` knows what is worth doing then.
    return [
        f"{name} · {locale}: all {there} pages are translated and without findings: -v lists them",
        f"what to do next: {how_to_run('status', name)}",
    ]


def failure_lines(executions: Sequence[Execution]) -> list[str]:
    """Each page that failed: place, exception, whose problem, its code, the traceback's end.

    The first ``LISTED`` of them, and then a line that says how many there are more.
    """
    failed = [run for run in executions if run.status is Status.FAILED]
    lines: list[str] = []
    for run in failed[:LISTED]:
        text = f"{run.page}: {run.reason}"
        if run.failure:
            text = failure_text(run.page, run.failure)
        for line in text.split("\n"):
            # What else stands there are the page's own words.
            is_ours = line.startswith("  blame: ")
            lines.append(Ours(line) if is_ours else line)
    if len(failed) > LISTED:
        lines.append(Ours(more(len(failed) - LISTED)))
    return lines


def summary_lines(result: RunResult) -> list[str]:
    """The last lines: what was looked at, how much of it is translated, and what ran.

    ::

        jax v0.10.2 (0123456789), JAX 0.10.2
        zh_CN: 89 pages, 7012 messages, 64 % translated, 31 passed, 2 failed
        code cells run: passed 410/410, failed 7/20
    """
    # A plain folder has no ref.
    lock = result.lock
    name = " ".join(filter(None, (result.name, lock.ref)))
    release = f", {lock.release}" if lock.release else ""
    lines = [f"{name} ({lock.commit[:10]}){release}"]
    for locale, pages in result.pages.items():
        total = totals(pages)
        done = percent_text(total["translated"], total["messages"])
        parts = [
            counted(total["pages"], "page"),
            counted(total["messages"], "message"),
            f"{done} translated",
        ]
        outcomes = outcomes_text(total)
        if outcomes:
            parts.append(outcomes)
        lines.append(f"{locale}: {', '.join(parts)}")
    classes = executed_by_class(result.executions)
    if classes:
        counts = [
            f"{name} {sums['cells']}/{sums['total']}" for name, sums in classes.items()
        ]
        lines.append(f"code cells run: {', '.join(counts)}")
    return list(map(Ours, lines))


def _tells_something(page: PageResult) -> bool:
    """Whether a page has something to do, to mend, or ran."""
    is_whole = page.translated == page.messages and not page.fuzzy
    return not is_whole or bool(page.findings) or page.execution is not None


def _table(
    title: str,
    pages: Sequence[PageResult],
    *,
    shown: Sequence[PageResult],
) -> Table:
    """A row for each page that is shown, and the sums of all."""
    outcomes = outcomes_text(totals(pages))
    seconds = sum(page.execution.seconds for page in pages if page.execution)
    # Where no page ran, as after ``merge``, a column of zeros would be noise.
    last = f"{seconds:.1f}" if outcomes else ""
    sums = Ours(counted(len(pages), "page"))
    return Table(
        title=[(title, "table.title")],
        headings=_HEADINGS,
        rows=list(map(_row, shown)),
        footer=[sums, *_numbers(pages), Ours(outcomes), last],
        words=_WORDS,
        spare=_SPARE,
    )


def _row(page: PageResult) -> list[Cell]:
    """A page; the last two cells are empty if it did not run."""
    cells: list[Cell] = [page.page, *_numbers([page])]
    run = page.execution
    if run is None:
        return [*cells, "", ""]
    # A page that was skipped took no time worth telling.
    seconds = f"{run.seconds:.1f}" if run.cells else ""
    return [*cells, _state(run), seconds]


def _numbers(pages: Iterable[PageResult]) -> list[str]:
    """The columns of numbers, of one page or of all; what is zero is left out."""
    rows = tuple(pages)
    progress = progress_of(rows)
    findings = sum(len(row.findings) for row in rows)
    # A message count of 0 is told: such a page has nothing to translate.
    return [
        str(progress.messages),
        percent_text(progress.translated, progress.messages),
        str(progress.fuzzy or ""),
        str(progress.words_to_do or ""),
        str(findings or ""),
    ]


def _state(run: Execution) -> Line:
    """How a page ran: ``partial in interpret mode: accelerator, 2 of 6 cells (cached)``."""
    # Why a page failed is told at length below the table, all of why it was skipped in the report.
    text = class_of(run).removeprefix(run.status)
    if run.note:
        text = f" {run.note}{text}"
    pieces = [(Ours(run.status.value), _COLOURS[run.status]), (text, "")]
    if run.status is Status.PARTIAL:
        pieces.append((Ours(f", {run.cells} of {run.total} cells"), ""))
    if run.cached:
        pieces.append((Ours(" (cached)"), ""))
    return pieces
