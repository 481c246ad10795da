"""Monotone alignment of a copy with the English: which passage translates which message.

Both sides are rows of blocks. Blocks are paired from the first to the last, never crosswise, so
that the sum of all scores is largest. A block that fits nothing is left over on its side. A pair
may have several blocks on one side. The score of a pair is in nats, 0 is as good as chance: the
meaning, as a sentence encoder judges it, counts most, then the length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import takewhile
from math import exp, log
from typing import NamedTuple

from pipeline.core.adoption.blocks import Block, BlockKind
from pipeline.core.adoption.evidence import (
    HAN,
    code_lines,
    count_han,
    english_words,
    lines_in,
)
from pipeline.core.document.prose import count_words

_GAP = 0.4  # what a block that is left over costs
_USUAL = 1.5  # what speaks for any pair: most blocks of a translation have one
_FLOOR = -1.0  # a pair that scores less is none, wherever it stands
_MORE = 2.0  # what each further block of one side of a pair costs
_SURE = 0.75  # of its confidence, from which on a pair is taken
_MOST = 3  # blocks on one side of a pair
# Characters and words of Chinese by English words: in a pair of several blocks there are no fewer …
_SHORTEST_SHARE, _LONGEST_SHARE = 0.6, 4.5  # … and no more
# How alike two rows of texts are in what they mean, 0 to 1.
Similar = Callable[[Sequence[str], Sequence[str]], float]
# Reads texts; they can be compared then.
Encoder = Callable[[Iterable[str]], Similar]

CODE = 9.0  # nats: for two blocks of code that are equal
_MEANING, _CHANCE = 14.0, 0.5  # what the likeness weighs, and where it is chance
# The logarithm of Chinese characters by English words: its mean and its spread, of a translation
# and of two paragraphs that have nothing to do with each other.
_MEAN, _SPREAD, _ANY = 0.58, 0.33, 1.1
_SHORT = 6.0  # words; the length of a shorter text varies more
_LENGTH_AT_LEAST = -6.0
_NEVER = -99.0
_ENGLISH = (
    1.0  # for English that was left: less than for a translation that stands beside it
)
_SAME = 0.8  # share of words that make two English texts one
_ALIKE = 0.3  # share of lines that two blocks of code must have in common


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Blocks that belong together, by their numbers in the two rows; either may be empty.

    ``score`` is in nats: how much likelier it is that they belong together than that they do not.
    """

    english: tuple[int, ...]
    copy: tuple[int, ...]
    score: float = 0.0

    @property
    def confidence(self) -> float:
        """Return the score as a probability, 0 to 1. A score of 0 is one half."""
        # Scores beyond 30 would be 1 in a float in any case.
        return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, self.score))))

    @property
    def is_sure(self) -> bool:
        """Whether it is taken; what is doubtful is left to a person."""
        return self.confidence >= _SURE


class _Step(NamedTuple):
    """How many blocks of either side come next, and the score if they are a pair."""

    ours: int
    theirs: int
    score: float


def align(
    english: Sequence[Block], copy: Sequence[Block], similar: Similar
) -> list[Pair]:
    """Pair the blocks of both rows; a pair with an empty side holds a block that is left over.

    Code that stands once on either side leads the way. What lies between is aligned by scores.
    """
    pairs: list[Pair] = []
    row = column = 0
    ends = (len(english), len(copy))
    for next_row, next_column in [*_anchors(english, copy), ends]:
        part = _Part(english[row:next_row], copy[column:next_column], similar)
        pairs += part.pairs(row, column)
        if (next_row, next_column) != ends:
            pairs.append(Pair(english=(next_row,), copy=(next_column,), score=CODE))
        row, column = next_row + 1, next_column + 1
    return pairs


class _Part:
    """A part of a page and of a copy that are aligned with each other."""

    def __init__(
        self, english: Sequence[Block], copy: Sequence[Block], similar: Similar
    ) -> None:
        self.english = english
        self.copy = copy
        self.similar = similar
        self.ours = cache(partial(_passage, english))
        self.theirs = cache(partial(_passage, copy))

    def pairs(self, first_row: int, first_column: int) -> list[Pair]:
        """Return the alignment; its numbers count from ``first_row`` and ``first_column``."""
        steps = self._best_steps()
        row, column = len(self.english), len(self.copy)
        pairs: list[Pair] = []
        # The best way is known from its end.
        while row or column:
            ours, theirs, score = steps[row, column]
            row, column = row - ours, column - theirs
            start, other = first_row + row, first_column + column
            pairs.append(
                Pair(
                    english=tuple(range(start, start + ours)),
                    copy=tuple(range(other, other + theirs)),
                    score=score,
                )
            )
        return pairs[::-1]

    def _best_steps(self) -> dict[tuple[int, int], _Step]:
        """Return for each place the last step of the best way to it.

        A place is how many blocks of either side lie behind it.
        """
        best = {(0, 0): 0.0}
        steps: dict[tuple[int, int], _Step] = {}
        for row in range(len(self.english) + 1):
            for column in range(len(self.copy) + 1):
                for step, worth in self._steps(row, column):
                    place = row + step.ours, column + step.theirs
                    total = best[row, column] + worth
                    if total > best.get(place, float("-inf")):
                        best[place] = total
                        steps[place] = step
        return steps

    def _steps(self, row: int, column: int) -> Iterator[tuple[_Step, float]]:
        """Yield the steps that lead on from a place, each with what it is worth."""
        has_row, has_column = row < len(self.english), column < len(self.copy)
        if has_row:
            yield _Step(1, 0, 0.0), -_GAP
        if has_column:
            yield _Step(0, 1, 0.0), -_GAP
        if not (has_row and has_column):
            return
        for ours, theirs in self._shapes(row, column):
            passage = self.ours(row, ours), self.theirs(column, theirs)
            # One to one is the rule. Each further block must be worth what it costs.
            worth = score(*passage, self.similar) + _USUAL - _MORE * (ours + theirs - 2)
            if worth > _FLOOR:
                yield _Step(ours, theirs, worth), worth

    def _shapes(self, row: int, column: int) -> Iterator[tuple[int, int]]:
        """Yield how many blocks of either side may make a pair that begins here.

        One to one always; words with words also several to one, if neither side is too long.
        """
        yield 1, 1
        ours, theirs = self.english[row], self.copy[column]
        if not (ours.is_words and theirs.is_words):
            return
        words, characters = self.ours(row, 1).words, self.theirs(column, 1).words
        for count in range(2, _count_alike(self.english, row) + 1):
            if characters >= _SHORTEST_SHARE * self.ours(row, count).words:
                yield count, 1
        for count in range(2, _count_alike(self.copy, column) + 1):
            if self.theirs(column, count).words <= _LONGEST_SHARE * words:
                yield 1, count


def _passage(blocks: Sequence[Block], start: int, count: int) -> Passage:
    return Passage(tuple(blocks[start : start + count]))


def _anchors(english: Sequence[Block], copy: Sequence[Block]) -> list[tuple[int, int]]:
    """Return the blocks that are certain to belong together: code that stands once on either side.

    Of code that was moved only those count that leave the longest row in order.
    """
    ours, theirs = _code_once(english), _code_once(copy)
    best: list[list[tuple[int, int]]] = []
    for code, row in ours.items():
        if code in theirs:
            before = [chain for chain in best if chain[-1][1] < theirs[code]]
            longest = max(before, key=len, default=[])
            best.append([*longest, (row, theirs[code])])
    return max(best, key=len, default=[])


def _code_once(blocks: Sequence[Block]) -> dict[str, int]:
    """Return code that stands once in a row of blocks, with the block's number.

    White space does not count, for copies have code on a single line.
    """
    places: dict[str, list[int]] = {}
    for number, block in enumerate(blocks):
        if block.kind is BlockKind.CODE:
            places.setdefault("".join(block.text.split()), []).append(number)
    return {code: found[0] for code, found in places.items() if len(found) == 1}


def _count_alike(blocks: Sequence[Block], start: int) -> int:
    """Return how many blocks from ``start`` on may be in one passage. A heading stands alone."""
    first = blocks[start]
    if first.kind is BlockKind.HEADING:
        return 1
    kinds = [(block.kind, block.message) for block in blocks[start : start + _MOST]]
    return len(list(takewhile(lambda kind: kind == kinds[0], kinds)))


@dataclass(frozen=True, eq=False)
class Passage:
    """Some blocks in a row, of either side, with what is known of their words."""

    blocks: tuple[Block, ...]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The words of each block, in order: what an encoder reads."""
        return tuple(block.text for block in self.blocks)

    @cached_property
    def words(self) -> int:
        """How many words of English it has, or how many characters and words of Chinese."""
        # A link in the markup of another language may look like one atom without words.
        return sum(
            count_words(block.text, block.markup) or count_han(block.text)
            for block in self.blocks
        )

    @cached_property
    def english(self) -> Counter[str]:
        """Its English words."""
        return Counter(english_words(" ".join(self.texts)))

    @cached_property
    def is_chinese(self) -> bool:
        """Whether there is Chinese in each of its blocks."""
        return all(map(HAN.search, self.texts))


def score(english: Passage, copy: Passage, similar: Similar) -> float:
    """Return how much likelier it is that one is the translation of the other than not, in nats."""
    kinds = {block.kind is BlockKind.CODE for block in (*english.blocks, *copy.blocks)}
    if len(kinds) > 1:
        return _NEVER
    if kinds == {True}:
        likeness = code_likeness("\n".join(english.texts), "\n".join(copy.texts))
        return CODE * (likeness - _ALIKE) / (1 - _ALIKE)
    if not copy.is_chinese:
        both = (english.english & copy.english).total()
        share = 2 * both / max(1, english.english.total() + copy.english.total())
        return _ENGLISH if share > _SAME else _NEVER
    likeness = similar(english.texts, copy.texts)
    return _MEANING * (likeness - _CHANCE) + _length(english.words, copy.words)


def _length(english: int, chinese: int) -> float:
    """Return what lengths say: their ratio is nearly the same all over a translation."""
    if not english or not chinese:
        return _LENGTH_AT_LEAST
    spread = _SPREAD * (1.0 + 0.8 * _SHORT / (_SHORT + english))
    distance = log(chinese / english) - _MEAN
    fits = -0.5 * (distance / spread) ** 2 - log(spread)
    chance = -0.5 * (distance / _ANY) ** 2 - log(_ANY)
    return max(_LENGTH_AT_LEAST, fits - chance)


def code_likeness(ours: str, theirs: str) -> float:
    """Return which share of the lines of two pieces of code is in both, 0 to 1.

    Of code that was made a single line only what it lacks counts.
    """
    lines = code_lines(ours)
    if not lines:
        return float(ours.split() == theirs.split())
    found = lines_in(theirs, frozenset(lines))
    shared = (Counter(lines) & found).total()
    is_single = "\n" not in theirs.strip()
    whole = len(lines) if is_single else max(len(lines), len(code_lines(theirs)))
    return shared / whole
