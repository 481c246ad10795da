"""Names that both sides of a site know: the pipeline, and our extension in Sphinx's own process.

They stand alone, so that Sphinx need not load what they are used with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

RECORDS = "_jz"  # folder of the sources for what Sphinx reads beside pages
DOWNLOADS = "_downloads"  # folder of the site, as Sphinx names it
SEARCH, GLOSSARY, PROGRESS = "search", "glossary", "progress"
NOT_FOUND = "404"  # servers know it by this name alone


def own_pages(pages: Iterable[str], *, locale: str) -> Mapping[str, str]:
    """Return where our own pages lie in a site of ``pages``, by what they are.

    The glossary is named after its language: ``glossary-zh``. Docs often have one of their own.

    Upstream's page keeps its address, and ours has another one: ``search-site``.
    """
    # Names are alike on some systems whatever their case.
    taken = {page.casefold() for page in pages}
    places: dict[str, str] = {}
    for name in (SEARCH, GLOSSARY, PROGRESS):
        place = f"{name}-{locale.partition('_')[0]}" if name == GLOSSARY else name
        while place in taken:
            place += "-site"
        places[name] = place
    return places


class State(StrEnum):
    """What a reader finds in a block. The site's styles have a class for each: ``jz-english``."""

    TRANSLATED = "translated"
    ENGLISH = "english"
    # A translation that waits for a person: it is shown in a preview only.
    FUZZY = "fuzzy"


class Standing(StrEnum):
    """How the translation of a block stands to the English of today."""

    TRANSLATED = "translated"
    # The English has changed since: readers get the new English.
    STALE = "stale"
    # A person has yet to look at it, for any other reason.
    UNREVIEWED = "unreviewed"
    DRAFT = "draft"  # a machine's words, which no reader sees
    ENGLISH = "english"  # there is none
