"""Reports as values: tables, lines and findings, in reading order.

A value is independent of width, colours and language; these belong to the writers (``terminal``),
which get them as a ``Screen``. The pipeline's own words are marked (``Translatable``), and a writer
translates them. All other texts are untrusted, and a writer escapes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.findings import Finding, Severity

Piece = tuple[str, str]  # a text, and its style: "bold red", or "" for none
Line = Sequence[Piece]
Cell = str | Line


class Translatable(str):
    """Words of the pipeline, in English; a writer translates them."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with a line of sums below.

    Columns in ``words`` are wrapped; all others hold numbers. Columns in ``spare`` are omitted, in
    that order, if there is too little room.
    """

    title: Cell
    headings: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]
    footer: Sequence[Cell]
    words: frozenset[str]
    spare: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of text, for example the title of a missing table if all pages are done."""

    texts: Sequence[Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Findings of a run; a writer lists the worst ones, and notes only if ``has_notes``."""

    findings: Sequence[Finding]
    has_notes: bool = False


Block = Table | Lines | Findings
Report = Sequence[Block]


def _same(text: str) -> str:
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """How findings, sentences and headings are rendered for people; by default in English."""

    severities: Mapping[Severity, str] = field(
        default_factory=lambda: {severity: severity.value for severity in Severity}
    )
    fixed: str = "  --fix makes it: "  # before the msgstr that --fix would write
    finding: Callable[[Finding], Finding] = lambda finding: finding
    sentence: Callable[[str], str] = _same
    heading: Callable[[str], str] = _same  # of a column


ENGLISH = Language()


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """Where people read a text: its width in columns, its colours, and their language.

    A Chinese character takes two columns. The defaults are those of a pipe or a file.
    """

    width: int = 140
    colour: bool = False
    language: Language = ENGLISH


def unstyled(line: Line) -> str:
    """Return the texts of ``line`` without styles."""
    return "".join(text for text, _ in line)
