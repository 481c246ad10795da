"""Scanner and editor of notebooks as raw JSON text.

The scanner finds the cells and the positions of their sources. An edit changes a source in place.
The JSON is never serialized anew, so indentation, key order, escapes and outputs do not change.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from json import decoder, scanner
from typing import Any

from msgspec import Struct

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


class Cell(Struct, frozen=True, kw_only=True):
    """One cell of a notebook."""

    kind: str  # "markdown", "code" or "raw"
    source: str  # decoded
    # Spans, in the raw JSON, of the strings that make up the source, with their quotes.
    literals: tuple[tuple[int, int], ...]


class Notebook(Struct, frozen=True, kw_only=True):
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
        changes += _literal_edits(raw, notebook.cells[index], edits[index], ascii_only=ascii_only)
    return splice(raw, changes)


def _literal_edits(raw: str, cell: Cell, edits: Sequence[Edit], *, ascii_only: bool) -> list[Edit]:
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
        changes.append(Edit(position(first, edit.start), position(last, edit.end), text))
    return changes


def _literal_at(bounds: Sequence[int], offset: int) -> int:
    """Return the number of the string that contains the source's ``offset``.

    ``bounds`` are the start offsets of the strings, and the end of the source. The end itself
    belongs to the last string.
    """
    last = len(bounds) - 2
    return max(min(bisect_right(bounds, offset) - 1, last), 0)


class _Literal(Struct, frozen=True):
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


def _encode_lines(raw: str, cell: Cell, first: int, text: str, *, ascii_only: bool) -> str:
    """Return ``text`` encoded as the content of JSON strings.

    If the source of the cell is a list of lines, each line of ``text`` becomes a string of its own.
    """
    separator = _separator(raw, cell, first)
    lines = [json.dumps(line, ensure_ascii=ascii_only)[1:-1] for line in text.split("\n")]
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


_HINT = "Open it in Jupyter and save it, or take it from upstream again."
_KINDS = ("markdown", "code", "raw")


class _Text(str):
    """A decoded string, with the span of the JSON string, quotes included."""

    __slots__ = ("span",)
    span: tuple[int, int]


class _Object(dict[str, Any]):
    """A decoded object. ``fault`` is the error if a key occurs twice in it."""

    fault: json.JSONDecodeError | None = None


class _Decoder(json.JSONDecoder):
    """Decoder that returns every string as :class:`_Text`, every object as :class:`_Object`."""

    def __init__(self) -> None:
        """Replace the methods of the standard decoder that read strings and objects."""
        super().__init__(object_pairs_hook=list)
        self.parse_string = _read_text
        self.parse_object = _read_object
        # The scanner in C would not call these methods.
        self.scan_once = scanner.py_make_scanner(self)  # type: ignore[attr-defined]


def _read_text(raw: str, start: int, strict: bool) -> tuple[_Text, int]:
    """Return the string whose content begins at ``start``, and the offset of its end."""
    content, end = decoder.scanstring(raw, start, strict)  # type: ignore[attr-defined]
    text = _Text(content)
    text.span = (start - 1, end)
    return text, end


def _read_object(place: tuple[str, int], *options: Any) -> tuple[_Object, int]:
    """Return the object whose first key is at ``place``, and the offset of its end."""
    pairs, end = decoder.JSONObject(place, *options)  # type: ignore[attr-defined]
    found = _Object(pairs)
    if len(found) < len(pairs):
        raw, start = place
        keys = [key for key, _ in pairs]
        key = next(key for number, key in enumerate(keys) if key in keys[:number])
        what = f"the key {key!r} occurs twice in one object"
        at = raw.rfind(f'"{key}"', start, end)
        found.fault = json.JSONDecodeError(what, raw, max(at, start))
    return found, end


def scan_notebook(raw: str, *, where: str) -> Notebook:
    """Scan a notebook of nbformat 4; return its cells. Raises InputError with line and column."""
    if raw.startswith("\ufeff"):
        raise InputError(
            "starts with a byte order mark, which Jupyter does not read",
            where=f"{where}:1",
            hint=_HINT,
        )
    try:
        return _notebook(raw, _Decoder().decode(raw), where)
    except json.JSONDecodeError as error:
        raise InputError(
            f"is not valid JSON: {error.msg} (column {error.colno})",
            where=f"{where}:{error.lineno}",
            hint=_HINT,
        ) from error
    except ValueError as error:  # for example, a number with thousands of digits
        raise InputError(f"cannot be read: {error}", where=where, hint=_HINT) from error
    except RecursionError as error:
        raise InputError("is nested too deeply for a notebook", where=where, hint=_HINT) from error


def _notebook(raw: str, value: object, where: str) -> Notebook:
    """Return the notebook in a decoded value, or raise InputError if it is not nbformat 4."""
    notebook = _sound(value, "its top level", where)
    version = notebook.get("nbformat")
    if version == 3 or "worksheets" in notebook:
        raise InputError(
            "is a notebook of nbformat 3",
            where=where,
            hint="Upgrade it to nbformat 4 (jupyter nbconvert --to notebook).",
        )
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        raise _no_notebook("it has no list of cells", where)
    if version != 4:
        raise _no_notebook(f"its nbformat is {version!r}, not 4", where)
    return Notebook(
        raw=raw,
        cells=tuple(_cell(cell, f"cell {n}", where) for n, cell in enumerate(cells, 1)),
        has_metadata=isinstance(notebook.get("metadata"), dict),
    )


def _sound(value: object, name: str, where: str) -> _Object:
    """Return a decoded value if it is an object without repeated keys.

    Parsers disagree about which of two equal keys counts, so Jupyter might run a cell that the
    pipeline has not read. Raises InputError or JSONDecodeError.
    """
    if not isinstance(value, _Object):
        raise _no_notebook(f"{name} is not an object", where)
    if value.fault:
        raise value.fault
    return value


def _cell(value: object, name: str, where: str) -> Cell:
    """Return the cell in a decoded value; ``name`` is its name in errors, such as "cell 1"."""
    cell = _sound(value, name, where)
    kind, source = cell.get("cell_type"), cell.get("source")
    if kind not in _KINDS:
        raise _no_notebook(f"{name} has the type {kind!r}", where)
    if "source" not in cell:
        raise _no_notebook(f"{name} has no source", where)
    if not isinstance(source, _Text | list):
        what = f"the source of {name} is neither a string nor a list of strings"
        raise _no_notebook(what, where)
    texts = source if isinstance(source, list) else [source]
    if not all(isinstance(text, _Text) for text in texts):
        what = f"the source of {name} has a line that is not a string"
        raise _no_notebook(what, where)
    literals = tuple(text.span for text in texts)
    return Cell(kind=str(kind), source="".join(texts), literals=literals)


def _no_notebook(why: str, where: str) -> InputError:
    """Return the error for valid JSON that is not a notebook."""
    return InputError(f"is not a Jupyter notebook: {why}", where=where, hint=_HINT)
