"""What ``upgrade`` and ``status`` print: values in, text out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from io import StringIO

from pipeline.core.catalog.standing import in_order
from pipeline.core.results import Comparison, PageChange, PageResult, UpdateCounts
from pipeline.log import printable
from pipeline.report.result import RunResult
from pipeline.report.results import findings_lines, percent, summary_lines, totals
from pipeline.report.summary import markdown_table, plain

_UPGRADE = ("page", "kept", "carried", "fuzzy", "new", "obsolete", "words to do", "what happened")
_STATUS = (
    "page",
    "translated",
    "fuzzy",
    "untranslated",
    "words translated",
    "words fuzzy",
    "words untranslated",
    "fuzzy by class",
)
_BEHIND = ("page", "changed", "new", "moved", "dropped", "words", "what happened")
SUMMARISED = 150  # pages that a summary shows
_TEXT = ("page", "what happened", "fuzzy by class")  # columns of words; all others are numbers

Row = tuple[str, ...]


def upgrade_text(result: RunResult, *, width: int, colour: bool, verbose: bool = False) -> str:
    """What moving to another ref means: a table per locale, findings, a summary. ``verbose`` adds pages that stay as they are."""
    comparison = result.comparison
    if comparison is None:
        return ""
    blocks = []
    for locale, pages in result.pages.items():
        rows = upgrade_rows(pages, comparison.pages, result.gone.get(locale, ()))
        shown = {page: row for page, row in rows.items() if verbose or not _is_quiet(row)}
        title = f"{result.name} · {locale} · {_move(comparison)}"
        if result.dry_run or result.check_only:
            title += " (nothing is written)"
        footer = _upgrade_footer(pages, result.gone.get(locale, ()), comparison.pages)
        blocks.append(
            _table(title, _UPGRADE, list(shown.values()), footer, width=width, colour=colour)
        )
        if hidden := len(rows) - len(shown):
            blocks.append(f"{hidden} more pages stay as they are (-v lists them)\n")
        blocks += [f"{line}\n" for line in _overview(comparison.pages)]
    lines = (*findings_lines(result.all_findings, verbose=verbose), *summary_lines(result))
    return "".join(blocks) + "".join(f"{line}\n" for line in lines)


def upgrade_rows(
    pages: Sequence[PageResult], changes: Sequence[PageChange], gone: Sequence[PageResult] = ()
) -> dict[str, Row]:
    """Page → its row, by name: every page there is, and those that vanished."""
    by_page = {change.page: change for change in changes}
    rows = {page.page: _upgrade_row(page, by_page.get(page.page)) for page in pages}
    renamed = {change.renamed_from for change in changes}
    left = {page.page: page.update.obsolete for page in gone if page.update}
    rows |= {
        name: _vanished_row(change, left.get(name, 0), name in renamed)
        for name, change in by_page.items()
        if change.vanished
    }
    return {name: rows[name] for name in sorted(rows)}


def status_text(result: RunResult, *, width: int, colour: bool, verbose: bool = False) -> str:
    """Where every page stands, what to do next, and how far behind the pin is, if that was asked."""
    blocks = []
    for locale, pages in result.pages.items():
        footer = (f"{len(pages)} pages", *_standing_numbers(pages), "")
        rows = [
            (page.page, *_standing_numbers([page]), classes_text(page.classes)) for page in pages
        ]
        blocks.append(
            _table(f"{result.name} · {locale}", _STATUS, rows, footer, width=width, colour=colour)
        )
        blocks += [f"{line}\n" for line in next_lines(pages)]
    if result.comparison:
        blocks.append(_behind_text(result.comparison, width=width, colour=colour))
    lines = (*findings_lines(result.all_findings, verbose=verbose), *summary_lines(result))
    return "".join(blocks) + "".join(f"{line}\n" for line in lines)


def next_lines(pages: Sequence[PageResult]) -> list[str]:
    """What to do next: fuzzy messages, those first that take the least time, then what nobody has begun."""
    lines = []
    for name, count in in_order(sum((Counter(page.classes) for page in pages), Counter())).items():
        most = sorted(pages, key=lambda page: (-page.classes.get(name, 0), page.page))
        named = [
            f"{printable(page.page)} {page.classes[name]}"
            for page in most[:3]
            if page.classes.get(name)
        ]
        more = ", …" if sum(name in page.classes for page in pages) > len(named) else ""
        lines.append(f"fuzzy, {name}: {count} ({', '.join(named)}{more})")
    if untranslated := sum(page.untranslated for page in pages):
        lines.append(f"untranslated: {untranslated}")
    return ["what to do next:", *(f"  {line}" for line in lines)] if lines else []


def classes_text(classes: Mapping[str, int]) -> str:
    """``2 mark-up, 1 rewording``: the order is that of ``classes``."""
    return ", ".join(f"{count} {name}" for name, count in classes.items())


def _upgrade_row(page: PageResult, change: PageChange | None) -> Row:
    counts = page.update or UpdateCounts(
        kept=page.translated + page.fuzzy, new=page.untranslated, obsolete=page.obsolete
    )
    todo = page.words - page.translated_words
    numbers = (
        counts.kept,
        counts.carried,
        classes_text(counts.fuzzy),
        counts.new,
        counts.obsolete,
        todo,
    )
    return (
        page.page,
        *(str(number or "") for number in numbers),
        _happened(change, counts.moved_from),
    )


def _vanished_row(change: PageChange, obsolete: int, is_renamed: bool) -> Row:
    return (
        change.page,
        "",
        "",
        "",
        "",
        str(obsolete or ""),
        "",
        "renamed" if is_renamed else _happened(change),
    )


def _is_quiet(row: Row) -> bool:
    """Whether a row tells of a page that the move does not touch."""
    _, _, carried, fuzzy, _, _, _, happened = row
    return not (carried or fuzzy or happened)


def _happened(change: PageChange | None, moved_from: str = "") -> str:
    """What became of a page, in a few words; nothing if neither its text nor its code changed."""
    if change is None:
        return ""
    if change.vanished:
        return f"vanished, {change.dropped} dropped" if change.dropped else "vanished"
    source = change.renamed_from or moved_from
    facts = [f"renamed from {source}"] if source else ["appeared"] if change.appeared else []
    text = (
        (change.changed, "changed"),
        (change.added, "new"),
        (change.moved, "from other pages"),
        (change.dropped, "dropped"),
    )
    facts += (
        []
        if change.appeared and not source
        else [f"{count} {what}" for count, what in text if count]
    )
    facts += ["code changed"] if change.code_changed else []
    return ", ".join(facts)


def _upgrade_footer(
    pages: Sequence[PageResult], gone: Sequence[PageResult], changes: Sequence[PageChange]
) -> Row:
    rows = [
        page.update
        or UpdateCounts(
            kept=page.translated + page.fuzzy, new=page.untranslated, obsolete=page.obsolete
        )
        for page in pages
    ]
    fuzzy = in_order(sum((Counter(row.fuzzy) for row in rows), Counter()))
    todo = sum(page.words - page.translated_words for page in pages)
    before = (sum(row.kept for row in rows), sum(row.carried for row in rows), classes_text(fuzzy))
    obsolete = sum(row.obsolete for row in (*rows, *(page.update for page in gone if page.update)))
    numbers = (*before, sum(row.new for row in rows), obsolete, todo)
    return (
        f"{len(pages)} pages",
        *(str(number or "") for number in numbers),
        f"{sum(c.code_changed for c in changes)} code changed",
    )


def _overview(changes: Sequence[PageChange]) -> list[str]:
    """Which pages came, went, were renamed, and whose code changed: names in full."""
    renamed = {change.renamed_from for change in changes if change.renamed_from}
    groups: tuple[tuple[str, Iterable[str]], ...] = (
        (
            "pages that appeared",
            (change.page for change in changes if change.appeared and not change.renamed_from),
        ),
        (
            "pages that vanished",
            (change.page for change in changes if change.vanished and change.page not in renamed),
        ),
        (
            "pages that were renamed",
            (f"{change.renamed_from} → {change.page}" for change in changes if change.renamed_from),
        ),
        ("pages whose code changed", (change.page for change in changes if change.code_changed)),
    )
    listed = ((title, [printable(name) for name in names]) for title, names in groups)
    return [f"{title}: {len(names)} ({', '.join(names)})" for title, names in listed if names]


def _behind_text(comparison: Comparison, *, width: int, colour: bool) -> str:
    changes = comparison.pages
    numbers = [
        [change.changed, change.added, change.moved, change.dropped, change.words]
        for change in changes
    ]
    rows = [
        (change.page, *(str(n or "") for n in row), _came_or_went(change))
        for change, row in zip(changes, numbers, strict=True)
    ]
    footer = (
        f"{len(changes)} pages",
        *(str(sum(column) or "") for column in zip(*numbers, strict=True)),
        "",
    )
    title = f"behind {printable(comparison.after.ref or 'HEAD')}: {_distance(comparison)}"
    if not changes:
        return f"{title}; the docs are the same\n"
    return _table(title, _BEHIND, rows, footer, width=width, colour=colour) + "".join(
        f"{line}\n" for line in _overview(changes)
    )


def _came_or_went(change: PageChange) -> str:
    """What the columns of numbers do not say."""
    return _happened(replace(change, added=0, changed=0, moved=0, dropped=0))


def _distance(comparison: Comparison) -> str:
    if comparison.commits is None:
        return "by an unknown number of commits (the history is not here)"
    ahead, behind = comparison.commits
    text = f"{ahead} commit{'' if ahead == 1 else 's'}"
    return f"{text}, and {behind} that are only in the pin" if behind else text


def _move(comparison: Comparison) -> str:
    before, after = comparison.before, comparison.after
    return " → ".join(
        f"{printable(lock.ref)} ({lock.commit[:7]}, JAX {lock.jax})" for lock in (before, after)
    )


def _standing_numbers(pages: Sequence[PageResult]) -> Row:
    total = totals(pages)
    words = total["words"] - total["translated_words"] - total["fuzzy_words"]
    done = f"{total['translated']} ({percent(total['translated'], total['messages'])})"
    numbers = [
        total["fuzzy"],
        total["untranslated"],
        total["translated_words"],
        total["fuzzy_words"],
        words,
    ]
    return (done, *(str(number or "") for number in numbers))


def _table(
    title: str,
    headings: Sequence[str],
    rows: Sequence[Row],
    footer: Row,
    *,
    width: int,
    colour: bool,
) -> str:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    out = StringIO()
    console = Console(
        file=out, width=width, force_terminal=colour, no_color=not colour, highlight=False
    )
    table = Table(
        title=Text(title),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_footer=True,
        pad_edge=False,
    )
    for heading, foot in zip(headings, footer, strict=True):
        wraps = heading in (*_TEXT, "fuzzy")
        table.add_column(
            heading,
            Text(foot),
            justify="left" if wraps else "right",
            overflow="fold",
            no_wrap=not wraps,
        )
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    console.print(table)
    return (
        out.getvalue()
        if colour
        else "\n".join(line.rstrip() for line in out.getvalue().split("\n"))
    )


def upgrade_summary(result: RunResult) -> str:
    """What moving to another ref means, as Markdown for a pull request: the heading is its title. Empty if nothing moves.

    A pull request takes 65,536 characters, so the table is cut after the pages with most to do.
    """
    comparison = result.comparison
    if comparison is None:
        return ""
    title = f"# {plain(f'Upgrade {result.name} from {comparison.before.ref} to {comparison.after.ref}')}"
    blocks = [title, plain(_move(comparison))]
    for locale, pages in result.pages.items():
        rows = [
            row
            for row in upgrade_rows(pages, comparison.pages, result.gone.get(locale, ())).values()
            if not _is_quiet(row)
        ]
        shown = sorted(
            sorted(rows, key=lambda row: -int(row[6] or 0))[:SUMMARISED], key=lambda row: row[0]
        )
        footer = _upgrade_footer(pages, result.gone.get(locale, ()), comparison.pages)
        cells = [
            [plain(cell) for cell in row] for row in (*shown, (f"all {footer[0]}", *footer[1:]))
        ]
        blocks += [f"## {plain(locale)}", markdown_table(_UPGRADE, cells)]
        blocks += [f"… and {len(rows) - len(shown)} more"] if len(rows) > len(shown) else []
    blocks += [f"- {plain(line)}" for line in _overview(comparison.pages)]
    return "\n\n".join(blocks) + "\n\n"
