"""Messages that are a term of the glossary: their draft is its rendering, and needs no model."""

from __future__ import annotations

from pipeline.core.checks.notes import read_place
from pipeline.core.document.message import Kind
from pipeline.core.glossary.rows import BRACKET
from pipeline.core.glossary.terms import Glossary
from pipeline.entries import Entry

# Blocks that are a term alone where they have the words of one.
_TITLES = (
    Kind.HEADING,
    Kind.TITLE,
    Kind.TERM,
    Kind.TABLE_CELL,
    Kind.CAPTION,
    Kind.PAGE_TITLE,
)
_GAP = "…"  # in a rendering it stands for other words


def term_for(entry: Entry, glossary: Glossary | None) -> str:
    """The rendering of a message that is a term; empty if it is none.

    ``## Tracers`` → ``跟踪器``. A rendering that is open (``在……时``) or in brackets is no text of
    its own.
    """
    place = read_place(entry)
    if glossary is None or place.kind not in _TITLES:
        return ""
    mentions = glossary.mentions(entry.msgid, place.markup)
    if [mention.words for mention in mentions] != [entry.msgid]:
        return ""
    texts = (BRACKET.sub("", known.text) for known in mentions[0].term.renderings)
    return next((text for text in texts if text and _GAP not in text), "")
