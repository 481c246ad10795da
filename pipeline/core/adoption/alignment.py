"""Which passage of a copy is the translation of which message: a monotone alignment.

Both sides are rows of blocks. Blocks are paired from the first to the last, never crosswise, so
that the sum of the scores of all pairs is the largest. What fits nothing is left over on its side.
A pair may have several blocks on one of its sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import exp

from pipeline.core.adoption.blocks import Block, BlockKind
from pipeline.core.adoption.evidence import english_words
from pipeline.core.adoption.pairing import Passage, Scorer
from pipeline.core.catalog.change import plain_text
from pipeline.core.document.message import Kind

_GAP = 0.4  # what a block that is left over costs
_USUAL = 1.5  # what speaks for any pair: most blocks of a translation have one
_FLOOR = -1.0  # a pair that scores less is none, wherever it stands
_MORE = 2.0  # what each further block of one side of a pair costs
_MOST = 3  # blocks on one side of a pair …
_MOST_ALIKE = 8  # … or so many, of items of a list or cells of a table
_ECHO = (
    0.85  # likeness from which on English is a message, whatever became of its mark-up
)
_FEWEST_ECHOES = (
    3  # messages that stand beside their translations: then it is on purpose
)
_SLACK = 12  # blocks by which an alignment may leave the way that anchors show
_SURE = 0.9  # likeness of code that makes an anchor
_SMALL = (Kind.LIST_ITEM, Kind.TABLE_CELL, Kind.TERM, Kind.DEFINITION)


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
        """The score as a probability, 0 to 1."""
        return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, self.score))))


def align(
    english: Sequence[Block], copy: Sequence[Block], scorer: Scorer
) -> list[Pair]:
    """Pair the blocks of both rows. What is left over is a pair with an empty side.

    English that stands beside its translation is left out of it.
    """
    echoes = find_echoes(english, copy, scorer)
    kept = [column for column in range(len(copy)) if column not in echoes]
    pairs = _Aligning(english, [copy[column] for column in kept], scorer).pairs()
    return [
        replace(pair, copy=tuple(kept[column] for column in pair.copy))
        for pair in pairs
    ]


def find_echoes(
    english: Sequence[Block], copy: Sequence[Block], scorer: Scorer
) -> frozenset[int]:
    """The blocks of a copy, by number, that repeat the English beside its translation.

    There are none in a page that is translated by half: there what stands beside a message in
    English is the translation of the next one.
    """
    echoes: dict[int, int] = {}
    messages = [
        (row, _words(block)) for row, block in enumerate(english) if block.is_words
    ]
    for column, block in enumerate(copy):
        words = _words(block)
        if block.is_words and words and not Passage((block,)).is_chinese:
            likeness, row = max(
                ((_likeness(words, message), -row) for row, message in messages),
                default=(0.0, 0),
            )
            if likeness >= _ECHO:
                echoes[column] = -row
    for step in (1, -1):
        beside = [
            column
            for column, row in echoes.items()
            if _is_beside(row, column, step, english, copy, scorer)
        ]
        if len(beside) >= _FEWEST_ECHOES and 2 * len(beside) > len(echoes):
            return frozenset(beside)
    return frozenset()


def _is_beside(
    row: int,
    column: int,
    step: int,
    english: Sequence[Block],
    copy: Sequence[Block],
    scorer: Scorer,
) -> bool:
    """Whether the block next to ``column`` translates a message rather than the one next to it."""
    other = column + step
    if not 0 <= other < len(copy) or not copy[other].is_words:
        return False
    candidate = Passage((copy[other],))
    if not candidate.is_chinese:
        return False
    own = scorer.score(Passage((english[row],)), candidate)
    if not 0 <= row + step < len(english):
        return own > 0
    return own > scorer.score(Passage((english[row + step],)), candidate)


def _words(block: Block) -> Counter[str]:
    return Counter(english_words(plain_text(block.text)))


def _likeness(ours: Counter[str], theirs: Counter[str]) -> float:
    """Which share of the words of two texts is in both, 0 to 1."""
    return 2 * (ours & theirs).total() / max(1, ours.total() + theirs.total())


class _Aligning:
    def __init__(
        self, english: Sequence[Block], copy: Sequence[Block], scorer: Scorer
    ) -> None:
        self.english = english
        self.copy = copy
        self.scorer = scorer
        self.ours = lru_cache(maxsize=None)(self._our_passage)
        self.theirs = lru_cache(maxsize=None)(self._their_passage)

    def _our_passage(self, start: int, count: int) -> Passage:
        return Passage(tuple(self.english[start : start + count]))

    def _their_passage(self, start: int, count: int) -> Passage:
        return Passage(tuple(self.copy[start : start + count]))

    def pairs(self) -> list[Pair]:
        """The alignment, from the first block to the last."""
        rows, columns = len(self.english), len(self.copy)
        bands = self._bands()
        best: list[dict[int, float]] = [{} for _ in range(rows + 1)]
        steps: list[dict[int, tuple[int, int, float]]] = [{} for _ in range(rows + 1)]
        best[0][0] = 0.0

        def reach(
            row: int, column: int, total: float, step: tuple[int, int, float]
        ) -> None:
            if total > best[row].get(column, float("-inf")):
                best[row][column] = total
                steps[row][column] = step

        for row in range(rows + 1):
            low, high = bands[row]
            for column in range(low, high + 1):
                total = best[row][column]  # every node of a band can be reached
                if row < rows and bands[row + 1][0] <= column <= bands[row + 1][1]:
                    reach(row + 1, column, total - _GAP, (1, 0, 0.0))
                if column < columns and column < high:
                    reach(row, column + 1, total - _GAP, (0, 1, 0.0))
                if row == rows or column == columns:
                    continue
                for ours, theirs in self._shapes(row, column):
                    low_then, high_then = bands[row + ours]
                    if not low_then <= column + theirs <= high_then:
                        continue
                    score = self._score(row, ours, column, theirs)
                    if score > _FLOOR:
                        reach(
                            row + ours,
                            column + theirs,
                            total + score,
                            (ours, theirs, score),
                        )
        return self._backwards(steps)

    def _backwards(
        self, steps: Sequence[dict[int, tuple[int, int, float]]]
    ) -> list[Pair]:
        row, column = len(self.english), len(self.copy)
        pairs: list[Pair] = []
        while row or column:
            ours, theirs, score = steps[row][column]
            row, column = row - ours, column - theirs
            pairs.append(
                Pair(
                    english=tuple(range(row, row + ours)),
                    copy=tuple(range(column, column + theirs)),
                    score=score,
                )
            )
        return pairs[::-1]

    def _score(self, row: int, ours: int, column: int, theirs: int) -> float:
        score = self.scorer.score(self.ours(row, ours), self.theirs(column, theirs))
        return score + _USUAL - _MORE * (ours + theirs - 2)

    def _shapes(self, row: int, column: int) -> Iterable[tuple[int, int]]:
        """How many blocks of either side may make a pair that begins here."""
        yield 1, 1
        ours, theirs = self.english[row], self.copy[column]
        if ours.kind is BlockKind.CODE and theirs.kind is BlockKind.CODE:
            yield from self._runs(row, column, limit=_MOST)
        elif ours.is_words and theirs.is_words:
            limit = _MOST_ALIKE if ours.message in _SMALL else _MOST
            yield from self._runs(row, column, limit=limit)

    def _runs(self, row: int, column: int, *, limit: int) -> Iterable[tuple[int, int]]:
        first = self.english[row]
        for count in range(2, limit + 1):
            if row + count > len(self.english) or not _goes_on(
                first, self.english[row + count - 1]
            ):
                break
            # The one block must be long enough for them all.
            if (
                first.is_words
                and self.theirs(column, 1).words < 0.6 * self.ours(row, count).words
            ):
                break
            yield count, 1
        first = self.copy[column]
        for count in range(2, _MOST + 1):
            if column + count > len(self.copy) or not _goes_on(
                first, self.copy[column + count - 1]
            ):
                break
            if (
                first.is_words
                and self.theirs(column, count).words > 4.5 * self.ours(row, 1).words
            ):
                break
            yield 1, count

    def _bands(self) -> list[tuple[int, int]]:
        """For each row the columns that an alignment may go through there."""
        rows, columns = len(self.english), len(self.copy)
        anchors = [(-1, 0), *self._anchors(), (rows, columns)]
        bands: list[tuple[int, int]] = []
        # Up to the block of an anchor the way comes from the one before it.
        for (row, column), (next_row, next_column) in pairwise(anchors):
            low = max(0, column - _SLACK)
            high = min(columns, next_column + _SLACK)
            bands += [(low, high)] * (next_row - row)
        return bands

    def _anchors(self) -> list[tuple[int, int]]:
        """Blocks that are certain to belong together: code that stands once on either side."""
        places: dict[str, list[int]] = {}
        for column, block in enumerate(self.copy):
            if block.kind is BlockKind.CODE:
                places.setdefault(_key(block), []).append(column)
        found: list[tuple[int, int]] = []
        keys = [
            _key(block) if block.kind is BlockKind.CODE else ""
            for block in self.english
        ]
        for row, key in enumerate(keys):
            if key and keys.count(key) == 1 and len(places.get(key, ())) == 1:
                found.append((row, places[key][0]))
        return _rising(found)


def _key(block: Block) -> str:
    return "".join(block.text.split())


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest row of pairs that rises on both sides."""
    best: list[list[tuple[int, int]]] = []
    for pair in pairs:
        before = [row for row in best if row[-1][1] < pair[1]]
        longest = max(before, key=len, default=[])
        best.append([*longest, pair])
    return max(best, key=len, default=[])


def _goes_on(first: Block, block: Block) -> bool:
    """Whether a block may be in one passage with the first one."""
    if first.kind is BlockKind.HEADING:
        return False
    return block.kind is first.kind and block.message is first.message
