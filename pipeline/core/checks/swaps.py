"""M711: two pieces of code that have changed places.

All atoms are there, so no other check sees it. Words around code say which is which: "the argument
``x``" is 参数 ``x``. Each word that stands once in both languages pulls the code that is near it in
English to where its rendering stands; two pieces of code that would both fit clearly better in each
other's place are told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import exp
from typing import NamedTuple

from pipeline.core.checks import english
from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.masked import WORD
from pipeline.core.checks.renderings import rendering_of
from pipeline.core.checks.sentences import ENGLISH_END
from pipeline.findings import Span

_ATOM = re.compile(f"{WORD}+")
_WORD = re.compile(r"(?<![\w.-])[a-z]{3,}(?!\w|\.\w)")
# Between two pieces of code that Chinese says the other way round: `B` 的 `A`.
_TURNED = re.compile(r"[\s-]*(?:of|in|for|to|from|on|with)[\s-]+(?:an?\s|the\s)?")
_NEIGHBOURS = 3  # pieces of code behind one that it may have changed places with
# Characters at which a word says about a third of what it says right beside the code.
_REACH_IN_ENGLISH, _REACH_IN_CHINESE = 8, 3
# How much better two must fit in each other's place: measured, see docs/checks-of-meaning.md.
_LEAST_GAIN, _IN_THE_USUAL_ORDER = 0.2, 0.7


class _Place(NamedTuple):
    """Where something stands that both languages have once."""

    english: Span
    chinese: Span


def find_swap(subject: Subject) -> Iterator[Problem]:
    """The two pieces of code of a message that look most as if they had changed places."""
    codes = _codes(subject)
    words = _words(subject) if len(codes) > 1 else []
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
    if found and not english.is_kept(subject.masked_english):
        _, code, other = max(found)
        yield Problem(
            text=f"{code} and {other} seem to have changed places",
            hint="Compare the words around each with the English.",
        )


def _pull(word: _Place, place: _Place, other: _Place) -> float:
    """How much a word speaks for it that two pieces of code have changed places."""
    in_english = _near(word.english, place.english, _REACH_IN_ENGLISH)
    in_english -= _near(word.english, other.english, _REACH_IN_ENGLISH)
    in_chinese = _near(word.chinese, place.chinese, _REACH_IN_CHINESE)
    in_chinese -= _near(word.chinese, other.chinese, _REACH_IN_CHINESE)
    return -in_english * in_chinese


def _near(one: Span, other: Span, reach: int) -> float:
    """How near two spans are: 1 side by side, a third at a distance of ``reach`` characters."""
    return exp(-max(0, other[0] - one[1], one[0] - other[1]) / reach)


def _codes(subject: Subject) -> list[tuple[str, _Place]]:
    """The pieces of code that both languages have once, in the order of the English."""
    theirs = _spans(subject.masked_english, subject.msgid)
    ours = _spans(subject.masked_chinese, subject.msgstr)
    return [
        (code, _Place(spans[0], ours[code][0]))
        for code, spans in theirs.items()
        if len(spans) == len(ours.get(code, ())) == 1
    ]


def _spans(masked: str, text: str) -> dict[str, list[Span]]:
    """Where each piece of code stands in a text."""
    found: dict[str, list[Span]] = {}
    for match in _ATOM.finditer(masked):
        found.setdefault(text[match.start() : match.end()], []).append(match.span())
    return found


def _words(subject: Subject) -> list[_Place]:
    """The words that both languages have once, in Chinese as they are rendered or as they are."""
    chinese = subject.masked_chinese.lower()
    found: dict[tuple[str, ...], list[Span]] = {}
    for match in _WORD.finditer(subject.masked_english.lower()):
        rendering = rendering_of(match[0])
        renderings = rendering.chinese if rendering else (match[0],)
        found.setdefault(renderings, []).append(match.span())
    places: list[_Place] = []
    for renderings, spans in found.items():
        there = [words for words in renderings if words in chinese]
        if len(spans) == 1 and there and chinese.count(there[0]) == 1:
            start = chinese.index(there[0])
            places.append(_Place(spans[0], (start, start + len(there[0]))))
    return places
