"""Find the cells of a notebook in its JSON text, without losing where they stand.

Only the top level and the cells are walked by hand; every other value is skipped by the scanner of
``json``. A notebook of nbformat 4 comes out, or an InputError with line and column.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pipeline.core.document.notebook import Cell, Notebook
from pipeline.errors import InputError

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


@dataclass(frozen=True, slots=True)
class _Source:
    """The strings that a cell's source is made of: their spans, and what they say."""

    literals: tuple[tuple[int, int], ...]
    texts: tuple[str, ...]


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
        metadata = values.get("metadata")
        return Notebook(
            raw=self.raw,
            cells=cells,
            metadata=_object(metadata),
            has_metadata=isinstance(metadata, dict),
        )

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
        source: _Source | None = None
        for key in self._members():
            if key == "source":
                source = self._source(number)
            else:
                values[key] = self._value()
        kind = values.get("cell_type")
        if kind not in _KINDS:
            raise self._no_notebook(f"cell {number} has the type {kind!r}")
        if source is None:
            raise self._no_notebook(f"cell {number} has no source")
        return Cell(
            kind=kind,
            source="".join(source.texts),
            literals=source.literals,
            texts=source.texts,
            metadata=_object(values.get("metadata")),
        )

    def _source(self, number: int) -> _Source:
        """A cell's source: one string, or a list of strings."""
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
        return _Source(tuple(literals), tuple(texts))

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


def _object(value: Any) -> dict[str, Any]:
    """A value that should be an object; an empty one if it is another."""
    return value if isinstance(value, dict) else {}
