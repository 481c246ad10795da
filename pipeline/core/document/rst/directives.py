"""Table of the reST directives: which parts of each are words.

A row describes a family of directives: which arguments, options and content are words, and which
stay. The sources are the directive references of docutils, Sphinx and sphinx-design. An unknown
directive stays English as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from pipeline.core.document.message import Kind


class Body(Enum):
    """The content type of a directive."""

    BLOCKS = auto()  # reST, split like the rest of the page
    CODE = auto()
    OPAQUE = auto()  # no words to translate
    RAW = auto()  # for one output format, perhaps HTML with words
    UNKNOWN = auto()  # the directive is not in the table
    # Content with a form of its own:
    CARD = auto()  # blocks in up to three parts, separated by rules
    QUOTE = auto()  # blocks, optionally with an attribution at the end
    REPLACEMENT = auto()  # the single paragraph of a substitution
    LIST_TABLE = auto()
    CSV_TABLE = auto()
    GLOSSARY = auto()
    TOCTREE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    """Description of the parts of one kind of directive; arguments are counted as in docutils."""

    body: Body = Body.BLOCKS
    paragraphs: Kind = Kind.ADMONITION  # the kind of paragraphs in the content
    required_arguments: int = 0
    optional_arguments: int = 0
    argument: Kind | None = None  # kind of the last argument; None if it is not prose
    takes_options: bool = True
    options: Mapping[str, Kind] = field(default_factory=dict)  # those that are words


_BLOCKS = Directive()
_TITLED = Directive(
    optional_arguments=1,
    argument=Kind.TITLE,
    options={"subtitle": Kind.TITLE, "img-alt": Kind.IMAGE, "link-alt": Kind.IMAGE},
)
# An argument that is not prose (a path, a name, a condition), then blocks.
_NAMED = Directive(optional_arguments=1)
_OPAQUE = Directive(body=Body.OPAQUE, takes_options=False)
_UNKNOWN = Directive(body=Body.UNKNOWN, takes_options=False)
_IMAGE = Directive(optional_arguments=1, options={"alt": Kind.IMAGE})
_ADMONITIONS = (
    "attention caution danger error hint important note seealso tip todo warning"
)
_FAMILIES = (
    (_BLOCKS, _ADMONITIONS),
    (
        _BLOCKS,
        "compound header footer hlist grid-row grid-item tab-set tabs card-carousel",
    ),
    (
        _TITLED,
        "admonition centered contents dropdown margin rubric sidebar tab tab-item table topic",
    ),
    (
        _NAMED,
        "button-link button-ref container cssclass div grid ifconfig only rst-class",
    ),
    # An object of some programming language, and its description.
    (
        replace(_NAMED, paragraphs=Kind.DEFINITION),
        (
            "autoattribute autoclass autodata autodecorator autoexception autofunction automethod "
            "automodule autoproperty attribute class classmethod data decorator describe exception "
            "function method module object property staticmethod"
        ),
    ),
    # A version, optionally followed by words, then blocks.
    (
        Directive(required_arguments=1, optional_arguments=1, argument=Kind.ADMONITION),
        "deprecated versionadded versionchanged versionremoved",
    ),
    (
        _OPAQUE,
        (
            "autosummary currentmodule date default-role digraph graph graphviz highlight include "
            "index list_config_options math mermaid meta parsed-literal plot productionlist "
            "role sectnum tabularcolumns target-notes title unicode"
        ),
    ),
    (replace(_OPAQUE, body=Body.RAW), "raw"),
    (
        Directive(
            body=Body.CODE, optional_arguments=1, options={"caption": Kind.CAPTION}
        ),
        (
            "code code-block doctest ipython literalinclude prompt sourcecode tagged-block "
            "testcleanup testcode testoutput testsetup"
        ),
    ),
    (_IMAGE, "image"),
    (replace(_IMAGE, paragraphs=Kind.CAPTION), "figure"),
    (replace(_TITLED, body=Body.CARD), "card grid-item-card"),
    (Directive(body=Body.QUOTE), "epigraph highlights pull-quote"),
    (Directive(body=Body.REPLACEMENT, takes_options=False), "replace"),
    (replace(_TITLED, body=Body.LIST_TABLE), "list-table"),
    (replace(_TITLED, body=Body.CSV_TABLE), "csv-table"),
    (Directive(body=Body.GLOSSARY), "glossary"),
    (Directive(body=Body.TOCTREE, options={"caption": Kind.CAPTION}), "toctree"),
)
DIRECTIVES = {
    name: directive for directive, names in _FAMILIES for name in names.split()
}
# Derived sets of names, for the renderers.
ADMONITIONS = frozenset(_ADMONITIONS.split())
CODE = frozenset(
    name for name, directive in DIRECTIVES.items() if directive.body is Body.CODE
)

_DOMAIN = re.compile(r"(?:py|c|cpp|js|rst|std):")


def directive_of(name: str) -> Directive:
    """Return the description of a directive, ignoring case and domain: ``py:Function``."""
    return DIRECTIVES.get(_DOMAIN.sub("", name.lower()), _UNKNOWN)
