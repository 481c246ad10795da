"""M708, M711: lost clauses and swapped code, detected by the renderings of English words.

The words in the table have, with few exceptions, one of their renderings in the Chinese sentence.
M708 reports consecutive words without any rendering: probably a lost clause.

M711 reports swapped code, which no other check sees because all atoms are present. The words near
code identify it: "the argument ``x``" is 参数 ``x``. A word that occurs once in both languages
attracts the code beside it. M711 reports two code spans that would fit clearly better if swapped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import exp
from typing import NamedTuple

from pipeline.core.checks.masked import ENGLISH_END, WORD, SentencePair
from pipeline.core.checks.meaning.english import count_ordinary, is_kept
from pipeline.core.checks.meaning.words import translated_sentences
from pipeline.core.checks.model import Problem, Subject
from pipeline.findings import Span
from pipeline.tables import read_table

_ENDINGS = re.compile(
    r"(?<=\w{3})(?:ization|izing|ized|izes|ations|ation|ating|ated|ates|ate|ings|ing|edly|ed|es|s|ly)$"
)


@dataclass(frozen=True, slots=True)
class Rendering:
    """The Chinese renderings of a word, and the weight of their absence."""

    chinese: tuple[str, ...]
    weight: int


@cache  # the words of texts repeat
def rendering_of(word: str) -> Rendering | None:
    """Return the rendering of an English word in lower case, or None if it is unknown.

    Ordinary words such as "does" and "like" have none: they can be rendered in too many ways.
    """
    if count_ordinary((word,)):
        return None
    return _RENDERINGS.get(_stem(word))


def _stem(word: str) -> str:
    stem = _ENDINGS.sub("", word)
    if stem == word and len(word) > 4:
        return word.removesuffix("e")
    return stem


def _read_table(table: str, weight: int) -> Iterator[tuple[str, Rendering]]:
    """Yield the entries of a table, ``stem:译文,另一种译文``, separated by white space."""
    for row in table.split():
        stem, _, chinese = row.partition(":")
        yield stem, Rendering(tuple(chinese.split(",")), weight)


_RENDERINGS = {
    stem: rendering
    for table in read_table(__name__, "renderings")["renderings"]
    for stem, rendering in _read_table(table["words"], table["weight"])
}
# A whole word, not a part of a name such as x_0 or a.b.
_WORD = re.compile(r"(?<![\w.-])[a-z]{3,}(?!\w|\.\w)")
_PRESENT = 3  # weight that a rendered word subtracts from a gap
_LEAST_WEIGHT = 6


class _Gap(NamedTuple):
    """Consecutive words without a rendering, and their total weight."""

    words: tuple[str, ...] = ()
    weight: int = 0

    def widened(self, word: str, weight: int) -> _Gap:
        """Return the gap extended by a word without a rendering."""
        return _Gap((*self.words, word), self.weight + weight)

    def narrowed(self) -> _Gap:
        """Return the gap after a rendered word, whose rendering may be there by chance."""
        if self.weight <= _PRESENT:
            return _Gap()
        return _Gap(self.words, self.weight - _PRESENT)


def find_omission(subject: Subject) -> Iterator[Problem]:
    """Report consecutive words without a rendering in the translation."""
    for pair in translated_sentences(subject):
        gap = _widest_gap(pair)
        if gap.weight < _LEAST_WEIGHT or is_kept(subject.masked_english):
            continue
        words = ", ".join(f"“{word}”" for word in gap.words)
        yield Problem(
            text=f"has nothing for {words}",
            hint="See whether a clause is missing.",
        )


def _widest_gap(pair: SentencePair) -> _Gap:
    """Return the gap with the greatest weight in a sentence.

    Words that stay English and words without known renderings do not count.
    """
    chinese = pair.chinese.lower()
    widest = gap = _Gap()
    for word in _WORD.findall(pair.english):
        rendering = rendering_of(word)
        if rendering is None:
            continue
        if any(map(chinese.__contains__, rendering.chinese)):
            if gap.weight:
                gap = gap.narrowed()
        elif word not in chinese:
            gap = gap.widened(word, rendering.weight)
            widest = max(widest, gap, key=lambda either: either.weight)
    return widest


_CODE = re.compile(f"{WORD}+")
# Between two code spans whose order Chinese reverses: `B` 的 `A`. For example, "the `A` argument to
# `B`".
_TURNED = re.compile(
    r"""
      [\s-]*
      (?:(?:argument|attribute|field|function|implementation|method|option|parameter
          |reference|semantics|value)s?\s+){0,3}
      (?:of|in|inside|within|for|to|from|on|with)[\s-]+(?:an?\s|the\s)?
    """,
    re.VERBOSE,
)
_NEIGHBOURS = 3  # following code spans to compare with
# Distance in characters at which the influence of a word falls to a third.
_REACH_IN_ENGLISH, _REACH_IN_CHINESE = 8, 3
# Minimum gain of a swap, from measurements: see docs/checks-of-meaning.md.
_LEAST_GAIN, _IN_THE_USUAL_ORDER = 0.2, 0.7


class _BothPlaces(NamedTuple):
    """The positions of a word or code span that occurs once in both languages."""

    english: Span
    chinese: Span


def find_swap(subject: Subject) -> Iterator[Problem]:
    """Report the two code spans of a message that are most probably swapped."""
    codes = _code_places(subject)
    words = _word_places(subject) if len(codes) > 1 else []
    found: list[tuple[float, str, str]] = []
    for number, (code, place) in enumerate(codes):
        for other, other_place in codes[number + 1 : number + 1 + _NEIGHBOURS]:
            start, end = place.english[1], other_place.english[0]
            # Only code within one sentence is compared.
            if ENGLISH_END.search(subject.masked_english, start, end):
                break
            is_same_order = place.chinese < other_place.chinese
            # Chinese reverses "A of B", so the reversed order is the usual one there.
            is_turned = (
                _TURNED.fullmatch(subject.masked_english, start, end) is not None
            )
            least = _LEAST_GAIN if is_same_order == is_turned else _IN_THE_USUAL_ORDER
            gain = (
                sum(_swap_evidence(word, place, other_place) for word in words) - least
            )
            if gain > 0:
                found.append((gain, code, other))
    if found and not is_kept(subject.masked_english):
        _, code, other = max(found)
        yield Problem(
            text=f"{code} and {other} seem to have changed places",
            hint="Compare the words around each with the English.",
        )


def _swap_evidence(word: _BothPlaces, place: _BothPlaces, other: _BothPlaces) -> float:
    """Return how strongly a word suggests that two code spans are swapped."""
    in_english = _nearness(word.english, place.english, _REACH_IN_ENGLISH)
    in_english -= _nearness(word.english, other.english, _REACH_IN_ENGLISH)
    in_chinese = _nearness(word.chinese, place.chinese, _REACH_IN_CHINESE)
    in_chinese -= _nearness(word.chinese, other.chinese, _REACH_IN_CHINESE)
    # Positive if the word is nearer to one code span in English, and to the other in
    # Chinese.
    return -in_english * in_chinese


def _nearness(one: Span, other: Span, reach: int) -> float:
    """Return the nearness of two spans: 1 if adjacent, a third at a distance of ``reach``."""
    return exp(-max(0, other[0] - one[1], one[0] - other[1]) / reach)


def _code_places(subject: Subject) -> list[tuple[str, _BothPlaces]]:
    """Return the code spans that occur once in both languages, in English order."""
    theirs = _code_spans(subject.masked_english, subject.msgid)
    ours = _code_spans(subject.masked_chinese, subject.msgstr)
    return [
        (code, _BothPlaces(spans[0], ours[code][0]))
        for code, spans in theirs.items()
        if len(spans) == len(ours.get(code, ())) == 1
    ]


def _code_spans(masked: str, text: str) -> dict[str, list[Span]]:
    """Return the positions of each code span in a text."""
    found: dict[str, list[Span]] = {}
    for match in _CODE.finditer(masked):
        found.setdefault(text[match.start() : match.end()], []).append(match.span())
    return found


def _word_places(subject: Subject) -> list[_BothPlaces]:
    """Return the words that occur once in both languages, as themselves or as a rendering."""
    chinese = subject.masked_chinese.lower()
    found: dict[tuple[str, ...], list[Span]] = {}
    for match in _WORD.finditer(subject.masked_english.lower()):
        rendering = rendering_of(match[0])
        renderings = rendering.chinese if rendering else (match[0],)
        found.setdefault(renderings, []).append(match.span())
    places: list[_BothPlaces] = []
    for renderings, spans in found.items():
        there = [words for words in renderings if words in chinese]
        if len(spans) == 1 and there and chinese.count(there[0]) == 1:
            start = chinese.index(there[0])
            places.append(_BothPlaces(spans[0], (start, start + len(there[0]))))
    return places
