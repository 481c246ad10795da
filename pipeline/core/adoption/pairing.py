"""How well a passage of a copy fits a passage of the English, as a sum of what speaks for it.

What a sentence encoder says of the meaning counts most, then the length. 0 is as good as chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

from pipeline.core.adoption.blocks import Block, BlockKind
from pipeline.core.adoption.evidence import (
    HAN,
    code_lines,
    count_han,
    english_words,
    lines_in,
)
from pipeline.core.document.prose import count_words

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
        return sum(map(_count, self.blocks))

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


def _count(block: Block) -> int:
    """Return the words of a block, or its Chinese characters.

    A link in the mark-up of another language may look like one atom without words.
    """
    return count_words(block.text, block.markup) or count_han(block.text)
