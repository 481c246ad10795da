"""Terminology: which English terms a text has, and whether its translation renders them as agreed."""

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
from pipeline.findings import Severity

_APART = re.compile(r"[ -]")
_EDGE_MARK = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")  # emphasis; not the underscore of a name
_READ_AS = str.maketrans({"*": None, "\n": " ", "\u00a0": " ", "‐": "-", "‑": "-", "–": "-"})
_TO_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_GLOSS = re.compile(rf"（[^（）{prose.CJK}]*）|\([^(){prose.CJK}]*\)")
_SQUEEZED = re.compile(
    r"[\s*_\-‐‑–—~的]+"
)  # what may stand in a rendering, or not, without making it another one …
_GAP = re.compile(r"\\\s")  # … and what parts marks from words in reStructuredText


@dataclass(frozen=True, slots=True)
class Rendering:
    """How a term is rendered, as the glossary writes it, and why."""

    text: str
    note: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """What must stand in a translation, in this order."""
        return _parts(self.text)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Term:
    """An English term with its renderings, of which any will do. ``weight`` is that of a translation without: None if it may be."""

    english: str
    renderings: tuple[Rendering, ...] = ()
    avoided: tuple[Rendering, ...] = ()
    is_verb: bool = False
    weight: Severity | None = Severity.WARNING

    @property
    def note(self) -> str:
        """What is to be known of its rendering."""
        return next((rendering.note for rendering in self.renderings if rendering.note), "")

    def is_rendered_in(self, plain: Plain) -> bool:
        """Whether a translation has any of the renderings."""
        return any(
            _has_in_order(text, rendering.parts) for rendering in self.renderings for text in plain
        )

    def count_in(self, plain: Plain, *, but: Collection[str] = ()) -> int:
        """How often a translation has its renderings, those in ``but`` left out."""
        words = sorted(
            {rendering.parts[0] for rendering in self.renderings if rendering.text not in but},
            key=len,
            reverse=True,
        )
        return len(re.findall("|".join(map(re.escape, words)), plain.bare)) if words else 0


class Plain(NamedTuple):
    """A translation without white space, emphasis and hyphens, in lower case: as it is, and without glosses such as （tracer）."""

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
        return self.text[self.start : self.end]


class Misuse(NamedTuple):
    """An avoided rendering of a term, and where the translation has it."""

    term: Term
    avoided: Rendering
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Glossary:
    """All terms, in the order of the file."""

    terms: tuple[Term, ...] = ()

    def mentions(self, english: str, markup: Markup = Markup.MARKDOWN) -> tuple[Mention, ...]:
        """The terms in a text: the longest at each place, none within code, math or targets."""
        text = prose.mask(english, markup).translate(_READ_AS)
        if "_" in text:
            text = _EDGE_MARK.sub("", text)
        spans = [match.span() for match in self._pattern.finditer(text.translate(_TO_LOWER))]
        found = (
            Mention(self._forms[joined(text[start:end])], text, start, end) for start, end in spans
        )
        return tuple(mention for mention in found if _has_its_capitals(mention))

    def misuses(
        self, mentions: Iterable[Mention], chinese: str, markup: Markup = Markup.MARKDOWN
    ) -> Iterator[Misuse]:
        """Avoided renderings of the mentioned terms.

        Not those that are part of a right rendering (余切 in 余切向量), that render another term of the text as they should, or that must
        render something else, as the term is rendered as often as the English has it.
        """
        if not self._suspects.search(chinese):
            return
        spans: dict[str, list[tuple[int, int]]] = {}
        for match in self._suspects.finditer(
            prose.replace_atoms(chinese, lambda atom: " " * len(atom), markup)
        ):
            for word in self._avoided_in[match[0]]:
                start = match.start() + match[0].index(word)
                spans.setdefault(word, []).append((start, start + len(word)))
        counts = Counter(mention.term for mention in mentions)
        plain = as_plain(chinese)
        for term, count in counts.items():
            others = {
                rendering.text
                for other in counts
                if other is not term
                for rendering in other.renderings
            }
            for avoided in term.avoided:
                if (
                    avoided.text in spans
                    and not any(avoided.text in text for text in others)
                    and term.count_in(plain, but=others) < count
                ):
                    yield Misuse(term, avoided, tuple(spans.pop(avoided.text)))

    @cached_property
    def _forms(self) -> dict[str, Term]:
        """The term of every form, joined. What is a term by itself is no form of another one."""
        derived = {
            joined(form): term
            for term in self.terms
            for form in forms_of(term.english, is_verb=term.is_verb)
        }
        return derived | {joined(term.english): term for term in self.terms}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return pattern_of(
            form for term in self.terms for form in forms_of(term.english, is_verb=term.is_verb)
        )

    @cached_property
    def _avoided_in(self) -> dict[str, list[str]]:
        """The avoided renderings that are part of each one (分派 of 异步分派); none of a right one that they are part of."""
        words = {rendering.text for term in self.terms for rendering in term.avoided}
        right = {
            BRACKET.sub("", rendering.text) for term in self.terms for rendering in term.renderings
        } - words
        parts = {word: [part for part in words if part in word] for word in words | right}
        return {word: [] if word in right else found for word, found in parts.items() if found}

    @cached_property
    def _suspects(self) -> re.Pattern[str]:
        """All of these, the longest at each place."""
        return re.compile(
            "|".join(map(re.escape, sorted(self._avoided_in, key=len, reverse=True))) or r"(?!)"
        )


def read_glossary(text: str, *, where: str) -> Glossary:
    """The glossary that a CSV file called ``where`` holds. Rows without a rendering are terms still to be translated: left out.

    Raises InputError with ``file:line`` and what to do.
    """
    rows: dict[str, list[Row]] = {}
    for row in read_rows(text, where=where):
        if row.target:
            rows.setdefault(row.source, []).append(row)
    return Glossary(terms=tuple(_term(group, where) for group in rows.values()))


def _term(rows: list[Row], where: str) -> Term:
    right = [row for row in rows if "avoid" not in row.words]
    words = {word for row in rows for word in row.words}
    if not right:
        hint = "Add a row with the rendering to use, or delete this one."
        raise InputError(
            f"“{rows[0].source}” has but a rendering to avoid",
            where=f"{where}:{rows[0].line}",
            hint=hint,
        )
    return Term(
        english=rows[0].source,
        renderings=tuple(Rendering(row.target, row.note) for row in right),
        avoided=tuple(Rendering(row.target, row.note) for row in rows if "avoid" in row.words),
        is_verb="verb" in words,
        weight=None
        if "allow" in words
        else Severity.NOTE
        if "advice" in words
        else Severity.WARNING,
    )


def as_plain(chinese: str) -> Plain:
    """A translation as renderings are looked for in it."""
    text = chinese.lower()
    whole, without_glosses = _squeeze(text), _GLOSS.sub("", text)
    return Plain(whole, whole if without_glosses == text else _squeeze(without_glosses))


def _has_its_capitals(mention: Mention) -> bool:
    """Whether words that the glossary writes with capitals have them in the text: XLA, Jacobian."""
    if mention.term.english.islower():
        return True
    pairs = zip(_APART.split(mention.words), _APART.split(mention.term.english), strict=False)
    return all(word.startswith(wanted) for word, wanted in pairs if wanted != wanted.lower())


@lru_cache(maxsize=1 << 12)
def _parts(rendering: str) -> tuple[str, ...]:
    return tuple(filter(None, (_squeeze(part) for part in BRACKET.sub("", rendering).split("…"))))


def _has_in_order(text: str, parts: Iterable[str]) -> bool:
    at = 0
    for part in parts:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _squeeze(text: str) -> str:
    return _SQUEEZED.sub("", _GAP.sub("", text) if "\\" in text else text).lower()
