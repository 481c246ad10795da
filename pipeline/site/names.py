"""Names that both sides of a site know: the pipeline, and our extension in Sphinx's own process.

They stand alone, so that Sphinx need not load what they are used with.
"""

from __future__ import annotations

from enum import StrEnum

RECORDS = "_jz"  # folder of the sources for what Sphinx reads beside pages
DOWNLOADS = "_downloads"  # folder of the site, as Sphinx names it


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
