"""The rows of the table of pages in ``report.html``: a page over all locales, and how it ran."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pipeline.core.execution.result import Execution
from pipeline.core.results import PageResult
from pipeline.findings import Finding
from pipeline.report.result import RunResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A code cell that ran: its number from 1, and its seconds as a share of the slowest one's."""

    number: int
    seconds: float
    share: float  # 0 to 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One page over all locales. ``done`` is by locale: finished messages, and messages."""

    page: str
    title: str
    language: str  # of the title, as HTML wants it
    done: Mapping[str, tuple[int, int]]
    findings: tuple[Finding, ...]
    run: Execution | None = None
    share: float = 0.0  # of the seconds that the slowest page took, 0 to 100
    cells: tuple[Cell, ...] = ()

    @property
    def state(self) -> str:
        """What the page counts as."""
        return str(self.run.status) if self.run else "plain"


def rows_of(result: RunResult) -> list[Row]:
    """The pages of all locales, in their order."""
    # A locale may lack pages, so the order is that of the first locale that has each.
    by_page: dict[str, dict[str, PageResult]] = {}
    for locale, pages in result.pages.items():
        for page in pages:
            by_page.setdefault(page.page, {})[locale] = page
    # The bars of all rows have one scale: the page that took longest has a full one.
    longest = max((run.seconds for run in result.executions), default=0.0)
    return [_row(versions, longest=longest) for versions in by_page.values()]


def _row(versions: Mapping[str, PageResult], *, longest: float) -> Row:
    """The row of a page, which is the same in all locales but for its title and translation."""
    locale, page = next(iter(versions.items()))
    # What two locales share is told once: findings about the English, and the run of the code.
    findings: dict[Finding, None] = {}
    done: dict[str, tuple[int, int]] = {}
    for name, version in versions.items():
        findings |= dict.fromkeys(version.findings)
        done[name] = (version.translated, version.messages)
    row = Row(
        page=page.page,
        title=page.title,
        # A title without a single foreign letter has not been translated.
        language="en" if page.title.isascii() else locale.replace("_", "-"),
        done=done,
        findings=tuple(findings),
    )
    runs = [version.execution for version in versions.values() if version.execution]
    if not runs:
        return row
    run = runs[0]
    return replace(
        row,
        run=run,
        share=_share(run.seconds, longest),
        cells=_cells(run),
    )


def _cells(run: Execution) -> tuple[Cell, ...]:
    """The code cells of a page that ran, in their order."""
    slowest = max(run.cell_seconds, default=0.0)
    cells = []
    # They are numbered among code cells that ran, not among all cells of the notebook.
    for number, seconds in enumerate(run.cell_seconds, start=1):
        cells.append(
            Cell(number=number, seconds=seconds, share=_share(seconds, slowest))
        )
    return tuple(cells)


def _share(seconds: float, longest: float) -> float:
    """``seconds`` in percent of the longest; 0 if nothing took any time."""
    if not longest:
        return 0.0
    return 100 * seconds / longest
