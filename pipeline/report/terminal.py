"""Styled lines and tables as the text that a terminal or a file gets.

Everything that goes in is ours, or was made printable by who gives it: nothing here is parsed as
markup. Styles are those of rich, which is imported when something is drawn with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from typing import TYPE_CHECKING

from pipeline.log import printable

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

# Columns that a row's name, and other words, have at least, if they need them.
_LEAST_NAME, _LEAST_WORDS = 36, 20

Piece = tuple[str, str]  # a text, and its style: "bold red", or "" for none
Line = Sequence[Piece]
Cell = str | Line  # a str may hold anything: it is made printable


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with a line of sums below. Columns of ``words`` are wrapped; others are numbers.

    Columns of ``spare`` are left out, from the first on, where the terminal has no room for all.
    """

    title: Piece
    headings: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]
    footer: Sequence[str]
    words: frozenset[str]
    spare: tuple[str, ...] = ()
    shown_as: Callable[[str], str] = str  # a heading, in the language of the reader

    def to_text(self, *, width: int, colour: bool) -> str:
        """The table, at most ``width`` columns wide."""
        from rich import box
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(
            title=Text(*self.title),
            title_justify="left",
            # Lines below the head and above the sums, none between cells.
            box=box.SIMPLE_HEAD,
            show_footer=True,
            pad_edge=False,
        )
        columns = self._columns(width)
        widths = _widths(columns, width)
        for column in columns:
            table.add_column(
                self.shown_as(column.heading),
                Text(column.footer),
                justify="left" if column.holds_words else "right",
                overflow="fold",  # no letter of a name is lost where there is little room
                no_wrap=not column.holds_words,
                width=widths[column.heading],
            )
        for row in self.rows:
            table.add_row(*(_cell(row[column.at]) for column in columns))
        return _drawn([table], width=width, colour=colour)

    def _columns(self, width: int) -> list[_Column]:
        """The columns that are shown in so much room."""
        columns = []
        for at, heading in enumerate(self.headings):
            shown = self.shown_as(heading)
            cells = [shown, self.footer[at], *(_plain(row[at]) for row in self.rows)]
            columns.append(
                _Column(
                    at=at,
                    heading=heading,
                    footer=self.footer[at],
                    holds_words=heading in self.words,
                    widest=max(map(columns_of, cells)),
                )
            )
        for spare in self.spare:
            if _fit(columns, width):
                return columns
            columns = [column for column in columns if column.heading != spare]
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
    """How wide each column is, by its heading: what room there is goes to the narrowest first."""
    widths = {column.heading: column.least for column in columns}
    widest = {column.heading: column.widest for column in columns}
    for _ in range(_room(columns, width)):
        growing = [name for name in widths if widths[name] < widest[name]]
        if not growing:
            break
        widths[min(growing, key=lambda name: widths[name])] += 1
    return widths


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """A column of a table: the cells of each row ``at`` its place."""

    at: int
    heading: str
    footer: str
    holds_words: bool
    widest: int  # columns of the terminal that its widest cell takes
    is_squeezed: bool = False  # words get what numbers leave

    @property
    def least(self) -> int:
        """How wide it has to be: words can be wrapped, numbers cannot."""
        if not self.holds_words:
            return self.widest
        if self.is_squeezed:
            return 1
        return min(self.widest, _LEAST_NAME if self.at == 0 else _LEAST_WORDS)


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


def unstyled(line: Line) -> str:
    """The texts of ``line`` alone."""
    return "".join(text for text, _ in line)


def columns_of(text: str) -> int:
    """How many columns of a terminal a text takes."""
    from rich.cells import cell_len

    return cell_len(text)


def _plain(cell: Cell) -> str:
    """The text of a cell, without its styles."""
    return printable(cell) if isinstance(cell, str) else unstyled(cell)


def _cell(cell: Cell) -> Text:
    """A cell as rich draws it, with no markup in it: ``[b]`` is the name of a page."""
    from rich.text import Text

    if isinstance(cell, str):
        return Text(printable(cell))
    return Text.assemble(*cell)


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
