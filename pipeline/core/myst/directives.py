"""Which MyST directives hold prose, and where it stands in them: one table, a row per family.

Source: MyST-Parser's directive syntax (an argument on the first line, options as ``:key: value``
lines or between ``---`` lines, then the body) and docutils' list of admonitions. A directive that
is not named here is opaque: it stays upstream's, whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from itertools import takewhile

from pipeline.core.document.message import Kind


class Body(Enum):
    """What the body of a directive is."""

    PROSE = auto()  # Markdown, read like the rest of the page
    CODE = auto()
    OPAQUE = auto()  # neither; it stays as it is


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    """What a directive holds. Its options are never prose."""

    body: Body = Body.PROSE
    paragraphs: Kind = Kind.ADMONITION  # what a paragraph in the body is
    # What the argument is; None for a path, a version, a language.
    argument: Kind | None = None
    is_cell: bool = False  # jupytext takes it for a cell of the notebook


_OPAQUE = Directive(body=Body.OPAQUE)
_FAMILIES = (
    # An admonition's first words may stand behind its name: ```{note} Like this.
    (
        Directive(argument=Kind.ADMONITION),
        "attention caution danger error hint important note seealso tip todo warning",
    ),
    (
        Directive(argument=Kind.TITLE),
        "admonition card dropdown grid-item-card list-table rubric sidebar tab-item table topic",
    ),
    (
        Directive(),
        "aside compound container div epigraph grid grid-item highlights margin pull-quote tab-set",
    ),
    (Directive(), "deprecated versionadded versionchanged versionremoved"),
    (Directive(paragraphs=Kind.CAPTION), "figure figure-md"),
    (Directive(body=Body.CODE, is_cell=True), "code-cell"),
    (Directive(body=Body.OPAQUE, is_cell=True), "raw-cell"),
    (Directive(body=Body.CODE), "code code-block sourcecode testcode"),
)
DIRECTIVES = {
    name: directive for directive, names in _FAMILIES for name in names.split()
}
# For those who show pages or look at how they are written.
ADMONITIONS = frozenset(
    name
    for name, directive in DIRECTIVES.items()
    if directive.argument is Kind.ADMONITION
)
CODE = frozenset(
    name for name, directive in DIRECTIVES.items() if directive.body is Body.CODE
)
CELLS = frozenset(name for name, directive in DIRECTIVES.items() if directive.is_cell)

_INFO = re.compile(r"\s*\{([^\s{}]+)\}(.*)", re.DOTALL)
# ":key: value", or a value that goes on; three colons open a directive.
_OPTION = re.compile(r"\s*:(?!::)")


@dataclass(frozen=True, slots=True)
class Info:
    """The first line of a fence: ``name`` is empty if the fence is no directive."""

    name: str
    argument: str


def parse_info(info: str) -> Info:
    """What a fence's info string says: ``{note} Some words``."""
    match = _INFO.fullmatch(info)
    if match is None:
        return Info("", "")
    return Info(match[1].lower(), match[2].strip())


def directive_of(name: str) -> Directive:
    """What the directive of this name holds."""
    return DIRECTIVES.get(name, _OPAQUE)


def count_option_lines(lines: list[str]) -> int:
    """How many lines at the start of a directive's content are options.

    Two on the left, three on the right; ``lines`` are those of the content, at least one:

        :width: 3em          ---
        :align: left         width: 3em
        Words.               ---
                             Words.
    """
    if lines[0].startswith("---"):
        return _front_matter_length(lines)
    return len(list(takewhile(_OPTION.match, lines)))


def _front_matter_length(lines: list[str]) -> int:
    """Lines from one ``---`` to the next, both counted; all lines if nothing closes it."""
    for number, line in enumerate(lines[1:], 1):
        if line.startswith("---"):
            return number + 1
    return len(lines)
