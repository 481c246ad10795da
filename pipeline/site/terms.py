"""Terms of the glossary on pages of the site: what may be marked in a translation, and the list of all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.core.document.message import Markup
from pipeline.core.glossary.rows import BRACKET
from pipeline.core.glossary.terms import Glossary, Term
from pipeline.findings import Severity


def term_hints(
    glossary: Glossary, english: str, chinese: str, markup: Markup = Markup.MARKDOWN
) -> list[tuple[str, str]]:
    """Renderings that stand in ``chinese``, each with its English, in the order in which ``english`` mentions them.

    Where they stand is for the page to find out: not in code, links and headings. Words that may be rendered in many ways (advice
    in the glossary) are no terms to a reader.
    """
    found: dict[str, str] = {}
    for mention in glossary.mentions(english, markup):
        is_firm = mention.term.weight not in (None, Severity.NOTE)
        if (
            is_firm
            and mention.term.english not in found
            and (words := _shown(mention.term, chinese))
        ):
            found[mention.term.english] = words
    return [(words, english) for english, words in found.items()]


def _shown(term: Term, chinese: str) -> str:
    """The longest rendering that stands in the translation as it is; empty if it is the English word itself, or a single character."""
    forms = {
        form
        for rendering in term.renderings
        for form in (rendering.text, BRACKET.sub("", rendering.text))
    }
    fitting = (form for form in forms if len(form) > 1 and not form.isascii() and form in chinese)
    return max(fitting, key=lambda form: (len(form), form), default="")


def term_list(glossary: Glossary) -> list[Mapping[str, Any]]:
    """All terms for the glossary page, by English: ``english``, ``renderings``, ``avoided``, ``note``."""
    rows = [
        {
            "english": term.english,
            "renderings": [rendering.text for rendering in term.renderings],
            "avoided": [rendering.text for rendering in term.avoided],
            "note": term.note,
        }
        for term in glossary.terms
        if term.weight is not None
    ]
    return sorted(rows, key=lambda row: (str(row["english"]).lower(), str(row["english"])))


def search_words(glossary: Glossary) -> Sequence[str]:
    """The renderings that search is to take as one word each."""
    words = {
        BRACKET.sub("", rendering.text) for term in glossary.terms for rendering in term.renderings
    }
    return sorted(
        word
        for word in words
        if len(word) > 1 and not word.isascii() and not any(mark in word for mark in " …")
    )
