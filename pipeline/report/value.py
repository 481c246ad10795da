"""Reports as values: tables, lines and findings, in reading order.

A value is independent of width, colours and language; these belong to the writers (``terminal``).
The pipeline's own words are marked (``Translatable``), and a writer translates them. All other
texts are untrusted, and a writer escapes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.findings import Finding

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
    """Lines of text."""

    texts: Sequence[str]


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a missing table, for example if all pages are done."""

    title: Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Findings of a run; a writer lists the worst ones, and notes only if ``has_notes``."""

    findings: Sequence[Finding]
    has_notes: bool = False


Block = Table | Heading | Lines | Findings
Report = Sequence[Block]


def unstyled(line: Line) -> str:
    """Return the texts of ``line`` without styles."""
    return "".join(text for text, _ in line)
