"""Options of a MyST directive whose values are words: captions, and the texts of images.

In go the lines of an option block, out comes where the words of each such value stand. The grammar
is MyST-Parser's subset of YAML (its ``parsers/options.py``). A value that more than an edit of one
line would be needed for, such as one that goes on in the next line, has no place.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

_FENCE = "---"
# An option begins its line with its name. MyST takes the colon before it away first.
_KEY = re.compile(r"(?P<key>[\w-]+):[ ]+(?=\S)")
_GOES_ON = re.compile(r"[ ]+\S")
# A value on one line. A "#" behind a space begins a comment. Quotes with escapes are not read.
_COMMENT = r"(?:[ ]+\#.*)?[ ]*"
_VALUE = re.compile(
    rf"""
      "(?P<double>[^"\\]*)"{_COMMENT}
    | '(?P<single>[^']*)'{_COMMENT}
    | (?P<plain>[^"'|>\#\s](?:\S|[ ](?![ ]*(?:\#|\Z)))*){_COMMENT}
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionValue:
    """The value of an option: columns ``[start, end)`` of a line of the block, counted from 0.

    Marks of quotation are left out. A value that is not read here has no columns.
    """

    key: str
    line: int
    columns: tuple[int, int] | None


def option_values(lines: Sequence[str], keys: Collection[str]) -> Iterator[OptionValue]:
    """The values of those options of a block that ``keys`` names.

    ``[":width: 3em", ":alt: Some words"]`` with ``alt`` -> line 1, columns 6 to 16
    """
    starts = _starts(lines)
    for number, (line, start) in enumerate(zip(lines, starts, strict=True)):
        named = _KEY.match(line, start)
        if named is None or named["key"] not in keys:
            continue
        columns = None
        value = _VALUE.fullmatch(line, named.end())
        # MyST splits lines at more characters than Markdown does.
        if (
            value
            and len(line.splitlines()) == 1
            and not _goes_on(lines, starts, number)
        ):
            columns = value.span(str(value.lastgroup))
        yield OptionValue(key=named["key"], line=number, columns=columns)


def _starts(lines: Sequence[str]) -> list[int]:
    """At which column of each line of a block the YAML begins."""
    if not lines or not lines[0].startswith(_FENCE):
        # Each line of such a block has the colon: that is how the block is told from words.
        return [len(line) - len(line.lstrip()) + 1 for line in lines]
    # The least indentation of all lines between the rules is none.
    inner = [line for line in lines if line.strip() and not line.startswith(_FENCE)]
    indents = [len(line) - len(line.lstrip(" ")) for line in inner]
    return [min(indents, default=0)] * len(lines)


def _goes_on(lines: Sequence[str], starts: Sequence[int], number: int) -> bool:
    """Whether the value on a line goes on below it: the next line is indented further."""
    below = number + 1
    return below < len(lines) and bool(_GOES_ON.match(lines[below], starts[below]))
