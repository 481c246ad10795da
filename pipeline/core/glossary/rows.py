"""The rows of a glossary: a CSV file that Weblate takes for one (format “CSV file”) and that is edited by hand as easily.

One row is one rendering, with the columns ``source`` (English), ``target`` (Chinese), ``context`` (how it is meant: a few words of
:data:`WORDS`) and ``translator_comments`` (a note, told with each finding). Other columns are ignored. Weblate keeps no flags in such
a file, so that all that counts stands in ``context``; and it wants each pair of source and context once, which is what numbers are for.

- ``source``: a noun in the singular, or with the word ``verb`` a verb; its other forms are found as well. Hyphen, space and nothing
  between its words are alike. Words with a capital are found as they are written, all others in any case.
- ``target``: a bracket in it, ``切向量（tangent）``, may be left out; ``…`` stands for other words, ``对…做 JIT 编译``.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import NamedTuple

from pipeline.errors import InputError

WORDS = {
    "verb": "the term is a verb: other forms of it count too",
    "advice": "to leave the term out is only noted",
    "allow": "never asked for, but never taken for an avoided rendering of another term either",
    "or": "one more rendering that will do",
    "avoid": "a rendering not to be used",
}
COLUMNS = ("source", "target", "context", "translator_comments")

BRACKET = re.compile(r"（[^（）]*）|\([^()]*\)")
_ASKED = re.compile(r"(?!的)[^\W_]")


class Row(NamedTuple):
    """One rendering of one term, and the line it stands in."""

    line: int
    source: str
    target: str
    context: str
    note: str

    @property
    def words(self) -> set[str]:
        """How it is meant."""
        return {word for word in self.context.split() if not word.isdigit()}


def read_rows(text: str, *, where: str) -> Iterator[Row]:
    """The rows of the CSV file called ``where``, in order. Raises InputError with ``file:line`` and what to do."""
    lines: dict[tuple[str, str], int] = {}
    for row in _rows(text, where):
        first = lines.setdefault((row.source, row.context), row.line)
        if first != row.line:
            hint = f"Give it another context than line {first}: {row.context or 'or'} 2, for example; or delete one of them."
            raise InputError(
                f"repeats “{row.source}” with the same context",
                where=f"{where}:{row.line}",
                hint=hint,
            )
        yield row


def _rows(text: str, where: str) -> Iterator[Row]:
    reader = csv.reader(
        (f"{line}\n" for line in text.removeprefix("\ufeff").rstrip("\n").split("\n")), strict=True
    )
    names: list[str] = []
    line = 1
    try:
        for fields in reader:
            if not names:
                names = _columns(fields, where)
            elif len(fields) > len(names):
                hint = 'Put what holds a comma between quotation marks: "a, b".'
                raise InputError("has more fields than columns", where=f"{where}:{line}", hint=hint)
            elif fields:
                values = dict(zip(names, map(str.strip, fields), strict=False))
                yield _checked(Row(line, *(values.get(name, "") for name in COLUMNS)), where)
            line = reader.line_num + 1
    except csv.Error as error:
        hint = 'Close what a quotation mark opens, and double it within: "say ""so""".'
        raise InputError(
            f"is no CSV from here on ({error})", where=f"{where}:{line}", hint=hint
        ) from error


def _columns(fields: list[str], where: str) -> list[str]:
    names = [name.strip().lower() for name in fields]
    if not {"source", "target"} <= set(names):
        hint = f"Name the columns in the first line: {','.join(COLUMNS)}"
        raise InputError("has no columns “source” and “target”", where=f"{where}:1", hint=hint)
    return names


def _checked(row: Row, where: str) -> Row:
    at = f"{where}:{row.line}"
    if not re.search(r"[^\W_]", row.source):
        raise InputError(
            "has no English term", where=at, hint="Fill in the column “source”, or delete the row."
        )
    if row.target and not _ASKED.search(BRACKET.sub("", row.target)):
        raise InputError(
            f"“{row.target}” asks for no word",
            where=at,
            hint="Write the rendering outside of the brackets.",
        )
    for word in sorted(row.words - WORDS.keys()):
        near = get_close_matches(word, WORDS, n=1, cutoff=0)[0]
        raise InputError(
            f"the context “{word}” is unknown",
            where=at,
            hint=f"Did you mean “{near}”? There are {', '.join(WORDS)}, and numbers.",
        )
    return row
