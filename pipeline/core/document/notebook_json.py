"""Scanner and editor of notebooks as raw JSON text.

The scanner finds the cells and the positions of their sources. An edit changes a source in place.
The JSON is never serialized anew, so indentation, key order, escapes and outputs do not change. The
scanner parses only the top level and the cells; ``json`` decodes all other values.
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
from pipeline.folders import LFS_POINTER

# One escape in a JSON string. The two escapes of a surrogate pair count as one, because they encode
# one character.
_ESCAPE = re.compile(
    r"""
    \\(?: u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}
        | u[0-9a-fA-F]{4}
        | . )
    """,
    re.VERBOSE | re.DOTALL,
)
# An escape of a character beyond ASCII. Escaped backslashes may precede it.
_ESCAPED_TEXT = re.compile(r"(?<!\\)(?:\\\\)*\\u(?!00[0-7])[0-9a-fA-F]{4}")


def reject_pointer(content: str | bytes, *, where: str) -> None:
    """Raise InputError if a document is only a Git LFS pointer: its content is elsewhere."""
    if content[: len(LFS_POINTER)] in (LFS_POINTER, LFS_POINTER.decode()):
        raise InputError(
            "is a pointer of Git LFS: its content is not in the repository",
            where=where,
            hint="Ask upstream to keep documents in git itself, or exclude the page.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of a notebook."""

    kind: str  # "markdown", "code" or "raw"
    source: str  # decoded
    # Spans, in the raw JSON, of the strings that make up the source, with their quotes.
    literals: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Notebook:
    """A notebook's raw JSON, and the cells found in it."""

    raw: str
    cells: tuple[Cell, ...]
    has_metadata: bool


def edit_cells(notebook: Notebook, edits: Mapping[int, Sequence[Edit]]) -> str:
    """Return the raw JSON with the given edits applied to the sources of cells.

    ``edits`` maps the 0-based number of a cell to its sorted edits, with offsets into its source.
    An edited source must not be empty. If the notebook escapes its non-ASCII characters, the result
    also escapes the non-ASCII characters of the new text.
    """
    raw = notebook.raw
    # A notebook may have only ASCII characters because it is in English. So only an escape of
    # another character proves that the notebook escapes such characters.
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
    """Convert edits of a cell's source to edits of the raw JSON.

    The parts of a JSON string that are not edited keep their escapes.
    """
    lengths = [len(json.loads(raw[start:end])) for start, end in cell.literals]
    bounds = list(accumulate(lengths, initial=0))
    # Cache the ``_Literal`` of each string, because one long string may have many edits.
    literals: dict[int, _Literal] = {}

    def position(number: int, offset: int) -> int:
        """Return the position in the raw JSON of an offset in the source.

        ``number`` is the index of the string that contains the offset.
        """
        if number not in literals:
            literals[number] = _literal(raw, cell.literals[number])
        return literals[number].position(offset - bounds[number])

    changes: list[Edit] = []
    # An edit may begin in one string and end in another one. It replaces the strings between them.
    for edit in edits:
        first = _literal_at(bounds, edit.start)
        last = first
        if edit.end > edit.start:
            last = _literal_at(bounds, edit.end)
            # An edit that ends at the end of a string must not change the next string.
            if edit.end == bounds[last] and last > first:
                last -= 1
        text = _encode_lines(raw, cell, first, edit.text, ascii_only=ascii_only)
        changes.append(
            Edit(position(first, edit.start), position(last, edit.end), text)
        )
    return changes


def _literal_at(bounds: Sequence[int], offset: int) -> int:
    """Return the number of the string that contains the source's ``offset``.

    ``bounds`` are the start offsets of the strings, and the end of the source. The end itself
    belongs to the last string.
    """
    last = len(bounds) - 2
    return max(min(bisect_right(bounds, offset) - 1, last), 0)


@dataclass(frozen=True, slots=True)
class _Literal:
    """A JSON string whose content begins at ``start``, after the quote.

    ``escapes`` are the offsets of its escapes in the decoded text. ``more[n]`` says by how many
    characters the first n escapes are longer than what they stand for. For ``"a\\nb"``, ``escapes``
    is (1,) and ``more`` is (0, 1).
    """

    start: int
    escapes: Sequence[int]
    more: Sequence[int]

    def position(self, offset: int) -> int:
        """Return the position in the raw JSON of an offset in the decoded text."""
        return self.start + offset + self.more[bisect_left(self.escapes, offset)]


def _literal(raw: str, span: tuple[int, int]) -> _Literal:
    """Return the record of the JSON string at ``span``, quotes included."""
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
    """Return ``text`` encoded as the content of JSON strings.

    If the source of the cell is a list of lines, each line of ``text`` becomes a string of its own.
    """
    separator = _separator(raw, cell, first)
    lines = [
        json.dumps(line, ensure_ascii=ascii_only)[1:-1] for line in text.split("\n")
    ]
    line_end = f'\\n"{separator}"' if separator else "\\n"
    return line_end.join(lines)


def _separator(raw: str, cell: Cell, first: int) -> str:
    """Return the JSON between two strings of the cell's source, or "" if the source is a string."""
    start, _ = cell.literals[first]
    if len(cell.literals) > 1:
        # Use the JSON after this string or, for the last string, the JSON before it.
        after = min(first + 1, len(cell.literals) - 1)
        return raw[cell.literals[after - 1][1] : cell.literals[after][0]]
    # A list with one string has nothing to copy: use a comma and the white space before the string.
    before = start
    while before and raw[before - 1] in " \t\r\n":
        before -= 1
    return f",{raw[before:start]}" if raw[before - 1] == "[" else ""


_SPACE = re.compile(r"[ \t\n\r]+")
_HINT = "Open it in Jupyter and save it, or take it from upstream again."
_KINDS = ("markdown", "code", "raw")
_decode = json.JSONDecoder().raw_decode


def scan_notebook(raw: str, *, where: str) -> Notebook:
    """Scan a notebook of nbformat 4; return its cells. Raises InputError with line and column."""
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
    except ValueError as error:  # for example, a number with thousands of digits
        raise InputError(f"cannot be read: {error}", where=where, hint=_HINT) from error
    except RecursionError as error:
        raise InputError(
            "is nested too deeply for a notebook", where=where, hint=_HINT
        ) from error


class _Scanner:
    """Recursive-descent scanner.

    ``at`` is the current position. Each method reads the value there and moves ``at`` past it.
    """

    def __init__(self, raw: str, where: str) -> None:
        """Start at the beginning of ``raw``; ``where`` names the document in errors."""
        self.raw = raw
        self.where = where
        self.at = 0

    def notebook(self) -> Notebook:
        """Return the notebook in the text. Raises InputError or JSONDecodeError."""
        if self.raw.startswith("\ufeff"):
            raise InputError(
                "starts with a byte order mark, which Jupyter does not read",
                where=f"{self.where}:1",
                hint=_HINT,
            )
        self._skip_space()
        if self._character() != "{":
            self._value()  # raises JSONDecodeError if the text is not JSON at all
            raise self._no_notebook("its top level is not an object")
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
        """Return the notebook, or raise InputError if it is not nbformat 4.

        ``values`` has the top-level keys except the cells.
        """
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
        """Return the cells of the JSON array at the current position."""
        cells: list[Cell] = []

        def read_cell() -> None:
            """Read the value at the current position as a cell."""
            if self._character() != "{":
                self._value()
                raise self._no_notebook(f"cell {len(cells) + 1} is not an object")
            cells.append(self._cell(len(cells) + 1))

        self._items(read_cell)
        return tuple(cells)

    def _cell(self, number: int) -> Cell:
        """Return the cell at the current position; ``number`` is its 1-based number."""
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
        """Return the source of a cell, and the spans of the strings that make it up."""
        literals: list[tuple[int, int]] = []
        texts: list[str] = []

        def read_literal() -> None:
            """Read the string at the current position, and record its span."""
            start = self.at
            if self._character() != '"':
                self._value()
                raise self._no_notebook(
                    f"the source of cell {number} has a line that is not a string"
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
        """Yield each key of the object at the current position; the caller reads each value."""
        seen: set[str] = set()
        self.at += 1
        if self._is_empty("}"):
            return
        while True:
            key_at = self.at
            key = self._string()
            if key in seen:
                # Parsers disagree about which of two equal keys counts, so Jupyter might run a cell
                # that the pipeline has not read.
                raise json.JSONDecodeError(
                    f"the key {key!r} occurs twice in one object", self.raw, key_at
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
        """Call ``read_item`` at the start of each item of the array at the current position."""
        self.at += 1
        if self._is_empty("]"):
            return
        while True:
            read_item()
            if not self._has_more("]"):
                return

    def _is_empty(self, closing: str) -> bool:
        """Return whether a container that has just been opened is empty; if so, move past it."""
        self._skip_space()
        if self._character() != closing:
            return False
        self.at += 1
        return True

    def _has_more(self, closing: str) -> bool:
        """Move to the next value and return True, or move past the container and return False."""
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
        """Return the current character, or "" at the end of the text."""
        return self.raw[self.at : self.at + 1]

    def _skip_space(self) -> None:
        """Skip JSON's white space."""
        if match := _SPACE.match(self.raw, self.at):
            self.at = match.end()

    def _value(self) -> Any:
        """Return the decoded value at the current position."""
        value, self.at = _decode(self.raw, self.at)
        return value

    def _string(self) -> str:
        """Return the decoded string at the current position, or raise JSONDecodeError."""
        if self._character() != '"':
            raise json.JSONDecodeError("a string was expected", self.raw, self.at)
        text: str
        text, self.at = _decode(self.raw, self.at)
        return text

    def _no_notebook(self, why: str) -> InputError:
        """Return the error for valid JSON that is not a notebook."""
        return InputError(
            f"is not a Jupyter notebook: {why}", where=self.where, hint=_HINT
        )
