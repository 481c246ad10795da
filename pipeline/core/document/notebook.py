"""Notebooks as raw JSON text: what was found in one, and how to edit its cells in place.

Nothing is parsed and written again: indent, key order, escapes, outputs and the final newline
stay. See :mod:`pipeline.core.document.scanning` for how cells are found.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from pipeline.core.document.splice import Edit, splice

# One escape of a JSON string; a pair of surrogates is one character.
_ESCAPE = re.compile(
    r"""
    \\(?: u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}
        | u[0-9a-fA-F]{4}
        | . )
    """,
    re.VERBOSE | re.DOTALL,
)
# An escape of a character beyond ASCII. The backslashes before it are pairs, each of them one.
_ESCAPED_TEXT = re.compile(r"(?<!\\)(?:\\\\)*\\u(?!00[0-7])[0-9a-fA-F]{4}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell: ``source`` as text, and the spans of the JSON strings (quotes included)."""

    kind: str  # "markdown", "code", "raw"
    source: str
    literals: tuple[tuple[int, int], ...]
    texts: tuple[str, ...]  # the decoded literals; joined they are ``source``
    metadata: Mapping[str, Any]

    @property
    def tags(self) -> tuple[str, ...]:
        """The cell's tags: ``("raises-exception",)``."""
        tags = self.metadata.get("tags")
        if not isinstance(tags, list):
            return ()  # nobody keeps a notebook from having anything there
        return tuple(str(tag) for tag in tags)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notebook:
    """A notebook's raw JSON and what was found in it."""

    raw: str
    cells: tuple[Cell, ...]
    metadata: Mapping[str, Any]
    has_metadata: bool


def edit_cells(notebook: Notebook, edits: Mapping[int, Sequence[Edit]]) -> str:
    """The raw JSON with ``edits`` (sorted, in offsets of the cell's source) applied to some cells.

    What is added is written as the notebook is: in ASCII if it escapes everything else.
    """
    raw = notebook.raw
    ascii_only = bool(_ESCAPED_TEXT.search(raw)) and raw.isascii()
    changes: list[Edit] = []
    for index in sorted(edits):
        changes += _literal_edits(
            raw, notebook.cells[index], edits[index], ascii_only=ascii_only
        )
    return splice(raw, changes)


def _literal_edits(
    raw: str, cell: Cell, edits: Sequence[Edit], *, ascii_only: bool
) -> list[Edit]:
    """The same edits on the JSON: only the touched ends of the touched strings are written anew."""
    bounds = list(accumulate(map(len, cell.texts), initial=0))
    # Looked at once for all edits: a cell may be one string of any length.
    literals: dict[int, _Literal] = {}

    def position(number: int, offset: int) -> int:
        """Where the character at ``offset`` of the source begins, in the string of this number."""
        if number not in literals:
            literals[number] = _literal(raw, cell.literals[number])
        return literals[number].position(offset - bounds[number])

    changes: list[Edit] = []
    for edit in edits:
        first = _literal_at(bounds, edit.start)
        last = first
        if edit.end > edit.start:
            last = _literal_at(bounds, edit.end)
            # It may end exactly where a string ends: then the next one is not touched.
            if edit.end == bounds[last] and last > first:
                last -= 1
        text = _encode_lines(raw, cell, first, edit.text, ascii_only=ascii_only)
        changes.append(
            Edit(position(first, edit.start), position(last, edit.end), text)
        )
    return changes


def _literal_at(bounds: Sequence[int], offset: int) -> int:
    """The string that holds the character at ``offset``; the last one, for the end of the source.

    ``bounds`` are the offsets where strings begin, and the end.
    """
    last = len(bounds) - 2
    return max(min(bisect_right(bounds, offset) - 1, last), 0)


@dataclass(frozen=True, slots=True)
class _Literal:
    """A JSON string that begins at ``start``, without its quote, and the escapes in it.

    ``escapes`` are the offsets of escapes in the decoded text. ``more`` says, for each number of
    escapes, how many characters longer than their text they are. Of ``"a\\nb"`` they are (1,)
    and (0, 1).
    """

    start: int
    escapes: Sequence[int]
    more: Sequence[int]

    def position(self, offset: int) -> int:
        """Where the character at ``offset`` of the decoded text begins in the raw JSON."""
        return self.start + offset + self.more[bisect_left(self.escapes, offset)]


def _literal(raw: str, span: tuple[int, int]) -> _Literal:
    """The JSON string at ``span`` of the raw JSON, quotes included."""
    start, end = span[0] + 1, span[1] - 1
    escapes: list[int] = []
    more = [0]
    for match in _ESCAPE.finditer(raw, start, end):
        escapes.append(match.start() - start - more[-1])
        more.append(more[-1] + len(match[0]) - 1)
    return _Literal(start, escapes, more)


def _encode_lines(
    raw: str, cell: Cell, first: int, text: str, *, ascii_only: bool
) -> str:
    """``text`` as the inside of JSON strings.

    Its lines become strings of their own if the source is a list of lines.
    """
    separator = _separator(raw, cell, first)
    lines = [
        json.dumps(line, ensure_ascii=ascii_only)[1:-1] for line in text.split("\n")
    ]
    line_end = f'\\n"{separator}"' if separator else "\\n"
    return line_end.join(lines)


def _separator(raw: str, cell: Cell, first: int) -> str:
    """What stands between two strings of the cell's source; empty if the source is one string."""
    start, _ = cell.literals[first]
    if len(cell.literals) > 1:
        # Between this string and the next one, or the one before the last.
        after = min(first + 1, len(cell.literals) - 1)
        return raw[cell.literals[after - 1][1] : cell.literals[after][0]]
    # A list of one string: what stands before that will do behind a comma.
    before = start
    while before and raw[before - 1] in " \t\r\n":
        before -= 1
    return f",{raw[before:start]}" if raw[before - 1] == "[" else ""
