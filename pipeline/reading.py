"""How documents are to be read: which Markdown they are written in, and what of theirs is prose.

The configuration of an upstream says so, or what lies in its repository.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase


class Dialect(StrEnum):
    """What Markdown is written for."""

    MYST = "myst"
    MKDOCS = "mkdocs"
    COMMONMARK = "commonmark"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What is to be known of an upstream before its documents are read.

    ``prose`` are directives of its own whose bodies are read like the rest of the page. ``partly``
    says of pages (glob patterns) how many sections of theirs are translated. ``has_substitutions``:
    MyST puts values in the place of ``{{ name }}``.
    """

    dialect: Dialect = Dialect.MYST
    prose: frozenset[str] = frozenset()
    partly: tuple[tuple[str, int], ...] = ()
    has_substitutions: bool = False

    def sections_of(self, page: str) -> int:
        """Return how many sections of a page are translated; 0: all of them."""
        for pattern, sections in self.partly:
            if fnmatchcase(page, pattern):
                return sections
        return 0


MYST = Reading()

# Files that say what docs are written for, in the order in which they are asked. A Jupyter Book has
# both ``_toc.yml`` and ``_config.yml``, and is MyST.
_SIGNS = (
    (("conf.py", "myst.yml", "_toc.yml"), Dialect.MYST),
    (("mkdocs.yml", "mkdocs.yaml"), Dialect.MKDOCS),
    (("_config.yml", "_config.yaml"), Dialect.COMMONMARK),
)


def dialect_of(names: Collection[str]) -> Dialect:
    """What Markdown is written for where files of these ``names`` lie: MyST if none says more."""
    for signs, dialect in _SIGNS:
        if any(sign in names for sign in signs):
            return dialect
    return Dialect.MYST
