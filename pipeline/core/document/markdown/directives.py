"""Table of the MyST directives: which parts of each are prose.

The syntax is MyST-Parser's: an argument on the first line, then options as ``:key: value`` lines or
between ``---`` lines, then the body. The directives are those of docutils, Sphinx, MyST-NB,
sphinx-design, sphinx-proof and sphinx-exercise. An unknown directive stays English as a whole and
is reported. Options are parsed like MyST-Parser's YAML subset (``parsers/options.py``). A value
that continues on the next line is not translated.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import takewhile

from pipeline.core.document.message import Kind


class Body(Enum):
    """The content type of a directive's body."""

    PROSE = auto()  # Markdown, split like the rest of the page
    CODE = auto()
    TOCTREE = auto()  # page names, some with a title: "Some title <page>"
    OPAQUE = auto()  # no words to translate
    RAW = auto()  # for one output format, perhaps HTML with words
    # Content whose lines count:
    GLOSSARY = auto()
    CSV_TABLE = auto()
    RST = auto()  # reST inside Markdown, which is not parsed
    UNKNOWN = auto()  # the directive is not in the table


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    """Description of the parts of one kind of directive."""

    body: Body = Body.PROSE
    paragraphs: Kind = Kind.ADMONITION  # the kind of paragraphs in the body
    # The kind of words in the argument; None if it is a path, a version, a language.
    argument: Kind | None = None
    is_cell: bool = False  # whether jupytext reads it as a notebook cell
    # Options whose values are words, with their kind. All other options stay as they are.
    options: Mapping[str, Kind] = field(default_factory=dict)

    @property
    def holds_words(self) -> bool:
        """Return whether any part of the directive may be words."""
        if self.body in (Body.PROSE, Body.TOCTREE, Body.GLOSSARY):
            return True
        return self.argument is not None or bool(self.options)


_UNKNOWN = Directive(body=Body.UNKNOWN)
TITLED = Directive(argument=Kind.TITLE)
DEFINITION = Directive(paragraphs=Kind.DEFINITION)
_CAPTION = {"caption": Kind.CAPTION}
_ALT = {"alt": Kind.IMAGE}
_FAMILIES = (
    # The first words of an admonition may follow its name: ```{note} Like this.
    (
        Directive(argument=Kind.ADMONITION),
        "attention caution danger error hint important note seealso tip todo warning",
    ),
    (
        Directive(argument=Kind.TITLE),
        (
            "admonition centered details dropdown exercise exercise-start list-table margin rubric "
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
    # The argument, if any, is not prose: a label, a class, a condition.
    (
        Directive(),
        (
            "aside card-carousel compound container div epigraph grid grid-item grid-row "
            "highlights hlist ifconfig only prf:proof pull-quote solution solution-start "
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
            "productionlist tableofcontents tabularcolumns"
        ),
    ),
    (Directive(body=Body.RAW), "raw"),
    (Directive(body=Body.GLOSSARY), "glossary"),
    (
        Directive(
            body=Body.CSV_TABLE,
            argument=Kind.TITLE,
            options={"header": Kind.TABLE_CELL},
        ),
        "csv-table",
    ),
    (Directive(body=Body.RST), "eval-rst"),
)
DIRECTIVES = {
    name: directive for directive, names in _FAMILIES for name in names.split()
}
# Derived sets of names, for the checks and the renderers.
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
# ":key: value", or a continued value; three colons open a nested directive.
_OPTION = re.compile(r"\s*:(?!::)")


@dataclass(frozen=True, slots=True)
class Info:
    """The parsed first line of a fence; ``name`` is empty if the fence is no directive."""

    name: str
    argument: str


def parse_info(info: str) -> Info:
    """Parse the info string of a fence, such as ``{note} Some words``."""
    match = _INFO.fullmatch(info)
    if match is None:
        return Info("", "")
    return Info(match[1].lower(), match[2].strip())


def directive_of(name: str, prose: Set[str] = frozenset()) -> Directive:
    """Return the description of a directive; names in ``prose`` have a title and prose."""
    return DIRECTIVES.get(name, TITLED if name in prose else _UNKNOWN)


def count_option_lines(lines: list[str]) -> int:
    """Return how many lines at the start of a directive's content are options.

    ``lines`` has at least one line. There are two option lines on the left, three on the right:

        :width: 3em          ---
        :align: left         width: 3em
        Words.               ---
                             Words.
    """
    if lines[0].startswith("---"):
        return _front_matter_length(lines)
    return len(list(takewhile(_OPTION.match, lines)))


def _front_matter_length(lines: list[str]) -> int:
    """Return the length of a ``---`` block with both rules; all lines if it is never closed."""
    for number, line in enumerate(lines[1:], 1):
        if line.startswith("---"):
            return number + 1
    return len(lines)


_FENCE = "---"
# An option begins with its name, because MyST strips the leading colon first.
_KEY = re.compile(r"(?P<key>[\w-]+):[ ]+(?=\S)")
_CONTINUATION = re.compile(r"[ ]+\S")
# A value on one line. A "#" after a space begins a comment. Quoted escapes are unsupported.
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
    """Position of an option's value: columns ``[start, end)`` of a line, both counted from 0.

    The columns exclude quotation marks; they are None if the value's syntax is unsupported.
    """

    key: str
    line: int
    columns: tuple[int, int] | None


def option_values(lines: Sequence[str], keys: Collection[str]) -> Iterator[OptionValue]:
    """Yield the positions of the values of the options that ``keys`` names.

    ``[":width: 3em", ":alt: Some words"]`` with ``alt`` gives line 1, columns 6 to 16.
    """
    starts = _starts(lines)
    for number, (line, start) in enumerate(zip(lines, starts, strict=True)):
        named = _KEY.match(line, start)
        if named is None or named["key"] not in keys:
            continue
        columns = None
        value = _VALUE.fullmatch(line, named.end())
        # MyST splits lines at more characters than Markdown does, U+2028 for example.
        if (
            value
            and len(line.splitlines()) == 1
            and not _is_continued(lines, starts, number)
        ):
            columns = value.span(str(value.lastgroup))
        yield OptionValue(key=named["key"], line=number, columns=columns)


def _starts(lines: Sequence[str]) -> list[int]:
    """Return the column at which the YAML begins on each line of an option block."""
    if not lines or not lines[0].startswith(_FENCE):
        # Each line of a block without rules begins with a colon, which is no YAML.
        return [len(line) - len(line.lstrip()) + 1 for line in lines]
    # MyST dedents the lines between the rules.
    inner = [line for line in lines if line.strip() and not line.startswith(_FENCE)]
    indents = [len(line) - len(line.lstrip(" ")) for line in inner]
    return [min(indents, default=0)] * len(lines)


def _is_continued(lines: Sequence[str], starts: Sequence[int], number: int) -> bool:
    """Return whether the value on a line continues below: the next line is indented further."""
    below = number + 1
    return below < len(lines) and bool(_CONTINUATION.match(lines[below], starts[below]))
