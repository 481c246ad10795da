"""Writer of reports as text for a terminal or a file, and of styled lines.

No text is parsed as markup, and control characters in untrusted text are escaped. Styles are those
of rich, which is imported only for drawing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from pipeline.log import printable
from pipeline.report.findings import columns_of, findings_lines
from pipeline.report.value import (
    Cell,
    Findings,
    Language,
    Line,
    Report,
    Screen,
    Table,
    Translatable,
    unstyled,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

# Minimum widths of the first column, and of other wrapped columns.
_LEAST_NAME, _LEAST_WORDS = 36, 20


def to_text(report: Report, screen: Screen) -> str:
    """Return the whole report. Tables fit into the width; lines are not wrapped."""
    language = screen.language
    texts: list[str] = []
    for block in report:
        if isinstance(block, Table):
            texts.append(table_text(block, screen))
        elif isinstance(block, Findings):
            texts.append(_joined(findings_lines(block, language)))
        else:
            lines = (_line(text, language) for text in block.texts)
            texts.append(_joined(map(unstyled, lines)))
    return "".join(texts)


def translated(text: str, language: Language) -> str:
    """Return a text that is safe to print. The pipeline's own words are in ``language``."""
    return printable(language.sentence(text) if isinstance(text, Translatable) else text)


def _joined(lines: Iterable[str]) -> str:
    """Return ``lines`` with newlines, and without trailing spaces."""
    return "".join(f"{line.rstrip()}\n" for line in lines)


def table_text(table: Table, screen: Screen) -> str:
    """Return a table that fits into the width."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(
        title=Text.assemble(*_line(table.title, screen.language)),
        title_justify="left",
        # Lines below the head and above the sums, none between cells.
        box=box.SIMPLE_HEAD,
        show_footer=True,
        pad_edge=False,
    )
    columns = _shown_columns(table, screen.width, screen.language)
    widths = _widths(columns, screen.width)
    for column in columns:
        drawn.add_column(
            column.heading,
            Text(column.footer),
            justify="left" if column.holds_words else "right",
            overflow="fold",  # names are never truncated, however little room there is
            no_wrap=not column.holds_words,
            width=widths[column.name],
        )
    for cells in zip(*(column.cells for column in columns), strict=True):
        drawn.add_row(*(Text.assemble(*cell) for cell in cells))
    return _drawn([drawn], screen)


def _line(cell: Cell, language: Language) -> Line:
    """Return a cell as pieces that are safe to print. Text like ``[b]`` is not rich markup."""
    pieces = [(cell, "")] if isinstance(cell, str) else cell
    return [(translated(text, language), style) for text, style in pieces]


def _shown_columns(table: Table, width: int, language: Language) -> list[_Column]:
    """Return the columns to show within ``width``."""
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
    for spare in (*table.spare, ""):
        if _room(columns, width) >= 0:
            return columns
        columns = [column for column in columns if column.name != spare]
    # All columns that may be omitted are omitted. Break the words of the others to the remaining
    # width.
    return [replace(column, is_squeezed=True) for column in columns]


def _room(columns: Sequence[_Column], width: int) -> int:
    """Return the width that remains if all columns are as narrow as possible; may be negative."""
    # Three spaces separate two columns, and there is one at either end.
    return width + 1 - sum(column.least + 3 for column in columns)


def _widths(columns: Sequence[_Column], width: int) -> dict[str, int]:
    """Return the width of each column by name. Free room goes to the narrowest columns first."""
    widths = {column.name: column.least for column in columns}
    widest = {column.name: column.widest for column in columns}
    for _ in range(_room(columns, width)):
        growing = [name for name in widths if widths[name] < widest[name]]
        if not growing:
            break
        widths[min(growing, key=lambda name: widths[name])] += 1
    return widths


class _Column(Struct, frozen=True, kw_only=True):
    """A column of a table, with its texts translated and its width measured."""

    name: str
    heading: str
    cells: Sequence[Line]
    footer: str
    holds_words: bool
    widest: int  # width of its widest cell
    is_first: bool
    is_squeezed: bool = False  # whether a column of words may be one character wide

    @property
    def least(self) -> int:
        """Return the minimum width of the column. Words can be wrapped; numbers cannot."""
        if not self.holds_words:
            return self.widest
        if self.is_squeezed:
            return 1
        return min(self.widest, _LEAST_NAME if self.is_first else _LEAST_WORDS)


def drawn_lines(lines: Iterable[Line], screen: Screen) -> str:
    """Return ``lines`` as text, with colours if the screen has them.

    Long lines are not wrapped, so that people can copy them in one piece.
    """
    if not screen.colour:
        # For CI and pipes, do not import rich: the import takes longer than everything else here.
        return _joined(map(unstyled, lines))
    from rich.text import Text

    texts = (Text.assemble(*line) for line in lines)
    return _drawn(texts, screen, whole_lines=True)


def _drawn(things: Iterable[RenderableType], screen: Screen, *, whole_lines: bool = False) -> str:
    """Return rich's output for ``things``. With ``whole_lines``, long lines are not wrapped."""
    from rich.console import Console

    out = StringIO()
    # The caller decides about colours; rich must not detect them.
    console = Console(
        file=out,
        width=screen.width,
        force_terminal=screen.colour,
        no_color=not screen.colour,
        highlight=False,
    )
    for thing in things:
        console.print(thing, soft_wrap=whole_lines)
    if screen.colour:
        return out.getvalue()
    # rich pads table cells with spaces. Remove them, because the output may go to a file.
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))
