"""Table of the directives of both languages: which parts of each are words.

``directives.toml`` has the rows and documents their keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import msgspec

from pipeline.core.document.message import Kind
from pipeline.tables import read_table


class Body(StrEnum):
    """The content type of a directive's body."""

    PROSE = "prose"  # split like the rest of the page
    CODE = "code"
    OPAQUE = "opaque"  # no words to translate
    RAW = "raw"  # for one output format, perhaps HTML with words
    RST = "rst"  # reST inside Markdown, which is not parsed
    UNKNOWN = "unknown"  # the directive is not in the table
    # Content with a form of its own:
    TOCTREE = "toctree"  # page names, some with a title: "Some title <page>"
    GLOSSARY = "glossary"
    CSV_TABLE = "csv_table"
    LIST_TABLE = "list_table"
    CARD = "card"  # blocks in up to three parts, separated by rules
    QUOTE = "quote"  # blocks, optionally with an attribution at the end
    REPLACEMENT = "replacement"  # the single paragraph of a substitution


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    """Description of the parts of one kind of directive: a row of the table."""

    body: Body = Body.PROSE
    paragraphs: Kind = Kind.ADMONITION
    argument: Kind | None = None
    options: Mapping[str, Kind] = field(default_factory=dict)
    is_cell: bool = False
    required_arguments: int = 0
    optional_arguments: int = 0
    takes_options: bool = True

    @property
    def holds_words(self) -> bool:
        """Return whether any part of a directive in Markdown may be words."""
        if self.body in (Body.PROSE, Body.TOCTREE, Body.GLOSSARY):
            return True
        return self.argument is not None or bool(self.options)


UNKNOWN = Directive(body=Body.UNKNOWN, takes_options=False)


def read_directives(language: str) -> dict[str, Directive]:
    """Return the directives of ``"markdown"`` or ``"rst"`` by name."""
    directives: dict[str, Directive] = {}
    for row in read_table(__name__, "directives")[language]:
        names = row.pop("names").split()
        directives |= dict.fromkeys(names, msgspec.convert(row, Directive))
    return directives
