"""Alignment of a copy with the English: which block of the copy translates which message.

``align`` takes two sequences of blocks (``blocks``) and returns pairs of blocks that belong
together. Pairs are in order on both sides and never cross. A pair may have several blocks on one
side, and a block without a match stays unpaired. Of all alignments, the one with the highest total
score is chosen.

A score is the natural logarithm of odds: 0 means that a match is as likely as not, 2.3 means odds
of 10 to 1. It depends mostly on the similarity of meaning, which a sentence encoder computes, and
also on the lengths.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property, partial
from itertools import takewhile
from math import exp, log
from typing import NamedTuple

from msgspec import Struct

from pipeline.core.adoption.blocks import (
    HAN,
    Block,
    BlockKind,
    code_lines,
    count_han,
    english_words,
    lines_in,
)
from pipeline.core.document.prose import count_words

_GAP = 0.4  # cost of a block without a match
_USUAL = 1.5  # bonus of any pair, because most blocks of a copy have a match
_FLOOR = -1.0  # minimum score of a pair
_MORE = 2.0  # cost of each further block on one side of a pair
_SURE = 0.75  # minimum confidence of a pair that is adopted
_MOST = 3  # maximum number of blocks on one side of a pair
# Minimum and maximum number of Chinese characters in the copy for each English word, for a pair
# with several blocks on one side. An English word that the copy keeps counts as one character.
_SHORTEST_SHARE, _LONGEST_SHARE = 0.6, 4.5
# Function that returns how similar two sequences of texts are in meaning, 0 to 1.
Similar = Callable[[Sequence[str], Sequence[str]], float]
# Function that encodes texts, and returns a function that compares them.
Encoder = Callable[[Iterable[str]], Similar]

CODE = 9.0  # score of two equal blocks of code
# Weight of the similarity of meaning, and the similarity that adds 0 to the score.
_MEANING, _CHANCE = 14.0, 0.5
# Statistics of the logarithm of the number of Chinese characters per English word: mean and
# standard deviation in translations, and standard deviation for unrelated paragraphs.
_MEAN, _SPREAD, _ANY = 0.58, 0.33, 1.1
# Number of English words. In texts that are not much longer than this, the number of Chinese
# characters per English word varies more.
_SHORT = 6.0
_LENGTH_AT_LEAST = -6.0  # a pair gets at least this score for its lengths
_NEVER = -99.0  # score of blocks that cannot belong together
# Score of a passage that the copy left in English. It is lower than the score of a translation.
_ENGLISH = 1.0
_SAME = 0.8  # minimum share of common words of two English texts that count as equal
_ALIKE = 0.3  # share of common lines at which two blocks of code score 0


class Pair(Struct, frozen=True, kw_only=True):
    """Blocks that belong together; one side may be empty."""

    english: tuple[int, ...]  # indexes of English blocks
    copy: tuple[int, ...]  # indexes of the copy's blocks
    score: float = 0.0

    @property
    def confidence(self) -> float:
        """Return the score as a probability, 0 to 1. A score of 0 gives one half."""
        # Limit the score: beyond 30 the result is practically 0 or 1, and ``exp`` may overflow.
        return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, self.score))))

    @property
    def is_sure(self) -> bool:
        """Return whether the confidence suffices to adopt the pair; the report lists the others."""
        return self.confidence >= _SURE


class _Move(NamedTuple):
    """Step of an alignment, which makes a pair of the next blocks on each side."""

    ours: int  # number of English blocks
    theirs: int  # number of the copy's blocks
    score: float  # of the pair


def align(english: Sequence[Block], copy: Sequence[Block], similar: Similar) -> list[Pair]:
    """Return the pairs of both sequences; an unpaired block is a pair with an empty side.

    Code that occurs exactly once on each side is paired first. The parts between such pairs are
    aligned by score. ``similar`` compares the meanings of texts.
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
    """Aligner of a part of the page with a part of the copy.

    A *place* is a position in an alignment: the numbers of blocks before it on each side.
    """

    def __init__(self, english: Sequence[Block], copy: Sequence[Block], similar: Similar) -> None:
        self.english = english
        self.copy = copy
        self.similar = similar
        self.ours = cache(partial(_passage, english))
        self.theirs = cache(partial(_passage, copy))

    def pairs(self, first_row: int, first_column: int) -> list[Pair]:
        """Return the alignment. Its indexes begin with ``first_row`` and ``first_column``."""
        moves = self._best_moves()
        row, column = len(self.english), len(self.copy)
        pairs: list[Pair] = []
        # ``moves`` has only the last move to each place. So start at the end and follow the moves
        # back.
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
        """Return, for each place, the last move of the best alignment up to this place."""
        # This is dynamic programming. ``best`` has the highest total score up to each place. Moves
        # lead forward only, so the value of a place is final when the loops reach it.
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
        """Yield the possible moves from a place, each with what it adds to the total score."""
        has_row, has_column = row < len(self.english), column < len(self.copy)
        if has_row:
            yield _Move(1, 0, 0.0), -_GAP
        if has_column:
            yield _Move(0, 1, 0.0), -_GAP
        if not (has_row and has_column):
            return
        for ours, theirs in self._shapes(row, column):
            passage = self.ours(row, ours), self.theirs(column, theirs)
            # One block on each side is the usual case. Each further block costs ``_MORE``.
            worth = score(*passage, self.similar) + _USUAL - _MORE * (ours + theirs - 2)
            if worth > _FLOOR:
                yield _Move(ours, theirs, worth), worth

    def _shapes(self, row: int, column: int) -> Iterator[tuple[int, int]]:
        """Yield the numbers of blocks on each side that a pair at this place may have.

        One on each side is always possible. Prose may also have several blocks on one side, if the
        lengths fit.
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
    """Return the index pair of each piece of code that occurs exactly once on each side.

    A pair has the indexes of the English block and of the copy's block. Pairs must not cross. If
    the copy has moved code, take the longest series of pairs in order.
    """
    ours, theirs = _code_once(english), _code_once(copy)
    # Find the longest increasing subsequence: ``best`` has, for each pair, the longest chain that
    # ends with it.
    best: list[list[tuple[int, int]]] = []
    for code, row in ours.items():
        if code in theirs:
            before = [chain for chain in best if chain[-1][1] < theirs[code]]
            longest = max(before, key=len, default=[])
            best.append([*longest, (row, theirs[code])])
    return max(best, key=len, default=[])


def _code_once(blocks: Sequence[Block]) -> dict[str, int]:
    """Map each piece of code that occurs exactly once to the index of its block.

    White space is removed from the code, because some copies have all code on one line.
    """
    places: dict[str, list[int]] = {}
    for number, block in enumerate(blocks):
        if block.kind is BlockKind.CODE:
            places.setdefault("".join(block.text.split()), []).append(number)
    return {code: found[0] for code, found in places.items() if len(found) == 1}


def _count_alike(blocks: Sequence[Block], start: int) -> int:
    """Return how many blocks from ``start`` on may form one side of a pair.

    The blocks must be of the same kind. A heading is never joined with other blocks.
    """
    first = blocks[start]
    if first.kind is BlockKind.HEADING:
        return 1
    kinds = [(block.kind, block.message) for block in blocks[start : start + _MOST]]
    return len(list(takewhile(lambda kind: kind == kinds[0], kinds)))


class Passage(Struct, frozen=True, eq=False, dict=True):
    """One side of a possible pair: consecutive blocks, with cached facts about their words."""

    blocks: tuple[Block, ...]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Return the text of each block, in order, for the encoder."""
        return tuple(block.text for block in self.blocks)

    @cached_property
    def words(self) -> int:
        """Return the length of the passage: its English words plus its Chinese characters."""
        # ``count_words`` may return 0, for example for a Markdown link in a reST page. In that case
        # count the Chinese characters.
        return sum(
            count_words(block.text, block.markup) or count_han(block.text) for block in self.blocks
        )

    @cached_property
    def english(self) -> Counter[str]:
        """Return the English words with their counts."""
        return Counter(english_words(" ".join(self.texts)))

    @cached_property
    def is_chinese(self) -> bool:
        """Return whether every block contains Chinese."""
        return all(map(HAN.search, self.texts))


def score(english: Passage, copy: Passage, similar: Similar) -> float:
    """Return the score of two passages: the logarithm of the odds that one translates the other."""
    # Code cannot match prose. Two pieces of code are compared line by line, without the encoder.
    kinds = {block.kind is BlockKind.CODE for block in (*english.blocks, *copy.blocks)}
    if len(kinds) > 1:
        return _NEVER
    if kinds == {True}:
        likeness = code_likeness("\n".join(english.texts), "\n".join(copy.texts))
        return CODE * (likeness - _ALIKE) / (1 - _ALIKE)
    if not copy.is_chinese:
        # The copy has no Chinese here, so it can only be the same English, left untranslated.
        # ``share`` is Dice's coefficient of the words.
        both = (english.english & copy.english).total()
        share = 2 * both / max(1, english.english.total() + copy.english.total())
        return _ENGLISH if share > _SAME else _NEVER
    likeness = similar(english.texts, copy.texts)
    return _MEANING * (likeness - _CHANCE) + _length(english.words, copy.words)


def _length(english: int, chinese: int) -> float:
    """Return the score of two passages by their lengths.

    ``english`` is the number of English words. ``chinese`` is the number of Chinese characters,
    plus the English words in the copy. In translations, ``chinese / english`` is nearly constant.
    """
    if not english or not chinese:
        return _LENGTH_AT_LEAST
    # Compare how probable the logarithm of this ratio is in translations and in unrelated texts,
    # both with a normal distribution. The ratio varies more in short texts.
    spread = _SPREAD * (1.0 + 0.8 * _SHORT / (_SHORT + english))
    distance = log(chinese / english) - _MEAN
    fits = -0.5 * (distance / spread) ** 2 - log(spread)
    chance = -0.5 * (distance / _ANY) ** 2 - log(_ANY)
    return max(_LENGTH_AT_LEAST, fits - chance)


def code_likeness(ours: str, theirs: str) -> float:
    """Return the share of lines that two pieces of code have in common, 0 to 1.

    If ``theirs`` has lost its line breaks, return the share of the lines of ``ours`` that it
    contains.
    """
    lines = code_lines(ours)
    if not lines:
        return float(ours.split() == theirs.split())
    found = lines_in(theirs, frozenset(lines))
    shared = (Counter(lines) & found).total()
    is_single = "\n" not in theirs.strip()
    whole = len(lines) if is_single else max(len(lines), len(code_lines(theirs)))
    return shared / whole
