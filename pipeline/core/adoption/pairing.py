"""How well a passage of a copy fits a passage of the English, as a sum of what speaks for it.

Each part is the logarithm of how much likelier something is in a translation than in any other
paragraph: names and numbers that are there or not, the length, words that go with each other, and,
where one is installed, what a sentence encoder says. 0 is as good as chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

from pipeline.core.adoption.blocks import Block, BlockKind
from pipeline.core.adoption.evidence import (
    HAN,
    code_lines,
    count_han,
    english_words,
    lasting_tokens,
    lines_in,
    tokens_of,
)
from pipeline.core.adoption.lexicon import Lexicon, pieces_of, stems_of
from pipeline.core.document.message import Kind
from pipeline.core.document.prose import count_words

# The logarithm of Chinese characters by English words: its mean and its spread, of a translation
# and of two paragraphs that have nothing to do with each other.
_MEAN, _SPREAD, _ANY = 0.58, 0.33, 1.1
_SHORT = 6.0  # words; the length of a shorter text varies more
_HIT, _MISS = 1.3, -0.8  # of a word whose Chinese is there, or is not
_WORDS_AT_MOST = 9.0  # nats that all words together may give or take
_TOKEN = 0.55  # of how rare a token is, for each that is in both
_FOREIGN = 0.5  # … for one that the English has not
_LOST = 0.5  # … for one that a translation keeps, and that is not there
_OWN = 0.4  # … for one that the page has nowhere
_UNKNOWN_TOKEN, _RAREST = (
    2.5,
    3.5,
)  # how rare a token is that nobody counted, and at most
_TOKENS_AT_MOST = 14.0
_NO_LENGTH, _LENGTH_AT_LEAST = -4.0, -6.0  # of a text without words, and at the worst
_HEADING = {(True, True): 1.2, (True, False): -2.2, (False, True): -2.0}
_CELL = {(True, True): 0.5, (True, False): -0.7, (False, True): -0.7}
_NEVER = -99.0
_ENGLISH = 9.0  # for English that is the very message
_CODE = 9.0  # for two blocks of code that are equal
_MATH = 5.0
_WORDLESS = frozenset({BlockKind.CODE, BlockKind.MATH, BlockKind.IMAGE})
_ALIKE = 0.3  # share of lines that two blocks of code must have in common
_ENCODED, _CHANCE = (
    14.0,
    0.5,
)  # what the encoder's similarity weighs, and where it is chance

# How alike two rows of texts are in what they mean, 0 to 1.
Similar = Callable[[Sequence[str], Sequence[str]], float]


@dataclass(frozen=True, eq=False)
class Passage:
    """Some blocks in a row, of either side, with what is known of their words."""

    blocks: tuple[Block, ...]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The words of each block, in order: what an encoder reads.

        Each by itself: several of them are not read again in other company.
        """
        return tuple(block.text for block in self.blocks)

    @cached_property
    def text(self) -> str:
        """The words of all blocks."""
        return " ".join(self.texts)

    @cached_property
    def code(self) -> str:
        """The source of its blocks as one piece, if they are code."""
        return "\n".join(self.texts)

    @cached_property
    def tokens(self) -> frozenset[str]:
        """Its names and numbers."""
        return frozenset(map(_bare, tokens_of(self.text)))

    @cached_property
    def lasting(self) -> frozenset[str]:
        """Those of English that a translation keeps."""
        lasting: set[str] = set()
        for block in self.blocks:
            lasting |= lasting_tokens(block.text, block.markup)
        return frozenset(map(_bare, lasting))

    @cached_property
    def words(self) -> float:
        """How many words of English it has, or how many characters and words of Chinese."""
        return float(sum(map(_count, self.blocks)))

    @cached_property
    def stems(self) -> frozenset[str]:
        """Its English words."""
        return stems_of(self.text)

    @cached_property
    def pieces(self) -> frozenset[str]:
        """Its Chinese, cut into pieces."""
        return pieces_of(self.text)

    @cached_property
    def is_chinese(self) -> bool:
        """Whether there is any Chinese in it."""
        return HAN.search(self.text) is not None

    @cached_property
    def english(self) -> tuple[str, ...]:
        """Its English words, in order."""
        return tuple(english_words(self.text))


@dataclass(kw_only=True)
class Scorer:
    """Scores pairs of passages of one page and one copy."""

    lexicon: Lexicon
    rarity: Mapping[str, float]  # of a token: the logarithm of how few messages have it
    kept: float = 1.0  # share of the tokens that the copy keeps
    has_headings: bool = True  # False: those of the copy look like paragraphs
    similar: Similar | None = None

    def score(self, english: Passage, copy: Passage) -> float:
        """How much likelier it is that one is the translation of the other than that it is not."""
        kinds = english.blocks[0].kind, copy.blocks[0].kind
        if not _WORDLESS.isdisjoint(kinds):
            return _wordless_score(english, copy)
        if not copy.is_chinese:
            return self._english_score(english, copy)
        if not all(map(_is_chinese, copy.blocks)):
            return _NEVER
        score = self._tokens(english, copy) + self._length(english, copy)
        score += self._lexical(english, copy) + self._kinds(english, copy)
        if self.similar is not None:
            likeness = self.similar(english.texts, copy.texts)
            score += _ENCODED * (likeness - _CHANCE)
        return score

    def _tokens(self, english: Passage, copy: Passage) -> float:
        """What names and numbers say: those that both have speak for a pair, others against it."""
        total = 0.0
        for token in copy.tokens:
            rarity = self.rarity.get(token, _UNKNOWN_TOKEN)
            if token in english.tokens:
                total += _TOKEN * rarity
            elif token in self.rarity:
                total -= _FOREIGN * rarity
            else:
                total -= _OWN  # it is nowhere on the page: the translator's own
        for token in english.lasting - copy.tokens:
            total -= _LOST * self.kept * self.rarity.get(token, _UNKNOWN_TOKEN)
        return max(-_TOKENS_AT_MOST, min(_TOKENS_AT_MOST, total))

    def _length(self, english: Passage, copy: Passage) -> float:
        """What lengths say: their ratio is nearly the same all over a translation."""
        if not english.words or not copy.words:
            return _NO_LENGTH
        spread = _SPREAD * (1.0 + 0.8 * _SHORT / (_SHORT + english.words))
        distance = log(copy.words / english.words) - _MEAN
        fits = -0.5 * (distance / spread) ** 2 - log(spread)
        chance = -0.5 * (distance / _ANY) ** 2 - log(_ANY)
        return max(_LENGTH_AT_LEAST, fits - chance)

    def _lexical(self, english: Passage, copy: Passage) -> float:
        """What words say: whether the Chinese is there that goes with those of the English."""
        total = 0.0
        for word in english.stems:
            if not self.lexicon.knows(word):
                continue
            strength = self.lexicon.strength(word, copy.pieces)
            weight = self.lexicon.weights[word]
            total += weight * (strength * _HIT + (1 - strength) * _MISS)
        return max(-_WORDS_AT_MOST, min(_WORDS_AT_MOST, total))

    def _kinds(self, english: Passage, copy: Passage) -> float:
        """What the kinds of block say: headings stay headings, most of the time.

        A table that became a list, or a heading in bold, does happen.
        """
        ours, theirs = english.blocks[0], copy.blocks[0]
        is_heading = ours.kind is BlockKind.HEADING, theirs.kind is BlockKind.HEADING
        score = _HEADING.get(is_heading, 0.0) if self.has_headings else 0.0
        is_cell = ours.message is Kind.TABLE_CELL, theirs.message is Kind.TABLE_CELL
        return score + _CELL.get(is_cell, 0.0)

    def _english_score(self, english: Passage, copy: Passage) -> float:
        """Of a passage that was left in English: it is the message itself, or another one."""
        ours, theirs = Counter(english.english), Counter(copy.english)
        shared = (ours & theirs).total()
        share = 2 * shared / max(1, ours.total() + theirs.total())
        return _ENGLISH * (share - 0.6) / 0.4 if shared else -9.0


def _wordless_score(english: Passage, copy: Passage) -> float:
    """Of passages that are no words, one of them at least: like goes with like."""
    kind, other = english.blocks[0].kind, copy.blocks[0].kind
    if kind is not other:
        return _NEVER
    if kind is BlockKind.CODE:
        likeness = code_likeness(english.code, copy.code)
        return _CODE * (likeness - _ALIKE) / (1 - _ALIKE)
    # Formulas and images are the same, or they are not.
    is_same = "".join(english.text.split()) == "".join(copy.text.split())
    return _MATH if is_same else -_MATH / 2


def code_likeness(ours: str, theirs: str) -> float:
    """Which share of the lines of two pieces of code is in both, 0 to 1.

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


def rarity_of(passages: Sequence[Passage]) -> dict[str, float]:
    """How rare each token of a page is: the logarithm of passages by those that have it.

    A name that stands in all of them tells nothing about any of them.
    """
    counts: Counter[str] = Counter()
    for passage in passages:
        counts.update(passage.tokens)
    total = len(passages) + 1
    rarity: dict[str, float] = {}
    for token, count in counts.items():
        rarity[token] = min(_RAREST, log(total / count))
    return rarity


def _bare(token: str) -> str:
    """A token in lower case and in the singular: ``JVPs`` → ``jvp``, but ``gas`` → ``gas``.

    Chinese has no plural, so that translators write ``JVP``.
    """
    token = token.lower()
    is_plural = len(token) > len("gas") and token.endswith("s")
    return token[:-1] if is_plural else token


def _count(block: Block) -> int:
    """The words of a block, or its Chinese characters.

    A link in the mark-up of another language may look like one atom without words.
    """
    words = count_words(block.text, block.markup)
    return words or count_han(block.text)


def _is_chinese(block: Block) -> bool:
    """Whether there is any Chinese in a block."""
    return HAN.search(block.text) is not None
