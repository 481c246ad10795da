"""Which Chinese goes with which English words, learnt from the translations that exist.

Pairs of a message and its translation go in. A word goes with a piece of Chinese if the two stand
in the same pairs far more often than chance would have it. The glossary adds what is agreed on. No
word of it is ever shown to anybody: it only tells which paragraphs belong together.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from math import log

from pipeline.core.adoption.evidence import english_words
from pipeline.core.document.prose import CJK

Pair = tuple[str, str]  # a message and its translation

_HAN_RUN = re.compile(f"[{CJK}]+")
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "es", "ed", "s", "e")
_SHORTEST_STEM = 4
_SHORT_WORD = 2  # letters: "of", "is"
_COMMON = 0.25  # share of all messages; a word that more of them have tells nothing
_TOGETHER = 3  # pairs in which two have to stand together
_SHARE = 0.2  # of the messages with the word must have the Chinese
_LIFT = 3.0  # so many times more often than by chance
_PARTNERS = 12  # pieces of Chinese that are kept for a word, the surest ones
_AGREED = 0.9  # how sure a row of the glossary is


@dataclass(frozen=True, slots=True)
class Lexicon:
    """For each word (``stem``) the pieces of Chinese that go with it, each with how sure that is.

    ``weights`` says how much a word tells: rare ones more.
    """

    partners: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)

    def knows(self, word: str) -> bool:
        """Whether any Chinese goes with the word.

        Of most words it does not: those that are rare, or everywhere.
        """
        return word in self.partners

    def strength(self, word: str, pieces: frozenset[str]) -> float:
        """How surely any of the ``pieces`` is there because the word is, 0 to 1.

        The surest one counts: one translation of a word is enough.
        """
        partners = self.partners[word]
        there = [partners[piece] for piece in partners if piece in pieces]
        return max(there, default=0.0)


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """A word without its ending: ``compiled`` and ``compiles`` are both ``compil`` here.

    Of a short word nothing is taken away: ``bus`` is no plural.
    """
    for ending in _ENDINGS:
        bare = word.removesuffix(ending)
        if bare != word and len(bare) >= _SHORTEST_STEM:
            return bare
    return word


@lru_cache(maxsize=1 << 14)
def stems_of(text: str) -> frozenset[str]:
    """The words of an English text as stems, without those of one or two letters.

    They tell nothing: ``of``, ``is``, ``we``.
    """
    words = (word for word in english_words(text) if len(word) > _SHORT_WORD)
    return frozenset(map(stem, words))


@lru_cache(maxsize=1 << 14)
def pieces_of(text: str) -> frozenset[str]:
    """The pieces of a Chinese text, any two characters side by side.

    ``即时编译`` → ``即时``, ``时编``, ``编译``. Nobody need know where its words begin.
    """
    pieces: set[str] = set()
    for run in _HAN_RUN.findall(text):
        pieces.update(map("".join, pairwise(run)))
    return frozenset(pieces)


def learn(
    pairs: Sequence[Pair],
    terms: Iterable[Pair],
    *,
    english: Iterable[str],
    chinese: Iterable[str],
) -> Lexicon:
    """The lexicon for the words of some ``english`` texts and the pieces of some ``chinese`` ones.

    ``pairs`` are translations that exist, ``terms`` the rows of the glossary.
    """
    words = frozenset[str]().union(*map(stems_of, english))
    pieces = frozenset[str]().union(*map(pieces_of, chinese))
    with_word = _pairs_with(stems_of(message) & words for message, _ in pairs)
    with_piece = _pairs_with(pieces_of(chinese) & pieces for _, chinese in pairs)
    partners: dict[str, dict[str, float]] = {}
    weights: dict[str, float] = {}
    total = max(2, len(pairs))
    for word, found in with_word.items():
        count = found.bit_count()
        if count <= _COMMON * total:
            partners[word] = _partners_of(found, with_piece, total)
            weights[word] = min(1.0, log(total / count) / log(total))
    for word, agreed in _agreed(terms):
        if word in words:
            known = partners.setdefault(word, {})
            known.update(dict.fromkeys(agreed & pieces, _AGREED))
            weights.setdefault(word, 1.0)
    useful = {word: found for word, found in partners.items() if found}
    return Lexicon(useful, weights)


def _agreed(terms: Iterable[Pair]) -> Iterator[tuple[str, frozenset[str]]]:
    """The words of the glossary with the pieces of their Chinese.

    Of a term of several words nobody knows which of them is which part of the Chinese.
    """
    for term, rendering in terms:
        if " " not in term:
            for word in stems_of(term):
                yield word, pieces_of(rendering)


def _pairs_with(parts: Iterable[frozenset[str]]) -> dict[str, int]:
    """For each word, or piece, the pairs that have it.

    A set of numbers is one large integer: intersections take next to no time. Pair 3 is bit 3.
    """
    having: dict[str, int] = defaultdict(int)
    for number, found in enumerate(parts):
        for part in found:
            having[part] |= 1 << number
    return having


def _partners_of(
    found: int, with_piece: Mapping[str, int], total: int
) -> dict[str, float]:
    """The pieces of Chinese that go with a word that stands in the pairs ``found``.

    They must stand with it often enough, and more often than by chance.
    """
    count = found.bit_count()
    sure: dict[str, float] = {}
    for piece, others in with_piece.items():
        together = (found & others).bit_count()
        if together < max(_TOGETHER, _SHARE * count):
            continue
        if together * total >= _LIFT * count * others.bit_count():
            sure[piece] = min(1.0, 1.1 * together / count)
    best = sorted(sure.items(), key=lambda item: (-item[1], item[0]))
    return dict(best[:_PARTNERS])
