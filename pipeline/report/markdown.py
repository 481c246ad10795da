"""Escapes and tables of GitHub Markdown.

Texts from pages and catalogues are escaped, so that they cannot contain markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pipeline.core.execution.result import without_colours
from pipeline.log import printable

_NOTHING = "&#8203;"  # a zero-width space
_LONG = 300  # maximum number of characters of a text in a cell
# All ASCII characters with a meaning in Markdown, HTML or GitHub's extensions ("@name", "#7").
_MARKUP = re.compile(r"[^\w\s.,;()=+'%/-]|_", re.ASCII)


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table, or "" without rows. Cells must be Markdown."""
    lines = [_table_line(map(str, row)) for row in rows]
    if not lines:
        return ""
    return "\n".join([_table_line(headings), "|" + " --- |" * len(headings), *lines])


def plain(text: str) -> str:
    """Return ``text`` on one line, truncated, without Markdown or HTML: ``a*b`` → ``a&#42;b``."""
    # A line end would end the cell of a table.
    line = " ".join(without_colours(text).split())
    if len(line) > _LONG:
        line = line[: _LONG - 1] + "…"
    return escaped(line)


def escaped(text: str) -> str:
    """Return ``text`` in full, with Markdown and HTML escaped."""
    return _MARKUP.sub(_entity, printable(text))


def code(text: str) -> str:
    """Return ``text`` as code: an HTML element, because backticks cannot enclose every text."""
    return f"<code>{plain(text)}</code>"


def _table_line(cells: Iterable[str]) -> str:
    """Return one line of a table."""
    return f"| {' | '.join(cells)} |"


def _entity(match: re.Match[str]) -> str:
    """Return a character as an HTML entity, so that Markdown does not interpret it."""
    if not match[0].isascii():
        return match[0]  # the pattern also matches Chinese, which is no markup
    entity = f"&#{ord(match[0])};"
    # GitHub decodes entities before it links "@name" and "#7". So insert a character without width,
    # which prevents the link.
    return f"{entity}{_NOTHING}" if match[0] in "@#" else entity
