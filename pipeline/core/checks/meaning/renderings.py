"""M708, M711: lost clauses and swapped code, found by how English words are rendered.

Whenever one of these words stands in a sentence, one of its renderings stands in the Chinese, with
few exceptions. In M708, words in a row without any rendering look like a lost clause. In M711, all
atoms are there, so that no other check sees the swap; but the words around code say which is which:
"the argument ``x``" is 参数 ``x``. Each word that stands once in both languages pulls the code near
it in English to where its rendering stands. M711 reports two pieces of code that would both fit
clearly better in each other's place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import exp
from typing import NamedTuple

from pipeline.core.checks.masked import ENGLISH_END, WORD, SentencePair
from pipeline.core.checks.meaning.english import count_ordinary, is_kept, read_words
from pipeline.core.checks.meaning.words import sentences_of
from pipeline.core.checks.model import Problem, Subject
from pipeline.findings import Span

_ENDINGS = re.compile(
    r"(?<=\w{3})(?:ization|izing|ized|izes|ations|ation|ating|ated|ates|ate|ings|ing|edly|ed|es|s|ly)$"
)


@dataclass(frozen=True, slots=True)
class Rendering:
    """What stands for a word in Chinese, and how much it says if nothing of that is there."""

    chinese: tuple[str, ...]
    weight: int


@cache  # a text has few different words
def rendering_of(word: str) -> Rendering | None:
    """Return how an English word in lower case is rendered; None if that is not known.

    Nor is it of words such as "does" and "like": there are too many ways to render them.
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
    """Yield the words of a table: ``stem:译文,另一种译文``, parted by white space."""
    for row in table.split():
        stem, _, chinese = row.partition(":")
        yield stem, Rendering(tuple(chinese.split(",")), weight)


_RENDERINGS = {
    stem: rendering
    for table in read_words("renderings")["renderings"]
    for stem, rendering in _read_table(table["words"], table["weight"])
}
# A word of its own: no part of a name such as x_0 or a.b.
_WORD = re.compile(r"(?<![\w.-])[a-z]{3,}(?!\w|\.\w)")
_PRESENT = 3  # how much a word that is rendered takes from the weight of a gap
_LEAST_WEIGHT = 6


class _Gap(NamedTuple):
    """Words in a row without a rendering, and how much they weigh together."""

    words: tuple[str, ...] = ()
    weight: int = 0

    def widened(self, word: str, weight: int) -> _Gap:
        """Return the gap with another word that has no rendering."""
        return _Gap((*self.words, word), self.weight + weight)

    def narrowed(self) -> _Gap:
        """Return the gap behind a word with its rendering, which may be there by chance."""
        if self.weight <= _PRESENT:
            return _Gap()
        return _Gap(self.words, self.weight - _PRESENT)


def find_omission(subject: Subject) -> Iterator[Problem]:
    """Find words in a row of which the translation has no rendering."""
    for pair in sentences_of(subject):
        gap = _widest_gap(pair)
        if gap.weight < _LEAST_WEIGHT or is_kept(subject.masked_english):
            continue
        words = ", ".join(f"“{word}”" for word in gap.words)
        yield Problem(
            text=f"has nothing for {words}",
            hint="See whether a clause is missing.",
        )


def _widest_gap(pair: SentencePair) -> _Gap:
    """Return the gap that weighs most. The words of a lost clause stand together.

    Words that stay English may be anywhere, and those of which no rendering is known say nothing.
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
# Between two pieces of code that Chinese says the other way round: `B` 的 `A`.
_TURNED = re.compile(r"[\s-]*(?:of|in|for|to|from|on|with)[\s-]+(?:an?\s|the\s)?")
_NEIGHBOURS = 3  # pieces of code behind one that it may have changed places with
# Characters at which a word says about a third of what it says right beside the code.
_REACH_IN_ENGLISH, _REACH_IN_CHINESE = 8, 3
# How much better two must fit in each other's place: measured, see docs/checks-of-meaning.md.
_LEAST_GAIN, _IN_THE_USUAL_ORDER = 0.2, 0.7


class _BothPlaces(NamedTuple):
    """Where something stands that both languages have once."""

    english: Span
    chinese: Span


def find_swap(subject: Subject) -> Iterator[Problem]:
    """Find the two pieces of code of a message that look most as if they had changed places."""
    codes = _code_places(subject)
    words = _word_places(subject) if len(codes) > 1 else []
    found: list[tuple[float, str, str]] = []
    for number, (code, place) in enumerate(codes):
        for other, other_place in codes[number + 1 : number + 1 + _NEIGHBOURS]:
            start, end = place.english[1], other_place.english[0]
            if ENGLISH_END.search(subject.masked_english, start, end):
                break
            is_same_order = place.chinese < other_place.chinese
            is_turned = (
                _TURNED.fullmatch(subject.masked_english, start, end) is not None
            )
            least = _LEAST_GAIN if is_same_order == is_turned else _IN_THE_USUAL_ORDER
            gain = sum(_pull(word, place, other_place) for word in words) - least
            if gain > 0:
                found.append((gain, code, other))
    if found and not is_kept(subject.masked_english):
        _, code, other = max(found)
        yield Problem(
            text=f"{code} and {other} seem to have changed places",
            hint="Compare the words around each with the English.",
        )


def _pull(word: _BothPlaces, place: _BothPlaces, other: _BothPlaces) -> float:
    """Return how much a word speaks for it that two pieces of code have changed places."""
    in_english = _nearness(word.english, place.english, _REACH_IN_ENGLISH)
    in_english -= _nearness(word.english, other.english, _REACH_IN_ENGLISH)
    in_chinese = _nearness(word.chinese, place.chinese, _REACH_IN_CHINESE)
    in_chinese -= _nearness(word.chinese, other.chinese, _REACH_IN_CHINESE)
    return -in_english * in_chinese


def _nearness(one: Span, other: Span, reach: int) -> float:
    """Return how near two spans are: 1 side by side, a third ``reach`` characters apart."""
    return exp(-max(0, other[0] - one[1], one[0] - other[1]) / reach)


def _code_places(subject: Subject) -> list[tuple[str, _BothPlaces]]:
    """Return the pieces of code that both languages have once, in the order of the English."""
    theirs = _code_spans(subject.masked_english, subject.msgid)
    ours = _code_spans(subject.masked_chinese, subject.msgstr)
    return [
        (code, _BothPlaces(spans[0], ours[code][0]))
        for code, spans in theirs.items()
        if len(spans) == len(ours.get(code, ())) == 1
    ]


def _code_spans(masked: str, text: str) -> dict[str, list[Span]]:
    """Return where each piece of code stands in a text."""
    found: dict[str, list[Span]] = {}
    for match in _CODE.finditer(masked):
        found.setdefault(text[match.start() : match.end()], []).append(match.span())
    return found


def _word_places(subject: Subject) -> list[_BothPlaces]:
    """Return the words that both languages have once; in Chinese also as they are rendered."""
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
