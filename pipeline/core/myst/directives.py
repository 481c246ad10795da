"""Which MyST directives hold prose, and where it stands in them.

Source: MyST-Parser's directive syntax (an argument on the first line, options as ``:key: value`` lines or
between ``---`` lines, then the body) and docutils' list of admonitions. A directive that is not named here
is opaque: it stays upstream's, whole.
"""

from __future__ import annotations

import re

from pipeline.core.document.message import Kind

_ADMONITIONS = frozenset(
    "attention caution danger error hint important note seealso tip todo warning".split()
)
_TITLED = frozenset(
    "admonition card dropdown grid-item-card list-table rubric sidebar tab-item table topic".split()
)
_PLAIN = frozenset(
    "aside compound container div epigraph grid grid-item highlights margin pull-quote tab-set "
    "deprecated versionadded versionchanged versionremoved".split()
)
_FIGURES = frozenset(("figure", "figure-md"))
_INFO = re.compile(r"\s*\{([^\s{}]+)\}(.*)", re.DOTALL)


def parse_info(info: str) -> tuple[str, str]:
    """Name and argument of a fence's info string; the name is empty if it is no directive."""
    match = _INFO.fullmatch(info)
    return (match[1].lower(), match[2].strip()) if match else ("", "")


def body_kind(name: str) -> Kind | None:
    """What a paragraph in the directive's body is; None if the directive is opaque."""
    if name in _FIGURES:
        return Kind.CAPTION
    if name in _ADMONITIONS or name in _TITLED or name in _PLAIN:
        return Kind.ADMONITION
    return None


def argument_kind(name: str) -> Kind | None:
    """What the directive's argument is; None if it is no prose (a path, a version)."""
    if name in _TITLED:
        return Kind.TITLE
    return Kind.ADMONITION if name in _ADMONITIONS else None


def count_option_lines(lines: list[str]) -> int:
    """How many lines at the start of a directive's content are options."""
    if lines and lines[0].startswith("---"):
        end = next(
            (number for number, line in enumerate(lines[1:], 1) if line.startswith("---")),
            len(lines) - 1,
        )
        return end + 1
    count = 0
    for line in lines:
        marks = line.lstrip()
        if not marks.startswith(":") or marks.startswith(":::"):  # the latter is a directive inside
            break
        count += 1
    return count
