"""How documents are parsed: their Markdown dialect, and which content is prose.

The configuration of an upstream decides, or otherwise the files in its repository.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase


class Dialect(StrEnum):
    """The program that the Markdown is written for."""

    MYST = "myst"
    MKDOCS = "mkdocs"
    COMMONMARK = "commonmark"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a parser needs to know about an upstream before it reads the documents.

    ``prose`` has custom directives whose bodies are parsed like the rest of the page. ``partly``
    maps pages (glob patterns) to the number of sections that are translated. ``has_substitutions``
    means that MyST replaces ``{{ name }}`` by a value.
    """

    dialect: Dialect = Dialect.MYST
    prose: frozenset[str] = frozenset()
    partly: tuple[tuple[str, int], ...] = ()
    has_substitutions: bool = False

    def sections_of(self, page: str) -> int:
        """Return how many sections of a page are translated; 0 means all."""
        for pattern, sections in self.partly:
            if fnmatchcase(page, pattern):
                return sections
        return 0


MYST = Reading()

# Files that reveal the dialect, in order of precedence. A Jupyter Book has both
# ``_toc.yml`` and ``_config.yml``, and is MyST.
_SIGNS = (
    (("conf.py", "myst.yml", "_toc.yml"), Dialect.MYST),
    (("mkdocs.yml", "mkdocs.yaml"), Dialect.MKDOCS),
    (("_config.yml", "_config.yaml"), Dialect.COMMONMARK),
)


def dialect_of(names: Collection[str]) -> Dialect:
    """Return the dialect of a folder with files of these ``names``; MyST by default."""
    for signs, dialect in _SIGNS:
        if any(sign in names for sign in signs):
            return dialect
    return Dialect.MYST
