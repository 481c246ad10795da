"""Reader of the rows of a glossary, a CSV file that people edit by hand or in Weblate.

Each row is one rendering of one English term. The columns:

- ``source``: the English term. It is a noun in the singular or, with the flag ``verb``, a verb. Its
  inflected forms match as well. Its words may be joined by a hyphen, a space or nothing. Words with
  a capital match only with the capital; other words match in any case.
- ``target``: the Chinese rendering. Brackets, as in ``切向量（tangent）``, are optional in
  translations. ``…`` matches any words, as in ``对…做 JIT 编译``.
- ``context``: flags, which are words of :data:`WORDS`. For Weblate, each pair of source and context
  must be unique; a number in the context makes a pair unique.
- ``translator_comments``: a note, which each finding about the term shows.

Other columns are ignored.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import NamedTuple

from pipeline.errors import InputError, check_limit
from pipeline.limits import GLOSSARY_ROWS, TERM_LENGTH

WORDS = {
    "verb": "the term is a verb, whose inflected forms match as well",
    "advice": "a translation without the term is only a note",
    "allow": "a translation without the term is allowed; the rendering counts as accepted",
    "or": "one more accepted rendering",
    "avoid": "a rendering to avoid",
}
COLUMNS = ("source", "target", "context", "translator_comments")

BRACKET = re.compile(r"（[^（）]*）|\([^()]*\)")
# A character that a rendering needs at least once. 的 does not count: comparisons ignore it.
_ASKED = re.compile(r"(?!的)[^\W_]")
_WORD = re.compile(r"[^\W_]")


class Row(NamedTuple):
    """One row of a glossary; the module's docstring describes the columns."""

    line: int  # number of the line in the file, from 1
    source: str
    target: str
    context: str
    note: str

    @property
    def words(self) -> set[str]:
        """Return the flags in ``context``: ``verb`` and ``avoid`` in ``verb avoid 2``."""
        return {word for word in self.context.split() if not word.isdigit()}


def read_rows(text: str, *, where: str) -> Iterator[Row]:
    """Yield the rows of a CSV file in order; ``where`` is its name in errors.

    Raises InputError with ``file:line`` and a hint.
    """
    first_lines: dict[tuple[str, str], int] = {}
    for row in _rows(text, where):
        # Weblate identifies an entry by source and context.
        first = first_lines.setdefault((row.source, row.context), row.line)
        if first != row.line:
            raise InputError(
                f"repeats “{row.source}” with the same context",
                where=f"{where}:{row.line}",
                hint=(
                    f"Give it another context than line {first}, for example "
                    f"“{row.context or 'or'} 2”, or delete one of the two rows."
                ),
            )
        yield row


def _rows(text: str, where: str) -> Iterator[Row]:
    """Yield the rows of a file with their line numbers, ignoring a byte order mark.

    Spreadsheets write such a mark at the start of the file.
    """
    lines = text.removeprefix("\ufeff").rstrip("\n").split("\n")
    reader = csv.reader((f"{line}\n" for line in lines), strict=True)
    names: list[str] = []
    count = 0
    line = 1  # first line of the next row; a quoted field may have several lines
    try:
        for fields in reader:
            if not names:
                names = _columns(fields, where)
            elif fields:  # skip empty lines
                count += 1
                check_limit(count, GLOSSARY_ROWS, where=f"{where}:{line}")
                yield _row(names, fields, where=where, line=line)
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(
            f"is not CSV from here on ({error})",
            where=f"{where}:{line}",
            hint='Close each quotation mark, and double a mark inside a field: "say ""so""".',
        ) from error


def _columns(fields: list[str], where: str) -> list[str]:
    """Return the names of the columns, in lower case, from the fields of the first line."""
    names = [name.strip().lower() for name in fields]
    if "source" not in names or "target" not in names:
        raise InputError(
            "has no columns “source” and “target”",
            where=f"{where}:1",
            hint=f"Name the columns in the first line: {','.join(COLUMNS)}",
        )
    return names


def _row(names: list[str], fields: list[str], *, where: str, line: int) -> Row:
    """Return the ``fields`` of one line as a row; the last fields may be missing.

    Raises InputError if the fields are not a valid row.
    """
    at = f"{where}:{line}"
    if len(fields) > len(names):
        raise InputError(
            "has more fields than columns",
            where=at,
            hint='Put a field with a comma between quotation marks: "a, b".',
        )
    values = dict(zip(names, map(str.strip, fields), strict=False))
    row = Row(line, *(values.get(name, "") for name in COLUMNS))
    if not _WORD.search(row.source):
        raise InputError(
            "has no English term",
            where=at,
            hint="Fill in the column “source”, or delete the row.",
        )
    if len(row.source) > TERM_LENGTH:
        raise InputError(
            f"has a term of {len(row.source):,} characters",
            where=at,
            hint=f"Shorten it: a term has {TERM_LENGTH} at most.",
        )
    if row.target and not _ASKED.search(BRACKET.sub("", row.target)):
        raise InputError(
            f"“{row.target}” has no word",
            where=at,
            hint="Write the rendering outside of the brackets.",
        )
    for word in sorted(row.words - WORDS.keys()):
        # With cutoff=0, there is always a match.
        near = get_close_matches(word, WORDS, n=1, cutoff=0)[0]
        raise InputError(
            f"the context “{word}” is unknown",
            where=at,
            hint=f"Did you mean “{near}”? There are {', '.join(WORDS)}, and numbers.",
        )
    return row
