"""Table of the directives of Markdown and reST: which parts of them are words to translate.

``directives.toml`` has the rows of the table and documents their keys.
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

    PROSE = "prose"  # blocks like those of the page
    CODE = "code"
    OPAQUE = "opaque"  # has no words to translate
    RAW = "raw"  # source of one output format; HTML may have words
    RST = "rst"  # reST inside a Markdown page, which is not parsed
    UNKNOWN = "unknown"  # the directive is not in the table
    # Content with a syntax of its own:
    TOCTREE = "toctree"  # page names, some with a title: "Some title <page>"
    GLOSSARY = "glossary"
    CSV_TABLE = "csv_table"
    LIST_TABLE = "list_table"
    CARD = "card"  # blocks in up to three parts, separated by rules
    QUOTE = "quote"  # blocks, optionally with an attribution at the end
    REPLACEMENT = "replacement"  # the single paragraph of a substitution


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    """A row of the table, which describes the parts of a directive."""

    body: Body = Body.PROSE
    paragraphs: Kind = Kind.ADMONITION  # kind of the paragraphs in the body
    argument: Kind | None = None  # kind of the argument; None if it has no words
    options: Mapping[str, Kind] = field(default_factory=dict)  # only those with words
    is_cell: bool = False  # whether jupytext reads the directive as a notebook cell
    # The numbers of arguments that docutils expects; reST only.
    required_arguments: int = 0
    optional_arguments: int = 0
    takes_options: bool = True

    @property
    def holds_words(self) -> bool:
        """Return whether any part of the directive may have words; for Markdown only."""
        if self.body in (Body.PROSE, Body.TOCTREE, Body.GLOSSARY):
            return True
        return self.argument is not None or bool(self.options)


UNKNOWN = Directive(body=Body.UNKNOWN, takes_options=False)


def read_directives(language: str) -> dict[str, Directive]:
    """Return the rows for a language, ``"markdown"`` or ``"rst"``, by the name of the directive."""
    directives: dict[str, Directive] = {}
    for row in read_table(__name__, "directives")[language]:
        names = row.pop("names").split()
        directives |= dict.fromkeys(names, msgspec.convert(row, Directive))
    return directives
