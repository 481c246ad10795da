"""What each directive holds: which of its arguments, options and content are words, and which stay as they are.

Sources: the reference of docutils' directives, Sphinx' own ones, and those of sphinx-design. A directive that is not
named here stays upstream's, whole.
"""

from __future__ import annotations

import re

from pipeline.core.rst.holding import (
    Code,
    Described,
    Figure,
    Held,
    Image,
    Named,
    Opaque,
    Titled,
    Unknown,
    Version,
)
from pipeline.core.rst.special import Card, CsvTable, Glossary, ListTable, Quote, Replace, TocTree

_DOMAIN = re.compile(r"(?:py|c|cpp|js|rst|std):")
_NAMES: dict[type[Held], str] = {
    Held: """attention caution danger error hint important note seealso tip todo warning
        compound header footer hlist grid-row grid-item tab-set tabs card-carousel""",
    Titled: "admonition centered contents dropdown rubric sidebar tab tab-item table topic",
    Named: "button-link button-ref container cssclass div grid ifconfig margin only rst-class",
    Described: """autoattribute autoclass autodata autodecorator autoexception autofunction automethod automodule autoproperty
        attribute class classmethod data decorator describe exception function method module object property staticmethod""",
    Version: "deprecated versionadded versionchanged versionremoved",
    Opaque: """autosummary currentmodule date default-role digraph graph graphviz highlight include index
        list_config_options math mermaid meta
        parsed-literal plot productionlist raw role sectnum tabularcolumns target-notes title unicode""",
    Code: "code code-block doctest ipython literalinclude prompt sourcecode tagged-block testcleanup testcode testoutput testsetup",
    Image: "image",
    Figure: "figure",
    Card: "card grid-item-card",
    Quote: "epigraph highlights pull-quote",
    Replace: "replace",
    ListTable: "list-table",
    CsvTable: "csv-table",
    Glossary: "glossary",
    TocTree: "toctree",
}
_CLASSES = {name: directive for directive, names in _NAMES.items() for name in names.split()}


def directive_class(name: str) -> type[Held]:
    """The class that reads a directive, whatever its case and domain."""
    return _CLASSES.get(_DOMAIN.sub("", name.lower()), Unknown)
