"""Form of a report before it is written: tables, lines and findings, in reading order.

This form does not depend on width, colours or language. A writer (``terminal``) gets these
properties as a ``Screen``, and turns the report into text. The pipeline's own words have the type
``Translatable``, and the writer translates them. All other texts are untrusted, and the writer
escapes them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from pipeline.findings import Finding, Severity

Piece = tuple[str, str]  # a text, and its style: "bold red", or "" for none
Line = Sequence[Piece]
Cell = str | Line


class Translatable(str):
    """English text of the pipeline itself, which a writer translates."""

    __slots__ = ()


class Table(Struct, frozen=True, kw_only=True):
    """A table with a line of sums (``footer``) below.

    The columns named in ``words`` are wrapped; all others hold numbers. If the table is too wide,
    the columns named in ``spare`` are omitted, in that order.
    """

    title: Cell
    headings: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]
    footer: Sequence[Cell]
    words: frozenset[str]
    spare: tuple[str, ...] = ()


class Lines(Struct, frozen=True):
    """Lines of text below or between tables."""

    texts: Sequence[Cell]


class Findings(Struct, frozen=True, kw_only=True):
    """Findings of a run. A writer lists the worst ones, and notes only if ``has_notes``."""

    findings: Sequence[Finding]
    has_notes: bool = False


Block = Table | Lines | Findings
Report = Sequence[Block]


class Language(Struct, frozen=True, kw_only=True):
    """Functions and words that translate the pipeline's own texts; by default, English."""

    severity: Callable[[Severity], str] = str
    fixed: str = "  --fix makes it: "  # label before the msgstr that --fix would write
    finding: Callable[[Finding], Finding] = lambda finding: finding
    sentence: Callable[[str], str] = str
    heading: Callable[[str], str] = str  # translates the heading of a column


ENGLISH = Language()


class Screen(Struct, frozen=True, kw_only=True):
    """Properties of the output: width in columns, colours, and the reader's language.

    A Chinese character takes two columns. The defaults are for a pipe or a file.
    """

    width: int = 140
    colour: bool = False
    language: Language = ENGLISH


def unstyled(line: Line) -> str:
    """Return the texts of ``line`` without styles."""
    return "".join(text for text, _ in line)
