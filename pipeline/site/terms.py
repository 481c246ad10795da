"""Glossary terms on the site: hints in translations, the glossary page, and search synonyms.

The input is the parsed glossary; the output is plain values for records and pages. A row of the
glossary has an English term and its renderings, the Chinese words for it. Rows that only advise
translators give no hints.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.core.document.message import Markup
from pipeline.core.glossary.glossary import Glossary, Rendering, Term
from pipeline.core.glossary.rows import BRACKET
from pipeline.findings import Severity

_GAP = re.compile("[ …]")  # 把…掩盖: a rendering with a gap


def term_hints(
    glossary: Glossary, english: str, chinese: str, markup: Markup = Markup.MARKDOWN
) -> list[tuple[str, str]]:
    """Return the glossary terms of a message for hints: pairs of a rendering and its English.

    ``("即时编译", "just-in-time compilation")`` is such a pair. ``english`` is the message and
    ``chinese`` its translation. The pairs are in the order of ``english``. The extension finds the
    positions of the renderings on the page (``bilingual.placement``).
    """
    words_by_term: dict[str, str] = {}
    for mention in glossary.mentions(english, markup):
        term = mention.term
        # Skip rows of weight NOTE. They only advise translators, because their words may be
        # translated in many ways.
        if term.weight in (None, Severity.NOTE) or term.english in words_by_term:
            continue
        if words := _rendering_in(chinese, term):
            words_by_term[term.english] = words
    return [(words, term) for term, words in words_by_term.items()]


def _rendering_in(chinese: str, term: Term) -> str:
    """Return the longest rendering of a term in a translation; empty if there is none.

    A rendering with brackets, 即时（JIT）编译, may be used without them.
    """
    fitting: set[str] = set()
    for rendering in term.renderings:
        for form in (rendering.text, BRACKET.sub("", rendering.text)):
            if _is_worth_marking(form) and form in chinese:
                fitting.add(form)
    return max(fitting, key=lambda form: (len(form), form), default="")


def _is_worth_marking(form: str) -> bool:
    """Return whether a rendering may get a hint: ``雅可比`` may, ``pytree`` may not."""
    # A hint on an English word would explain nothing. A single character may be a part of any word.
    return len(form) > 1 and not form.isascii()


def term_list(glossary: Glossary) -> list[Mapping[str, Any]]:
    """Return all terms for the glossary page: English, renderings, words to avoid, note."""
    rows: list[Mapping[str, Any]] = []
    for term in glossary.terms:
        if term.weight is None:
            continue  # the row only permits a word that another row forbids
        row = {
            "english": term.english,
            "renderings": [rendering.text for rendering in term.renderings],
            "avoided": [rendering.text for rendering in term.avoided],
            "note": term.note,
        }
        rows.append(row)
    return sorted(rows, key=lambda row: (row["english"].lower(), row["english"]))


def synonyms(glossary: Glossary) -> list[tuple[list[str], list[str]]]:
    """Return, for each term, the words that readers may search for, and its renderings.

    ``(["vectorization", "vectorizations", "矢量化"], ["向量化"])``: a search for a word of the
    first list also finds words of the second. A search for a rendering also finds the English.
    """
    rows: list[tuple[list[str], list[str]]] = []
    # 张量 is wrong for "array" but right for "tensor", so a search for it must not find arrays.
    right = set().union(*map(_searched, (term.renderings for term in glossary.terms)))
    for term in glossary.terms:
        renderings = _searched(term.renderings)
        # Skip rows without weight, which only permit a word, and rows without renderings, which
        # have no words to find.
        if term.weight is not None and renderings:
            others = [word for word in _searched(term.avoided) if word not in right]
            asked = dict.fromkeys(map(str.lower, (term.english, *term.forms)))
            rows.append(([*asked, *others], renderings))
    return rows


def _searched(renderings: Sequence[Rendering]) -> list[str]:
    """Return searchable renderings, without their brackets: 即时（JIT）编译 → 即时编译."""
    words = (BRACKET.sub("", rendering.text) for rendering in renderings)
    fitting = [word for word in words if _is_worth_marking(word) and not _GAP.search(word)]
    return list(dict.fromkeys(fitting))
