"""A report as one value: tables, lines and findings, in the order in which a person reads them.

What makes a report knows no width, no colours and no language; writers do (``terminal``). Texts of
ours are marked, since a writer says them in the reader's language. All others may be a stranger's,
and are made harmless by whoever writes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.findings import Finding

Piece = tuple[str, str]  # a text, and its style: "bold red", or "" for none
Line = Sequence[Piece]
Cell = str | Line


class Ours(str):
    """Words of the pipeline's own, in English: a writer says them in the reader's language."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with a line of sums below. Columns of ``words`` are wrapped; others are numbers.

    Columns of ``spare`` are left out, from the first on, where there is no room for all.
    """

    title: Cell
    headings: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]
    footer: Sequence[Cell]
    words: frozenset[str]
    spare: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of text below each other."""

    texts: Sequence[str]


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of what has no table."""

    title: Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Findings of a run, of which a writer lists the worst; notes only if ``has_notes``."""

    findings: Sequence[Finding]
    has_notes: bool = False


Block = Table | Heading | Lines | Findings
Report = Sequence[Block]


def unstyled(line: Line) -> str:
    """The texts of ``line`` alone."""
    return "".join(text for text, _ in line)
