"""Fields of comma-separated values, and where they stand.

Python's own reader tells what they say and not where. So they are looked for once more, and where
the two disagree nothing is known.
"""

from __future__ import annotations

import csv
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from docutils.parsers.rst import directives

QUOTE = '"'
# Options that make quotation another one than ours.
_FOREIGN = frozenset(("quote", "escape"))


@dataclass(frozen=True, slots=True)
class Field:
    """One field: what it says, and its first and last character as (index of line, column).

    Quotation marks belong to it.
    """

    text: str
    start: tuple[int, int]
    end: tuple[int, int]


def rows(lines: Sequence[str], options: Mapping[str, str]) -> list[list[Field]] | None:
    """The fields of ``lines`` by row, as the directive ``csv-table`` reads them.

    ``options`` are those of the directive. None if with them that cannot be told.

        ['a, "b, c"']    [[Field("a", (0, 0), (0, 1)), Field("b, c", (0, 3), (0, 9))]]
    """
    if not _FOREIGN.isdisjoint(options):
        return None
    skips_space = "keepspace" not in options
    try:
        delimiter = directives.single_char_or_whitespace_or_unicode(
            options.get("delim", ",")
        )
        expected = _read(lines, delimiter, skips_space=skips_space)
    except (ValueError, TypeError, csv.Error):
        return None
    found = _scan(lines, delimiter, skips_space=skips_space)
    if [_texts(row) for row in found] != expected:
        return None
    return found


def _texts(row: Sequence[Field]) -> list[str]:
    """What the fields of a row say."""
    return [field.text for field in row]


def _read(
    lines: Sequence[str], delimiter: str, *, skips_space: bool
) -> list[list[str]]:
    """What the fields say, by Python's own reader. Raises csv.Error."""
    reader = csv.reader(
        (f"{line}\n" for line in lines),
        delimiter=delimiter,
        skipinitialspace=skips_space,
        strict=True,
    )
    return [row for row in reader if row]


def _scan(
    lines: Sequence[str], delimiter: str, *, skips_space: bool
) -> list[list[Field]]:
    """The same with places, by our own pattern."""
    text = "\n".join([*lines, ""])
    # Where each line begins in ``text``.
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    pattern = _field_pattern(delimiter, skips_space=skips_space)
    result: list[list[Field]] = []
    row: list[Field] = []
    # Each line has its end, so that every field has one: no character is skipped between two.
    for match in pattern.finditer(text):
        start = _line_and_column(starts, match.start("field"))
        end = _line_and_column(starts, match.end("field"))
        row.append(Field(_said(match), start, end))
        if match["end"] == "\n":
            result.append(row)
            row = []
    return [row for row in result if not _is_blank(row)]


def _is_blank(row: Sequence[Field]) -> bool:
    """Whether a row is a blank line, which is none: an empty field, alone and without quotes."""
    return len(row) == 1 and row[0].start == row[0].end


def _field_pattern(delimiter: str, *, skips_space: bool) -> re.Pattern[str]:
    """A field with what ends it; it may run over several lines within quotation marks.

    Groups: ``field`` with its quotation marks, ``quoted`` without them, and ``end``.
    """
    space = " *" if skips_space else ""
    delimiter = re.escape(delimiter)
    quoted = '"(?P<quoted>(?:[^"]|"")*)"'
    return re.compile(
        rf"{space}(?P<field>{quoted}|[^{delimiter}\n]*)(?P<end>[{delimiter}\n])"
    )


def _said(field: re.Match[str]) -> str:
    """What a field says: without its quotation marks, and each pair of them within is one."""
    if field["quoted"] is None:
        return field["field"]
    return field["quoted"].replace(QUOTE * 2, QUOTE)


def _line_and_column(starts: Sequence[int], position: int) -> tuple[int, int]:
    """Index of the line that holds a position, and column there, given where lines begin."""
    index = bisect_right(starts, position) - 1
    return index, position - starts[index]
