"""Report of a run for people: tables, findings, failures, and a summary.

``run_report`` is about one upstream. ``overview_report`` is for ``--all``: for each locale, it has
a table with a row for each upstream.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from pipeline.core.execution.result import Execution, Status, failure_text
from pipeline.core.results import PageResult
from pipeline.errors import worst
from pipeline.findings import Severity
from pipeline.packages import how_to_run
from pipeline.report.counts import (
    class_of,
    counted,
    executed_by_class,
    outcomes_text,
    percent_text,
    totals,
)
from pipeline.report.findings import LISTED, more
from pipeline.report.result import RunResult
from pipeline.report.value import (
    Cell,
    Findings,
    Line,
    Lines,
    Report,
    Table,
    Translatable,
)

# If a run has more pages than this, a terminal shows only the pages that need attention.
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
    """Return a table for each locale, the findings, the failed pages, and the summary.

    If there are many pages, the tables omit pages with nothing to do. They also omit the pages
    without any translation if these are many (see ``_pages_shown``). With ``verbose``, the report
    has all pages, and also the notes among the findings.
    """
    tables: list[Table] = []
    silent: list[str] = []
    for locale, pages in result.pages.items():
        shown = pages if verbose else _pages_shown(pages)
        if shown or not pages:
            tables.append(_table(f"{result.name} · {locale}", pages, shown=shown))
        silent += _hidden_lines(result.name, locale, pages, shown)
    return (
        *tables,
        Lines(list(map(Translatable, silent))),
        Findings(findings=result.all_findings, has_notes=verbose),
        Lines(failure_lines(result.failed)),
        Lines(summary_lines(result)),
    )


def _hidden_lines(
    name: str, locale: str, pages: Sequence[PageResult], shown: Sequence[PageResult]
) -> list[str]:
    """Return one line for each kind of page that the table leaves out.

    If the table lists no page, the last line is the next step.
    """
    hidden = len(pages) - len(shown)
    untouched = sum(map(_is_untouched, pages)) - sum(map(_is_untouched, shown))
    if not hidden:
        return []
    next_step = f"what to do next: {how_to_run('status', name)}"
    if not shown and not untouched:
        whole = f"all {hidden} pages are translated and without findings"
        return [f"{name} · {locale}: {whole}: -v lists them", next_step]
    lines = []
    if hidden > untouched:
        others = counted(hidden - untouched, "other page")
        lines.append(f"{locale}: {others}, all translated: -v lists them")
    if untouched:
        pages_text = counted(untouched, "page")
        lines.append(f"{locale}: {pages_text} without any translation: -v lists them")
    return lines if shown else [*lines, next_step]


def failure_lines(failed: Sequence[Execution]) -> list[str]:
    """Return lines about each failed page: place, exception, blame, code, end of the traceback.

    The blame is the cause of the failure, such as ``upstream``. At most ``LISTED`` pages are
    listed, followed by the number of the rest.
    """
    lines: list[str] = []
    for run in failed[:LISTED]:
        text = f"{run.page}: {run.reason}"
        if run.failure:
            text = failure_text(run.page, run.failure)
        for line in text.split("\n"):
            # Only the line with the blame is translated. The rest is the page's name, exception,
            # code and traceback.
            is_ours = line.startswith("  blame: ")
            lines.append(Translatable(line) if is_ours else line)
    if len(failed) > LISTED:
        lines.append(Translatable(more(len(failed) - LISTED)))
    return lines


def summary_lines(result: RunResult) -> list[str]:
    """Return the last lines: upstream, progress by locale, executed cells, unchecked pages.

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
        outcomes = outcomes_text(totals(pages))
        standing = f"{locale}: {_standing(pages)}"
        lines.append(f"{standing}, {outcomes}" if outcomes else standing)
        if reference := result.reference.get(locale):
            lines.append(f"{locale}: API reference: {_standing(reference)}")
    classes = executed_by_class(result.executions)
    if classes:
        counts = [f"{name} {sums['cells']}/{sums['total']}" for name, sums in classes.items()]
        lines.append(f"code cells run: {', '.join(counts)}")
    if result.unchecked:
        unchecked = counted(result.unchecked, "page")
        lines.append(
            f"not checked: {unchecked} of the memory, because English is unavailable "
            "(an error with --strict)"
        )
    return list(map(Translatable, lines))


def _standing(pages: Sequence[PageResult]) -> str:
    """Return the progress of pages as text: ``89 pages, 7012 messages, 64 % translated``."""
    total = totals(pages)
    done = percent_text(total["translated"], total["messages"])
    messages = counted(total["messages"], "message")
    return f"{counted(total['pages'], 'page')}, {messages}, {done} translated"


def _pages_shown(pages: Sequence[PageResult]) -> Sequence[PageResult]:
    """Return the pages that the table lists.

    If there are many, these are the pages with open work, with findings, or with an execution.
    """
    if len(pages) <= _ALL_SHOWN:
        return pages
    # List pages without any translation only if they are few, like the new pages of a release.
    # Hundreds mean that the project has just begun; one line counts them instead.
    lists_untouched = sum(map(_is_untouched, pages)) <= _ALL_SHOWN
    shown = []
    for page in pages:
        is_whole = page.translated == page.messages and not page.fuzzy
        is_in_work = not is_whole and (lists_untouched or not _is_untouched(page))
        if is_in_work or page.findings or page.execution is not None:
            shown.append(page)
    return shown


def _is_untouched(page: PageResult) -> bool:
    """Return whether a page has messages, but none with a finished or fuzzy translation."""
    return page.messages > 0 and not page.translated and not page.fuzzy


def _table(
    title: str,
    pages: Sequence[PageResult],
    *,
    shown: Sequence[PageResult],
) -> Table:
    """Return a table with a row for each shown page, and the sums of all pages."""
    outcomes = outcomes_text(totals(pages))
    seconds = sum(page.execution.seconds for page in pages if page.execution)
    # If no page ran, as after ``merge``, leave the column blank.
    last = f"{seconds:.1f}" if outcomes else ""
    sums = Translatable(counted(len(pages), "page"))
    return Table(
        title=[(title, "table.title")],
        headings=_HEADINGS,
        rows=list(map(_row, shown)),
        footer=[sums, *_page_numbers(pages), Translatable(outcomes), last],
        words=_WORDS,
        spare=_SPARE,
    )


def _row(page: PageResult) -> list[Cell]:
    """Return the cells of a page; the last two are empty if it did not run."""
    cells: list[Cell] = [page.page, *_page_numbers([page])]
    run = page.execution
    if run is None:
        return [*cells, "", ""]
    # A skipped page has no meaningful time.
    seconds = f"{run.seconds:.1f}" if run.cells else ""
    return [*cells, _state(run), seconds]


def _page_numbers(pages: Iterable[PageResult]) -> list[str]:
    """Return the number columns for one page or for all pages."""
    total = totals(pages)
    return [*_numbers(total), str(total["findings"] or "")]


def _numbers(total: Mapping[str, int]) -> list[str]:
    """Return the number columns that all tables share. Zeros are left blank, except for messages.

    A page with 0 messages has nothing to translate.
    """
    return [
        str(total["messages"]),
        percent_text(total["translated"], total["messages"]),
        str(total["fuzzy"] or ""),
        str(total["words"] - total["translated_words"] or ""),
    ]


def _state(run: Execution) -> Line:
    """Return how a page ran: status, note, category of the reason, cells, cache.

    With the status ``partial``, the note ``in interpret mode`` and the reason ``accelerator``:
    ``partial in interpret mode: accelerator, 2 of 6 cells (cached)``.
    """
    # Show only the category of the reason, to keep the cell short. The lines below the table
    # explain failures, and the report has the full reasons.
    text = class_of(run).removeprefix(run.status)
    if run.note:
        text = f" {run.note}{text}"
    pieces = [(Translatable(run.status.value), _COLOURS[run.status]), (text, "")]
    if run.status is Status.PARTIAL:
        pieces.append((Translatable(f", {run.cells} of {run.total} cells"), ""))
    if run.cached:
        pieces.append((Translatable(" (cached)"), ""))
    return pieces


_HUB_HEADINGS = (
    *("upstream", "release", "pages", "messages", "translated", "fuzzy"),
    *("words to do", "errors", "warnings", "execution", "ended"),
)
_HUB_WORDS = frozenset(("upstream", "release", "execution", "ended"))
_HUB_SPARE = ("messages", "words to do", "fuzzy", "warnings", "execution", "release")


class UpstreamRow(Struct, frozen=True, kw_only=True):
    """The result of a command for one upstream. ``locales`` is empty if the command failed."""

    name: str
    exit_code: int = 0
    release: str = ""  # the pulled ref; without one, the commit
    # By locale: the result of ``totals``.
    locales: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    errors: int = 0
    warnings: int = 0
    report: str = ""  # as JSON, if requested


def row_of(result: RunResult, *, report: str = "") -> UpstreamRow:
    """Return the row of a result; ``report`` is the result as JSON, if requested."""
    severities = [finding.severity for finding in result.all_findings]
    return UpstreamRow(
        name=result.name,
        exit_code=result.exit_code,
        release=result.lock.ref or result.lock.commit[:10],
        locales=result.totals,
        errors=severities.count(Severity.ERROR) + len(result.failed),
        warnings=severities.count(Severity.WARNING),
        report=report,
    )


def overview_report(rows: Sequence[UpstreamRow], locales: Sequence[str]) -> Report:
    """Return a table of all upstreams for each locale, and a line that names the failed ones."""
    tables = [
        Table(
            title=[(Translatable(f"every upstream · {locale}"), "table.title")],
            headings=_HUB_HEADINGS,
            rows=[_overview_cells(row, row.locales.get(locale)) for row in rows],
            footer=_overview_footer(rows, locale),
            words=_HUB_WORDS,
            spare=_HUB_SPARE,
        )
        for locale in locales
    ]
    failed = [f"{row.name} ({row.exit_code})" for row in rows if row.exit_code]
    line = f"{counted(len(rows), 'upstream')}, all succeeded"
    if failed:
        line = f"{counted(len(rows), 'upstream')}; failed: {', '.join(failed)}"
    return (*tables, Lines([Translatable(line)]))


def overview_json(rows: Sequence[UpstreamRow]) -> str:
    """Return the reports of all upstreams by name, with their exit codes."""
    upstreams: dict[str, Any] = {}
    for row in rows:
        report = json.loads(row.report) if row.report else None
        upstreams[row.name] = {"exit_code": row.exit_code, "report": report}
    value = {"exit_code": worst(row.exit_code for row in rows), "upstreams": upstreams}
    return f"{json.dumps(value, ensure_ascii=False, indent=2)}\n"


def _overview_cells(row: UpstreamRow, total: Mapping[str, int] | None) -> list[Cell]:
    """Return the cells of an upstream. If its run failed, most of them are empty."""
    ended = Translatable(f"exit {row.exit_code}") if row.exit_code else ""
    if total is None:
        # Only the name, the release and the exit code have a value.
        blank = [""] * (len(_HUB_HEADINGS) - 3)
        return [row.name, row.release, *blank, ended]
    return [
        row.name,
        row.release,
        str(total["pages"]),
        *_numbers(total),
        str(row.errors or ""),
        str(row.warnings or ""),
        Translatable(outcomes_text(total)),
        ended,
    ]


def _overview_footer(rows: Sequence[UpstreamRow], locale: str) -> list[str]:
    """Return the sums over all upstreams."""
    total: Counter[str] = Counter()
    for row in rows:
        total.update(row.locales.get(locale, {}))
    return [
        Translatable(counted(len(rows), "upstream")),
        "",
        str(total["pages"]),
        *_numbers(total),
        str(sum(row.errors for row in rows) or ""),
        str(sum(row.warnings for row in rows) or ""),
        "",
        "",
    ]
