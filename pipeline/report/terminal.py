"""A report as the text that a terminal or a file gets, and styled lines as such text.

Nothing is parsed as markup, and what a stranger may have written is made printable. Styles are
those of rich, which is imported when something is drawn with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from typing import TYPE_CHECKING

from pipeline.log import printable
from pipeline.report.chinese import ENGLISH, Language
from pipeline.report.findings import columns_of, findings_lines
from pipeline.report.value import (
    Cell,
    Findings,
    Heading,
    Line,
    Ours,
    Report,
    Table,
    unstyled,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

# Columns that a row's name, and other words, have at least, if they need them.
_LEAST_NAME, _LEAST_WORDS = 36, 20


def to_text(
    report: Report, *, width: int, colour: bool, language: Language = ENGLISH
) -> str:
    """The whole report. Tables are at most ``width`` columns wide; no line is wrapped."""
    texts: list[str] = []
    for block in report:
        if isinstance(block, Table):
            texts.append(
                table_text(block, width=width, colour=colour, language=language)
            )
        elif isinstance(block, Heading):
            texts.append(f"{unstyled(_line(block.title, language))}\n")
        elif isinstance(block, Findings):
            texts.append(_joined(findings_lines(block, language)))
        else:
            texts.append(_joined(said(text, language) for text in block.texts))
    return "".join(texts)


def said(text: str, language: Language) -> str:
    """A text that is safe to print; words of ours are in ``language``."""
    return printable(language.sentence(text) if isinstance(text, Ours) else text)


def _joined(lines: Iterable[str]) -> str:
    """``lines``, each with its newline, as every terminal shows them."""
    return "".join(f"{line.rstrip()}\n" for line in lines)


def table_text(
    table: Table, *, width: int, colour: bool, language: Language = ENGLISH
) -> str:
    """A table, at most ``width`` columns wide."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(
        title=Text.assemble(*_line(table.title, language)),
        title_justify="left",
        # Lines below the head and above the sums, none between cells.
        box=box.SIMPLE_HEAD,
        show_footer=True,
        pad_edge=False,
    )
    columns = _shown_columns(table, width, language)
    widths = _widths(columns, width)
    for column in columns:
        drawn.add_column(
            column.heading,
            Text(column.footer),
            justify="left" if column.holds_words else "right",
            overflow="fold",  # no letter of a name is lost where there is little room
            no_wrap=not column.holds_words,
            width=widths[column.name],
        )
    for cells in zip(*(column.cells for column in columns), strict=True):
        drawn.add_row(*(Text.assemble(*cell) for cell in cells))
    return _drawn([drawn], width=width, colour=colour)


def _line(cell: Cell, language: Language) -> Line:
    """A cell as pieces that are safe to print: ``[b]`` is the name of a page, and no markup."""
    pieces = [(cell, "")] if isinstance(cell, str) else cell
    return [(said(text, language), style) for text, style in pieces]


def _shown_columns(table: Table, width: int, language: Language) -> list[_Column]:
    """The columns that are shown in so much room."""
    columns = []
    for at, name in enumerate(table.headings):
        heading = language.heading(name)
        footer = unstyled(_line(table.footer[at], language))
        cells = [_line(row[at], language) for row in table.rows]
        texts = [heading, footer, *map(unstyled, cells)]
        columns.append(
            _Column(
                name=name,
                heading=heading,
                cells=cells,
                footer=footer,
                holds_words=name in table.words,
                widest=max(map(columns_of, texts)),
                is_first=at == 0,
            )
        )
    for spare in table.spare:
        if _fit(columns, width):
            return columns
        columns = [column for column in columns if column.name != spare]
    if _fit(columns, width):
        return columns
    # Nothing more can go: names are folded as narrow as they have to be.
    return [replace(column, is_squeezed=True) for column in columns]


def _fit(columns: Sequence[_Column], width: int) -> bool:
    """Whether the columns have the room that they need."""
    return _room(columns, width) >= 0


def _room(columns: Sequence[_Column], width: int) -> int:
    """What is left of ``width`` if each column is as narrow as it may be; negative if too much."""
    # Between two of them there are three spaces, and one at either end.
    return width + 1 - sum(column.least + 3 for column in columns)


def _widths(columns: Sequence[_Column], width: int) -> dict[str, int]:
    """How wide each column is, by its name: what room there is goes to the narrowest first."""
    widths = {column.name: column.least for column in columns}
    widest = {column.name: column.widest for column in columns}
    for _ in range(_room(columns, width)):
        growing = [name for name in widths if widths[name] < widest[name]]
        if not growing:
            break
        widths[min(growing, key=lambda name: widths[name])] += 1
    return widths


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """A column of a table, as it is said to the reader."""

    name: str
    heading: str
    cells: Sequence[Line]
    footer: str
    holds_words: bool
    widest: int  # columns of the terminal that its widest cell takes
    is_first: bool
    is_squeezed: bool = False  # words get what numbers leave

    @property
    def least(self) -> int:
        """How wide it has to be: words can be wrapped, numbers cannot."""
        if not self.holds_words:
            return self.widest
        if self.is_squeezed:
            return 1
        return min(self.widest, _LEAST_NAME if self.is_first else _LEAST_WORDS)


def drawn_lines(lines: Iterable[Line], *, width: int, colour: bool) -> str:
    """``lines`` as rich draws them: tabs are spaces, and styles are shown if ``colour``.

    A line that is longer than ``width`` is left to the terminal to wrap: it can be copied whole.
    """
    from rich.text import Text

    texts = (Text.assemble(*line) for line in lines)
    return _drawn(texts, width=width, colour=colour, whole_lines=True)


def plain_lines(lines: Iterable[Line]) -> str:
    """``lines`` without their styles; it needs no rich."""
    return "".join(f"{unstyled(line).rstrip()}\n" for line in lines)


def _drawn(
    things: Iterable[RenderableType],
    *,
    width: int,
    colour: bool,
    whole_lines: bool = False,
) -> str:
    """What rich makes of ``things``; ``whole_lines`` may be longer than ``width``."""
    from rich.console import Console

    out = StringIO()
    # Whether to use colours is for the caller to say, not for rich to find out.
    console = Console(
        file=out,
        width=width,
        force_terminal=colour,
        no_color=not colour,
        highlight=False,
    )
    for thing in things:
        console.print(thing, soft_wrap=whole_lines)
    if colour:
        return out.getvalue()
    # rich fills up the cells of a table with spaces, which nobody wants in a file.
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))
