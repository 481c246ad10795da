"""What each directive of reStructuredText holds: one table, a row per family.

It says which of its arguments, options and content are words, and which stay as they are.
Sources: the reference of docutils' directives, Sphinx' own ones, and those of sphinx-design. A
directive that is not named here stays upstream's, whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from pipeline.core.document.message import Kind


class Body(Enum):
    """What the content of a directive is."""

    BLOCKS = auto()  # reStructuredText, read like the rest of the page
    CODE = auto()
    OPAQUE = auto()  # nothing in it is words
    UNKNOWN = auto()  # nobody knows what it holds
    # Content with a form of its own:
    CARD = auto()  # blocks in up to three parts, with rules between them
    QUOTE = auto()  # blocks, perhaps with an attribution at the end
    REPLACEMENT = auto()  # one paragraph that stands for a substitution
    LIST_TABLE = auto()
    CSV_TABLE = auto()
    GLOSSARY = auto()
    TOCTREE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    """What a directive holds. Arguments are counted as docutils does."""

    body: Body = Body.BLOCKS
    paragraphs: Kind = Kind.ADMONITION  # what a paragraph in the content is
    required_arguments: int = 0
    optional_arguments: int = 0
    argument: Kind | None = None  # what the last argument is; None if it is no words
    takes_options: bool = True
    options: Mapping[str, Kind] = field(default_factory=dict)  # options that are words


_BLOCKS = Directive()
_TITLED = Directive(
    optional_arguments=1,
    argument=Kind.TITLE,
    options={"subtitle": Kind.TITLE, "img-alt": Kind.IMAGE, "link-alt": Kind.IMAGE},
)
# An argument that is no words (a path, a name, a condition), then blocks.
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
        "admonition centered contents dropdown rubric sidebar tab tab-item table topic",
    ),
    (
        _NAMED,
        "button-link button-ref container cssclass div grid ifconfig margin only rst-class",
    ),
    # An object of some language, and what is said of it.
    (
        replace(_NAMED, paragraphs=Kind.DEFINITION),
        (
            "autoattribute autoclass autodata autodecorator autoexception autofunction automethod "
            "automodule autoproperty attribute class classmethod data decorator describe exception "
            "function method module object property staticmethod"
        ),
    ),
    # A version, perhaps words behind it, then blocks.
    (
        Directive(required_arguments=1, optional_arguments=1, argument=Kind.ADMONITION),
        "deprecated versionadded versionchanged versionremoved",
    ),
    (
        _OPAQUE,
        (
            "autosummary currentmodule date default-role digraph graph graphviz highlight include "
            "index list_config_options math mermaid meta parsed-literal plot productionlist raw "
            "role sectnum tabularcolumns target-notes title unicode"
        ),
    ),
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
# For those who show pages.
ADMONITIONS = frozenset(_ADMONITIONS.split())
CODE = frozenset(
    name for name, directive in DIRECTIVES.items() if directive.body is Body.CODE
)

_DOMAIN = re.compile(r"(?:py|c|cpp|js|rst|std):")


def directive_of(name: str) -> Directive:
    """What the directive of this name holds, whatever its case and domain: ``py:Function``."""
    return DIRECTIVES.get(_DOMAIN.sub("", name.lower()), _UNKNOWN)
