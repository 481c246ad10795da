"""Report of ``status``: the pages to translate next, the work left, the distance to a ref."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from pipeline.core.catalog.commit_diff import Comparison, PageChange
from pipeline.core.catalog.counts import DRAFT, in_order
from pipeline.core.results import PageResult, progress_of
from pipeline.log import printable
from pipeline.packages import how_to_run
from pipeline.report.counts import counted, number_cells, percent_text
from pipeline.report.result import RunResult
from pipeline.report.run import summary_lines
from pipeline.report.upgrade import (
    change_text,
    classes_text,
    overview_lines,
)
from pipeline.report.value import (
    Block,
    Findings,
    Line,
    Lines,
    Report,
    Table,
    Translatable,
)

_STATUS = (
    *("page", "translated", "fuzzy", "drafts", "untranslated"),
    *("words translated", "words fuzzy", "words drafted", "words untranslated"),
    "fuzzy by class",
)
_OF_DRAFTS = ("drafts", "words drafted")  # columns for projects with drafts
_BEHIND = ("page", "changed", "new", "moved", "dropped", "words", "what happened")
# Left-aligned columns whose text is wrapped. The column "fuzzy" has numbers here, but words in the
# table of ``upgrade``. It has the same alignment in both tables.
_WORDS = frozenset(("page", "fuzzy", "fuzzy by class", "what happened"))
# Columns to omit, in this order, if there is too little room.
_SPARE = (
    *("fuzzy by class", "words fuzzy", "words drafted", "words translated"),
    *("words untranslated", "untranslated", "fuzzy"),
)
_SPARE_BEHIND = ("moved", "dropped", "words")
_NAMED = 3  # pages listed for each class of fuzzy messages
_NEXT = 10  # pages listed, unless all are requested
_UNREACHABLE = 1_000_000  # distance of a page that no table of contents links to


def status_report(result: RunResult, *, verbose: bool = False) -> Report:
    """Return a table and the next steps for each locale, and any comparison with a ref."""
    blocks: list[Block] = []
    for locale, pages in result.pages.items():
        unfinished = in_order_of_need(pages, result.distances)
        listed: Sequence[PageResult] = pages
        title = [(f"{result.name} · {locale}", "")]
        if not result.lists_all:
            listed = unfinished[:_NEXT]
            title.append((Translatable(f" · {_what_is_listed(unfinished)}"), ""))
        blocks.append(_table(title, listed, pages) if listed else Lines([title]))
        lines = next_lines(pages) or lines_when_done(result)
        blocks.append(Lines(list(map(Translatable, lines))))
    if result.comparison:
        blocks += _behind(result.comparison)
    blocks.append(Findings(findings=result.all_findings, has_notes=verbose))
    blocks.append(Lines(summary_lines(result)))
    return blocks


def in_order_of_need(pages: Sequence[PageResult], distances: Mapping[str, int]) -> list[PageResult]:
    """Return the unfinished pages in the order in which readers need them.

    ``distances`` maps each page to the number of links from the first page to it. Pages near the
    first page come first. At equal distance, the page with the least work comes first.
    """
    places = {page: place for place, page in enumerate(distances)}

    def need(page: PageResult) -> tuple[int, int, int, str]:
        words = progress_of([page]).words_to_do
        distance = distances.get(page.page, _UNREACHABLE)
        return distance, words, places.get(page.page, _UNREACHABLE), page.page

    unfinished = [page for page in pages if page.translated < page.messages]
    return sorted(unfinished, key=need)


def _what_is_listed(unfinished: Sequence[PageResult]) -> str:
    """Return the end of the table's title, which says which pages the table lists."""
    if not unfinished:
        return "every page is translated (--every-page lists them)"
    count = counted(len(unfinished), "page")
    if len(unfinished) <= _NEXT:
        return f"{count} to translate, what readers need first (--every-page: all)"
    return f"{_NEXT} of {count} to translate, what readers need first (--every-page: all)"


def next_lines(pages: Sequence[PageResult]) -> list[str]:
    """Return the work left: a line per class of fuzzy messages, and one for untranslated messages.

    The classes that are corrected quickest come first. For example:
    ``fuzzy, mark-up: 12 (guide 9, jit 3)``. Return no lines if no work is left.
    """
    counts: Counter[str] = Counter()
    for page in pages:
        counts.update(page.classes)
    lines = []
    for name, count in in_order(counts).items():
        # ``in_order`` puts the classes first that are corrected quickest.
        by_page = Counter({page.page: page.classes.get(name, 0) for page in pages})
        what = "drafts to confirm" if name == DRAFT else f"fuzzy, {name}"
        lines.append(f"  {what}: {count} ({_most(+by_page)})")
    untranslated = progress_of(pages).untranslated
    if untranslated:
        lines.append(f"  untranslated: {untranslated}")
    return ["what to do next:", *lines] if lines else []


def lines_when_done(result: RunResult) -> list[str]:
    """Return suggestions, with commands, for the case that every message is translated."""
    name = result.name
    lines = [
        "what to do next:",
        f"  read what the checks note: {how_to_run('check', name, '-v')}",
        f"  read what was translated since a commit: {how_to_run('review', 'COMMIT')}",
    ]
    # A plain folder has no releases.
    if result.lock.ref and result.lock.package:
        look = how_to_run("upgrade", "latest", name, "--dry-run")
        lines.append(f"  see what the next release changes: {look}")
    return lines


def _most(counts: Counter[str]) -> str:
    """Return the pages with the highest counts: ``a 12, b 3, c 3, …``."""
    by_count = sorted(counts, key=lambda page: (-counts[page], page))
    names = [f"{printable(page)} {counts[page]}" for page in by_count[:_NAMED]]
    if len(by_count) > _NAMED:
        names.append("…")
    return ", ".join(names)


def _table(title: Line, listed: Sequence[PageResult], pages: Sequence[PageResult]) -> Table:
    """Return a table with a row for each ``listed`` page, and the sums of all ``pages``."""
    rows = [(page.page, *_numbers([page]), Translatable(_classes(page))) for page in listed]
    footer = (Translatable(counted(len(pages), "page")), *_numbers(pages), "")
    # Projects without drafts do not need the columns of drafts.
    left_out = () if progress_of(pages).drafts else _OF_DRAFTS
    shown = [at for at, name in enumerate(_STATUS) if name not in left_out]
    return Table(
        title=title,
        headings=tuple(_STATUS[at] for at in shown),
        rows=[tuple(row[at] for at in shown) for row in rows],
        footer=tuple(footer[at] for at in shown),
        words=_WORDS,
        spare=_SPARE,
    )


def _classes(page: PageResult) -> str:
    """Return the classes of fuzzy messages, except drafts: those have their own columns."""
    classes = {name: count for name, count in page.classes.items() if name != DRAFT}
    return classes_text(classes)


def _numbers(pages: Iterable[PageResult]) -> tuple[str, ...]:
    """Return the number columns for one page or for all pages."""
    progress = progress_of(pages)
    # Drafts count as fuzzy. Subtract them from the fuzzy columns, because they have their own
    # columns.
    fuzzy, fuzzy_words = progress.fuzzy, progress.fuzzy_words
    done = percent_text(progress.translated, progress.messages)
    numbers = number_cells(
        (
            fuzzy - progress.drafts,
            progress.drafts,
            progress.untranslated,
            progress.translated_words,
            fuzzy_words - progress.draft_words,
            progress.draft_words,
            progress.untranslated_words,
        )
    )
    return (f"{progress.translated} ({done})", *numbers)


def _behind(comparison: Comparison) -> Iterator[Block]:
    """Yield a table of the English changes between the pin and the requested ref."""
    changes = comparison.pages
    ref = printable(comparison.after.ref or "HEAD")
    title = [(Translatable(f"behind {ref}: {_commits_text(comparison)}"), "")]
    # There may be commits between pin and ref, although no page differs.
    if not changes:
        yield Lines([[*title, (Translatable("; the docs are the same"), "")]])
        return
    numbers = [
        (change.changed, change.added, change.moved, change.dropped, change.words)
        for change in changes
    ]
    rows = [
        (change.page, *number_cells(counts), Translatable(_came_or_went(change)))
        for change, counts in zip(changes, numbers, strict=True)
    ]
    sums = number_cells(map(sum, zip(*numbers, strict=True)))
    yield Table(
        title=title,
        headings=_BEHIND,
        rows=rows,
        footer=(Translatable(counted(len(changes), "page")), *sums, ""),
        words=_WORDS,
        spare=_SPARE_BEHIND,
    )
    yield Lines(list(map(Translatable, overview_lines(changes))))


def _came_or_went(change: PageChange) -> str:
    """Return whether a page appeared, vanished, was renamed, or its code changed."""
    # Set the counts of messages to 0: other columns of the table show them.
    return change_text(replace(change, added=0, changed=0, moved=0, dropped=0))


def _commits_text(comparison: Comparison) -> str:
    """Return the distance: ``3 commits, and 1 that are only in the pin`` (on another branch)."""
    if comparison.commits is None:
        return "by an unknown number of commits (the history is not here)"
    ahead, behind = comparison.commits
    text = counted(ahead, "commit")
    if behind:
        text += f", and {behind} that are only in the pin"
    return text
