"""Which old and new texts are alike, letter by letter.

The further apart two texts stand, the more alike they must be.

Texts are looked up by their rare words, so that letters are compared only where words already
agree. Whoever changes a threshold here runs ``JAX_DOCS_WHOLE=1 pytest
tests/core/catalog/test_release_chain.py -rP``, which prints what happens from release to release,
and reads the fuzzy matches.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from rapidfuzz import fuzz

from pipeline.core.catalog.change import plain_text

# Percent of rapidfuzz's ratio, by length in characters. Below the cutoff the old translation helps
# nobody. In short texts few letters make another meaning.
CUTOFFS = ((24, 85.0), (60, 70.0))
CUTOFF = 60.0
# A shorter text is compared with all others that are as short, because one word may be all that
# they share.
SHORT = 24
# How much more alike a text must be than one of the same page:
KIN = 2.0  # if it stands on a page that this one was made from,
STRANGER = 15.0  # and if it stands on any other
# Texts that clearly come from a page make it one that this page was made from.
SEVERAL = 2

_WORD = re.compile(r"\w+")
_RARE = 12  # words of a text that are looked up, the rarest ones
_COMMON = 150  # texts; a word that more of them have tells nothing
_CANDIDATES = 12  # texts that letters are compared with


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """An English text of a page.

    It is ``free`` if it is gone from there, so that its translation may go to one other text.
    """

    page: str
    text: str
    free: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A new and an old text, by index, that are alike enough."""

    new: int
    old: int
    ratio: float
    spare: float  # how much the ratio is above the cutoff for their length


def find_alike(new: Sequence[Text], old: Sequence[Text]) -> list[Pair]:
    """All pairs whose ratio reaches the cutoff, wherever they stand.

    Mark-up does not count: "see {func}`jax.jit`" and "see `jax.jit`" are equal here.
    """
    pairs: list[Pair] = []
    places: dict[str, list[int]] = defaultdict(list)
    for source, old_text in enumerate(old):
        places[plain_text(old_text.text)].append(source)
    index = _Index(list(places))
    for target, new_text in enumerate(new):
        plain = plain_text(new_text.text)
        cutoff = _cutoff(plain)
        for similar in index.candidates(plain):
            ratio = fuzz.ratio(plain, similar, score_cutoff=cutoff)
            if not ratio:
                continue
            spare = ratio - cutoff
            pairs += [
                Pair(new=target, old=source, ratio=ratio, spare=spare)
                for source in places[similar]
            ]
    return pairs


def near_pages(
    new: Sequence[Text],
    old: Sequence[Text],
    *,
    kin: Mapping[str, Collection[str]],
    alike: Iterable[Pair],
) -> dict[str, tuple[str, ...]]:
    """For each page of ``new`` those that its text probably comes from, the likeliest first.

    These are the page itself, its kin, and pages that several of its texts clearly come from,
    though none as it was.
    """
    clear: dict[tuple[str, str], set[int]] = defaultdict(set)
    for pair in alike:
        if old[pair.old].free and pair.spare >= STRANGER:
            clear[new[pair.new].page, old[pair.old].page].add(pair.new)
    near = {text.page: [text.page, *kin.get(text.page, ())] for text in new}
    for (page, source), texts in sorted(
        clear.items(), key=lambda item: (-len(item[1]), item[0])
    ):
        if len(texts) >= SEVERAL:
            near[page].append(source)
    return {page: tuple(dict.fromkeys(pages)) for page, pages in near.items()}


def distance(new: Text, old: Text, near: Mapping[str, Collection[str]]) -> float:
    """What is taken off the ratio of two texts for where they stand.

    ``near`` is what ``near_pages`` gives. Infinite: the two are no pair, however alike.
    """
    is_same_page = old.page == new.page
    if not old.free:
        # What still stands on the page is another item of the same list, however alike. What
        # stands on another page has not moved, but may have been copied.
        return inf if is_same_page else STRANGER
    if is_same_page:
        return 0.0
    # A text that is gone from a page far away may be gone for good.
    return KIN if old.page in near[new.page] else STRANGER


def _cutoff(text: str) -> float:
    """The ratio that a pair must reach if ``text`` is its new one: the shorter, the higher."""
    for length, cutoff in CUTOFFS:
        if len(text) < length:
            return cutoff
    return CUTOFF


class _Index:
    """Finds the few texts that share rare words with a given one."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._short = [text for text in texts if len(text) < SHORT]
        self._places: dict[str, list[int]] = defaultdict(list)
        for at, text in enumerate(texts):
            for word in _words(text):
                self._places[word].append(at)

    def candidates(self, text: str) -> Iterator[str]:
        """The texts worth comparing, the likeliest first; for a very short one every short one.

        Those are texts that share some of the rarest words of ``text``.
        """
        if len(text) < SHORT:
            yield from self._short
            return
        known = list(_words(text) & self._places.keys())
        known.sort(key=lambda word: (len(self._places[word]), word))
        shared: Counter[int] = Counter()
        for word in known[:_RARE]:
            if len(self._places[word]) <= _COMMON:
                shared.update(self._places[word])

        def rank(at: int) -> tuple[int, int, int]:
            """Most words shared first, then the most similar length."""
            return -shared[at], abs(len(self._texts[at]) - len(text)), at

        for at in sorted(shared, key=rank)[:_CANDIDATES]:
            yield self._texts[at]


def _words(text: str) -> set[str]:
    """The words of a text, whatever their case: ``"See jax.jit"`` has ``see``, ``jax``, ``jit``."""
    return set(_WORD.findall(text.casefold()))
