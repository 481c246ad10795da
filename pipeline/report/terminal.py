"""Styled lines and tables as the text that a terminal or a file gets.

Everything that goes in is ours, or was made printable by who gives it: nothing here is parsed as
markup. Styles are those of rich, which is imported when something is drawn with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from pipeline.log import printable

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

Piece = tuple[str, str]  # a text, and its style: "bold red", or "" for none
Line = Sequence[Piece]
Cell = str | Line  # a str may hold anything: it is made printable


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with a line of sums below. Columns of ``words`` are wrapped; others are numbers."""

    title: Piece
    headings: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]
    footer: Sequence[str]
    words: frozenset[str]

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
        rows = [list(map(_cell, row)) for row in self.rows]
        for at, heading in enumerate(self.headings):
            holds_words = heading in self.words
            cells = [Text(heading), *(row[at] for row in rows), Text(self.footer[at])]
            table.add_column(
                heading,
                Text(self.footer[at]),
                justify="left" if holds_words else "right",
                # No letter of a name is lost where there is little room.
                overflow="fold",
                no_wrap=not holds_words,
                # Numbers are never wrapped: rich need not measure each of them twice.
                width=None if holds_words else max(cell.cell_len for cell in cells),
            )
        for row in rows:
            table.add_row(*row)
        return _drawn([table], width=width, colour=colour)


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
