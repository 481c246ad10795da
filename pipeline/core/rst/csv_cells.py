"""Fields of comma-separated values, and where they stand.

Python's own reader tells what they say and not where. So they are looked for once more, and where
the two disagree nothing is known.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from docutils.parsers.rst import directives

QUOTE = '"'
_FOREIGN = ("quote", "escape")  # options that make quotation another one than ours


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

    None if with these options that cannot be told.
    """
    if any(name in options for name in _FOREIGN):
        return None
    skips_space = "keepspace" not in options
    try:
        delimiter = directives.single_char_or_whitespace_or_unicode(options.get("delim", ","))
        expected = _read(lines, delimiter, skips_space=skips_space)
    except (ValueError, TypeError, csv.Error):
        return None
    found = _scan(lines, delimiter, skips_space=skips_space)
    return found if [[field.text for field in row] for row in found] == expected else None


def _read(lines: Sequence[str], delimiter: str, *, skips_space: bool) -> list[list[str]]:
    """What the fields say."""
    reader = csv.reader(
        (f"{line}\n" for line in lines),
        delimiter=delimiter,
        skipinitialspace=skips_space,
        strict=True,
    )
    return [row for row in reader if row]


def _scan(lines: Sequence[str], delimiter: str, *, skips_space: bool) -> list[list[Field]]:
    """The same with places."""
    text = "".join(f"{line}\n" for line in lines)
    places = [
        (index, column) for index, line in enumerate(lines) for column in range(len(line) + 1)
    ]
    pattern = _field_pattern(delimiter, skips_space=skips_space)
    result: list[list[Field]] = [[]]
    at = 0
    while match := pattern.match(text, at):
        at = match.end()
        ends_row = match["end"] == "\n"
        is_blank_line = ends_row and not match["field"] and not result[-1]
        if not is_blank_line:
            said = match["field"]
            if match["quoted"] is not None:
                said = match["quoted"].replace(QUOTE * 2, QUOTE)
            start, end = places[match.start("field")], places[match.end("field")]
            result[-1].append(Field(said, start, end))
        if ends_row:
            result.append([])
    return [row for row in result if row]


def _field_pattern(delimiter: str, *, skips_space: bool) -> re.Pattern[str]:
    space = " *" if skips_space else ""
    delimiter = re.escape(delimiter)
    quoted = '"(?P<quoted>(?:[^"]|"")*)"'
    return re.compile(rf"{space}(?P<field>{quoted}|[^{delimiter}\n]*)(?P<end>[{delimiter}\n])")
