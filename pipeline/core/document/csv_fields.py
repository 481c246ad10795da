"""Fields of comma-separated values, with their positions.

Python's reader returns the fields without positions. A pattern finds the positions, and its result
is used only if it agrees with the reader's.
"""

from __future__ import annotations

import csv
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

QUOTE = '"'
# Options that change the quoting rules.
_FOREIGN = frozenset(("quote", "escape"))


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its text, and its start and end as (line index, column).

    The span includes quotation marks.
    """

    text: str
    start: tuple[int, int]
    end: tuple[int, int]


def rows(lines: Sequence[str], options: Mapping[str, str]) -> list[list[Field]] | None:
    """Return the fields of ``lines`` by row, as the directive ``csv-table`` reads them.

    ``options`` are the directive's. Returns None if the fields cannot be located.

        ['a, "b, c"']    [[Field("a", (0, 0), (0, 1)), Field("b, c", (0, 3), (0, 9))]]
    """
    if not _FOREIGN.isdisjoint(options):
        return None
    # docutils loads slowly, and most Markdown pages never need it.
    from docutils.parsers.rst import directives

    skips_space = "keepspace" not in options
    try:
        delimiter = directives.single_char_or_whitespace_or_unicode(
            options.get("delim", ",")
        )
        expected = _read(lines, delimiter, skips_space=skips_space)
    except (ValueError, TypeError, csv.Error):
        return None
    # If the two disagree, a position could be wrong, and a merge would corrupt the table.
    found = _scan(lines, delimiter, skips_space=skips_space)
    if [[field.text for field in row] for row in found] != expected:
        return None
    return found


def quoted(text: str) -> str:
    """Return ``text`` as a field in quotation marks, which may hold the delimiter."""
    return f"{QUOTE}{text.replace(QUOTE, QUOTE * 2)}{QUOTE}"


def _read(
    lines: Sequence[str], delimiter: str, *, skips_space: bool
) -> list[list[str]]:
    """Return the texts of all fields, as Python's reader sees them. Raises csv.Error."""
    reader = csv.reader(
        # With line ends, as docutils passes the lines: a quoted field keeps them.
        (f"{line}\n" for line in lines),
        delimiter=delimiter,
        skipinitialspace=skips_space,
        strict=True,
    )
    return [row for row in reader if row]


def _scan(
    lines: Sequence[str], delimiter: str, *, skips_space: bool
) -> list[list[Field]]:
    """Return the same fields with positions, found by a pattern."""
    content = "\n".join([*lines, ""])
    # The offset in ``content`` at which each line begins.
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    pattern = _field_pattern(delimiter, skips_space=skips_space)
    result: list[list[Field]] = []
    row: list[Field] = []
    # Every line has a line end, so every field has an end, and matches leave no gaps.
    for match in pattern.finditer(content):
        start = _line_and_column(starts, match.start("field"))
        end = _line_and_column(starts, match.end("field"))
        text = match["field"]
        if match["quoted"] is not None:
            text = match["quoted"].replace(QUOTE * 2, QUOTE)
        row.append(Field(text, start, end))
        if match["end"] == "\n":
            result.append(row)
            row = []
    return [row for row in result if not _is_blank(row)]


def _is_blank(row: Sequence[Field]) -> bool:
    """Return whether a row is a blank line: a single, empty, unquoted field."""
    return len(row) == 1 and row[0].start == row[0].end


def _field_pattern(delimiter: str, *, skips_space: bool) -> re.Pattern[str]:
    """Return a pattern for a field and its end; a quoted field may span several lines.

    Its groups are ``field`` with quotation marks, ``quoted`` without them, and ``end``.
    """
    space = " *" if skips_space else ""
    delimiter = re.escape(delimiter)
    quoted = '"(?P<quoted>(?:[^"]|"")*)"'
    return re.compile(
        rf"{space}(?P<field>{quoted}|[^{delimiter}\n]*)(?P<end>[{delimiter}\n])"
    )


def _line_and_column(starts: Sequence[int], position: int) -> tuple[int, int]:
    """Return the index of the line that holds a position, and the column in it."""
    index = bisect_right(starts, position) - 1
    return index, position - starts[index]
