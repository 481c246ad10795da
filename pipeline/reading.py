"""How documents are to be read: which Markdown they are written in, and what of theirs is prose.

The configuration of an upstream says so, or what lies in its repository.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Dialect(StrEnum):
    """What Markdown is written for."""

    MYST = "myst"
    MKDOCS = "mkdocs"
    JEKYLL = "jekyll"
    COMMONMARK = "commonmark"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What is to be known of an upstream before its documents are read.

    ``prose`` are directives of its own whose bodies are read like the rest of the page.
    """

    dialect: Dialect = Dialect.MYST
    prose: frozenset[str] = frozenset()


MYST = Reading()
