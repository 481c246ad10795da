"""Settings for parsing documents: the Markdown dialect, and which content is prose.

The settings come from the configuration of an upstream, or from the files in its repository.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from fnmatch import fnmatchcase

from msgspec import Struct


class Dialect(StrEnum):
    """Markdown dialect of the documents, named by the program that renders them."""

    MYST = "myst"
    MKDOCS = "mkdocs"
    COMMONMARK = "commonmark"


class Reading(Struct, frozen=True, kw_only=True):
    """Settings of an upstream for the parsers of its documents.

    ``prose`` has custom directives whose content is prose to translate. ``partly`` has glob
    patterns of page names, each with the number of sections to translate. ``has_substitutions``
    means that MyST replaces ``{{ name }}`` by a value.
    """

    dialect: Dialect = Dialect.MYST
    prose: frozenset[str] = frozenset()
    partly: tuple[tuple[str, int], ...] = ()
    has_substitutions: bool = False

    def sections_of(self, page: str) -> int:
        """Return how many sections of a page are translated; 0 means all."""
        found = (count for name, count in self.partly if fnmatchcase(page, name))
        return next(found, 0)


MYST = Reading()

# Files that reveal the dialect. The first match counts: a Jupyter Book has both ``_toc.yml`` and
# ``_config.yml``, and its dialect is MyST.
_SIGNS = (
    (("conf.py", "myst.yml", "_toc.yml"), Dialect.MYST),
    (("mkdocs.yml", "mkdocs.yaml"), Dialect.MKDOCS),
    (("_config.yml", "_config.yaml"), Dialect.COMMONMARK),
)


def dialect_of(names: Collection[str]) -> Dialect:
    """Return the dialect of docs in a folder with the files ``names``; MyST by default."""
    for signs, dialect in _SIGNS:
        if any(sign in names for sign in signs):
            return dialect
    return Dialect.MYST
