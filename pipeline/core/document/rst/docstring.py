"""Docstrings: reST with sections in the style of Google or NumPy.

napoleon, an extension of Sphinx, defines the sections and their items
(https://www.sphinx-doc.org/en/master/usage/extensions/napoleon.html). docutils does not know these
sections. :class:`DocstringLines` rewrites the lines, so that docutils finds the blocks. Headers and
items of Google's style become fields::

    Args:                   :Args:
      x: an array             :x: an array
        of floats               of floats

In headers and items of NumPy's style, each letter becomes a zero. The offsets still refer to the
original docstring. The names of sections, parameters and types are never messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipeline.core.document.rst.positions import Lines
from pipeline.tables import read_table

_SECTIONS = read_table(__name__, "docstring")
_ITEM_SECTIONS = frozenset(_SECTIONS["items"])
_TEXT_SECTIONS = frozenset(_SECTIONS["texts"])
# In these sections, the name of an item is a type: "float: the sum". Many such sections have a
# plain text instead of items, and this text may also have a colon.
_TYPED = frozenset(_SECTIONS["typed"])
_HEADER = re.compile(r"[A-Za-z][A-Za-z ]*(?=:\s*$)")
_RULE = re.compile(r"([-=~^*+#])\1{2,}\s*")
# A name ends at the first colon that is not part of code, of a role or of "::". The possessive
# quantifiers keep the search linear for any text.
_ITEM = re.compile(r"((?>`++[^`]*+`++|[^`:]++|:(?=[\w`]))++):(?!:)(?=\s|$)")
_TYPE = re.compile(r"\S+(?: \S+){0,3}", re.ASCII)
_OTHER_BLOCK = re.compile(r"[-*+•] |\.\. |>>>")
_FIELD_BREAKERS = str.maketrans(":\\", "..")


class Item(NamedTuple):
    """Header or item of a section."""

    line: int  # 0-based
    column: int
    name: str  # as written
    is_field: bool  # whether it ends with a colon, as in Google's style


def items_of(lines: Sequence[str]) -> tuple[Item, ...]:
    """Return the section headers and items in the lines of a docstring, in order."""
    items = tuple(_google_items(lines))
    return items or tuple(_numpy_items(lines))


def _google_items(lines: Sequence[str]) -> Iterator[Item]:
    """Yield the headers and items of Google's style: ``Args:``, with indented items below."""
    section, indent = "", 0
    for number, line in enumerate(lines):
        column = _column(line)
        if not line.strip():
            continue
        if column == 0:
            section, indent = "", 0
            header = _HEADER.match(line)
            name = header[0].lower() if header else ""
            is_known = name in _ITEM_SECTIONS or name in _TEXT_SECTIONS
            if is_known and _is_above_indented(lines, number):
                section = name
                yield Item(number, 0, line.strip()[:-1], is_field=True)
            continue
        if section not in _ITEM_SECTIONS or column != (indent or column):
            continue
        name = _item_name(line[column:], section)
        if name:
            yield Item(number, column, name, is_field=True)
        elif not indent and section in _TYPED:
            # A section that does not begin with a type is plain text. napoleon does not search it,
            # either.
            section = ""
        indent = column


def _item_name(words: str, section: str) -> str:
    """Return the name at the start of an item, or "" if the words are plain text."""
    found = _ITEM.match(words)
    if found is None or _OTHER_BLOCK.match(words):
        return ""
    if section in _TYPED and not _TYPE.fullmatch(found[1]):
        return ""  # the words are a sentence with a colon
    return found[1]


def _numpy_items(lines: Sequence[str]) -> Iterator[Item]:
    """Yield the headers and items of NumPy's style: an underlined header, with items below.

    The items are not indented, and their descriptions are.
    """
    section = ""
    for number, line in enumerate(lines):
        if _column(line) or not line.strip() or _RULE.fullmatch(line):
            continue
        name = line.strip().lower()
        is_known = name in _ITEM_SECTIONS or name in _TEXT_SECTIONS
        if is_known and _RULE.fullmatch("".join(lines[number + 1 : number + 2])):
            section = name
            yield Item(number, 0, line, is_field=False)
        elif section in _ITEM_SECTIONS and _is_above_indented(lines, number):
            yield Item(number, 0, line, is_field=False)


def _is_above_indented(lines: Sequence[str], number: int) -> bool:
    """Return whether the next line with words is indented."""
    following = (line for line in lines[number + 1 :] if line.strip())
    return _column(next(following, "")) > 0


def _column(line: str) -> int:
    """Return the number of characters before the words of a line."""
    return len(line) - len(line.lstrip())


def names_in(text: str) -> tuple[tuple[int, str], ...]:
    """Return the columns and names of all headers and items, which no translation may change."""
    return tuple((item.column, item.name) for item in items_of(Lines(text).shown))


class DocstringLines(Lines):
    """Lines of a docstring, with its headers and items rewritten for docutils."""

    def __init__(self, text: str) -> None:
        """Split ``text`` into lines and rewrite the headers and items."""
        super().__init__(text)
        self._added: dict[int, int] = {}  # column of the added colon, by line
        for item in items_of(self.shown):
            line = self.shown[item.line]
            end = item.column + len(item.name)
            if item.is_field:
                # The name of a field must not end with a space, and its colons and backslashes
                # would need escapes. Replace them by full stops.
                words = item.name.rstrip().translate(_FIELD_BREAKERS)
                name = f":{words:.<{len(item.name)}}"
                self._added[item.line] = item.column
            else:
                name = re.sub(r"\w", "0", item.name)
            self.shown[item.line] = line[: item.column] + name + line[end:]

    def offset(self, line: int, column: int) -> int:
        """Convert a column of a line in ``shown`` to an offset in the docstring.

        Subtract the colon that was added to the line.
        """
        added = self._added.get(line)
        if added is not None and column > added:
            column -= 1
        return super().offset(line, column)
