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

A glossary has each term once, but a text may use any form of it. ``forms_of`` returns the forms of
a term. ``pattern_of`` returns a pattern that finds hundreds of forms in one pass.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any, NamedTuple

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


_APART = re.compile(r"[ -]")
_ES = re.compile(r"(?:[sxz]|[cs]h)$")  # batch: batches
_IES = re.compile(r"[^aeiou]y$")  # identity: identities
# A last consonant that may be doubled: "jit" has "jitted", but "batch" has "batched".
_DOUBLED = re.compile(r"(?:^|[^aeiou])[aeiou][^aeiouwxy]$")
_PIECE = re.compile(r"[ -]?[^ -]")


def forms_of(english: str, *, is_verb: bool = False) -> list[str]:
    """Return a term, followed by the inflected forms of its last word.

    A noun has a plural. A verb also has forms in -ed, -ing and -tion: ``trace``, ``traces``,
    ``traced``, ``tracing``, ``tracation``. A form that is not an English word does no harm, because
    no text contains it.
    """
    is_soft = bool(_IES.search(english))
    plural, past = f"{english}s", f"{english.removesuffix('e')}ed"
    if is_soft:
        plural, past = f"{english[:-1]}ies", f"{english[:-1]}ied"
    elif _ES.search(english):
        plural = f"{english}es"
    if not is_verb:
        return [english, plural]
    stem = english.removesuffix("e")
    noun = f"{stem}ation"  # transform: transformation
    if english.endswith("te"):
        noun = f"{stem}ion"  # differentiate: differentiation
    forms = [english, plural, past, f"{stem}ing", noun]  # traces, traced, tracing
    if _DOUBLED.search(english):
        last = english[-1]
        forms += [f"{english}{last}ed", f"{english}{last}ing"]
    return forms


def joined(words: str) -> str:
    """Return ``words`` in lower case, joined without hyphens and spaces.

    ``Data type``, ``data-type`` -> ``datatype``
    """
    return _APART.sub("", words).lower()


def pattern_of(forms: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds any of ``forms`` as a whole word, longest first.

    The text to search must be in lower case; a case-insensitive pattern would take three times as
    long. A hyphen in a form also matches a space, and a space also matches a hyphen. The text may
    lack both.

    Trying hundreds of forms in turn would take seconds. So the forms are put into a trie (a tree of
    characters), and the pattern reads each character once. In the trie, an empty key marks the end
    of a form.
    """
    root: dict[str, Any] = {}
    for form in forms:
        node = root
        for piece in _PIECE.findall(form.lower()):
            character = re.escape(piece[-1])
            if len(piece) > 1:  # the character follows a hyphen or a space
                character = f"[ -]?{character}"
            node = node.setdefault(character, {})
        node[""] = {}
    if not root:
        return re.compile(r"(?!)")  # never matches
    return re.compile(rf"\b{_branches(root)}\b", re.ASCII)


def _branches(node: dict[str, Any]) -> str:
    """Return the pattern for the rest of all forms below a node of the trie.

    With the forms ``jit`` and ``jits``, the pattern below the node of ``t`` is ``(?:s)?``.
    """
    pieces = [f"{piece}{_branches(below)}" for piece, below in node.items() if piece]
    if not pieces:
        return ""
    branches = f"(?:{'|'.join(pieces)})"
    if "" in node:  # a form ends here, and longer ones continue
        return f"{branches}?"
    return branches
