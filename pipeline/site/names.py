"""Names that both the pipeline and the extension in Sphinx's process use.

They are in a module of their own, so that the extension can import them without other modules of
the pipeline.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

RECORDS = "_jz"  # folder for records, in the folder of Sphinx's sources
DOWNLOADS = "_downloads"  # folder of the site, named by Sphinx
SEARCH, GLOSSARY, PROGRESS = "search", "glossary", "progress"
NOT_FOUND = "404"  # servers expect this name


def own_pages(pages: Iterable[str], *, locale: str) -> Mapping[str, str]:
    """Return the names of our own pages, by kind, for a site with upstream's ``pages``.

    Docs often have a glossary themselves, so ours has the language in its name: ``glossary-zh``. If
    upstream has a page of the same name, ours gets a suffix: ``search-site``.
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

    RAN = "ran"  # outputs of a run of exactly this code
    MISSING = "missing"  # no outputs, although the code could run
    # The next two are for pages of another release, whose code cannot run here.
    STORED = "stored"  # the outputs that upstream's notebook contains
    UNRUN = "not run"  # no outputs


class ShownState(StrEnum):
    """State of a block as readers see it. The style sheet has a class for each: ``jz-english``."""

    TRANSLATED = "translated"
    ENGLISH = "english"
    # A translation that needs review. Only previews show it.
    FUZZY = "fuzzy"


class TranslationState(StrEnum):
    """State of a block's translation relative to the current English."""

    TRANSLATED = "translated"
    # The English has changed since it was translated, so readers see the new English.
    STALE = "stale"
    # The translation needs review for any other reason.
    UNREVIEWED = "unreviewed"
    DRAFT = "draft"  # written by a machine and not shown to readers
    ENGLISH = "english"  # there is no translation
