"""Markdown as GitHub renders it: tables, and texts of strangers that are no markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pipeline.core.execution.result import without_colours
from pipeline.log import printable

_NOTHING = "&#8203;"  # a space without a width
_LONG = 300  # characters of a text that are shown
# All ASCII signs that mean something in Markdown, HTML or GitHub's own language ("@name", "#7").
_MARKUP = re.compile(r"[^\w\s.,;()=+'%/-]|_", re.ASCII)


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table, or nothing if it has no rows. Cells are Markdown already."""
    lines = [_line(map(str, row)) for row in rows]
    if not lines:
        return ""
    return "\n".join([_line(headings), "|" + " --- |" * len(headings), *lines])


def cut_table(
    headings: Sequence[str], rows: Sequence[Sequence[object]], *, listed: int
) -> str:
    """A table of the first ``listed`` rows, and how many more there are."""
    table = markdown_table(headings, rows[:listed])
    if len(rows) <= listed:
        return table
    return f"{table}\n\n… and {len(rows) - listed} more"


def plain(text: str) -> str:
    """``text`` on one line, in which nothing is Markdown or HTML: ``a*b`` → ``a&#42;b``."""
    # A cell of a table ends with its line.
    line = " ".join(without_colours(text).split())
    if len(line) > _LONG:
        line = line[: _LONG - 1] + "…"
    return escaped(line)


def escaped(text: str) -> str:
    """``text`` as it is, however long, in which nothing is Markdown or HTML."""
    return _MARKUP.sub(_entity, printable(text))


def code(text: str) -> str:
    """``text`` as code: an element of HTML, because backticks cannot hold everything."""
    return f"<code>{plain(text)}</code>"


def _line(cells: Iterable[str]) -> str:
    """One line of a table."""
    return f"| {' | '.join(cells)} |"


def _entity(match: re.Match[str]) -> str:
    """Return a sign as an entity, which shows it and means nothing."""
    if not match[0].isascii():
        return match[0]  # the pattern finds all of Chinese too, where nothing is markup
    entity = f"&#{ord(match[0])};"
    # GitHub looks for names and numbers when the entities are signs again.
    return f"{entity}{_NOTHING}" if match[0] in "@#" else entity
