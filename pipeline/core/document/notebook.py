"""Notebooks as raw JSON text: what was found in one, and how to edit its cells in place.

Nothing is parsed and written again: indent, key order, escapes, outputs and the final newline
stay. See :mod:`pipeline.core.document.scanning` for how cells are found.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
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
    changes: list[Edit] = []
    for edit in edits:
        first = _literal_at(bounds, edit.start)
        last = first
        if edit.end > edit.start:
            last = _literal_at(bounds, edit.end)
            # It may end exactly where a string ends: then the next one is not touched.
            if edit.end == bounds[last] and last > first:
                last -= 1
        start = _raw_position(raw, cell.literals[first], edit.start - bounds[first])
        end = _raw_position(raw, cell.literals[last], edit.end - bounds[last])
        text = _encode_lines(raw, cell, first, edit.text, ascii_only=ascii_only)
        changes.append(Edit(start, end, text))
    return changes


def _literal_at(bounds: Sequence[int], offset: int) -> int:
    """The string that holds the character at ``offset``; the last one, for the end of the source.

    ``bounds`` are the offsets where strings begin, and the end.
    """
    last = len(bounds) - 2
    return max(min(bisect_right(bounds, offset) - 1, last), 0)


def _raw_position(raw: str, literal: tuple[int, int], offset: int) -> int:
    """Where the character at ``offset`` of a JSON string's text begins in the raw JSON."""
    start, end = literal[0] + 1, literal[1] - 1  # without the quotes
    body = raw[start:end]
    if "\\" not in body:
        return start + offset
    at = 0
    for match in _ESCAPE.finditer(body):
        plain = match.start() - at
        if offset < plain:
            break
        offset -= plain
        at = match.start()
        if offset == 0:
            break
        offset -= 1  # the escape is one character
        at = match.end()
    return start + at + offset


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
    before = raw[:start].rstrip(" \t\r\n")
    return f",{raw[len(before) : start]}" if before.endswith("[") else ""
