"""Names shared by the pipeline and the extension in Sphinx's own process.

They are in a module of their own, so that Sphinx does not load the pipeline's other modules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

RECORDS = "_jz"  # folder among the sources for data that the extension reads
DOWNLOADS = "_downloads"  # folder of the site, named by Sphinx
SEARCH, GLOSSARY, PROGRESS = "search", "glossary", "progress"
NOT_FOUND = "404"  # servers expect this name


def own_pages(pages: Iterable[str], *, locale: str) -> Mapping[str, str]:
    """Return the names of our own pages, by kind, in a site that also has ``pages``.

    The glossary has the language in its name, ``glossary-zh``, because docs often have a glossary.
    If upstream has a page of the same name, ours gets a suffix: ``search-site``.
    """
    # Some file systems do not distinguish upper and lower case.
    taken = {page.casefold() for page in pages}
    places: dict[str, str] = {}
    for name in (SEARCH, GLOSSARY, PROGRESS):
        place = f"{name}-{locale.partition('_')[0]}" if name == GLOSSARY else name
        while place in taken:
            place += "-site"
        places[name] = place
    return places


class ShownOutputs(StrEnum):
    """Kind of outputs that a page shows below its code."""

    RAN = "ran"  # those of a run of exactly this code
    MISSING = "missing"  # none
    # The release cannot run here. The page shows upstream's stored outputs, or none.
    STORED = "stored"
    UNRUN = "not run"


class ShownState(StrEnum):
    """State of a block as readers see it. Styles have a class for each: ``jz-english``."""

    TRANSLATED = "translated"
    ENGLISH = "english"
    # A translation that needs review, shown in previews only.
    FUZZY = "fuzzy"


class TranslationState(StrEnum):
    """State of a block's translation relative to the current English."""

    TRANSLATED = "translated"
    # The English has changed since the translation, so readers see the new English.
    STALE = "stale"
    # The translation needs review for any other reason.
    UNREVIEWED = "unreviewed"
    DRAFT = "draft"  # written by a machine and not shown to readers
    ENGLISH = "english"  # there is no translation
