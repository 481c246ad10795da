"""Syntax of the MyST directives: the first line, the options, glossaries and CSV tables.

The first line has the name and the argument. Options follow, as ``:key: value`` lines or between
``---`` lines. The rest is the body::

    ```{figure} a.png
    :alt: Some words
    The caption.
    ```

Options have the syntax of MyST-Parser's YAML subset (``parsers/options.py``). A value that
continues on the next line is not translated. Glossaries and CSV tables are read line by line: only
their terms, definitions and fields are Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence, Set
from itertools import pairwise, takewhile

from msgspec import Struct

from pipeline.core.document import directives
from pipeline.core.document.directives import Directive, Field
from pipeline.core.document.message import Kind

DIRECTIVES = directives.read_directives("markdown")
TITLED = Directive(argument=Kind.TITLE)
DEFINITION = Directive(paragraphs=Kind.DEFINITION)
ADMONITIONS = frozenset(
    name for name, form in DIRECTIVES.items() if form.argument is Kind.ADMONITION
)
CELLS = frozenset(name for name, form in DIRECTIVES.items() if form.is_cell)

_INFO = re.compile(r"\s*\{([^\s{}]+)\}(.*)", re.DOTALL)
# The start of ":key: value". Three colons open a nested directive.
_OPTION = re.compile(r"\s*:(?!::)")


class Info(Struct, frozen=True):
    """The parsed first line of a fence. ``name`` is empty if the fence is not a directive."""

    name: str
    argument: str


def parse_info(info: str) -> Info:
    """Parse the info string of a fence, such as ``{note} Some words``."""
    match = _INFO.fullmatch(info)
    if match is None:
        return Info("", "")
    return Info(match[1].lower(), match[2].strip())


def directive_of(name: str, prose: Set[str] = frozenset()) -> Directive:
    """Return the row of the table for a directive.

    ``prose`` are the names of additional directives, whose argument is a title and whose body is
    prose.
    """
    return DIRECTIVES.get(name, TITLED if name in prose else directives.UNKNOWN)


def count_option_lines(lines: list[str]) -> int:
    """Return the number of lines with options at the start of a directive's content.

    ``lines`` has at least one line. The number is two on the left, and three on the right:

        :width: 3em          ---
        :align: left         width: 3em
        Words.               ---
                             Words.
    """
    if lines[0].startswith("---"):
        return _front_matter_length(lines)
    return len(list(takewhile(_OPTION.match, lines)))


def _front_matter_length(lines: list[str]) -> int:
    """Return the number of lines from ``---`` to the next ``---``, or of all lines without one."""
    for number, line in enumerate(lines[1:], 1):
        if line.startswith("---"):
            return number + 1
    return len(lines)


_FENCE = "---"
# The name of an option, without the colon before it: MyST strips this colon first.
_KEY = re.compile(r"(?P<key>[\w-]+):[ ]+(?=\S)")
_CONTINUATION = re.compile(r"[ ]+\S")
# A value on one line. A "#" after a space begins a comment. Escapes in quotes are not supported.
_COMMENT = r"(?:[ ]+\#.*)?[ ]*"
_VALUE = re.compile(
    rf"""
      "(?P<double>[^"\\]*)"{_COMMENT}
    | '(?P<single>[^']*)'{_COMMENT}
    | (?P<plain>[^"'|>\#\s](?:\S|[ ](?![ ]*(?:\#|\Z)))*){_COMMENT}
    """,
    re.VERBOSE,
)


class OptionValue(Struct, frozen=True, kw_only=True):
    """Position of an option's value."""

    key: str
    line: int  # 0-based
    # ``[start, end)`` without quotation marks; None if the syntax of the value is not supported.
    columns: tuple[int, int] | None


def option_values(lines: Sequence[str], keys: Collection[str]) -> Iterator[OptionValue]:
    """Yield the positions of the values of the options with these keys.

    ``[":width: 3em", ":alt: Some words"]`` with ``alt`` gives line 1, columns 6 to 16.
    """
    starts = _starts(lines)
    for number, (line, start) in enumerate(zip(lines, starts, strict=True)):
        named = _KEY.match(line, start)
        if named is None or named["key"] not in keys:
            continue
        columns = None
        value = _VALUE.fullmatch(line, named.end())
        # MyST splits lines at more characters than Markdown does, for example at U+2028. A value on
        # such a line is not supported.
        if value and len(line.splitlines()) == 1 and not _is_continued(lines, starts, number):
            columns = value.span(str(value.lastgroup))
        yield OptionValue(key=named["key"], line=number, columns=columns)


def _starts(lines: Sequence[str]) -> list[int]:
    """Return the column at which the YAML begins on each line of an option block."""
    if not lines or not lines[0].startswith(_FENCE):
        # Without "---", each line begins with a colon, which is not part of the YAML.
        return [len(line) - len(line.lstrip()) + 1 for line in lines]
    # MyST removes the common indentation of the lines between the "---" lines.
    inner = [line for line in lines if line.strip() and not line.startswith(_FENCE)]
    indents = [len(line) - len(line.lstrip(" ")) for line in inner]
    return [min(indents, default=0)] * len(lines)


def _is_continued(lines: Sequence[str], starts: Sequence[int], number: int) -> bool:
    """Return whether the value on a line continues on the next line, which is then indented."""
    below = number + 1
    return below < len(lines) and bool(_CONTINUATION.match(lines[below], starts[below]))


# Sphinx's own pattern: "term : classifier".
_CLASSIFIER = re.compile(r" +: +")
_TERM_COMMENT = ".. "
# Options that change the syntax of the fields and have a value. "keepspace" has none.
_CSV_OPTIONS = ("delim", "escape", "quote")
_NAMED = re.compile(r"^[ ]*:?(delim|escape|keepspace|quote):", re.MULTILINE)


class GlossaryEntry(Struct, frozen=True):
    """A term with its definition, or a comment."""

    line: int  # line of the term
    end: int  # column of the end of the term; 0 for a comment
    definition: tuple[str, ...]  # the lines below, without their common indentation


def glossary_entries(lines: Sequence[str]) -> Iterator[GlossaryEntry]:
    """Yield the entries of a glossary. Its terms are not indented, and its definitions are.

    ``["a : b", "  Words."]`` gives ``GlossaryEntry(0, 1, ("Words.",))``.
    """
    starts = [number for number, line in enumerate(lines) if line[:1].strip()]
    for start, end in pairwise([*starts, len(lines)]):
        below = lines[start + 1 : end]
        if lines[start].startswith(_TERM_COMMENT):
            yield GlossaryEntry(start, 0, ())
            continue
        # As in Sphinx, the first line of a definition determines the indentation.
        first = next(filter(str.strip, below), "")
        indent = len(first) - len(first.lstrip())
        term = _CLASSIFIER.split(lines[start], maxsplit=1)[0].rstrip()
        yield GlossaryEntry(start, len(term), tuple(line[indent:] for line in below))


def csv_rows(lines: Sequence[str], options: Sequence[str]) -> list[list[Field]] | None:
    """Return the fields of a CSV table by row, or None if its dialect of CSV is not supported.

    ``lines`` are the body of the directive, ``options`` the lines of its options.
    """
    values = dict.fromkeys(_NAMED.findall("\n".join(options)), "")
    for value in option_values(options, _CSV_OPTIONS):
        if value.columns:
            values[value.key] = options[value.line][slice(*value.columns)]
    return directives.csv_fields(lines, values)
