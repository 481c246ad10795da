"""Table of the MyST directives: which of them hold prose, and where in them it stands.

Source: MyST-Parser's directive syntax (an argument on the first line, options as ``:key: value``
lines or between ``---`` lines, then the body), and the directives of docutils, Sphinx, MyST-NB,
sphinx-design, sphinx-proof and sphinx-exercise. A directive that is not named here stays
upstream's, whole, and is reported. Options follow MyST-Parser's subset of YAML
(``parsers/options.py``); a value that goes on in the next line has no place.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import takewhile

from pipeline.core.document.message import Kind


class Body(Enum):
    """What the body of a directive is."""

    PROSE = auto()  # Markdown, read like the rest of the page
    CODE = auto()
    TOCTREE = auto()  # names of pages, some with a title: "Some title <page>"
    OPAQUE = auto()  # nothing in it is words
    RST = auto()  # reStructuredText, which is not read within Markdown
    UNKNOWN = auto()  # nobody knows what it holds


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    """What a directive holds."""

    body: Body = Body.PROSE
    paragraphs: Kind = Kind.ADMONITION  # what a paragraph in the body is
    # What the argument is; None for a path, a version, a language.
    argument: Kind | None = None
    is_cell: bool = False  # jupytext takes it for a cell of the notebook
    # Options whose values are words, and what kind of words. All others stay as they are.
    options: Mapping[str, Kind] = field(default_factory=dict)

    @property
    def holds_words(self) -> bool:
        """Whether any of it may be words."""
        if self.body in (Body.PROSE, Body.TOCTREE):
            return True
        return self.argument is not None or bool(self.options)


_UNKNOWN = Directive(body=Body.UNKNOWN)
TITLED = Directive(argument=Kind.TITLE)
_CAPTION = {"caption": Kind.CAPTION}
_ALT = {"alt": Kind.IMAGE}
_FAMILIES = (
    # An admonition's first words may stand behind its name: ```{note} Like this.
    (
        Directive(argument=Kind.ADMONITION),
        "attention caution danger error hint important note seealso tip todo warning",
    ),
    (
        Directive(argument=Kind.TITLE),
        (
            "admonition centered details dropdown exercise exercise-start list-table rubric "
            "sidebar tab-item table topic"
        ),
    ),
    (
        Directive(
            argument=Kind.TITLE, options={"img-alt": Kind.IMAGE, "link-alt": Kind.IMAGE}
        ),
        "card grid-item-card",
    ),
    (
        Directive(argument=Kind.TITLE),
        (
            "prf:algorithm prf:assumption prf:axiom prf:conjecture prf:corollary prf:criterion "
            "prf:definition prf:example prf:lemma prf:notation prf:observation prf:property "
            "prf:proposition prf:remark prf:theorem"
        ),
    ),
    # An argument, if there is one, is no words: a label, a class, a condition.
    (
        Directive(),
        (
            "aside card-carousel compound container div epigraph grid grid-item grid-row "
            "highlights hlist ifconfig margin only prf:proof pull-quote solution solution-start "
            "tab-set"
        ),
    ),
    (Directive(), "deprecated versionadded versionchanged versionremoved"),
    (Directive(paragraphs=Kind.CAPTION, options=_ALT), "figure"),
    (Directive(paragraphs=Kind.CAPTION), "figure-md"),
    (Directive(body=Body.OPAQUE, options=_ALT), "image"),
    (Directive(body=Body.TOCTREE, options=_CAPTION), "toctree"),
    (Directive(body=Body.CODE, is_cell=True), "code-cell"),
    (Directive(body=Body.OPAQUE, is_cell=True), "raw-cell"),
    (
        Directive(body=Body.CODE, options=_CAPTION),
        (
            "code code-block doctest literalinclude sourcecode testcleanup testcode testoutput "
            "testsetup"
        ),
    ),
    (
        Directive(body=Body.OPAQUE, argument=Kind.TITLE),
        "contents",
    ),
    (
        Directive(body=Body.OPAQUE),
        (
            "autoattribute autoclass autodata autoexception autofunction automethod automodule "
            "autosummary bibliography currentmodule default-role digraph exercise-end graph "
            "graphviz highlight solution-end include index math mermaid meta parsed-literal plot "
            "productionlist raw tableofcontents tabularcolumns"
        ),
    ),
    (Directive(body=Body.RST), "eval-rst"),
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


def directive_of(name: str, prose: Set[str] = frozenset()) -> Directive:
    """What the directive of this name holds; those named by ``prose`` hold a title and prose."""
    return DIRECTIVES.get(name, TITLED if name in prose else _UNKNOWN)


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


_FENCE = "---"
# An option begins its line with its name. MyST takes the colon before it away first.
_KEY = re.compile(r"(?P<key>[\w-]+):[ ]+(?=\S)")
_GOES_ON = re.compile(r"[ ]+\S")
# A value on one line. A "#" behind a space begins a comment. Quotes with escapes are not read.
_COMMENT = r"(?:[ ]+\#.*)?[ ]*"
_VALUE = re.compile(
    rf"""
      "(?P<double>[^"\\]*)"{_COMMENT}
    | '(?P<single>[^']*)'{_COMMENT}
    | (?P<plain>[^"'|>\#\s](?:\S|[ ](?![ ]*(?:\#|\Z)))*){_COMMENT}
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionValue:
    """The value of an option: columns ``[start, end)`` of a line of the block, counted from 0.

    Marks of quotation are left out. A value that is not read here has no columns.
    """

    key: str
    line: int
    columns: tuple[int, int] | None


def option_values(lines: Sequence[str], keys: Collection[str]) -> Iterator[OptionValue]:
    """The values of those options of a block that ``keys`` names.

    ``[":width: 3em", ":alt: Some words"]`` with ``alt`` -> line 1, columns 6 to 16
    """
    starts = _starts(lines)
    for number, (line, start) in enumerate(zip(lines, starts, strict=True)):
        named = _KEY.match(line, start)
        if named is None or named["key"] not in keys:
            continue
        columns = None
        value = _VALUE.fullmatch(line, named.end())
        # MyST splits lines at more characters than Markdown does.
        if (
            value
            and len(line.splitlines()) == 1
            and not _goes_on(lines, starts, number)
        ):
            columns = value.span(str(value.lastgroup))
        yield OptionValue(key=named["key"], line=number, columns=columns)


def _starts(lines: Sequence[str]) -> list[int]:
    """At which column of each line of a block the YAML begins."""
    if not lines or not lines[0].startswith(_FENCE):
        # Each line of such a block has the colon: that is how the block is told from words.
        return [len(line) - len(line.lstrip()) + 1 for line in lines]
    # The least indentation of all lines between the rules is none.
    inner = [line for line in lines if line.strip() and not line.startswith(_FENCE)]
    indents = [len(line) - len(line.lstrip(" ")) for line in inner]
    return [min(indents, default=0)] * len(lines)


def _goes_on(lines: Sequence[str], starts: Sequence[int], number: int) -> bool:
    """Whether the value on a line goes on below it: the next line is indented further."""
    below = number + 1
    return below < len(lines) and bool(_GOES_ON.match(lines[below], starts[below]))
