"""M306, M307: how much is said: sentences and words that are too few or too many."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pipeline.core.checks import english
from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.masked import CLOSE, HAN

_HAN = re.compile(f"[{HAN}]")
_HINT = "See whether a part is missing or was added."

# A full stop behind one of these ends no sentence; the last one is an initial.
_ABBREVIATIONS = r"e\.g i\.e etc vs cf Fig Eq Sec no [A-Z]"
_NO_END = "".join(rf"(?<!\b{word})" for word in _ABBREVIATIONS.split())
_ENGLISH_END = re.compile(rf"{_NO_END}[.!?]+(?=[\"'”’)\]{CLOSE}]*(?:\s|$))")
_CHINESE_END = re.compile(r"[。！？]+|……|[.!?](?=\s|$)")
# What may be the end of a sentence in English, as Chinese likes to join sentences.
_CHINESE_STOP = re.compile(r"[。！？；：]+|……|——|[.!?;:](?=\s|$)")
_STOPS = ".!?。！？"
_LEAST_SENTENCES = 4  # with fewer, splitting or joining one is a matter of taste
_TIMES_OFF = 2.5


class _Limits(NamedTuple):
    """How many characters a word there may be, in messages from ``words`` English words on."""

    words: int
    fewest: float
    most: float


# Measured on 18,000 messages of GNU, GNOME and others: the median is 1.5, and one in a thousand
# lies outside of 0.7 … 3.6 below eight words, 0.75 … 3.3 below twelve, 0.82 … 2.8 below twenty,
# 0.85 … 2.2 above.
_LIMITS = (
    _Limits(20, 0.75, 3.0),
    _Limits(12, 0.65, 3.5),
    _Limits(8, 0.6, 4.0),
    _Limits(5, 0.4, 5.0),
)


def find_sentence_count(subject: Subject) -> Iterator[Problem]:
    """Far fewer or far more sentences than the English has.

    Chinese likes to join sentences by commas or semicolons, so that there is much room.
    """
    theirs, ours = subject.masked_english, subject.masked_chinese
    if max(_count_stops(theirs), _count_stops(ours)) < _LEAST_SENTENCES:
        return  # counting marks is quick, and settles most messages
    expected = len(_ENGLISH_END.findall(theirs))
    least = len(_CHINESE_END.findall(ours))
    if max(expected, least) < _LEAST_SENTENCES:
        return
    most = len(_CHINESE_STOP.findall(ours))
    is_enough = most * _TIMES_OFF >= expected
    is_not_too_much = least <= max(expected, 1) * _TIMES_OFF
    if is_enough and is_not_too_much:
        return
    yield Problem(
        text=f"has {least} sentences where the English has {expected}", hint=_HINT
    )


def _count_stops(text: str) -> int:
    """How many marks a text has that may end a sentence: never fewer than its sentences."""
    return sum(map(text.count, _STOPS))


def find_length(subject: Subject) -> Iterator[Problem]:
    """Far fewer or far more characters than English words want.

    A word in Latin letters counts as one character.
    """
    words, shown = len(english.words_of(subject.masked_english)), subject.masked_chinese
    limits = _limits_of(words)
    if not limits or not _HAN.search(shown):
        return
    count = english.count_han(shown) + len(english.words_of(shown))
    if limits.fewest <= count / words <= limits.most:
        return
    much = "little" if count < words else "much"
    yield Problem(
        text=f"says too {much}: {count} characters for {words} English words",
        hint=_HINT,
    )


def _limits_of(words: int) -> _Limits | None:
    """The limits for a message of so many words; None if it is too short for any."""
    for limits in _LIMITS:  # the longest messages first
        if words >= limits.words:
            return limits
    return None
