"""Content of MyST directives whose lines count: glossaries and tables of CSV.

Sphinx and docutils read it line by line, and only its pieces are Markdown. Lines of content come
in; the positions of the pieces go out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pipeline.core.document import csv_fields
from pipeline.core.document.markdown.directives import option_values

# Sphinx's own pattern: "term : classifier".
_CLASSIFIER = re.compile(r" +: +")
_COMMENT = ".. "
# Options that affect how the fields are written; "keepspace" has no value.
_CSV_OPTIONS = ("delim", "escape", "quote")
_NAMED = re.compile(r"^[ ]*:?(delim|escape|keepspace|quote):", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Entry:
    """A term on line ``line`` up to column ``end``, and its definition on the lines below it.

    A comment has no term: its ``end`` is 0.
    """

    line: int
    end: int
    definition: tuple[str, ...]


def glossary_entries(lines: Sequence[str]) -> Iterator[Entry]:
    """Yield the entries of a glossary: terms are at the margin, definitions are indented.

    ``["a : b", "  Words."]`` gives ``Entry(0, 1, ("Words.",))``.
    """
    starts = [number for number, line in enumerate(lines) if line[:1].strip()]
    for start, end in pairwise([*starts, len(lines)]):
        below = lines[start + 1 : end]
        if lines[start].startswith(_COMMENT):
            yield Entry(start, 0, ())
            continue
        # As in Sphinx, the first line of a definition has the indentation of all.
        first = next(filter(str.strip, below), "")
        indent = len(first) - len(first.lstrip())
        term = _CLASSIFIER.split(lines[start], maxsplit=1)[0].rstrip()
        yield Entry(start, len(term), tuple(line[indent:] for line in below))


def csv_rows(
    lines: Sequence[str], options: Sequence[str]
) -> list[list[csv_fields.Field]] | None:
    """Return the fields of a table's ``lines`` by row; None if its CSV is of another dialect.

    ``options`` are the lines of the directive's options.
    """
    values = dict.fromkeys(_NAMED.findall("\n".join(options)), "")
    for value in option_values(options, _CSV_OPTIONS):
        if value.columns:
            values[value.key] = options[value.line][slice(*value.columns)]
    return csv_fields.rows(lines, values)
