"""What moving to another ref means: the report of ``upgrade``, and words that ``status`` shares.

In go comparisons of pages, out come a report, Markdown for a pull request, lines and cells. Names
of pages come from upstream: they are made printable where they become a line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pipeline.core.catalog.counts import in_order
from pipeline.core.catalog.diff import Comparison, PageChange
from pipeline.core.pin.lock import Lock
from pipeline.core.results import PageResult, UpdateCounts, progress_of
from pipeline.log import printable
from pipeline.report.counts import counted, name_some
from pipeline.report.markdown import markdown_table, plain
from pipeline.report.result import RunResult
from pipeline.report.run import summary_lines
from pipeline.report.value import Block, Findings, Lines, Ours, Report, Table


def happened(change: PageChange | None, *, moved_from: str = "") -> str:
    """What became of a page, in a few words; nothing if neither its text nor its code changed.

    ``renamed from a, 3 changed, 1 new, code changed``. ``moved_from`` is the page that its
    translations came from, where the comparison knows of no other name.
    """
    if change is None:
        return ""
    if change.vanished:
        # What it had may stand on other pages now: only what is nowhere was dropped.
        return f"vanished, {change.dropped} dropped" if change.dropped else "vanished"
    # First where the page is from, then its text, then its code.
    facts = []
    source = change.renamed_from or moved_from
    if source:
        facts += [f"renamed from {source}", _differences(change)]
    elif change.appeared:
        # Of a page that nobody knew every message is new: to count them would tell nothing.
        facts.append("appeared")
    else:
        facts.append(_differences(change))
    if change.code_changed:
        facts.append("code changed")
    return ", ".join(filter(None, facts))


def _differences(change: PageChange) -> str:
    """How many messages became what: ``3 changed, 1 new``; empty if all are as they were."""
    counts = (
        (change.changed, "changed"),
        (change.added, "new"),
        (change.moved, "from other pages"),
        (change.dropped, "dropped"),
    )
    return ", ".join(f"{count} {words}" for count, words in counts if count)


def overview_lines(changes: Sequence[PageChange], *, most: int = 0) -> list[str]:
    """Which pages came, went, were renamed, and whose code changed: all names, or ``most``.

    ``pages that were renamed: 1 (a → b)``; a line is left out where there is no page to name.
    """
    # A page that was renamed has two changes: one appeared, one vanished. It is told once.
    old_names = {change.renamed_from for change in changes}
    appeared, vanished, renamed, code_changed = [], [], [], []
    for change in changes:
        # "renamed" says already that there is a page of this name now.
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


def end_text(lock: Lock) -> str:
    """One end of a move: ``jax-v0.10.2 (0123456, JAX 0.10.2)``."""
    facts = ", ".join(filter(None, (lock.commit[:7], lock.release)))
    return f"{printable(lock.ref)} ({facts})"


def classes_text(classes: Mapping[str, int]) -> str:
    """``2 mark-up, 1 rewording``: the order is that of ``classes``."""
    return ", ".join(f"{count} {name}" for name, count in classes.items())


def number_cells(numbers: Iterable[int | str]) -> tuple[str, ...]:
    """Numbers as cells; what is zero is left out, so that the others are seen."""
    # A fuzzy count by class is words already, and empty if there are none.
    return tuple(
        number if isinstance(number, str) else str(number or "") for number in numbers
    )


SUMMARISED = 150  # pages that a summary shows: a pull request takes 65,536 characters
_HEADINGS = (
    "page",
    "kept",
    "carried",
    "fuzzy",
    "new",
    "obsolete",
    "words to do",
    "what happened",
)
_WORDS = frozenset(("page", "fuzzy", "what happened"))
_SPARE = ("kept", "obsolete", "carried", "fuzzy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What a move does to one page, or to all of them.

    A page that vanished has only its obsolete translations to tell of.
    """

    page: str
    counts: UpdateCounts
    words_to_do: int = 0
    happened: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """The row as the table shows it."""
        counts = self.counts
        fuzzy = Ours(classes_text(counts.fuzzy))
        numbers = number_cells(
            (
                counts.kept,
                counts.carried,
                fuzzy,
                counts.new,
                counts.obsolete,
                self.words_to_do,
            )
        )
        return (self.page, *numbers, Ours(self.happened))

    @property
    def is_quiet(self) -> bool:
        """Whether the move does not touch the page: nothing in its row is news.

        Its messages were kept, or have waited for a translator before.
        """
        news = (self.counts.carried, self.counts.fuzzy, self.happened)
        return not any(news)


def upgrade_report(result: RunResult, *, verbose: bool = False) -> Report:
    """A table for each locale, findings, a summary.

    ``verbose`` adds pages that stay as they are.
    """
    comparison = result.comparison
    if comparison is None:
        return ()
    blocks: list[Block] = []
    for locale in result.pages:
        rows = _rows(result, locale, comparison)
        # Most pages stay as they are, in most moves: those that do not would drown among them.
        shown = rows if verbose else [row for row in rows if not row.is_quiet]
        title = [(f"{result.name} · {locale} · {_move(comparison)}", "")]
        if result.dry_run or result.check_only:
            title.append((Ours(" (nothing is written)"), ""))
        table = Table(
            title=title,
            headings=_HEADINGS,
            rows=[row.cells for row in shown],
            footer=_sums(result, locale, comparison).cells,
            words=_WORDS,
            spare=_SPARE,
        )
        lines = overview_lines(comparison.pages, most=0 if verbose else 10)
        if len(rows) > len(shown):
            hidden = len(rows) - len(shown)
            lines.insert(0, f"{hidden} more pages stay as they are (-v lists them)")
        blocks += [table, Lines(list(map(Ours, lines)))]
    blocks.append(Findings(findings=result.all_findings, has_notes=verbose))
    blocks.append(Lines(summary_lines(result)))
    return blocks


def upgrade_summary(result: RunResult) -> str:
    """What moving means, as Markdown for a pull request: the heading is its title.

    The table is cut after the pages with most to do. If nothing moves, there are only the releases
    that were passed over, or nothing at all.
    """
    comparison = result.comparison
    passed_over = [f"- passed over: {plain(reason)}" for reason in result.passed_over]
    if comparison is None:
        return "".join(f"{line}\n" for line in passed_over)
    title = (
        f"Upgrade {result.name} from {comparison.before.ref} to {comparison.after.ref}"
    )
    blocks = [f"# {plain(title)}", plain(_move(comparison))]
    for locale in result.pages:
        rows = [row for row in _rows(result, locale, comparison) if not row.is_quiet]
        # Cut by how much there is to do, shown by name: people look for the pages they know.
        most_to_do = sorted(rows, key=lambda row: -row.words_to_do)[:SUMMARISED]
        shown = sorted(most_to_do, key=lambda row: row.page)
        # The sums are those of all pages, also of what is cut.
        pages, *sums = _sums(result, locale, comparison).cells
        cells = [list(map(plain, row.cells)) for row in shown]
        cells.append(list(map(plain, (f"all {pages}", *sums))))
        table = markdown_table(_HEADINGS, cells)
        blocks += [f"## {plain(locale)}", table]
        if len(rows) > len(shown):
            blocks.append(f"… and {len(rows) - len(shown)} more")
    blocks += [f"- {plain(line)}" for line in overview_lines(comparison.pages)]
    blocks += passed_over
    return "\n\n".join(blocks) + "\n\n"


def _rows(result: RunResult, locale: str, comparison: Comparison) -> list[Row]:
    """Every page there is, and those that vanished, by name."""
    changes = {change.page: change for change in comparison.pages}
    rows = {
        page.page: _row(page, changes.get(page.page)) for page in result.pages[locale]
    }
    obsolete = _obsolete_of_gone(result, locale)
    old_names = {change.renamed_from for change in comparison.pages}
    vanished = [change for change in comparison.pages if change.vanished]
    for change in vanished:
        name = change.page
        rows[name] = Row(
            page=name,
            counts=UpdateCounts(obsolete=obsolete.get(name, 0)),
            # The row of the new name tells from where; this one, that nothing is lost.
            happened="renamed" if name in old_names else happened(change),
        )
    return sorted(rows.values(), key=lambda row: row.page)


def _obsolete_of_gone(result: RunResult, locale: str) -> dict[str, int]:
    """What is left of each page that upstream dropped: its translations, all obsolete."""
    return {
        page.page: page.update.obsolete
        for page in result.gone.get(locale, ())
        if page.update
    }


def _row(page: PageResult, change: PageChange | None) -> Row:
    """The row of a page that is there; ``change`` is None if its English stayed as it was."""
    counts = _counts_of(page)
    return Row(
        page=page.page,
        counts=counts,
        words_to_do=progress_of([page]).words_to_do,
        happened=happened(change, moved_from=counts.moved_from),
    )


def _counts_of(page: PageResult) -> UpdateCounts:
    """What the update did; a page that it did not look at has kept all that it had."""
    if page.update is not None:
        return page.update
    # Untouched fuzzy messages are kept as they are: they are no work of this move.
    return UpdateCounts(
        kept=page.translated + page.fuzzy, new=page.untranslated, obsolete=page.obsolete
    )


def _sums(result: RunResult, locale: str, comparison: Comparison) -> Row:
    """The line below the table: the sums over all pages, those that are not shown as well."""
    pages = result.pages[locale]
    kept = carried = new = obsolete = 0
    fuzzy: Counter[str] = Counter()
    for page in pages:
        counts = _counts_of(page)
        kept += counts.kept
        carried += counts.carried
        fuzzy.update(counts.fuzzy)
        new += counts.new
        obsolete += counts.obsolete
    # Such a page has no row of its own, or one that tells only of what is obsolete.
    obsolete += sum(_obsolete_of_gone(result, locale).values())
    code_changed = sum(change.code_changed for change in comparison.pages)
    return Row(
        page=Ours(counted(len(pages), "page")),
        counts=UpdateCounts(
            kept=kept,
            carried=carried,
            fuzzy=in_order(fuzzy),
            new=new,
            obsolete=obsolete,
        ),
        words_to_do=progress_of(pages).words_to_do,
        happened=f"{code_changed} code changed",
    )


def _move(comparison: Comparison) -> str:
    """From where to where: both ends with ref, commit and release."""
    return f"{end_text(comparison.before)} → {end_text(comparison.after)}"
