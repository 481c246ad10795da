"""Terminology: which English terms a text has, and whether its translation renders them as agreed.

A glossary comes from the rows of a CSV file. It is asked for the terms that an English text
mentions, and for the avoided renderings that its translation has of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from string import ascii_lowercase, ascii_uppercase
from typing import NamedTuple

from pipeline.core.document import prose
from pipeline.core.document.message import Markup
from pipeline.core.glossary.inflection import forms_of, joined, pattern_of
from pipeline.core.glossary.rows import BRACKET, Row, read_rows
from pipeline.errors import InputError
from pipeline.findings import Severity, Span

_APART = re.compile(r"[ -]")
# Emphasis; not the underscore of a name.
_EDGE_MARK = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
_READ_AS = str.maketrans(
    {"*": None, "\n": " ", "\u00a0": " ", "‐": "-", "‑": "-", "–": "-"}
)
# Of ASCII only, so that the text stays as long.
_TO_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_GLOSS = re.compile(rf"（[^（）{prose.CJK}]*）|\([^(){prose.CJK}]*\)")
# What may stand in a rendering, or not, without making it another one …
_SQUEEZED = re.compile(r"[\s*_\-‐‑–—~的]+")
_GAP = re.compile(r"\\\s")  # … and what parts marks from words in reStructuredText


@dataclass(frozen=True, slots=True)
class Rendering:
    """How a term is rendered, as the glossary writes it, and why."""

    text: str
    note: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """What must stand in a translation, in this order: of ``对…编译（JIT）`` 对 and 编译."""
        return _parts(self.text)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Term:
    """An English term with its renderings, of which any will do.

    ``weight`` is that of a translation without any of them; None if that is all right.
    """

    english: str
    renderings: tuple[Rendering, ...] = ()
    avoided: tuple[Rendering, ...] = ()
    is_verb: bool = False
    weight: Severity | None = Severity.WARNING

    @property
    def note(self) -> str:
        """What is to be known of its rendering: the first note that one of them has, if any."""
        notes = (rendering.note for rendering in self.renderings)
        return next(filter(None, notes), "")

    @property
    def forms(self) -> list[str]:
        """The term itself, and its other forms."""
        return forms_of(self.english, is_verb=self.is_verb)

    def is_rendered_in(self, plain: Plain) -> bool:
        """Return whether a translation has any of the renderings, with or without its gloss."""
        for rendering in self.renderings:
            parts = rendering.parts
            if _has_in_order(plain.whole, parts):
                return True
            # Without glosses, what stands around them is side by side: 切（tangent）向量.
            if _has_in_order(plain.bare, parts):
                return True
        return False

    def count_in(self, plain: Plain, *, but: Collection[str] = ()) -> int:
        """Return how often a translation has its renderings, those in ``but`` left out.

        Of a rendering with an ellipsis the first part is counted: of ``对…编译`` each 对.
        """
        words = {
            rendering.parts[0]
            for rendering in self.renderings
            if rendering.text not in but
        }
        if not words:
            return 0
        # Glosses left out, for they may repeat a rendering: 键（密钥）.
        return len(_any_of(words).findall(plain.bare))


class Plain(NamedTuple):
    """A translation without white space, emphasis and hyphens, in lower case.

    It is there as it is, and without glosses such as （tracer）.
    """

    whole: str
    bare: str


class Mention(NamedTuple):
    """A term in an English text, from ``start`` to ``end``."""

    term: Term
    text: str
    start: int
    end: int

    @property
    def words(self) -> str:
        """The form in which the text has it."""
        return self.text[self.start : self.end]


class Misuse(NamedTuple):
    """An avoided rendering of a term, and where the translation has it."""

    term: Term
    avoided: Rendering
    spans: tuple[Span, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Glossary:
    """All terms, in the order of the file."""

    terms: tuple[Term, ...] = ()

    def mentions(
        self, english: str, markup: Markup = Markup.MARKDOWN
    ) -> tuple[Mention, ...]:
        """Return the terms in a text, the longest at each place, outside of its atoms."""
        # Emphasis may stand within a term: *forward*-mode.
        text = prose.mask(english, markup).translate(_READ_AS)
        if "_" in text:
            text = _EDGE_MARK.sub("", text)
        mentions = []
        for match in self._pattern.finditer(text.translate(_TO_LOWER)):
            start, end = match.span()
            term = self._term_of_form[joined(text[start:end])]
            mention = Mention(term, text, start, end)
            if _has_its_capitals(mention):
                mentions.append(mention)
        return tuple(mentions)

    def misuses(
        self,
        mentions: Iterable[Mention],
        chinese: str,
        markup: Markup = Markup.MARKDOWN,
    ) -> Iterator[Misuse]:
        """Yield avoided renderings of the mentioned terms.

        Left out are those that are part of a right rendering (余切 in 余切向量), that render
        another term of the text as they should, or that must render something else, as the
        term is rendered as often as the English has it.
        """
        # One pass over the text settles nearly all of them.
        if not self._suspects.search(chinese):
            return
        spans = self._avoided_spans(chinese, markup)
        counts = Counter(mention.term for mention in mentions)
        plain = as_plain(chinese)
        for term, count in counts.items():
            right_elsewhere = _renderings_of_others(term, counts)
            for avoided in term.avoided:
                if avoided.text not in spans:
                    continue
                # 向量 is not how array is rendered, but the text has vectors as well.
                if any(avoided.text in text for text in right_elsewhere):
                    continue
                if term.count_in(plain, but=right_elsewhere) < count:
                    # Taken out: another term that avoids the same word must not be reported.
                    yield Misuse(term, avoided, tuple(spans.pop(avoided.text)))

    def _avoided_spans(self, chinese: str, markup: Markup) -> dict[str, list[Span]]:
        """Return where a translation has avoided renderings of any term, outside of its atoms.

        With ``分派`` avoided: ``分派 `分派` 和分派`` -> 分派 at 0 and at 9.
        """
        shown = prose.replace_atoms(chinese, lambda atom: " " * len(atom), markup)
        spans: dict[str, list[Span]] = {}
        for match in self._suspects.finditer(shown):
            for word in self._avoided_in[match[0]]:  # none, if it is a right rendering
                start = match.start() + match[0].index(word)
                spans.setdefault(word, []).append((start, start + len(word)))
        return spans

    def extended(self, own: Glossary) -> Glossary:
        """Return these terms with those of ``own``, which replace terms of the same English."""
        terms = {term.english: term for term in (*self.terms, *own.terms)}
        return Glossary(terms=tuple(terms.values()))

    @cached_property
    def _term_of_form(self) -> dict[str, Term]:
        """The term of every form, joined. What is a term by itself is no form of another one."""
        terms: dict[str, Term] = {}
        for term in self.terms:
            for form in term.forms:
                terms[joined(form)] = term
        # Last, so that they win: "sampling" is a term of its own, and a form of the verb "sample".
        for term in self.terms:
            terms[joined(term.english)] = term
        return terms

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """Finds every form of every term."""
        forms: list[str] = []
        for term in self.terms:
            forms += term.forms
        return pattern_of(forms)

    @cached_property
    def _avoided_in(self) -> dict[str, list[str]]:
        """What is to be looked for in a translation, with the avoided renderings that it means.

        An avoided rendering means itself and those that are part of it (分派 of 异步分派). A
        right one that an avoided one is part of means nothing: it is there so that the part is
        not found.
        """
        avoided: set[str] = set()
        right: set[str] = set()
        for term in self.terms:
            avoided.update(rendering.text for rendering in term.avoided)
            right.update(
                BRACKET.sub("", rendering.text) for rendering in term.renderings
            )
        meanings: dict[str, list[str]] = {}
        for word in right:
            if any(part in word for part in avoided):
                meanings[word] = []
        # Last, so that they win: what one term wants avoided may be right for another.
        for word in avoided:
            meanings[word] = [part for part in avoided if part in word]
        return meanings

    @cached_property
    def _suspects(self) -> re.Pattern[str]:
        """Finds all that is to be looked for, the longest at each place."""
        return _any_of(self._avoided_in)


def _renderings_of_others(term: Term, terms: Iterable[Term]) -> set[str]:
    """Return the right renderings of all ``terms`` but one, as the glossary writes them."""
    texts: set[str] = set()
    for other in terms:
        if other is not term:
            texts.update(rendering.text for rendering in other.renderings)
    return texts


def _any_of(words: Collection[str]) -> re.Pattern[str]:
    """Find any of ``words``, the longest at each place; without words nothing."""
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")


def read_glossary(text: str, *, where: str) -> Glossary:
    """Return the glossary that a CSV file called ``where`` holds.

    Rows without a rendering are terms still to be translated: they are left out. Raises InputError
    with ``file:line`` and what to do.
    """
    rows: dict[str, list[Row]] = {}
    for row in read_rows(text, where=where):
        if row.target:
            rows.setdefault(row.source, []).append(row)
    return Glossary(terms=tuple(_term(group, where) for group in rows.values()))


def read_glossaries(files: Iterable[tuple[str, bytes]]) -> Glossary | None:
    """Return the terms of several CSV files, later ones first; None if there are no files.

    ``files`` are names for people, and UTF-8. Raises InputError.
    """
    terms = None
    for where, data in files:
        # Broken bytes become a term that nobody uses, rather than the end of a run.
        read = read_glossary(data.decode("utf-8", "replace"), where=where)
        terms = terms.extended(read) if terms else read
    return terms


def _term(rows: list[Row], where: str) -> Term:
    """Return the term that some rows are about."""
    first = rows[0]
    words: set[str] = set()  # what any row says of the term holds for all of them
    renderings: list[Rendering] = []
    avoided: list[Rendering] = []
    for row in rows:
        words |= row.words
        rendering = Rendering(row.target, row.note)
        if "avoid" in row.words:
            avoided.append(rendering)
        else:
            renderings.append(rendering)
    if not renderings:
        raise InputError(
            f"“{first.source}” has but a rendering to avoid",
            where=f"{where}:{first.line}",
            hint="Add a row with the rendering to use, or delete this one.",
        )
    return Term(
        english=first.source,
        renderings=tuple(renderings),
        avoided=tuple(avoided),
        is_verb="verb" in words,
        weight=_weight(words),
    )


def _weight(words: set[str]) -> Severity | None:
    """Return how much a translation without the term weighs, by its `rows.WORDS`."""
    if "allow" in words:
        return None
    if "advice" in words:
        return Severity.NOTE
    return Severity.WARNING


def as_plain(chinese: str) -> Plain:
    """Return a translation as renderings are looked for in it.

    ``用 **跟踪器**（tracer）`` -> ``用跟踪器（tracer）`` and ``用跟踪器``
    """
    text = chinese.lower()
    # A gloss repeats the English, which must not count as a rendering: 跟踪器（tracer）.
    whole, without_glosses = _squeeze(text), _GLOSS.sub("", text)
    if without_glosses == text:  # as nearly always
        return Plain(whole, whole)
    return Plain(whole, _squeeze(without_glosses))


def _has_its_capitals(mention: Mention) -> bool:
    """Return whether words that the glossary writes with capitals have them in the text.

    ``jacobian`` is not the term ``Jacobian``. But ``Batch`` is the term ``batch``: it may begin a
    sentence. Only the beginnings of words are compared, for ``XLAs`` is a form of ``XLA``.
    """
    english = mention.term.english
    if english.islower():
        return True
    pairs = zip(_APART.split(mention.words), _APART.split(english), strict=False)
    for word, wanted in pairs:
        has_capital = wanted != wanted.lower()
        if has_capital and not word.startswith(wanted):
            return False
    return True


@lru_cache(maxsize=1 << 12)
def _parts(rendering: str) -> tuple[str, ...]:
    """Return the parts of a rendering; an ellipsis at its edge asks for nothing."""
    parts = BRACKET.sub("", rendering).split("…")
    return tuple(filter(None, map(_squeeze, parts)))


def _has_in_order(text: str, parts: Iterable[str]) -> bool:
    """Return whether a text has all parts, one behind the other, with anything in between."""
    at = 0
    for part in parts:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _squeeze(text: str) -> str:
    """Return a text in lower case, without what may stand in a rendering or not.

    ``X 的 **值**`` -> ``x值``
    """
    if "\\" in text:
        text = _GAP.sub("", text)
    return _SQUEEZED.sub("", text).lower()
