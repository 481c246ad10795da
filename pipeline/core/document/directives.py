"""Table of the directives of Markdown and reST: which parts of them are words to translate.

``directives.toml`` has the rows of the table and documents their keys.

:func:`csv_fields` finds the fields of the directive ``csv-table`` with their positions. Python's
CSV reader returns fields without positions, so a pattern searches for the fields. The positions are
used only if the pattern finds the same fields as the reader.
"""

from __future__ import annotations

import csv
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import accumulate

import msgspec
from msgspec import Struct, field

from pipeline.core.document.message import Kind
from pipeline.tables import read_table


class Body(StrEnum):
    """The content type of a directive's body."""

    PROSE = "prose"  # blocks like those of the page
    CODE = "code"
    OPAQUE = "opaque"  # has no words to translate
    RAW = "raw"  # source of one output format; HTML may have words
    RST = "rst"  # reST inside a Markdown page, which is not parsed
    UNKNOWN = "unknown"  # the directive is not in the table
    # Content with a syntax of its own:
    TOCTREE = "toctree"  # page names, some with a title: "Some title <page>"
    GLOSSARY = "glossary"
    CSV_TABLE = "csv_table"
    LIST_TABLE = "list_table"
    CARD = "card"  # blocks in up to three parts, separated by rules
    QUOTE = "quote"  # blocks, optionally with an attribution at the end
    REPLACEMENT = "replacement"  # the single paragraph of a substitution


class Directive(Struct, frozen=True, kw_only=True):
    """A row of the table, which describes the parts of a directive."""

    body: Body = Body.PROSE
    paragraphs: Kind = Kind.ADMONITION  # kind of the paragraphs in the body
    argument: Kind | None = None  # kind of the argument; None if it has no words
    options: Mapping[str, Kind] = field(default_factory=dict)  # only those with words
    is_cell: bool = False  # whether jupytext reads the directive as a notebook cell
    # The numbers of arguments that docutils expects; reST only.
    required_arguments: int = 0
    optional_arguments: int = 0
    takes_options: bool = True

    @property
    def holds_words(self) -> bool:
        """Return whether any part of the directive may have words; for Markdown only."""
        if self.body in (Body.PROSE, Body.TOCTREE, Body.GLOSSARY):
            return True
        return self.argument is not None or bool(self.options)


UNKNOWN = Directive(body=Body.UNKNOWN, takes_options=False)


def read_directives(language: str) -> dict[str, Directive]:
    """Return the rows for a language, ``"markdown"`` or ``"rst"``, by the name of the directive."""
    directives: dict[str, Directive] = {}
    for row in read_table(__name__, "directives")[language]:
        names = row.pop("names").split()
        directives |= dict.fromkeys(names, msgspec.convert(row, Directive))
    return directives


QUOTE = '"'
# Options that change the quoting rules.
_FOREIGN = frozenset(("quote", "escape"))


class Field(Struct, frozen=True):
    """One field. A position is a (line index, column)."""

    text: str  # without quotation marks
    start: tuple[int, int]  # of the field with its quotation marks, if any
    end: tuple[int, int]


def csv_fields(lines: Sequence[str], options: Mapping[str, str]) -> list[list[Field]] | None:
    """Return the fields of ``lines`` by row, as the directive ``csv-table`` reads them.

    ``options`` are the options of the directive. Return None if the positions cannot be found.

        ['a, "b, c"']    [[Field("a", (0, 0), (0, 1)), Field("b, c", (0, 3), (0, 9))]]
    """
    if not _FOREIGN.isdisjoint(options):
        return None
    # Import docutils only here: it loads slowly, and most Markdown pages do not need it.
    from docutils.parsers.rst import directives

    skips_space = "keepspace" not in options
    try:
        delimiter = directives.single_char_or_whitespace_or_unicode(options.get("delim", ","))
        expected = _read(lines, delimiter, skips_space=skips_space)
    except (ValueError, TypeError, csv.Error):
        return None
    # If the results differ, a position may be wrong, and a merge would corrupt the table.
    found = _scan(lines, delimiter, skips_space=skips_space)
    if [[field.text for field in row] for row in found] != expected:
        return None
    return found


def quoted(text: str) -> str:
    """Return ``text`` as a field in quotation marks, which may contain the delimiter."""
    return f"{QUOTE}{text.replace(QUOTE, QUOTE * 2)}{QUOTE}"


def _read(lines: Sequence[str], delimiter: str, *, skips_space: bool) -> list[list[str]]:
    """Return the texts of all fields, as Python's CSV reader returns them. Raises csv.Error."""
    reader = csv.reader(
        # Add line ends, as docutils does: a quoted field may contain them.
        (f"{line}\n" for line in lines),
        delimiter=delimiter,
        skipinitialspace=skips_space,
        strict=True,
    )
    return [row for row in reader if row]


def _scan(lines: Sequence[str], delimiter: str, *, skips_space: bool) -> list[list[Field]]:
    """Return the fields with positions, found by a pattern."""
    content = "\n".join([*lines, ""])
    # The start offset of each line in ``content``.
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    pattern = _field_pattern(delimiter, skips_space=skips_space)
    result: list[list[Field]] = []
    row: list[Field] = []
    # Each line ends with a line end, so the matches cover the whole content.
    for match in pattern.finditer(content):
        start = _line_and_column(starts, match.start("field"))
        end = _line_and_column(starts, match.end("field"))
        text = match["field"]
        if match["quoted"] is not None:
            text = match["quoted"].replace(QUOTE * 2, QUOTE)
        row.append(Field(text, start, end))
        if match["end"] == "\n":
            result.append(row)
            row = []
    return [row for row in result if not _is_blank(row)]


def _is_blank(row: Sequence[Field]) -> bool:
    """Return whether a row is a blank line: a single, empty, unquoted field."""
    return len(row) == 1 and row[0].start == row[0].end


def _field_pattern(delimiter: str, *, skips_space: bool) -> re.Pattern[str]:
    """Return a pattern for a field and the delimiter or line end after it.

    A quoted field may span several lines. The groups are ``field`` (with quotation marks),
    ``quoted`` (without them), and ``end`` (the delimiter or line end).
    """
    space = " *" if skips_space else ""
    delimiter = re.escape(delimiter)
    quoted = '"(?P<quoted>(?:[^"]|"")*)"'
    return re.compile(rf"{space}(?P<field>{quoted}|[^{delimiter}\n]*)(?P<end>[{delimiter}\n])")


def _line_and_column(starts: Sequence[int], position: int) -> tuple[int, int]:
    """Return the index of the line that contains a position, and the column in this line."""
    index = bisect_right(starts, position) - 1
    return index, position - starts[index]
