"""Report of ``upgrade``: the effects of moving to another ref.

The module turns a comparison of pages into a report for people, and into Markdown for a pull
request. ``status`` uses its functions for the comparison with a ref. Page names come from upstream,
so control characters in them are escaped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from pipeline.core.catalog.commit_diff import Comparison, PageChange
from pipeline.core.catalog.counts import in_order
from pipeline.core.pin.lock import Lock, is_reference
from pipeline.core.results import PageResult, UpdateCounts, progress_of
from pipeline.log import printable
from pipeline.report.counts import counted, name_some, number_cells
from pipeline.report.page import plain, render
from pipeline.report.result import RunResult
from pipeline.report.run import summary_lines
from pipeline.report.value import Block, Findings, Lines, Report, Table, Translatable


def change_text(change: PageChange | None, *, moved_from: str = "") -> str:
    """Return what happened to a page in a few words, or "" if its text and code are unchanged.

    ``renamed from a, 3 changed, 1 new, code changed``. ``moved_from`` is the page that its
    translations came from; it is shown as ``renamed from`` if the comparison found no renaming.
    """
    if change is None:
        return ""
    if change.vanished:
        # Messages of a vanished page may be on other pages now. Count only those that are not,
        # which are dropped.
        return f"vanished, {change.dropped} dropped" if change.dropped else "vanished"
    # First the old name of the page, then changes of its text, then of its code.
    facts = []
    source = change.renamed_from or moved_from
    if source:
        facts += [f"renamed from {source}", _differences(change)]
    elif change.appeared:
        # All messages of a new page are new, so do not count them.
        facts.append("appeared")
    else:
        facts.append(_differences(change))
    if change.code_changed:
        facts.append("code changed")
    return ", ".join(filter(None, facts))


def _differences(change: PageChange) -> str:
    """Return the number of messages by change, ``3 changed, 1 new``, or "" without changes."""
    counts = (
        (change.changed, "changed"),
        (change.added, "new"),
        (change.moved, "from other pages"),
        (change.dropped, "dropped"),
    )
    return ", ".join(f"{count} {words}" for count, words in counts if count)


def overview_lines(changes: Sequence[PageChange], *, most: int = 0) -> list[str]:
    """Return lines that list the pages that appeared, vanished, were renamed, or have new code.

    For example: ``pages that were renamed: 1 (a → b)``. A line has at most ``most`` names; 0 means
    all. Lines without pages are omitted.
    """
    # For a renamed page, the new name appeared and the old name vanished. List the page once, as
    # renamed.
    old_names = {change.renamed_from for change in changes}
    appeared, vanished, renamed, code_changed = [], [], [], []
    for change in changes:
        # "renamed" implies that the new page appeared.
        if change.renamed_from:
            renamed.append(f"{change.renamed_from} → {change.page}")
        elif change.appeared:
            appeared.append(change.page)
        if change.vanished and change.page not in old_names:
            vanished.append(change.page)
        if change.code_changed:
            code_changed.append(change.page)
    lines = []
    for title, names in (
        ("pages that appeared", appeared),
        ("pages that vanished", vanished),
        ("pages that were renamed", renamed),
        ("pages whose code changed", code_changed),
    ):
        if names:
            shown = name_some(list(map(printable, names)), most or len(names))
            lines.append(f"{title}: {len(names)} ({shown})")
    return lines


def commit_text(lock: Lock) -> str:
    """Return one end of a move: ``jax-v0.10.2 (0123456, JAX 0.10.2)``."""
    facts = ", ".join(filter(None, (lock.commit[:7], lock.release)))
    return f"{printable(lock.ref)} ({facts})"


def classes_text(classes: Mapping[str, int]) -> str:
    """Return ``2 mark-up, 1 rewording``, in the order of ``classes``."""
    return ", ".join(f"{count} {name}" for name, count in classes.items())


SUMMARISED = 150  # pages in a summary: a pull request may have 65,536 characters
_HEADINGS = (
    *("page", "kept", "carried", "fuzzy", "new", "obsolete"),
    *("words to do", "what happened"),
)
_WORDS = frozenset(("page", "fuzzy", "what happened"))
_SPARE = ("kept", "obsolete", "carried", "fuzzy")


class Row(Struct, frozen=True, kw_only=True):
    """The effects of a move on one page, or the sums over all pages.

    The row of a vanished page only counts obsolete translations.
    """

    page: str
    counts: UpdateCounts
    words_to_do: int = 0
    happened: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """Return the cells of the row."""
        counts = self.counts
        return (
            self.page,
            *number_cells((counts.kept, counts.carried)),
            Translatable(classes_text(counts.fuzzy)),
            *number_cells((counts.new, counts.obsolete, self.words_to_do)),
            Translatable(self.happened),
        )

    @property
    def is_quiet(self) -> bool:
        """Return whether the move has no effect on the page, so that the table omits it."""
        news = (self.counts.carried, self.counts.fuzzy, self.happened)
        return not any(news)


def upgrade_report(result: RunResult, *, verbose: bool = False) -> Report:
    """Return a table for each locale, the findings, and a summary.

    ``verbose`` adds unaffected pages.
    """
    comparison = result.comparison
    if comparison is None:
        return ()
    blocks: list[Block] = []
    for locale in result.pages:
        rows = _rows(result, locale, comparison)
        # Most moves affect few pages. Omit unaffected pages, so that people see the affected ones.
        shown = rows if verbose else [row for row in rows if not row.is_quiet]
        reference = _reference_rows(result, locale)
        title = [(f"{result.name} · {locale} · {_move(comparison)}", "")]
        if result.dry_run or result.check_only:
            title.append((Translatable(" (nothing is written)"), ""))
        table = Table(
            title=title,
            headings=_HEADINGS,
            rows=[row.cells for row in (*shown, *reference)],
            footer=_sums(result, locale, comparison).cells,
            words=_WORDS,
            spare=_SPARE,
        )
        lines = overview_lines(comparison.pages, most=0 if verbose else 10)
        if len(rows) > len(shown):
            hidden = counted(len(rows) - len(shown), "other page")
            lines.insert(0, f"no change: {hidden} (-v lists them)")
        blocks += [table, Lines(list(map(Translatable, lines)))]
    blocks.append(Findings(findings=result.all_findings, has_notes=verbose))
    blocks.append(Lines(summary_lines(result)))
    return blocks


def upgrade_summary(result: RunResult) -> str:
    """Return the effects of a move as Markdown for a pull request. Its first line is the title.

    Only the pages with most work are listed. If the pin does not move, the summary only lists the
    skipped releases, if any.
    """
    comparison = result.comparison
    if comparison is None:
        return "".join(f"- skipped: {plain(why)}\n" for why in result.passed_over)
    tables: dict[str, object] = {}
    for locale in result.pages:
        rows = [row for row in _rows(result, locale, comparison) if not row.is_quiet]
        # Select the pages with most work, but sort them by name, so that people find them.
        most_to_do = sorted(rows, key=lambda row: -row.words_to_do)[:SUMMARISED]
        shown = sorted(most_to_do, key=lambda row: row.page)
        # The sums include the pages that are not listed.
        pages, *sums = _sums(result, locale, comparison).cells
        cells = [row.cells for row in (*shown, *_reference_rows(result, locale))]
        cells.append((f"all {pages}", *sums))
        tables[locale] = {"rows": cells, "hidden": len(rows) - len(shown)}
    values = {
        "result": result,
        "commits": _move(comparison),
        "headings": _HEADINGS,
        "tables": tables,
        "lines": overview_lines(comparison.pages),
    }
    return render("upgrade.md.j2", values).decode("utf-8")


def _rows(result: RunResult, locale: str, comparison: Comparison) -> list[Row]:
    """Return the rows of all present and vanished pages, by name."""
    changes = {change.page: change for change in comparison.pages}
    rows: dict[str, Row] = {}
    for page in result.pages[locale]:
        counts = _counts_of(page)
        # Without a change, the English of the page is as it was.
        change = changes.get(page.page)
        rows[page.page] = Row(
            page=page.page,
            counts=counts,
            words_to_do=progress_of([page]).words_to_do,
            happened=change_text(change, moved_from=counts.moved_from),
        )
    obsolete = _obsolete_of_gone(result, locale)
    old_names = {change.renamed_from for change in comparison.pages}
    vanished = [change for change in comparison.pages if change.vanished]
    for change in vanished:
        name = change.page
        rows[name] = Row(
            page=name,
            counts=UpdateCounts(obsolete=obsolete.get(name, 0)),
            # A renamed page has two rows. The row with the new name also shows the old one.
            happened="renamed" if name in old_names else change_text(change),
        )
    return sorted(rows.values(), key=lambda row: row.page)


def _obsolete_of_gone(result: RunResult, locale: str) -> dict[str, int]:
    """Return the number of obsolete translations of each page that upstream dropped."""
    return {page.page: page.update.obsolete for page in result.gone.get(locale, ()) if page.update}


def _counts_of(page: PageResult) -> UpdateCounts:
    """Return the counts of a page's update. A page without an update has kept everything."""
    if page.update is not None:
        return page.update
    # Messages that were fuzzy before count as kept, because this move did not make them fuzzy.
    return UpdateCounts(
        kept=page.translated + page.fuzzy, new=page.untranslated, obsolete=page.obsolete
    )


def _sums(result: RunResult, locale: str, comparison: Comparison) -> Row:
    """Return the sums over all pages of the guides, including those that are not shown."""
    pages = result.pages[locale]
    code_changed = sum(change.code_changed for change in comparison.pages)
    return Row(
        page=Translatable(counted(len(pages), "page")),
        counts=_summed(result, locale, pages, of_reference=False),
        words_to_do=progress_of(pages).words_to_do,
        happened=f"{code_changed} code changed",
    )


def _reference_rows(result: RunResult, locale: str) -> list[Row]:
    """Return one row for the whole API reference, or no row if there is none.

    The reference has a thousand pages; rows for each of them would hide the guides. Among the
    translations of the reference, the row shows the shares that were kept, carried over, made
    fuzzy, and made obsolete.
    """
    pages = result.reference.get(locale, ())
    if not pages:
        return []
    counts = _summed(result, locale, pages, of_reference=True)
    parts = {
        "kept": counts.kept,
        "carried": counts.carried,
        "fuzzy": sum(counts.fuzzy.values()),
        "obsolete": counts.obsolete,
    }
    whole = sum(parts.values()) or 1
    shares = [f"{100 * parts[name] / whole:.1f} % {name}" for name in parts]
    row = Row(
        page=Translatable(f"API reference: {counted(len(pages), 'page')}"),
        counts=counts,
        words_to_do=progress_of(pages).words_to_do,
        happened=", ".join(shares),
    )
    return [row]


def _summed(
    result: RunResult, locale: str, pages: Sequence[PageResult], *, of_reference: bool
) -> UpdateCounts:
    """Return the sums over ``pages``, with the obsolete translations of dropped pages."""
    kept = carried = new = obsolete = 0
    for name, count in _obsolete_of_gone(result, locale).items():
        if is_reference(name) == of_reference:
            obsolete += count
    fuzzy: Counter[str] = Counter()
    for page in pages:
        counts = _counts_of(page)
        kept += counts.kept
        carried += counts.carried
        fuzzy.update(counts.fuzzy)
        new += counts.new
        obsolete += counts.obsolete
    return UpdateCounts(
        kept=kept, carried=carried, fuzzy=in_order(fuzzy), new=new, obsolete=obsolete
    )


def _move(comparison: Comparison) -> str:
    """Return the old and the new ref, commit and release as text."""
    return f"{commit_text(comparison.before)} → {commit_text(comparison.after)}"
