"""M708, M711: lost clauses and swapped code, detected by the renderings of English words.

A rendering is a Chinese word that translates an English word. ``omissions.toml`` lists the usual
renderings of common words. If the English sentence has such a word, the Chinese sentence almost
always has one of its renderings. M708 reports consecutive words without a rendering: their clause
is probably lost.

M711 reports two code spans that are probably swapped. No other check detects this, because all
atoms are present. The words near a code span indicate where it belongs: the translation of
"the argument ``x``" is 参数 ``x``. M711 measures the distances between code and such words in both
languages, and reports two code spans if swapping them would fit clearly better.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from math import exp
from typing import NamedTuple

from msgspec import Struct

from pipeline.core.checks.masked import ENGLISH_END, WORD, SentencePair
from pipeline.core.checks.meaning.untranslated import count_ordinary, is_kept
from pipeline.core.checks.meaning.words import translated_sentences
from pipeline.core.checks.model import Problem, Subject
from pipeline.findings import Span
from pipeline.tables import read_table

_ENDINGS = re.compile(
    r"(?<=\w{3})(?:ization|izing|ized|izes|ations|ation|ating|ated|ates|ate|ings|ing|edly|ed|es|s|ly)$"
)


class Rendering(Struct, frozen=True):
    """The Chinese renderings of an English word."""

    chinese: tuple[str, ...]
    weight: int  # how strongly the absence of all renderings suggests an omission


@cache  # the same words occur again and again
def rendering_of(word: str) -> Rendering | None:
    """Return the renderings of an English word in lower case, or None if they are unknown.

    Ordinary words such as "does" and "like" have none, because their translations vary too much.
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
    """Yield each stem of a table with its renderings.

    White space separates the rows, which have the form ``stem:译文,另一种译文``.
    """
    for row in table.split():
        stem, _, chinese = row.partition(":")
        yield stem, Rendering(tuple(chinese.split(",")), weight)


_TABLES = read_table(__name__, "omissions")
_RENDERINGS = {
    stem: rendering
    for table in _TABLES["renderings"]
    for stem, rendering in _read_table(table["words"], table["weight"])
}
# A complete word, but not a part of a name such as x_0 or a.b.
_WORD = re.compile(r"(?<![\w.-])[a-z]{3,}(?!\w|\.\w)")
_PRESENT = 3  # a word with a rendering reduces the weight of a gap by this much
_LEAST_WEIGHT = 6  # minimum weight of a gap that is reported


def find_omission(subject: Subject) -> Iterator[Problem]:
    """Report consecutive words without a rendering in the translation."""
    for pair in translated_sentences(subject):
        gap, weight = _widest_gap(pair)
        if weight < _LEAST_WEIGHT or is_kept(subject.masked_english):
            continue
        words = ", ".join(f"“{word}”" for word in gap)
        yield Problem(
            text=f"has no translation of {words}",
            hint="Check whether a clause is missing.",
        )


def _widest_gap(pair: SentencePair) -> tuple[list[str], int]:
    """Return the consecutive words without a rendering that weigh most, and their weight.

    Skip words that the translation keeps in English, and words without known renderings. A word
    with a rendering does not end a gap, because the rendering may be present by chance.
    """
    chinese = pair.chinese.lower()
    widest: list[str] = []
    gap: list[str] = []
    most = weight = 0
    for word in _WORD.findall(pair.english):
        rendering = rendering_of(word)
        if rendering is None:
            continue
        if any(map(chinese.__contains__, rendering.chinese)):
            weight = max(0, weight - _PRESENT)
            gap = gap if weight else []
        elif word not in chinese:
            gap = [*gap, word]
            weight += rendering.weight
        if weight > most:
            widest, most = gap, weight
    return widest, most


_CODE = re.compile(f"{WORD}+")
# The text between two code spans whose order Chinese reverses: "the `A` argument to `B`" is
# `B` 的 `A`.
_TURNED = re.compile(_TABLES["turned"], re.VERBOSE)
_NEIGHBOURS = 3  # each code span is compared with this many code spans after it
# Distance in characters at which the influence of a word falls to about a third (1/e).
_REACH_IN_ENGLISH, _REACH_IN_CHINESE = 8, 3
# Minimum gain of a swap that is reported. The first number applies if the translation has the two
# code spans in an unusual order, the second number if they are in the usual order.
# docs/checks-of-meaning.md has the measurements.
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
            # Compare only code within one sentence.
            if ENGLISH_END.search(subject.masked_english, start, end):
                break
            is_same_order = place.chinese < other_place.chinese
            # Chinese reverses "A of B", so for such a phrase the usual order is reversed.
            is_turned = _TURNED.fullmatch(subject.masked_english, start, end) is not None
            least = _LEAST_GAIN if is_same_order == is_turned else _IN_THE_USUAL_ORDER
            gain = sum(_swap_evidence(word, place, other_place) for word in words) - least
            if gain > 0:
                found.append((gain, code, other))
    if found and not is_kept(subject.masked_english):
        _, code, other = max(found)
        yield Problem(
            text=f"{code} and {other} seem to be swapped",
            hint="Compare the words around each code span with the English.",
        )


def _swap_evidence(word: _BothPlaces, place: _BothPlaces, other: _BothPlaces) -> float:
    """Return how strongly a word suggests that two code spans are swapped.

    A negative result suggests that they are not.
    """
    in_english = _nearness(word.english, place.english, _REACH_IN_ENGLISH)
    in_english -= _nearness(word.english, other.english, _REACH_IN_ENGLISH)
    in_chinese = _nearness(word.chinese, place.chinese, _REACH_IN_CHINESE)
    in_chinese -= _nearness(word.chinese, other.chinese, _REACH_IN_CHINESE)
    # The result is positive if the word is nearer to one code span in English, and nearer to
    # the other one in Chinese.
    return -in_english * in_chinese


def _nearness(one: Span, other: Span, reach: int) -> float:
    """Return the nearness of two spans: 1 if adjacent, 1/e at a distance of ``reach``."""
    return exp(-max(0, other[0] - one[1], one[0] - other[1]) / reach)


def _code_places(subject: Subject) -> list[tuple[str, _BothPlaces]]:
    """Return the code spans that occur once in each language, in English order."""
    theirs = _code_spans(subject.masked_english, subject.msgid)
    ours = _code_spans(subject.masked_chinese, subject.msgstr)
    return [
        (code, _BothPlaces(spans[0], ours[code][0]))
        for code, spans in theirs.items()
        if len(spans) == len(ours.get(code, ())) == 1
    ]


def _code_spans(masked: str, text: str) -> dict[str, list[Span]]:
    """Return the positions of each code span of a text, found by the stand-ins in ``masked``."""
    found: dict[str, list[Span]] = {}
    for match in _CODE.finditer(masked):
        found.setdefault(text[match.start() : match.end()], []).append(match.span())
    return found


def _word_places(subject: Subject) -> list[_BothPlaces]:
    """Return the positions of the words that occur once in each language.

    In Chinese, the word may be a rendering or the English word itself.
    """
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
