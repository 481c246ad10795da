"""Samples of marks that are bound to their line or place, and the places to put them in.

An alert, attributes, a glossary or CSV counts lines. A translation must change only their words.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from textwrap import indent

import msgspec
from msgspec import Struct

from pipeline.reading import Dialect

MYST = Dialect.MYST
ALL = tuple(Dialect)


class Kind(Struct, frozen=True):
    """A kind of mark: a sample, its words, and the sample with a 译 before each of these."""

    text: str
    words: tuple[str, ...]
    merged: str
    dialects: tuple[Dialect, ...] = ALL  # none if it is reST


_TABLE = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
KINDS = msgspec.convert(tomllib.loads(_TABLE), dict[str, Kind])


def _below(first: str, below: str) -> Callable[[str], str]:
    """Return a function that puts ``first`` before a text, and ``below`` before its other lines."""
    return lambda text: indent(text, below).replace(below, first, 1)


# Blocks around a sample, for Markdown and reST.
Frames = dict[str, tuple[Callable[[str], str], Callable[[str], str]]]
PLACES: Frames = {
    "page": (str, str),
    "list": (_below("- ", "  "), _below("* ", "  ")),
    "quote": (lambda text: indent(text, "> ", lambda _: True), _below("  ", "  ")),
    "item of a quote": (
        lambda text: indent(_below("- ", "  ")(text), "> ", lambda _: True),
        _below("  * ", "    "),
    ),
}
DIRECTIVES: Frames = {
    "directive": (
        lambda text: f"`````{{note}}\n{text}`````\n",
        lambda text: f".. note::\n\n{indent(text, '   ')}",
    ),
    "table of lists": (
        lambda text: f"`````{{list-table}}\n{_below('* - ', '    ')(text)}`````\n",
        lambda text: f".. list-table::\n\n{_below('   * - ', '       ')(text)}",
    ),
}
# Places that hold one line.
LINES: Frames = {
    "table": (lambda text: f"| 1 |\n|---|\n| {text.strip()} |\n", str),
    "heading": (lambda text: f"## {text}", str),
}


def rows() -> Iterable[tuple[str, str, str]]:
    """Yield the rows of the table: a kind, a dialect or a format, and a place."""
    for name, kind in KINDS.items():
        for dialect in kind.dialects:
            places = [*PLACES, *DIRECTIVES] if dialect is MYST else [*PLACES]
            yield from ((name, str(dialect), place) for place in places)
            yield name, str(dialect), "cell"
            if name in ("attributes of a link", "index"):
                yield from ((name, str(dialect), place) for place in LINES)
        if not kind.dialects:
            yield from ((name, "rst", place) for place in [*PLACES, *DIRECTIVES])


def put(text: str, format_name: str, place: str) -> str:
    """Return a sample in its place."""
    markdown, rst = {**PLACES, **DIRECTIVES, **LINES}.get(place, (str, str))
    return rst(text) if format_name == "rst" else markdown(text)
