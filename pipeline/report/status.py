"""What ``status`` says: which pages come next, what to do, how far behind the pin is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from pipeline.core.catalog.counts import DRAFT, in_order
from pipeline.core.catalog.diff import Comparison, PageChange
from pipeline.core.results import PageResult, progress_of
from pipeline.log import printable
from pipeline.packages import how_to_run
from pipeline.report.counts import counted, percent_text
from pipeline.report.result import RunResult
from pipeline.report.run import summary_lines
from pipeline.report.upgrade import (
    classes_text,
    happened,
    number_cells,
    overview_lines,
)
from pipeline.report.value import (
    Block,
    Findings,
    Heading,
    Line,
    Lines,
    Ours,
    Report,
    Table,
)

_STATUS = (
    *("page", "translated", "fuzzy", "drafts", "untranslated"),
    *("words translated", "words fuzzy", "words drafted", "words untranslated"),
    "fuzzy by class",
)
_OF_DRAFTS = ("drafts", "words drafted")  # columns that are there if any draft is
_BEHIND = ("page", "changed", "new", "moved", "dropped", "words", "what happened")
# Columns that are wrapped, and on the left. "fuzzy" holds a number here, but words in the table of
# ``upgrade``: it stands on the same side in both.
_WORDS = frozenset(("page", "fuzzy", "fuzzy by class", "what happened"))
# What is left out where there is no room, from the first on.
_SPARE = (
    *("fuzzy by class", "words fuzzy", "words drafted", "words translated"),
    *("words untranslated", "untranslated", "fuzzy"),
)
_SPARE_BEHIND = ("moved", "dropped", "words")
_NAMED = 3  # pages that are named for each class of fuzzy messages
_NEXT = 10  # pages that are listed, unless all are to be
_FAR = 1_000_000  # clicks to a page that no table of contents leads to


def status_report(result: RunResult, *, verbose: bool = False) -> Report:
    """A table for each locale, what to do next, how far behind the pin is if that was asked."""
    blocks: list[Block] = []
    for locale, pages in result.pages.items():
        unfinished = in_order_of_need(pages, result.distances)
        listed: Sequence[PageResult] = pages
        title = [(f"{result.name} · {locale}", "")]
        if not result.lists_all:
            listed = unfinished[:_NEXT]
            title.append((Ours(f" · {_what_is_listed(unfinished)}"), ""))
        blocks.append(_table(title, listed, pages) if listed else Heading(title))
        lines = next_lines(pages) or lines_when_done(result)
        blocks.append(Lines(list(map(Ours, lines))))
    if result.comparison:
        blocks += _behind(result.comparison)
    blocks.append(Findings(findings=result.all_findings, has_notes=verbose))
    blocks.append(Lines(summary_lines(result)))
    return blocks


def in_order_of_need(
    pages: Sequence[PageResult], distances: Mapping[str, int]
) -> list[PageResult]:
    """The pages that are not finished, in the order in which readers need them.

    What is near the first page comes first; of pages that are as near, what is done soonest.
    """
    places = {page: place for place, page in enumerate(distances)}

    def need(page: PageResult) -> tuple[int, int, int, str]:
        words = progress_of([page]).words_to_do
        distance = distances.get(page.page, _FAR)
        return distance, words, places.get(page.page, _FAR), page.page

    unfinished = [page for page in pages if page.translated < page.messages]
    return sorted(unfinished, key=need)


def _what_is_listed(unfinished: Sequence[PageResult]) -> str:
    """Which pages the table has, in words: the end of its title."""
    if not unfinished:
        return "every page is translated (--every-page lists them)"
    count = counted(len(unfinished), "page")
    if len(unfinished) <= _NEXT:
        return f"{count} to translate, what readers need first (--every-page: all)"
    return (
        f"{_NEXT} of {count} to translate, what readers need first (--every-page: all)"
    )


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
        what = "drafts to confirm" if name == DRAFT else f"fuzzy, {name}"
        lines.append(f"  {what}: {count} ({_most(+by_page)})")
    untranslated = progress_of(pages).untranslated
    if untranslated:
        lines.append(f"  untranslated: {untranslated}")
    return ["what to do next:", *lines] if lines else []


def lines_when_done(result: RunResult) -> list[str]:
    """What there is to do when every message is translated, each with its command."""
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
    """The pages with most, and whether there are others: ``a 12, b 3, c 3, …``."""
    by_count = sorted(counts, key=lambda page: (-counts[page], page))
    names = [f"{printable(page)} {counts[page]}" for page in by_count[:_NAMED]]
    if len(by_count) > _NAMED:
        names.append("…")
    return ", ".join(names)


def _table(
    title: Line, listed: Sequence[PageResult], pages: Sequence[PageResult]
) -> Table:
    """A row for each page that is ``listed``, and the sums of all ``pages``."""
    rows = [(page.page, *_numbers([page]), Ours(_classes(page))) for page in listed]
    footer = (Ours(counted(len(pages), "page")), *_numbers(pages), "")
    # Where nobody drafts, nobody need read of drafts.
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
    """The classes of fuzzy messages; drafts have columns of their own."""
    classes = {name: count for name, count in page.classes.items() if name != DRAFT}
    return classes_text(classes)


def _numbers(pages: Iterable[PageResult]) -> tuple[str, ...]:
    """The columns of numbers, of one page or of all."""
    progress = progress_of(pages)
    # A draft is fuzzy too: the two columns are apart, so that they add up.
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
    """What an upgrade to the ref that was asked about would bring."""
    changes = comparison.pages
    ref = printable(comparison.after.ref or "HEAD")
    title = [(Ours(f"behind {ref}: {_distance(comparison)}"), "")]
    # The commits between the two may have touched code only.
    if not changes:
        yield Heading([*title, (Ours("; the docs are the same"), "")])
        return
    numbers = [
        (change.changed, change.added, change.moved, change.dropped, change.words)
        for change in changes
    ]
    rows = [
        (change.page, *number_cells(counts), Ours(_came_or_went(change)))
        for change, counts in zip(changes, numbers, strict=True)
    ]
    sums = number_cells(map(sum, zip(*numbers, strict=True)))
    yield Table(
        title=title,
        headings=_BEHIND,
        rows=rows,
        footer=(Ours(counted(len(changes), "page")), *sums, ""),
        words=_WORDS,
        spare=_SPARE_BEHIND,
    )
    yield Lines(list(map(Ours, overview_lines(changes))))


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
