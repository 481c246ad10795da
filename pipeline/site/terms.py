"""Terms of the glossary on the site: what is marked in a translation, listed, and searched for.

The glossary comes in as it was read; plain values go out, for records and for the pages that are
made of them. A term is what readers may look up: advice for translators is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.core.document.message import Markup
from pipeline.core.glossary.glossary import Glossary, Rendering, Term
from pipeline.core.glossary.rows import BRACKET
from pipeline.findings import Severity

_GAP = re.compile("[ …]")  # a rendering with one in it, like 把…掩盖, is no word


def term_hints(
    glossary: Glossary, english: str, chinese: str, markup: Markup = Markup.MARKDOWN
) -> list[tuple[str, str]]:
    """Return renderings in ``chinese`` with their English, in the order of ``english``.

    ``("即时编译", "just-in-time compilation")`` is one. Where they stand is for the page to find
    out: not in code, links and headings.
    """
    words_by_term: dict[str, str] = {}
    for mention in glossary.mentions(english, markup):
        term = mention.term
        # Words that may be rendered in many ways are no terms to a reader: advice, weight NOTE.
        if term.weight in (None, Severity.NOTE) or term.english in words_by_term:
            continue
        if words := _rendering_in(chinese, term):
            words_by_term[term.english] = words
    return [(words, term) for term, words in words_by_term.items()]


def _rendering_in(chinese: str, term: Term) -> str:
    """Return the longest rendering of a term in a translation; empty if there is none.

    即时（JIT）编译 may also stand there without its bracket.
    """
    fitting: set[str] = set()
    for rendering in term.renderings:
        for form in (rendering.text, BRACKET.sub("", rendering.text)):
            if _is_worth_marking(form) and form in chinese:
                fitting.add(form)
    return max(fitting, key=lambda form: (len(form), form), default="")


def _is_worth_marking(form: str) -> bool:
    """Return whether a rendering helps a reader: ``雅可比`` does, ``pytree`` does not."""
    # The English word itself explains nothing, and a single character stands in other words too.
    return len(form) > 1 and not form.isascii()


def term_list(glossary: Glossary) -> list[Mapping[str, Any]]:
    """Return all terms for the glossary page, with renderings, words to avoid, a note."""
    rows: list[Mapping[str, Any]] = []
    for term in glossary.terms:
        if term.weight is None:
            continue  # it only allows a word that would be a mistake elsewhere
        row = {
            "english": term.english,
            "renderings": [rendering.text for rendering in term.renderings],
            "avoided": [rendering.text for rendering in term.avoided],
            "note": term.note,
        }
        rows.append(row)
    return sorted(rows, key=lambda row: (row["english"].lower(), row["english"]))


def synonyms(glossary: Glossary) -> list[tuple[list[str], list[str]]]:
    """Return for each term the words that readers may ask for, and its renderings.

    ``(["vectorization", "vectorizations", "矢量化"], ["向量化"])``: who asks for a word of the
    first list is shown what has one of the second; who asks for a rendering, what has the English.
    """
    rows: list[tuple[list[str], list[str]]] = []
    # 张量, which is wrong for an array, is right for a tensor: it asks for nothing else.
    right = set().union(*map(_searched, (term.renderings for term in glossary.terms)))
    for term in glossary.terms:
        renderings = _searched(term.renderings)
        # Words that only allow something, or that have no word of their own, lead nowhere.
        if term.weight is not None and renderings:
            others = [word for word in _searched(term.avoided) if word not in right]
            rows.append(
                (
                    [
                        *dict.fromkeys(map(str.lower, (term.english, *term.forms))),
                        *others,
                    ],
                    renderings,
                )
            )
    return rows


def _searched(renderings: Sequence[Rendering]) -> list[str]:
    """Return searchable renderings: 即时（JIT）编译 without its bracket, 即时编译."""
    words = (BRACKET.sub("", rendering.text) for rendering in renderings)
    fitting = [
        word for word in words if _is_worth_marking(word) and not _GAP.search(word)
    ]
    return list(dict.fromkeys(fitting))
