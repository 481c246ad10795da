"""Monotone alignment of a copy with the English: which passage translates which message.

The input is two sequences of blocks. Blocks are paired in order, never crosswise, so that the sum
of all scores is largest; a block without a match is left unpaired. A pair may have several blocks
on one side. Scores are in nats, and 0 means no better than chance. The similarity of meaning,
computed by a sentence encoder, counts most, then the length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import takewhile
from math import exp, log
from typing import NamedTuple

from pipeline.core.adoption import evidence
from pipeline.core.adoption.blocks import Block, BlockKind
from pipeline.core.document.prose import count_words

_GAP = 0.4  # cost of an unpaired block
_USUAL = 1.5  # bonus of any pair: most blocks of a translation have one
_FLOOR = -1.0  # a pair with a lower score is never made
_MORE = 2.0  # cost of each further block on one side of a pair
_SURE = 0.75  # confidence from which on a pair is accepted
_MOST = 3  # blocks on one side of a pair, at most
# Bounds for pairs of several blocks: Chinese characters and words per English word.
_SHORTEST_SHARE, _LONGEST_SHARE = 0.6, 4.5
# Function that returns the similarity in meaning of two sequences of texts, 0 to 1.
Similar = Callable[[Sequence[str], Sequence[str]], float]
# Function that encodes texts; the result compares them.
Encoder = Callable[[Iterable[str]], Similar]

CODE = 9.0  # nats, for two equal blocks of code
_MEANING, _CHANCE = 14.0, 0.5  # weight of the similarity, and its value by chance
# Mean and standard deviation of the logarithm of Chinese characters per English word, in a
# translation; then the deviation for two unrelated paragraphs.
_MEAN, _SPREAD, _ANY = 0.58, 0.33, 1.1
_SHORT = 6.0  # words; the ratio varies more in shorter texts
_LENGTH_AT_LEAST = -6.0
_NEVER = -99.0
_ENGLISH = (
    1.0  # English left untranslated: it scores lower than a translation beside it
)
_SAME = 0.8  # share of words that two equal English texts have in common
_ALIKE = 0.3  # share of lines in common at which two blocks of code score 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Blocks that belong together, by their indexes on each side; one side may be empty.

    ``score`` is in nats: the log odds that the blocks belong together.
    """

    english: tuple[int, ...]
    copy: tuple[int, ...]
    score: float = 0.0

    @property
    def confidence(self) -> float:
        """Return the score as a probability, 0 to 1. A score of 0 is one half."""
        # Beyond 30 nats a float cannot be told from 0 or 1; clamping also avoids an overflow.
        return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, self.score))))

    @property
    def is_sure(self) -> bool:
        """Return whether the pair is accepted; a doubtful one is left to a person."""
        return self.confidence >= _SURE


class _Move(NamedTuple):
    """Number of blocks consumed on each side, with the score of the pair that they make."""

    ours: int
    theirs: int
    score: float


def align(
    english: Sequence[Block], copy: Sequence[Block], similar: Similar
) -> list[Pair]:
    """Return the pairs of both sequences; an unpaired block is a pair with an empty side.

    Code that occurs once on each side is paired first. The parts in between are aligned by score.
    """
    pairs: list[Pair] = []
    row = column = 0
    ends = (len(english), len(copy))
    for next_row, next_column in [*_anchors(english, copy), ends]:
        aligner = _Aligner(english[row:next_row], copy[column:next_column], similar)
        pairs += aligner.pairs(row, column)
        if (next_row, next_column) != ends:
            pairs.append(Pair(english=(next_row,), copy=(next_column,), score=CODE))
        row, column = next_row + 1, next_column + 1
    return pairs


class _Aligner:
    """Aligner of one part of the page with one part of the copy."""

    def __init__(
        self, english: Sequence[Block], copy: Sequence[Block], similar: Similar
    ) -> None:
        self.english = english
        self.copy = copy
        self.similar = similar
        self.ours = cache(partial(_passage, english))
        self.theirs = cache(partial(_passage, copy))

    def pairs(self, first_row: int, first_column: int) -> list[Pair]:
        """Return the alignment, with indexes counted from ``first_row`` and ``first_column``."""
        moves = self._best_moves()
        row, column = len(self.english), len(self.copy)
        pairs: list[Pair] = []
        # Each place stores the move that leads to it, so the best path is read backwards.
        while row or column:
            ours, theirs, score = moves[row, column]
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

    def _best_moves(self) -> dict[tuple[int, int], _Move]:
        """Return, for each place, the last move of the best path to it.

        A place is a pair of counts: the blocks consumed on each side.
        """
        # Dynamic programming: `best` is the highest total of any path to a place. Moves only lead
        # forward, so a place is final when the loops reach it.
        best = {(0, 0): 0.0}
        moves: dict[tuple[int, int], _Move] = {}
        for row in range(len(self.english) + 1):
            for column in range(len(self.copy) + 1):
                for move, worth in self._moves(row, column):
                    place = row + move.ours, column + move.theirs
                    total = best[row, column] + worth
                    if total > best.get(place, float("-inf")):
                        best[place] = total
                        moves[place] = move
        return moves

    def _moves(self, row: int, column: int) -> Iterator[tuple[_Move, float]]:
        """Yield the possible moves from a place, each with its value."""
        has_row, has_column = row < len(self.english), column < len(self.copy)
        if has_row:
            yield _Move(1, 0, 0.0), -_GAP
        if has_column:
            yield _Move(0, 1, 0.0), -_GAP
        if not (has_row and has_column):
            return
        for ours, theirs in self._shapes(row, column):
            passage = self.ours(row, ours), self.theirs(column, theirs)
            # One to one is the usual case; each further block must earn its cost.
            worth = score(*passage, self.similar) + _USUAL - _MORE * (ours + theirs - 2)
            if worth > _FLOOR:
                yield _Move(ours, theirs, worth), worth

    def _shapes(self, row: int, column: int) -> Iterator[tuple[int, int]]:
        """Yield the numbers of blocks on each side of a pair that starts here.

        One to one is always possible. Prose may also match several to one, if the lengths fit.
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
    """Return indexes of code that occurs once on each side, as anchors of the alignment.

    If code was moved, only the longest sequence in the same order counts.
    """
    ours, theirs = _code_once(english), _code_once(copy)
    # Longest increasing subsequence, one candidate chain for each end.
    best: list[list[tuple[int, int]]] = []
    for code, row in ours.items():
        if code in theirs:
            before = [chain for chain in best if chain[-1][1] < theirs[code]]
            longest = max(before, key=len, default=[])
            best.append([*longest, (row, theirs[code])])
    return max(best, key=len, default=[])


def _code_once(blocks: Sequence[Block]) -> dict[str, int]:
    """Return each piece of code that occurs once, with the index of its block.

    White space is ignored, because some copies have all code on one line.
    """
    places: dict[str, list[int]] = {}
    for number, block in enumerate(blocks):
        if block.kind is BlockKind.CODE:
            places.setdefault("".join(block.text.split()), []).append(number)
    return {code: found[0] for code, found in places.items() if len(found) == 1}


def _count_alike(blocks: Sequence[Block], start: int) -> int:
    """Return how many blocks from ``start`` on can form a passage; a heading forms its own."""
    first = blocks[start]
    if first.kind is BlockKind.HEADING:
        return 1
    kinds = [(block.kind, block.message) for block in blocks[start : start + _MOST]]
    return len(list(takewhile(lambda kind: kind == kinds[0], kinds)))


@dataclass(frozen=True, eq=False)
class Passage:
    """Consecutive blocks of one side, with cached facts about their words."""

    blocks: tuple[Block, ...]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Return the text of each block, in order, for the encoder."""
        return tuple(block.text for block in self.blocks)

    @cached_property
    def words(self) -> int:
        """Return the number of English words, or of Chinese characters and words."""
        # A Markdown link in a reST page, for example, may parse as one atom without words.
        return sum(
            count_words(block.text, block.markup) or evidence.count_han(block.text)
            for block in self.blocks
        )

    @cached_property
    def english(self) -> Counter[str]:
        """Return the English words with their counts."""
        return Counter(evidence.english_words(" ".join(self.texts)))

    @cached_property
    def is_chinese(self) -> bool:
        """Return whether each block has a Chinese character."""
        return all(map(evidence.HAN.search, self.texts))


def score(english: Passage, copy: Passage, similar: Similar) -> float:
    """Return the log odds, in nats, that one passage translates the other."""
    # Code never translates prose. Two pieces of code are compared by lines, without the encoder.
    kinds = {block.kind is BlockKind.CODE for block in (*english.blocks, *copy.blocks)}
    if len(kinds) > 1:
        return _NEVER
    if kinds == {True}:
        likeness = code_likeness("\n".join(english.texts), "\n".join(copy.texts))
        return CODE * (likeness - _ALIKE) / (1 - _ALIKE)
    if not copy.is_chinese:
        # A paragraph without Chinese matches only the same English: the copy left it untranslated.
        # The share is Dice's coefficient of the words.
        both = (english.english & copy.english).total()
        share = 2 * both / max(1, english.english.total() + copy.english.total())
        return _ENGLISH if share > _SAME else _NEVER
    likeness = similar(english.texts, copy.texts)
    return _MEANING * (likeness - _CHANCE) + _length(english.words, copy.words)


def _length(english: int, chinese: int) -> float:
    """Return the log odds of the lengths: their ratio is nearly constant within a translation."""
    if not english or not chinese:
        return _LENGTH_AT_LEAST
    # Compare two normal distributions of the logarithm: of a translation, and of unrelated texts.
    # Short texts vary more, so their distribution is wider.
    spread = _SPREAD * (1.0 + 0.8 * _SHORT / (_SHORT + english))
    distance = log(chinese / english) - _MEAN
    fits = -0.5 * (distance / spread) ** 2 - log(spread)
    chance = -0.5 * (distance / _ANY) ** 2 - log(_ANY)
    return max(_LENGTH_AT_LEAST, fits - chance)


def code_likeness(ours: str, theirs: str) -> float:
    """Return the share of lines that two pieces of code have in common, 0 to 1.

    If the other code is a single line, only lines missing from it count.
    """
    lines = evidence.code_lines(ours)
    if not lines:
        return float(ours.split() == theirs.split())
    found = evidence.lines_in(theirs, frozenset(lines))
    shared = (Counter(lines) & found).total()
    is_single = "\n" not in theirs.strip()
    whole = (
        len(lines) if is_single else max(len(lines), len(evidence.code_lines(theirs)))
    )
    return shared / whole
