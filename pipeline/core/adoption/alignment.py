"""Which passage of a copy is the translation of which message: a monotone alignment.

Both sides are rows of blocks. Blocks are paired from the first to the last, never crosswise, so
that the sum of the scores of all pairs is the largest. What fits nothing is left over on its side.
A pair may have several blocks on one of its sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, takewhile
from math import exp
from typing import NamedTuple

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
# Characters and words of Chinese by English words: in a pair of several blocks there are no fewer …
_SHORTEST_SHARE, _LONGEST_SHARE = 0.6, 4.5  # … and no more
# Likeness from which on English is a message, whatever became of its mark-up.
_ECHO = 0.85
# Messages that stand beside their translations; so many do on purpose.
_FEWEST_ECHOES = 3
_FEWEST_MOVED = (
    3  # blocks that are left over on either side: fewer are no section that moved
)
_MOVED = 5.0  # score of a pair that belongs together wherever it stands
_SLACK = 12  # blocks by which an alignment may leave the way that anchors show
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
        """The score as a probability, 0 to 1.

        A score of 0 is one half. Scores beyond 30 would be 1 in a float in any case.
        """
        return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, self.score))))


def align(
    english: Sequence[Block], copy: Sequence[Block], scorer: Scorer
) -> list[Pair]:
    """Pair the blocks of both rows. What is left over is a pair with an empty side.

    English that stands beside its translation is left out of it. What a copy has in another place
    comes where the copy has it.
    """
    echoes = find_echoes(english, copy, scorer)
    kept = [column for column in range(len(copy)) if column not in echoes]
    whole = range(len(english))
    pairs = _align_some(english, copy, scorer, rows=whole, columns=kept)
    return _with_moved(pairs, english, copy, scorer)


def _align_some(
    english: Sequence[Block],
    copy: Sequence[Block],
    scorer: Scorer,
    *,
    rows: Sequence[int],
    columns: Sequence[int],
) -> list[Pair]:
    """Pair some blocks of both sides, by their numbers, as if there were no others."""
    ours, theirs = [english[row] for row in rows], [copy[column] for column in columns]
    pairs: list[Pair] = []
    for pair in _Aligning(ours, theirs, scorer).pairs():
        numbers = tuple(rows[at] for at in pair.english)
        others = tuple(columns[at] for at in pair.copy)
        pairs.append(replace(pair, english=numbers, copy=others))
    return pairs


def _with_moved(
    pairs: Sequence[Pair],
    english: Sequence[Block],
    copy: Sequence[Block],
    scorer: Scorer,
) -> list[Pair]:
    """An alignment in which also those belong together that a copy has in another order.

    What is left over on both sides is aligned once more, and what is clear is taken. The pairs come
    in the order of the copy.
    """
    rows = [pair.english[0] for pair in pairs if not pair.copy]
    columns = [pair.copy[0] for pair in pairs if not pair.english]
    if min(len(rows), len(columns)) < _FEWEST_MOVED:
        return list(pairs)
    again = _align_some(english, copy, scorer, rows=rows, columns=columns)
    moved = _clear_runs(again)
    # What a pair has found takes the place of what was left over of either side.
    by_column = {column: pair for pair in moved for column in pair.copy}
    found = dict.fromkeys(row for pair in moved for row in pair.english)
    result: dict[Pair, None] = {}
    for pair in pairs:
        if pair.copy:
            # Of several blocks of one pair the first has its place; all but one would be doubles.
            result[by_column.get(pair.copy[0], pair)] = None
        elif pair.english[0] not in found:
            result[pair] = None
    return list(result)


def find_echoes(
    english: Sequence[Block], copy: Sequence[Block], scorer: Scorer
) -> frozenset[int]:
    """The blocks of a copy, by number, that repeat the English beside its translation.

    There are none in a page that is translated by half: there what stands beside a message in
    English is the translation of the next one.
    """
    messages = _messages(english)
    echoes: dict[int, int] = {}
    for column, block in enumerate(copy):
        row = _echoed(block, messages)
        if row is not None:
            echoes[column] = row
    # The translation stands behind its English all over the page, or before it.
    for step in (1, -1):
        beside = [
            column
            for column, row in echoes.items()
            if _is_beside(row, column, step, english, copy, scorer)
        ]
        if len(beside) >= _FEWEST_ECHOES and 2 * len(beside) > len(echoes):
            return frozenset(beside)
    return frozenset()


def _messages(english: Sequence[Block]) -> dict[int, Counter[str]]:
    """The words of each block that people translate, by its number.

    Code and formulas are left out: a copy repeats them, and translates them nowhere.
    """
    messages: dict[int, Counter[str]] = {}
    for row, block in enumerate(english):
        if block.is_words:
            messages[row] = _words(block)
    return messages


def _echoed(block: Block, messages: Mapping[int, Counter[str]]) -> int | None:
    """The message, by number, that a block of a copy repeats in English; None if it does not.

    Of messages that are equal it is the first. The mark-up may be another one: a web page has
    links where upstream has roles.
    """
    words = _words(block)
    is_english = block.is_words and not Passage((block,)).is_chinese
    if not is_english or not words:
        return None
    likenesses: dict[int, float] = {}
    for row, message in messages.items():
        likenesses[row] = _likeness(words, message)
    best = max(likenesses, key=likenesses.__getitem__, default=-1)
    return best if likenesses.get(best, 0.0) >= _ECHO else None


def _is_beside(
    row: int,
    column: int,
    step: int,
    english: Sequence[Block],
    copy: Sequence[Block],
    scorer: Scorer,
) -> bool:
    """Whether the block next to ``column`` translates a message rather than the one next to it.

    ``row`` is the message that ``column`` repeats; ``step`` is 1 for what stands behind it, and -1
    for what stands before it.
    """
    beside = _at(copy, column + step)
    if beside is None or not beside.is_words:
        return False
    translation = Passage((beside,))
    if not translation.is_chinese:
        return False
    score = scorer.score(Passage((english[row],)), translation)
    other = _at(english, row + step)
    if other is None:
        return score > 0
    return score > scorer.score(Passage((other,)), translation)


def _at(blocks: Sequence[Block], number: int) -> Block | None:
    """A block by its number; None before the first and behind the last one.

    A negative number would count from the end.
    """
    if not 0 <= number < len(blocks):
        return None
    return blocks[number]


def _words(block: Block) -> Counter[str]:
    """How often each English word stands in a block, whatever its mark-up.

    So a web page's rendering of a message is like the message.
    """
    return Counter(english_words(plain_text(block.text)))


def _likeness(ours: Counter[str], theirs: Counter[str]) -> float:
    """Which share of the words of two texts is in both, 0 to 1.

    Dice's coefficient: twice what they share, by what both have.
    """
    return 2 * (ours & theirs).total() / max(1, ours.total() + theirs.total())


def _clear_runs(pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs that stand side by side with one that is clear, on both sides: a section moves.

    A short heading says too little to be known by itself, and is known by what stands below it.
    """
    runs: list[list[Pair]] = [[]]
    for pair in filter(_is_in_one_piece, pairs):
        if runs[-1] and not _is_next(runs[-1][-1], pair):
            runs.append([])
        runs[-1].append(pair)
    result: list[Pair] = []
    for run in runs:
        best = max((pair.score for pair in run), default=0.0)
        if best >= _MOVED:
            result += [pair for pair in run if pair.score > 0]
    return result


def _is_in_one_piece(pair: Pair) -> bool:
    """Whether a pair has blocks on both sides, and none of another pair between them.

    ``(3, 4)`` is in one piece, ``(3, 7)`` is not.
    """
    for numbers in (pair.english, pair.copy):
        if not numbers or numbers[-1] - numbers[0] != len(numbers) - 1:
            return False
    return True


def _is_next(last: Pair, pair: Pair) -> bool:
    """Whether nothing stands between two pairs, on either side.

    Then the copy goes on where it was, as the English does.
    """
    is_next_row = pair.english[0] == last.english[-1] + 1
    return is_next_row and pair.copy[0] == last.copy[-1] + 1


class _Step(NamedTuple):
    """How many blocks of either side come next, and the score if they are a pair."""

    ours: int
    theirs: int
    score: float = 0.0


_LEFT_OVER = (_Step(1, 0), _Step(0, 1))  # a block of either side that fits nothing


class _Ways:
    """The best ways from the beginning to each place of the two rows.

    A place is how many blocks of either side lie behind it: ``row`` and ``column``. For each row
    ``bands`` has the first and the last column that a way may go through.
    """

    def __init__(self, bands: Sequence[tuple[int, int]]) -> None:
        self._bands = bands
        self._best: list[dict[int, float]] = [{} for _ in bands]
        # The last step of the best way to each place.
        self.steps: list[dict[int, _Step]] = [{} for _ in bands]
        self._best[0][0] = 0.0

    def places(self) -> Iterator[tuple[int, int]]:
        """All places: none before the places that a way comes to it from.

        A step leads to a higher row, or to a higher column of the same row.
        """
        for row, (low, high) in enumerate(self._bands):
            for column in range(low, high + 1):
                yield row, column

    def leads_on(self, row: int, column: int) -> bool:
        """Whether ways go through a place.

        Outside of the bands there are none: an alignment that far from all anchors is no good one.
        """
        if row >= len(self._bands):
            return False
        low, high = self._bands[row]
        return low <= column <= high

    def go(self, row: int, column: int, step: _Step, worth: float) -> None:
        """Go on from a place, unless a way leads there that is worth as much."""
        there, then = row + step.ours, column + step.theirs
        if not self.leads_on(there, then):
            return
        # Every place of a band can be reached, so that it has a best way already.
        total = self._best[row][column] + worth
        if total > self._best[there].get(then, float("-inf")):
            self._best[there][then] = total
            self.steps[there][then] = step


class _Aligning:
    """One alignment of a page and a copy, with the passages that were looked at."""

    def __init__(
        self, english: Sequence[Block], copy: Sequence[Block], scorer: Scorer
    ) -> None:
        self.english = english
        self.copy = copy
        self.scorer = scorer
        self.ours = lru_cache(maxsize=None)(self._our_passage)
        self.theirs = lru_cache(maxsize=None)(self._their_passage)

    def _our_passage(self, start: int, count: int) -> Passage:
        """``count`` blocks of the English from number ``start`` on."""
        return Passage(tuple(self.english[start : start + count]))

    def _their_passage(self, start: int, count: int) -> Passage:
        """``count`` blocks of the copy from number ``start`` on."""
        return Passage(tuple(self.copy[start : start + count]))

    def pairs(self) -> list[Pair]:
        """The alignment, from the first block to the last.

        Every block is in one pair. What fits nothing is in a pair with nothing on the other side.
        """
        ways = _Ways(self._bands())
        for row, column in ways.places():
            for step in _LEFT_OVER:
                ways.go(row, column, step, -_GAP)
            for ours, theirs in self._shapes(row, column):
                if not ways.leads_on(row + ours, column + theirs):
                    continue  # scores take nearly all of the time
                score = self._score(row, ours, column, theirs)
                if score > _FLOOR:
                    ways.go(row, column, _Step(ours, theirs, score), score)
        return self._backwards(ways.steps)

    def _backwards(self, steps: Sequence[Mapping[int, _Step]]) -> list[Pair]:
        """The pairs of the best way, which is known from its end.

        ``steps`` has for each place the step by which the best way comes to it.
        """
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
        """The score of a pair that takes so many blocks of either side.

        One to one is the rule. Each further block must be worth what it costs.
        """
        score = self.scorer.score(self.ours(row, ours), self.theirs(column, theirs))
        return score + _USUAL - _MORE * (ours + theirs - 2)

    def _shapes(self, row: int, column: int) -> Iterator[tuple[int, int]]:
        """How many blocks of either side may make a pair that begins here.

        One to one always; code with code, and words with words, also several to one.
        """
        if row == len(self.english) or column == len(self.copy):
            return
        yield 1, 1
        ours, theirs = self.english[row], self.copy[column]
        is_code = ours.kind is theirs.kind is BlockKind.CODE
        are_words = ours.is_words and theirs.is_words
        if is_code or are_words:
            yield from self._several_messages(row, column)
            yield from self._several_parts(row, column)

    def _several_messages(self, row: int, column: int) -> Iterator[tuple[int, int]]:
        """Shapes of one block of the copy that is long enough for several messages.

        Items of a list and cells of a table are short: there many may have become one paragraph.
        """
        first = self.english[row]
        limit = _MOST_ALIKE if first.message in _SMALL else _MOST
        alike = _count_alike(self.english[row : row + limit])
        for count in range(2, alike + 1):
            needed = _SHORTEST_SHARE * self.ours(row, count).words
            if first.is_words and self.theirs(column, 1).words < needed:
                return
            yield count, 1

    def _several_parts(self, row: int, column: int) -> Iterator[tuple[int, int]]:
        """Shapes of one message that is long enough for several blocks of the copy.

        Whoever writes for a blog cuts paragraphs, between sentences.
        """
        first = self.copy[column]
        alike = _count_alike(self.copy[column : column + _MOST])
        for count in range(2, alike + 1):
            room = _LONGEST_SHARE * self.ours(row, 1).words
            if first.is_words and self.theirs(column, count).words > room:
                return
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
        """Blocks that are certain to belong together: code that stands once on either side.

        Of code that was moved only those count that leave the longest row in order.
        """
        ours, theirs = _code_once(self.english), _code_once(self.copy)
        return _rising([(ours[code], theirs[code]) for code in ours if code in theirs])


def _code_once(blocks: Sequence[Block]) -> dict[str, int]:
    """Code without white space that stands once in a row of blocks, with the block's number.

    ``import jax`` in two cells of a page is no anchor: nobody knows which is which. White space
    does not count, for copies have code on a single line.
    """
    places: dict[str, list[int]] = {}
    for number, block in enumerate(blocks):
        if block.kind is BlockKind.CODE:
            places.setdefault("".join(block.text.split()), []).append(number)
    return {code: found[0] for code, found in places.items() if len(found) == 1}


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest row of pairs that rises on both sides.

    ``(0, 4), (1, 0), (2, 1)`` → ``(1, 0), (2, 1)``: the first one has been moved.
    """
    best: list[list[tuple[int, int]]] = []
    for pair in pairs:
        before = [row for row in best if row[-1][1] < pair[1]]
        longest = max(before, key=len, default=[])
        best.append([*longest, pair])
    return max(best, key=len, default=[])


def _count_alike(blocks: Sequence[Block]) -> int:
    """How many of the blocks, from the first on, may be in one passage with it.

    A heading is one by itself.
    """
    first = blocks[0]
    if first.kind is BlockKind.HEADING:
        return 1
    kinds = [(block.kind, block.message) for block in blocks]
    alike = takewhile(lambda kind: kind == kinds[0], kinds)
    return len(list(alike))
