"""Scanner and editor of notebooks as raw JSON text: finds the cells, edits sources in place.

The JSON is never written anew, so indent, key order, escapes, outputs and the final newline stay.
The scanner walks only the top level and the cells; ``json`` decodes every other value.
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

# One escape in a JSON string; a surrogate pair is one character.
_ESCAPE = re.compile(
    r"""
    \\(?: u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}
        | u[0-9a-fA-F]{4}
        | . )
    """,
    re.VERBOSE | re.DOTALL,
)
# An escape of a character beyond ASCII, perhaps behind escaped backslashes.
_ESCAPED_TEXT = re.compile(r"(?<!\\)(?:\\\\)*\\u(?!00[0-7])[0-9a-fA-F]{4}")


def reject_pointer(content: str | bytes, *, where: str) -> None:
    """Raise InputError if a document only names its content, which Git LFS keeps elsewhere."""
    if content[: len(LFS_POINTER)] in (LFS_POINTER, LFS_POINTER.decode()):
        raise InputError(
            "is a pointer of Git LFS: its content is not in the repository",
            where=where,
            hint="Ask upstream to keep documents in git itself, or exclude the page.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell: its decoded ``source``, and the spans of its JSON strings, quotes included."""

    kind: str  # "markdown", "code", "raw"
    source: str
    literals: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Notebook:
    """A notebook's raw JSON, and the cells found in it."""

    raw: str
    cells: tuple[Cell, ...]
    has_metadata: bool


def edit_cells(notebook: Notebook, edits: Mapping[int, Sequence[Edit]]) -> str:
    """Return the raw JSON with the edits of each cell, by its 0-based number, applied.

    The edits of a cell are sorted, with offsets into its source, which must have text. New text is
    escaped to ASCII if the rest of the notebook is.
    """
    raw = notebook.raw
    # ASCII alone proves nothing: an English notebook may just have no other characters.
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
    """Translate edits of a cell's source into edits of the raw JSON.

    Only the edited parts of its strings change; a string keeps its own escapes.
    """
    lengths = [len(json.loads(raw[start:end])) for start, end in cell.literals]
    bounds = list(accumulate(lengths, initial=0))
    # Cached per string: a source may be one long string with many edits.
    literals: dict[int, _Literal] = {}

    def position(number: int, offset: int) -> int:
        """Return where the source's character at ``offset`` begins, within string ``number``."""
        if number not in literals:
            literals[number] = _literal(raw, cell.literals[number])
        return literals[number].position(offset - bounds[number])

    changes: list[Edit] = []
    # An edit may begin in one string and end in another; the strings between them vanish.
    for edit in edits:
        first = _literal_at(bounds, edit.start)
        last = first
        if edit.end > edit.start:
            last = _literal_at(bounds, edit.end)
            # An edit that ends where a string ends must not touch the next string.
            if edit.end == bounds[last] and last > first:
                last -= 1
        text = _encode_lines(raw, cell, first, edit.text, ascii_only=ascii_only)
        changes.append(
            Edit(position(first, edit.start), position(last, edit.end), text)
        )
    return changes


def _literal_at(bounds: Sequence[int], offset: int) -> int:
    """Return the number of the string that holds the character at ``offset``.

    ``bounds`` are the offsets at which strings begin, and the end of the source. The end itself
    belongs to the last string.
    """
    last = len(bounds) - 2
    return max(min(bisect_right(bounds, offset) - 1, last), 0)


@dataclass(frozen=True, slots=True)
class _Literal:
    """A JSON string whose text begins at ``start``, behind its quote.

    ``escapes`` are the offsets of its escapes in the decoded text. ``more[n]`` is how much longer
    the first n escapes are than their characters. For ``"a\\nb"`` they are (1,) and (0, 1).
    """

    start: int
    escapes: Sequence[int]
    more: Sequence[int]

    def position(self, offset: int) -> int:
        """Return where the character at ``offset`` of the decoded text begins in the raw JSON."""
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
    """Return ``text`` encoded as the inside of JSON strings.

    If the source is a list of lines, each line of ``text`` becomes a string of its own.
    """
    separator = _separator(raw, cell, first)
    lines = [
        json.dumps(line, ensure_ascii=ascii_only)[1:-1] for line in text.split("\n")
    ]
    line_end = f'\\n"{separator}"' if separator else "\\n"
    return line_end.join(lines)


def _separator(raw: str, cell: Cell, first: int) -> str:
    """Return the JSON between two strings of the cell's source; empty if it is one string."""
    start, _ = cell.literals[first]
    if len(cell.literals) > 1:
        # Take the gap behind this string or, for the last one, the gap before it.
        after = min(first + 1, len(cell.literals) - 1)
        return raw[cell.literals[after - 1][1] : cell.literals[after][0]]
    # A list with one string has no gap: build one from the white space before the string.
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
    """Recursive-descent scanner. Each method reads at ``at`` and leaves it behind the value."""

    def __init__(self, raw: str, where: str) -> None:
        """Start at the beginning of ``raw``; ``where`` names the document in errors."""
        self.raw = raw
        self.where = where
        self.at = 0

    def notebook(self) -> Notebook:
        """Return the notebook that the whole text holds. Raises InputError or JSONDecodeError."""
        if self.raw.startswith("\ufeff"):
            raise InputError(
                "starts with a byte order mark, which Jupyter does not read",
                where=f"{self.where}:1",
                hint=_HINT,
            )
        self._skip_space()
        if self._character() != "{":
            self._value()  # raises if it is not valid JSON at all
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
        """Return the notebook if it is nbformat 4. ``values`` has the other top-level keys."""
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
        """Return the cells of the list that begins here."""
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
        """Return the cell whose object begins here; ``number`` counts from 1."""
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
        """Read a cell's source, one string or a list of them; return it with their spans."""
        literals: list[tuple[int, int]] = []
        texts: list[str] = []

        def read_literal() -> None:
            """Read the string that begins here, and record its span."""
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
        """Yield each key of the object that begins here; the caller reads each value."""
        seen: set[str] = set()
        self.at += 1
        if self._is_empty("}"):
            return
        while True:
            key_at = self.at
            key = self._string()
            if key in seen:
                # Parsers disagree about which of two equal keys counts: Jupyter might run a cell we
                # never saw.
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
        """Call ``read_item`` at the beginning of each item of the array that begins here."""
        self.at += 1
        if self._is_empty("]"):
            return
        while True:
            read_item()
            if not self._has_more("]"):
                return

    def _is_empty(self, closing: str) -> bool:
        """Return whether the container that has just begun is empty; if so, go behind its end."""
        self._skip_space()
        if self._character() != closing:
            return False
        self.at += 1
        return True

    def _has_more(self, closing: str) -> bool:
        """Go to the next value and return True, or go behind the container and return False."""
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
        """Return the next character; empty at the end of the text."""
        return self.raw[self.at : self.at + 1]

    def _skip_space(self) -> None:
        """Skip JSON's white space."""
        if match := _SPACE.match(self.raw, self.at):
            self.at = match.end()

    def _value(self) -> Any:
        """Return the decoded value that begins here, and go behind it."""
        value, self.at = _decode(self.raw, self.at)
        return value

    def _string(self) -> str:
        """Return the decoded string that begins here. Raises JSONDecodeError if there is none."""
        if self._character() != '"':
            raise json.JSONDecodeError("a string was expected", self.raw, self.at)
        text: str
        text, self.at = _decode(self.raw, self.at)
        return text

    def _no_notebook(self, why: str) -> InputError:
        """Return the error for JSON that is valid but no notebook."""
        return InputError(
            f"is no Jupyter notebook: {why}", where=self.where, hint=_HINT
        )
