"""Fields of comma-separated values, and where they stand. Python's own reader has the last word on what they are."""

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
    """One field: what it says, and its first and last character (quotation marks included) as (index of line, column)."""

    text: str
    start: tuple[int, int]
    end: tuple[int, int]


def rows(lines: Sequence[str], options: Mapping[str, str]) -> list[list[Field]] | None:
    """The fields of ``lines`` by row, as the directive ``csv-table`` with these options reads them; None if that cannot be told."""
    if any(name in options for name in _FOREIGN):
        return None
    try:
        delimiter = directives.single_char_or_whitespace_or_unicode(options.get("delim", ","))
        skips = "keepspace" not in options
        reader = csv.reader(
            (f"{line}\n" for line in lines),
            delimiter=delimiter,
            skipinitialspace=skips,
            strict=True,
        )
        expected = [row for row in reader if row]
    except (ValueError, TypeError, csv.Error):
        return None
    found = _scan(lines, delimiter, skips)
    return found if [[field.text for field in row] for row in found] == expected else None


def _scan(lines: Sequence[str], delimiter: str, skips: bool) -> list[list[Field]]:
    text = "".join(f"{line}\n" for line in lines)
    places = [
        (index, column) for index, line in enumerate(lines) for column in range(len(line) + 1)
    ]
    pattern = re.compile(
        rf'{" *" if skips else ""}(?P<field>"(?P<quoted>(?:[^"]|"")*)"|[^{re.escape(delimiter)}\n]*)(?P<end>[{re.escape(delimiter)}\n])'
    )
    result: list[list[Field]] = [[]]
    at = 0
    while match := pattern.match(text, at):
        at = match.end()
        if not (match["end"] == "\n" and not match["field"] and not result[-1]):  # a blank line
            quoted = match["quoted"]
            said = match["field"] if quoted is None else quoted.replace(QUOTE * 2, QUOTE)
            result[-1].append(Field(said, places[match.start("field")], places[match.end("field")]))
        if match["end"] == "\n":
            result.append([])
    return [row for row in result if row]
