"""Glossary: the English terms of a project, and their renderings in Chinese.

A rendering is a Chinese word for a term. The glossary has accepted renderings of each term (数组
for "array") and renderings to avoid (向量). It finds the terms that an English text mentions, and
avoided renderings of these terms in the translation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property, lru_cache
from string import ascii_lowercase, ascii_uppercase
from typing import NamedTuple

from msgspec import Struct

from pipeline.core.document import prose
from pipeline.core.document.message import Markup
from pipeline.core.glossary.rows import (
    BRACKET,
    Row,
    forms_of,
    joined,
    pattern_of,
    read_rows,
)
from pipeline.errors import InputError
from pipeline.findings import Severity, Span

_APART = re.compile(r"[ -]")
# Underscores at the edge of a word, which are emphasis; underscores inside a name stay.
_EDGE_MARK = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
# Removes emphasis, and replaces line breaks, special spaces and special hyphens by plain ones.
_READ_AS = str.maketrans({"*": None, "\n": " ", "\u00a0": " ", "‐": "-", "‑": "-", "–": "-"})
# Changes ASCII letters only, so that the length of the text stays the same.
_TO_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
# A gloss: English in brackets behind a Chinese word, as in 跟踪器（tracer）.
_GLOSS = re.compile(rf"（[^（）{prose.CJK}]*）|\([^(){prose.CJK}]*\)")
# Characters that do not matter when renderings are compared: white space, emphasis, hyphens, 的.
_SQUEEZED = re.compile(r"[\s*_\-‐‑–—~的]+")
# An escaped space after markup in reST. It does not matter for the comparison, either.
_GAP = re.compile(r"\\\s")


class Rendering(Struct, frozen=True):
    """One rendering of a term, as the glossary has it, with its note."""

    text: str
    note: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """Return the parts that a translation must contain in order.

        ``对…编译（JIT）`` has the parts 对 and 编译.
        """
        return _parts(self.text)


class Term(Struct, frozen=True, kw_only=True, eq=False):
    """An English term with its accepted and avoided renderings."""

    english: str
    renderings: tuple[Rendering, ...] = ()
    avoided: tuple[Rendering, ...] = ()
    is_verb: bool = False
    # Severity of a translation without an accepted rendering; None if that is allowed.
    weight: Severity | None = Severity.WARNING

    @property
    def note(self) -> str:
        """Return the first note of an accepted rendering, or ""."""
        notes = (rendering.note for rendering in self.renderings)
        return next(filter(None, notes), "")

    @property
    def forms(self) -> list[str]:
        """Return the term and its inflected forms."""
        return forms_of(self.english, is_verb=self.is_verb)

    def is_rendered_in(self, plain: NormalizedText) -> bool:
        """Return whether a translation contains any accepted rendering."""
        for rendering in self.renderings:
            parts = rendering.parts
            if _has_in_order(plain.whole, parts):
                return True
            # A gloss may divide a rendering: 切（tangent）向量.
            if _has_in_order(plain.bare, parts):
                return True
        return False

    def count_in(self, plain: NormalizedText, *, but: Collection[str] = ()) -> int:
        """Return how often a translation contains accepted renderings, except those in ``but``.

        If a rendering has an ellipsis, only its first part is counted: of ``对…编译``, only 对.
        """
        words = {rendering.parts[0] for rendering in self.renderings if rendering.text not in but}
        if not words:
            return 0
        # Count in the text without glosses, because a gloss may repeat a rendering.
        return len(_any_of(words).findall(plain.bare))


class NormalizedText(NamedTuple):
    """A translation in lower case, without white space, emphasis, hyphens and 的."""

    whole: str  # with glosses such as （tracer）
    bare: str  # without glosses


class Mention(NamedTuple):
    """A glossary term in the English ``text``, from ``start`` to ``end``."""

    term: Term
    text: str
    start: int
    end: int

    @property
    def words(self) -> str:
        """Return the form in which the text uses the term."""
        return self.text[self.start : self.end]


class Misuse(NamedTuple):
    """An avoided rendering of a term in a translation, and its positions there."""

    term: Term
    avoided: Rendering
    spans: tuple[Span, ...]


class Glossary(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """All terms, in the order of the file."""

    terms: tuple[Term, ...] = ()

    def mentions(self, english: str, markup: Markup = Markup.MARKDOWN) -> tuple[Mention, ...]:
        """Return the terms that an English text mentions, outside of code and other atoms.

        The longest match wins: if ``tangent vector`` is a term, it is not a mention of ``vector``.
        """
        # A term may contain emphasis: *forward*-mode.
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
        """Yield the avoided renderings of the terms in ``mentions`` that ``chinese`` contains.

        An avoided rendering is accepted in three cases:

        - It is part of an accepted rendering (余切 in 余切向量).
        - It is an accepted rendering of another term in the text.
        - The translation has an accepted rendering of the term as often as the English mentions the
          term. So the avoided word must be the translation of something else.
        """
        # Fast path: nearly all translations contain no avoided rendering.
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
                # For example, 向量 is wrong for "array", but the text also mentions vectors.
                if any(avoided.text in text for text in right_elsewhere):
                    continue
                if term.count_in(plain, but=right_elsewhere) < count:
                    # Remove the word from ``spans``, so that another term with the same avoided
                    # word does not report it again.
                    yield Misuse(term, avoided, tuple(spans.pop(avoided.text)))

    def _avoided_spans(self, chinese: str, markup: Markup) -> dict[str, list[Span]]:
        """Return the positions of all avoided renderings in a translation, outside of its atoms.

        In "分派 `分派` 和分派", the avoided rendering 分派 is at 0 and 9.
        """
        shown = prose.replace_atoms(chinese, lambda atom: " " * len(atom), markup)
        spans: dict[str, list[Span]] = {}
        for match in self._suspects.finditer(shown):
            for word in self._avoided_in[match[0]]:  # none in an accepted rendering
                start = match.start() + match[0].index(word)
                spans.setdefault(word, []).append((start, start + len(word)))
        return spans

    def extended(self, own: Glossary) -> Glossary:
        """Return a glossary with the terms of ``own`` added; they replace equal English terms."""
        terms = {term.english: term for term in (*self.terms, *own.terms)}
        return Glossary(terms=tuple(terms.values()))

    @cached_property
    def _term_of_form(self) -> dict[str, Term]:
        """Return the terms by each of their forms (see ``joined``).

        A term takes precedence over an inflected form of another term.
        """
        terms: dict[str, Term] = {}
        for term in self.terms:
            for form in term.forms:
                terms[joined(form)] = term
        # Add the terms last, so that they win: "sampling" is a term, and also a form of "sample".
        for term in self.terms:
            terms[joined(term.english)] = term
        return terms

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """Return a pattern that finds every form of every term."""
        forms: list[str] = []
        for term in self.terms:
            forms += term.forms
        return pattern_of(forms)

    @cached_property
    def _avoided_in(self) -> dict[str, list[str]]:
        """Return the words to search for in a translation, each with the avoided renderings in it.

        For an avoided rendering, these are the word itself and shorter ones in it: 异步分派 has
        异步分派 and 分派. An accepted rendering that contains an avoided one is also searched for,
        but with an empty list. The search prefers longer words, so it never finds the avoided
        rendering inside the accepted one.
        """
        avoided: set[str] = set()
        right: set[str] = set()
        for term in self.terms:
            avoided.update(rendering.text for rendering in term.avoided)
            right.update(BRACKET.sub("", rendering.text) for rendering in term.renderings)
        meanings: dict[str, list[str]] = {}
        for word in right:
            if any(part in word for part in avoided):
                meanings[word] = []
        # Add avoided renderings last, so that they win: a rendering may be accepted for one term
        # and avoided for another.
        for word in avoided:
            meanings[word] = [part for part in avoided if part in word]
        return meanings

    @cached_property
    def _suspects(self) -> re.Pattern[str]:
        """Return a pattern that finds every word of ``_avoided_in``, long ones first."""
        return _any_of(self._avoided_in)


def _renderings_of_others(term: Term, terms: Iterable[Term]) -> set[str]:
    """Return the texts of the accepted renderings of all ``terms`` except ``term``."""
    texts: set[str] = set()
    for other in terms:
        if other is not term:
            texts.update(rendering.text for rendering in other.renderings)
    return texts


def _any_of(words: Collection[str]) -> re.Pattern[str]:
    """Return a pattern for any of ``words``, long ones first; without words it never matches."""
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")


def read_glossary(text: str, *, where: str) -> Glossary:
    """Return the glossary in the text of a CSV file; ``where`` is its name in errors.

    Rows without a rendering are skipped, because nobody has translated their term yet. Raises
    InputError with ``file:line`` and a hint.
    """
    rows: dict[str, list[Row]] = {}
    for row in read_rows(text, where=where):
        if row.target:
            rows.setdefault(row.source, []).append(row)
    return Glossary(terms=tuple(_term(group, where) for group in rows.values()))


def read_glossaries(files: Iterable[tuple[str, bytes]]) -> Glossary | None:
    """Return the terms of several CSV files, or None if there are no files.

    ``files`` are pairs of a name for errors and UTF-8 bytes. Terms of later files replace equal
    terms of earlier ones. Raises InputError.
    """
    terms = None
    for where, data in files:
        # Invalid bytes give a term that no page uses, so they do no harm.
        read = read_glossary(data.decode("utf-8", "replace"), where=where)
        terms = terms.extended(read) if terms else read
    return terms


def _term(rows: list[Row], where: str) -> Term:
    """Return the term that a group of rows with the same English defines."""
    first = rows[0]
    words: set[str] = set()  # flags; a flag in any row applies to the whole term
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
            f"“{first.source}” has only renderings to avoid",
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
    """Return the severity of a translation without the term, from its flags (``rows.WORDS``)."""
    if "allow" in words:
        return None
    if "advice" in words:
        return Severity.NOTE
    return Severity.WARNING


def as_plain(chinese: str) -> NormalizedText:
    """Return a translation in the form in which renderings are searched.

    ``用 **跟踪器**（tracer）`` -> ``用跟踪器（tracer）`` and ``用跟踪器``
    """
    text = chinese.lower()
    # A gloss repeats the English, as in 跟踪器（tracer）. It must not count as a rendering.
    whole, without_glosses = _squeeze(text), _GLOSS.sub("", text)
    if without_glosses == text:  # the usual case
        return NormalizedText(whole, whole)
    return NormalizedText(whole, _squeeze(without_glosses))


def _has_its_capitals(mention: Mention) -> bool:
    """Return whether a mention has the capitals of its term.

    ``jacobian`` does not match the term ``Jacobian``. ``Batch`` matches the term ``batch``, because
    it may begin a sentence. Only beginnings of words are compared, so that ``XLAs`` matches
    ``XLA``.
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
    """Return the parts of a rendering between its ellipses, without brackets."""
    parts = BRACKET.sub("", rendering).split("…")
    return tuple(filter(None, map(_squeeze, parts)))


def _has_in_order(text: str, parts: Iterable[str]) -> bool:
    """Return whether a text contains all parts in order, with any text between them."""
    at = 0
    for part in parts:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _squeeze(text: str) -> str:
    """Return a text in lower case, without characters that do not matter in a comparison.

    ``X 的 **值**`` -> ``x值``
    """
    if "\\" in text:
        text = _GAP.sub("", text)
    return _SQUEEZED.sub("", text).lower()
