"""What ``status`` prints: where every page stands, what to do next, how far behind the pin is.

A result goes in, text comes out; the caller prints it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pipeline.core.catalog.comparison import Comparison, PageChange
from pipeline.core.catalog.standing import in_order
from pipeline.core.progress import progress_of
from pipeline.core.results import PageResult
from pipeline.log import printable
from pipeline.report.changes import (
    classes_text,
    happened,
    joined,
    number_cells,
    overview_lines,
)
from pipeline.report.counts import counted, percent_text
from pipeline.report.result import RunResult
from pipeline.report.terminal import Table
from pipeline.report.text import findings_lines, summary_lines

_STATUS = (
    *("page", "translated", "fuzzy", "untranslated"),
    *("words translated", "words fuzzy", "words untranslated", "fuzzy by class"),
)
_BEHIND = ("page", "changed", "new", "moved", "dropped", "words", "what happened")
# Columns that are wrapped, and on the left. "fuzzy" holds a number here, but words in the table of
# ``upgrade``: it stands on the same side in both.
_WORDS = frozenset(("page", "fuzzy", "fuzzy by class", "what happened"))
_NAMED = 3  # pages that are named for each class of fuzzy messages


def status_text(
    result: RunResult, *, width: int, colour: bool, verbose: bool = False
) -> str:
    """A table for each locale, what to do next, how far behind the pin is if that was asked."""
    blocks = []
    for locale, pages in result.pages.items():
        table = _table(f"{result.name} · {locale}", pages)
        blocks.append(table.to_text(width=width, colour=colour))
        blocks.append(joined(next_lines(pages)))
    if result.comparison:
        blocks.append(_behind_text(result.comparison, width=width, colour=colour))
    blocks.append(joined(findings_lines(result.all_findings, verbose=verbose)))
    blocks.append(joined(summary_lines(result)))
    return "".join(blocks)


def next_lines(pages: Sequence[PageResult]) -> list[str]:
    """What to do next: fuzzy messages, those first that take the least time, then the rest.

    ``fuzzy, mark-up: 12 (guide 9, jit 3)`` is a line; without any work there are no lines at all.
    """
    counts: Counter[str] = Counter()
    for page in pages:
        counts.update(page.classes)
    lines = []
    for name, count in in_order(counts).items():
        # Those that take a person the least time come first, so that they are done first.
        by_page = Counter({page.page: page.classes.get(name, 0) for page in pages})
        lines.append(f"  fuzzy, {name}: {count} ({_most(+by_page)})")
    untranslated = progress_of(pages).untranslated
    if untranslated:
        lines.append(f"  untranslated: {untranslated}")
    return ["what to do next:", *lines] if lines else []


def _most(counts: Counter[str]) -> str:
    """The pages with most, and whether there are others: ``a 12, b 3, c 3, …``."""
    by_count = sorted(counts, key=lambda page: (-counts[page], page))
    names = [f"{printable(page)} {counts[page]}" for page in by_count[:_NAMED]]
    if len(by_count) > _NAMED:
        names.append("…")
    return ", ".join(names)


def _table(title: str, pages: Sequence[PageResult]) -> Table:
    """A row for each page: what is done, what is to do, and which kinds of fuzzy it has."""
    return Table(
        title=(title, ""),
        headings=_STATUS,
        rows=[
            (page.page, *_numbers([page]), classes_text(page.classes)) for page in pages
        ],
        footer=(f"{len(pages)} pages", *_numbers(pages), ""),
        words=_WORDS,
    )


def _numbers(pages: Iterable[PageResult]) -> tuple[str, ...]:
    """The columns of numbers, of one page or of all."""
    progress = progress_of(pages)
    done = percent_text(progress.translated, progress.messages)
    numbers = number_cells(
        (
            progress.fuzzy,
            progress.untranslated,
            progress.translated_words,
            progress.fuzzy_words,
            progress.untranslated_words,
        )
    )
    return (f"{progress.translated} ({done})", *numbers)


def _behind_text(comparison: Comparison, *, width: int, colour: bool) -> str:
    """What an upgrade to the ref that was asked about would bring."""
    changes = comparison.pages
    ref = printable(comparison.after.ref or "HEAD")
    title = f"behind {ref}: {_distance(comparison)}"
    # The commits between the two may have touched code only.
    if not changes:
        return f"{title}; the docs are the same\n"
    rows = []
    columns = []
    for change in changes:
        numbers = (
            change.changed,
            change.added,
            change.moved,
            change.dropped,
            change.words,
        )
        columns.append(numbers)
        rows.append((change.page, *number_cells(numbers), _came_or_went(change)))
    sums = map(sum, zip(*columns, strict=True))
    table = Table(
        title=(title, ""),
        headings=_BEHIND,
        rows=rows,
        footer=(f"{len(changes)} pages", *number_cells(sums), ""),
        words=_WORDS,
    )
    return table.to_text(width=width, colour=colour) + joined(overview_lines(changes))


def _came_or_went(change: PageChange) -> str:
    """What the columns of numbers do not say."""
    # Without numbers, ``happened`` is left with names and with the code.
    return happened(replace(change, added=0, changed=0, moved=0, dropped=0))


def _distance(comparison: Comparison) -> str:
    """``3 commits``; the pin may have commits of its own, if it is on another branch."""
    if comparison.commits is None:
        return "by an unknown number of commits (the history is not here)"
    ahead, behind = comparison.commits
    text = counted(ahead, "commit")
    if behind:
        text += f", and {behind} that are only in the pin"
    return text
