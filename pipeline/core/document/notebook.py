"""Notebooks as raw JSON text: where the source of each cell stands, and how to edit it in place.

Nothing is parsed and written again: indent, key order, escapes, outputs and the final newline stay.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.core.document.splice import Edit, splice
from pipeline.errors import InputError

_SPACE = re.compile(r"[ \t\n\r]*")
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL
)
_ESCAPED_TEXT = re.compile(r"(?<!\\)(?:\\\\)*\\u(?!00[0-7])[0-9a-fA-F]{4}")
_HINT = "Open it in Jupyter and save it, or take it from upstream again."
_decode = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell: ``source`` as text, and the spans of the JSON strings (quotes included) it is made of."""

    kind: str  # "markdown", "code", "raw"
    source: str
    literals: tuple[tuple[int, int], ...]
    texts: tuple[str, ...]  # the decoded literals; joined they are ``source``
    metadata: Mapping[str, Any]

    @property
    def tags(self) -> tuple[str, ...]:
        """The cell's tags."""
        tags = self.metadata.get("tags", ())
        return tuple(str(tag) for tag in tags) if isinstance(tags, list) else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Notebook:
    """A notebook's raw JSON and what was found in it."""

    raw: str
    cells: tuple[Cell, ...]
    metadata: Mapping[str, Any]
    has_metadata: bool


def scan_notebook(raw: str, *, where: str) -> Notebook:
    """Find the cells of a notebook of nbformat 4. Raises InputError with line and column."""
    try:
        return _Scanner(raw, where).notebook()
    except json.JSONDecodeError as error:
        raise _invalid(raw, error.pos, error.msg, where) from error
    except ValueError as error:  # a number of thousands of digits
        raise InputError(f"cannot be read: {error}", where=where, hint=_HINT) from error
    except RecursionError as error:
        raise InputError("is nested too deeply for a notebook", where=where, hint=_HINT) from error


def edit_cells(notebook: Notebook, edits: Mapping[int, Sequence[Edit]]) -> str:
    """The raw JSON with ``edits`` (sorted, in offsets of the cell's source) applied to some cells."""
    ascii_only = bool(_ESCAPED_TEXT.search(notebook.raw)) and notebook.raw.isascii()
    changes: list[Edit] = []
    for index in sorted(edits):
        cell = notebook.cells[index]
        changes += _literal_edits(notebook.raw, cell, edits[index], ascii_only=ascii_only)
    return splice(notebook.raw, changes)


def _literal_edits(raw: str, cell: Cell, edits: Sequence[Edit], *, ascii_only: bool) -> list[Edit]:
    """The same edits on the JSON text: only the touched ends of the touched strings are written anew."""
    bounds = [0]
    for text in cell.texts:
        bounds.append(bounds[-1] + len(text))
    changes: list[Edit] = []
    for edit in edits:
        first = _literal_at(bounds, edit.start)
        last = _literal_at(bounds, edit.end) if edit.end > edit.start else first
        if edit.end > edit.start and edit.end == bounds[last] and last > first:
            last -= 1  # ends exactly where a string ends
        start = (
            cell.literals[first][0]
            + 1
            + _raw_offset(raw, cell.literals[first], edit.start - bounds[first])
        )
        end = (
            cell.literals[last][0]
            + 1
            + _raw_offset(raw, cell.literals[last], edit.end - bounds[last])
        )
        changes.append(
            Edit(start, end, _encode_lines(raw, cell, first, edit.text, ascii_only=ascii_only))
        )
    return changes


def _literal_at(bounds: Sequence[int], offset: int) -> int:
    """The string that holds the character at ``offset``; the last one, for the end of the source."""
    low, high = 0, len(bounds) - 2
    while low < high:
        middle = (low + high + 1) // 2
        if bounds[middle] <= offset:
            low = middle
        else:
            high = middle - 1
    return low


def _raw_offset(raw: str, literal: tuple[int, int], offset: int) -> int:
    """How many raw characters make up the first ``offset`` characters of a JSON string."""
    body = raw[literal[0] + 1 : literal[1] - 1]
    if "\\" not in body:
        return offset
    at = 0
    for match in _ESCAPE.finditer(body):
        plain = match.start() - at
        if offset < plain:
            break
        offset -= plain
        at = match.start()
        if offset == 0:
            return at
        offset -= 1
        at = match.end()
    return at + offset


def _encode_lines(raw: str, cell: Cell, first: int, text: str, *, ascii_only: bool) -> str:
    """``text`` as the inside of JSON strings; new lines become new strings if the source is a list of lines."""
    separator = _separator(raw, cell, first)
    pieces = text.split("\n")
    encoded = [json.dumps(piece, ensure_ascii=ascii_only)[1:-1] for piece in pieces]
    return f'\\n"{separator}"'.join(encoded) if separator else "\\n".join(encoded)


def _separator(raw: str, cell: Cell, first: int) -> str:
    """What stands between two strings of the cell's source; empty if the source is one string."""
    start, _ = cell.literals[first]
    if len(cell.literals) > 1:
        other = first + 1 if first + 1 < len(cell.literals) else first
        return raw[cell.literals[other - 1][1] : cell.literals[other][0]]
    before = raw[:start].rstrip(" \t\r\n")
    return f",{raw[len(before) : start]}" if before.endswith("[") else ""


def _invalid(raw: str, position: int, what: str, where: str) -> InputError:
    line = raw.count("\n", 0, position) + 1
    column = position - raw.rfind("\n", 0, position)
    return InputError(
        f"is not valid JSON: {what} (column {column})", where=f"{where}:{line}", hint=_HINT
    )


class _Scanner:
    """Walks the top level and the cells of a notebook; everything else is skipped by the C scanner."""

    def __init__(self, raw: str, where: str) -> None:
        self.raw = raw
        self.where = where
        self.resume = 0  # where the value just read ends

    def notebook(self) -> Notebook:
        if self.raw.startswith("\ufeff"):
            raise InputError(
                "starts with a byte order mark, which Jupyter does not read",
                where=f"{self.where}:1",
                hint=_HINT,
            )
        start = self._space(0)
        if self.raw[start : start + 1] != "{":
            self._value(start)  # tell invalid JSON from JSON of another kind
            raise self._no_notebook("its top level is no object")
        values: dict[str, Any] = {}
        cells: tuple[Cell, ...] | None = None
        for key, at in self._members(start):
            if key == "cells" and self.raw[at : at + 1] == "[":
                cells, self.resume = self._cells(at)
            else:
                values[key], self.resume = self._value(at)
        if self._space(self.resume) != len(self.raw):
            raise json.JSONDecodeError("extra data", self.raw, self._space(self.resume))
        return self._checked(values, cells)

    def _checked(self, values: dict[str, Any], cells: tuple[Cell, ...] | None) -> Notebook:
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
        metadata = values.get("metadata")
        has_metadata = isinstance(metadata, dict)
        return Notebook(
            raw=self.raw,
            cells=cells,
            metadata=metadata if isinstance(metadata, dict) else {},
            has_metadata=has_metadata,
        )

    def _no_notebook(self, why: str) -> InputError:
        return InputError(f"is no Jupyter notebook: {why}", where=self.where, hint=_HINT)

    def _space(self, at: int) -> int:
        match = _SPACE.match(self.raw, at)
        return match.end() if match else at

    def _value(self, at: int) -> tuple[Any, int]:
        return _decode(self.raw, at)

    def _string(self, at: int) -> tuple[str, int]:
        if self.raw[at : at + 1] != '"':
            raise json.JSONDecodeError("a string was expected", self.raw, at)
        return _decode(self.raw, at)

    def _members(self, at: int) -> Iterator[tuple[str, int]]:
        """Yield each key of the object at ``at`` with the position of its value; set ``resume`` before going on."""
        seen: set[str] = set()
        at = self._space(at + 1)
        if self.raw[at : at + 1] == "}":
            self.resume = at + 1
            return
        while True:
            key_at = at
            key, at = self._string(at)
            if key in seen:
                raise json.JSONDecodeError(
                    f"the key {key!r} stands twice in one object", self.raw, key_at
                )
            seen.add(key)
            at = self._space(at)
            if self.raw[at : at + 1] != ":":
                raise json.JSONDecodeError("':' was expected", self.raw, at)
            yield key, self._space(at + 1)
            at, more = self._next(self.resume, "}")
            if not more:
                self.resume = at
                return

    def _next(self, at: int, closing: str) -> tuple[int, bool]:
        """Behind a value: the start of the next member and True, or the end of the container and False."""
        at = self._space(at)
        character = self.raw[at : at + 1]
        if character == ",":
            return self._space(at + 1), True
        if character == closing:
            return at + 1, False
        raise json.JSONDecodeError(f"',' or '{closing}' was expected", self.raw, at)

    def _cells(self, at: int) -> tuple[tuple[Cell, ...], int]:
        cells: list[Cell] = []
        at = self._space(at + 1)
        if self.raw[at : at + 1] == "]":
            return (), at + 1
        while True:
            if self.raw[at : at + 1] != "{":
                self._value(at)
                raise self._no_notebook(f"cell {len(cells)} is no object")
            cells.append(self._cell(at, len(cells)))
            at, more = self._next(self.resume, "]")
            if not more:
                return tuple(cells), at

    def _cell(self, at: int, number: int) -> Cell:
        values: dict[str, Any] = {}
        literals: list[tuple[int, int]] = []
        texts: list[str] = []
        has_source = False
        for key, value_at in self._members(at):
            if key == "source":
                has_source = True
                self.resume = self._source(value_at, literals, texts, number)
            else:
                values[key], self.resume = self._value(value_at)
        kind = values.get("cell_type")
        if kind not in ("markdown", "code", "raw"):
            raise self._no_notebook(f"cell {number} has the type {kind!r}")
        if not has_source:
            raise self._no_notebook(f"cell {number} has no source")
        metadata = values.get("metadata")
        return Cell(
            kind=kind,
            source="".join(texts),
            literals=tuple(literals),
            texts=tuple(texts),
            metadata=metadata if isinstance(metadata, dict) else {},
        )

    def _source(
        self, at: int, literals: list[tuple[int, int]], texts: list[str], number: int
    ) -> int:
        """Collect the strings of a cell's source, a string or a list of strings; return where it ends."""
        if self.raw[at : at + 1] == '"':
            text, end = self._string(at)
            literals.append((at, end))
            texts.append(text)
            return end
        if self.raw[at : at + 1] != "[":
            self._value(at)
            raise self._no_notebook(
                f"the source of cell {number} is neither a string nor a list of strings"
            )
        at = self._space(at + 1)
        if self.raw[at : at + 1] == "]":
            return at + 1
        while True:
            text, end = self._string(at)
            literals.append((at, end))
            texts.append(text)
            at, more = self._next(end, "]")
            if not more:
                return at
