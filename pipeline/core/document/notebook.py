"""Notebooks as raw JSON text: find the cells, and edit their sources in place.

Nothing is parsed and written again: indent, key order, escapes, outputs and the final newline stay.
Only the top level and the cells are scanned here; the scanner of ``json`` skips every other value.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from pipeline.core.document.splice import Edit, splice
from pipeline.errors import InputError

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Notebook:
    """A notebook's raw JSON and what was found in it."""

    raw: str
    cells: tuple[Cell, ...]
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
    lengths = [len(json.loads(raw[start:end])) for start, end in cell.literals]
    bounds = list(accumulate(lengths, initial=0))
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


_SPACE = re.compile(r"[ \t\n\r]+")
_HINT = "Open it in Jupyter and save it, or take it from upstream again."
_KINDS = ("markdown", "code", "raw")
_decode = json.JSONDecoder().raw_decode


def scan_notebook(raw: str, *, where: str) -> Notebook:
    """Find the cells of a notebook of nbformat 4. Raises InputError with line and column."""
    try:
        return _Scanner(raw, where).notebook()
    except json.JSONDecodeError as error:
        line = raw.count("\n", 0, error.pos) + 1
        column = error.pos - raw.rfind("\n", 0, error.pos)
        raise InputError(
            f"is not valid JSON: {error.msg} (column {column})",
            where=f"{where}:{line}",
            hint=_HINT,
        ) from error
    except ValueError as error:  # a number of thousands of digits
        raise InputError(f"cannot be read: {error}", where=where, hint=_HINT) from error
    except RecursionError as error:
        raise InputError(
            "is nested too deeply for a notebook", where=where, hint=_HINT
        ) from error


class _Scanner:
    """Walks the text. ``at`` is where it has come to: methods leave it behind what they read."""

    def __init__(self, raw: str, where: str) -> None:
        """``where`` names the document in errors."""
        self.raw = raw
        self.where = where
        self.at = 0

    def notebook(self) -> Notebook:
        """The whole text."""
        if self.raw.startswith("\ufeff"):
            raise InputError(
                "starts with a byte order mark, which Jupyter does not read",
                where=f"{self.where}:1",
                hint=_HINT,
            )
        self._skip_space()
        if self._character() != "{":
            self._value()  # tell invalid JSON from JSON of another kind
            raise self._no_notebook("its top level is no object")
        values: dict[str, Any] = {}
        cells: tuple[Cell, ...] | None = None
        for key in self._members():
            if key == "cells" and self._character() == "[":
                cells = self._cells()
            else:
                values[key] = self._value()
        self._skip_space()
        if self.at != len(self.raw):
            raise json.JSONDecodeError("extra data", self.raw, self.at)
        return self._checked(values, cells)

    def _checked(
        self, values: dict[str, Any], cells: tuple[Cell, ...] | None
    ) -> Notebook:
        """The notebook, if it is one of nbformat 4. ``values`` has all keys but that of cells."""
        version = values.get("nbformat")
        if version == 3 or "worksheets" in values:
            raise InputError(
                "is a notebook of nbformat 3",
                where=self.where,
                hint="Upgrade it to nbformat 4 (jupyter nbconvert --to notebook).",
            )
        if cells is None:
            raise self._no_notebook("it has no list of cells")
        if version != 4:
            raise self._no_notebook(f"its nbformat is {version!r}, not 4")
        has_metadata = isinstance(values.get("metadata"), dict)
        return Notebook(raw=self.raw, cells=cells, has_metadata=has_metadata)

    def _cells(self) -> tuple[Cell, ...]:
        """The cells, from the bracket that opens their list."""
        cells: list[Cell] = []

        def read_cell() -> None:
            """Read the value that begins here as a cell."""
            if self._character() != "{":
                self._value()
                raise self._no_notebook(f"cell {len(cells) + 1} is no object")
            cells.append(self._cell(len(cells) + 1))

        self._items(read_cell)
        return tuple(cells)

    def _cell(self, number: int) -> Cell:
        """One cell, from the brace that opens it; ``number`` counts from 1."""
        values: dict[str, Any] = {}
        literals: tuple[tuple[int, int], ...] | None = None
        source = ""
        for key in self._members():
            if key == "source":
                source, literals = self._source(number)
            else:
                values[key] = self._value()
        kind = values.get("cell_type")
        if kind not in _KINDS:
            raise self._no_notebook(f"cell {number} has the type {kind!r}")
        if literals is None:
            raise self._no_notebook(f"cell {number} has no source")
        return Cell(kind=kind, source=source, literals=literals)

    def _source(self, number: int) -> tuple[str, tuple[tuple[int, int], ...]]:
        """Read a cell's source, one string or a list of strings; return it with their spans."""
        literals: list[tuple[int, int]] = []
        texts: list[str] = []

        def read_literal() -> None:
            """Read the string that begins here, and note where it stands."""
            start = self.at
            if self._character() != '"':
                self._value()
                raise self._no_notebook(
                    f"the source of cell {number} has a line that is no string"
                )
            texts.append(self._string())
            literals.append((start, self.at))

        match self._character():
            case '"':
                read_literal()
            case "[":
                self._items(read_literal)
            case _:
                self._value()
                raise self._no_notebook(
                    f"the source of cell {number} is neither a string nor a list of strings"
                )
        return "".join(texts), tuple(literals)

    def _members(self) -> Iterator[str]:
        """Yield each key of the object that begins here; the caller reads its value each time."""
        seen: set[str] = set()
        self.at += 1
        if self._is_empty("}"):
            return
        while True:
            key_at = self.at
            key = self._string()
            if key in seen:
                # Whoever reads the last one would run another cell than we have looked at.
                raise json.JSONDecodeError(
                    f"the key {key!r} stands twice in one object", self.raw, key_at
                )
            seen.add(key)
            self._skip_space()
            if self._character() != ":":
                raise json.JSONDecodeError("':' was expected", self.raw, self.at)
            self.at += 1
            self._skip_space()
            yield key
            if not self._has_more("}"):
                return

    def _items(self, read_item: Callable[[], None]) -> None:
        """Read each item of the array that begins here."""
        self.at += 1
        if self._is_empty("]"):
            return
        while True:
            read_item()
            if not self._has_more("]"):
                return

    def _is_empty(self, closing: str) -> bool:
        """Whether a container ends where it has just begun."""
        self._skip_space()
        if self._character() != closing:
            return False
        self.at += 1
        return True

    def _has_more(self, closing: str) -> bool:
        """Go on behind a value: to the next one, or to the end of the container."""
        self._skip_space()
        character = self._character()
        if character == ",":
            self.at += 1
            self._skip_space()
            return True
        if character == closing:
            self.at += 1
            return False
        raise json.JSONDecodeError(
            f"',' or '{closing}' was expected", self.raw, self.at
        )

    def _character(self) -> str:
        """The next character; empty at the end."""
        return self.raw[self.at : self.at + 1]

    def _skip_space(self) -> None:
        """Go to the next character that is none of JSON's four kinds of white space."""
        if match := _SPACE.match(self.raw, self.at):
            self.at = match.end()

    def _value(self) -> Any:
        """The value that begins here, decoded."""
        value, self.at = _decode(self.raw, self.at)
        return value

    def _string(self) -> str:
        """The string that begins here, decoded. Any other value is an error."""
        if self._character() != '"':
            raise json.JSONDecodeError("a string was expected", self.raw, self.at)
        text: str
        text, self.at = _decode(self.raw, self.at)
        return text

    def _no_notebook(self, why: str) -> InputError:
        """The error for JSON that is valid, but no notebook."""
        return InputError(
            f"is no Jupyter notebook: {why}", where=self.where, hint=_HINT
        )
