"""Rows of tables in Markdown: where in its line each cell stands.

Source of the rules: markdown-it's table rule. It gives the words of cells and not their columns,
so the row is cut here once more, in the same way.
"""

from __future__ import annotations

import re
from itertools import pairwise

# What containers may stand before the header of a table: "> - [^1]: | Head |". Only a row that
# opens with a pipe can stand behind a marker: without one, the marker is part of the cell.
_MARKERS = re.compile(
    r"""
    (?: [ \t]*
      (?: >
        | [-+*](?=[ \t])
        | \d{1,9}[.)](?=[ \t])
        | \[\^[^\]\s]+\]:
        | [:~](?=[ \t])
      )
    )*
    [ \t]*(?=\|)
    """,
    re.VERBOSE,
)
# markdown-it looks at one character before it: behind two backslashes it is escaped as well.
_PIPE = re.compile(r"(?<!\\)\|")
# Before the rows below the header, markers are indentation or quote marks.
_INDENT = " \t>"


def cell_spans(line: str, *, is_header: bool) -> list[tuple[int, int]]:
    """Columns of the cells of a table row, without the white space around their words.

        "| one | two |"     (2, 5), (8, 11)
        "> one | two"       (2, 5), (8, 11)
        "| a \\| b |"        (2, 8)

    ``is_header``: more kinds of marks may stand before the first row of a table.
    """
    start = _row_start(line, is_header=is_header)
    row = line[start:].rstrip()
    pipes = [match.start() for match in _PIPE.finditer(row)]
    # A pipe at either end of the row closes it, and there is no cell outside; else the end does.
    if not row.startswith("|"):
        pipes.insert(0, -1)
    if pipes[-1] != len(row) - 1:
        pipes.append(len(row))
    return [_words(row, pipe + 1, end, start) for pipe, end in pairwise(pipes)]


def _row_start(line: str, *, is_header: bool) -> int:
    """The column behind the marks of what the table stands in: 2 for ``> | a | b |``."""
    markers = _MARKERS.match(line) if is_header else None
    if markers:
        return markers.end()
    return len(line) - len(line.lstrip(_INDENT))


def _words(row: str, begin: int, end: int, start: int) -> tuple[int, int]:
    """Columns in the line of the words within ``[begin, end)`` of the row from ``start`` on."""
    text = row[begin:end]
    body = text.strip()
    offset = start + begin
    if body:
        offset += text.index(body)
    return offset, offset + len(body)
