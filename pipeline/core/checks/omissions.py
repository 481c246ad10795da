"""M708: words in a row that the translation has nothing for, as if a clause had been left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pipeline.core.checks import english
from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.renderings import rendering_of
from pipeline.core.checks.sentences import Pair

# A word of its own: no part of a name such as x_0 or a.b.
_WORD = re.compile(r"(?<![\w.-])[a-z]{3,}(?!\w|\.\w)")
_PRESENT = 3  # how much a word that is rendered takes from the weight of a gap
_LEAST_WEIGHT = 6


class _Gap(NamedTuple):
    """Words in a row without a rendering, and how much they weigh together."""

    words: tuple[str, ...] = ()
    weight: int = 0

    def widened(self, word: str, weight: int) -> _Gap:
        """The gap with another word that has no rendering."""
        return _Gap((*self.words, word), self.weight + weight)

    def narrowed(self) -> _Gap:
        """The gap behind a word that has its rendering: a few of those may be there by chance."""
        if self.weight <= _PRESENT:
            return _Gap()
        return _Gap(self.words, self.weight - _PRESENT)


def find_omission(subject: Subject, pairs: tuple[Pair, ...]) -> Iterator[Problem]:
    """Words in a row of which the translation has no rendering."""
    for pair in pairs:
        gap = _widest_gap(pair)
        if gap.weight < _LEAST_WEIGHT or english.is_kept(subject.masked_english):
            continue
        words = ", ".join(f"“{word}”" for word in gap.words)
        yield Problem(
            text=f"has nothing for {words}",
            hint="See whether a clause is missing.",
        )


def _widest_gap(pair: Pair) -> _Gap:
    """The gap that weighs most. A clause is left out as a whole, so that its words are together.

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
