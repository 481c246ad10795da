"""Which version of a page a copy was made from, as far as code, names, numbers and links tell.

Versions go in as rows of features, in the order of the page. A copy has some of them. What it has
and a version lacks speaks against that version, and so does what it lacks, the more, the less of
that kind it lacks elsewhere: where all links are stripped, a missing link says nothing.

The costs are negative logarithms of probabilities, in nats. Two versions fit equally well if they
differ by less than what one accident costs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, product
from math import log
from typing import NamedTuple

from pipeline.core.adoption.blocks import Block, BlockKind, words_of
from pipeline.core.adoption.evidence import (
    HAN,
    code_lines,
    english_words,
    lines_in,
    plain_atoms,
    tokens_of,
    unescaped,
    urls_in,
)
from pipeline.core.catalog.change import plain_text

# Nats: versions that cost no more than that above the best one fit as well …
_TOLERANCE = 3.0
# … and that share of the best one's cost: where a copy has had many accidents, one says less.
_MORE_TOLERANCE = 0.1
_FEWEST_LOST, _MOST_LOST = 0.02, 0.97
_RUN = 4.0  # nats: what one cut of several features in a row costs, however they were lost …
_RUN_STEP = 0.1  # … and each of them
_LONG_TEXT = 5  # words of a message that is known again where it was left in English
_NUMBER = re.compile(r"\d")
_NAME = re.compile(r"[A-Za-z_][\w.]*")
_RST_ROLE = re.compile(r":[\w.:+-]+:(?=`)")
_SPACE_OR_TICK = re.compile(r"[\s`$]+")


class Trait(StrEnum):
    """What kind of thing a feature is."""

    CODE = "code"
    ATOM = "atom"
    URL = "url"
    NUMBER = "number"
    TEXT = "text"  # English that may be left in a page that is translated by half


# What it costs that a copy has something which a version lacks.
_STRANGE = {
    Trait.CODE: 4.0,
    Trait.ATOM: 2.0,
    Trait.URL: 4.0,
    Trait.NUMBER: 1.5,
    Trait.TEXT: 4.0,
}
_AGAIN = 0.5  # the share of that for something that the version has, but less often


class Feature(NamedTuple):
    """Something to know a version by. ``number`` counts those that are equal, from 1."""

    trait: Trait
    value: str
    number: int


Features = tuple[Feature, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """How a version fits a copy: ``cost`` in nats, and which share of the copy it explains."""

    cost: float
    explained: float


def tolerance(cheapest: float) -> float:
    """By how much a version may cost more than the cheapest one, and fit as well.

    In nats: versions within it are told together, as a range.
    """
    return _TOLERANCE + _MORE_TOLERANCE * cheapest


def features_of(blocks: Iterable[Block]) -> Features:
    """The features of a page in English, in its order."""
    counts: Counter[tuple[Trait, str]] = Counter()
    features: list[Feature] = []
    for block in blocks:
        for key in _traits_of(block):
            counts[key] += 1
            features.append(Feature(*key, counts[key]))
    return tuple(features)


def _traits_of(block: Block) -> Iterator[tuple[Trait, str]]:
    """What a block is known by, in its order."""
    match block.kind:
        case BlockKind.CODE:
            yield from product([Trait.CODE], code_lines(block.text))
        case BlockKind.MATH:
            yield Trait.ATOM, _SPACE_OR_TICK.sub("", block.text)
        case _:
            yield from product([Trait.ATOM], plain_atoms(block.text, block.markup))
            yield from product([Trait.URL], urls_in(block.text))
            yield from product([Trait.NUMBER], _numbers_in(block.text))
            yield from product([Trait.TEXT], _long_text(block.text))


def _long_text(text: str) -> tuple[str, ...]:
    """The words of a text; none of one that is too short to be known again."""
    words = _plain_words(text)
    return (" ".join(words),) if len(words) >= _LONG_TEXT else ()


def _plain_words(text: str) -> list[str]:
    """The words that readers see: the same ones in ``{func}`jax.jit``` and ``[jax.jit](a.md)``."""
    return english_words(plain_text(_RST_ROLE.sub("", text)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """How often a copy has what any version is known by."""

    counts: Mapping[Trait, Counter[str]]

    def has(self, feature: Feature) -> bool:
        """Whether the copy has it as often as that.

        The third ``import jax`` of a page is there if the copy has three.
        """
        return self.counts[feature.trait][feature.value] >= feature.number


def find_features(copy: Sequence[Block], versions: Iterable[Features]) -> Found:
    """Look in a copy for everything that any of the ``versions`` has."""
    known: dict[Trait, set[str]] = {trait: set() for trait in Trait}
    for feature in chain.from_iterable(versions):
        known[feature.trait].add(feature.value)
    texts = [unescaped(block.text) for block in words_of(copy)]
    found = {
        Trait.CODE: _lines_found(copy, frozenset(known[Trait.CODE])),
        Trait.ATOM: _atoms_found(copy, texts, known[Trait.ATOM]),
        Trait.URL: Counter(chain.from_iterable(map(urls_in, texts))),
        Trait.NUMBER: Counter(chain.from_iterable(map(_numbers_in, texts))),
        Trait.TEXT: _texts_found(texts, known[Trait.TEXT]),
    }
    return Found(counts=found)


def _lines_found(copy: Sequence[Block], known: frozenset[str]) -> Counter[str]:
    """How often each known line of code is there."""
    found: Counter[str] = Counter()
    for block in copy:
        # A fence may be lost: then code stands where prose does.
        may_be_code = block.kind is BlockKind.CODE or not HAN.search(block.text)
        if may_be_code:
            found += lines_in(block.text, known)
    return found


def _atoms_found(
    copy: Sequence[Block], texts: Sequence[str], known: Iterable[str]
) -> Counter[str]:
    """How often each known atom is there, whatever mark-up it stands in.

    A name counts as a word: ``jit`` is not in ``jitter``. Others count as they are.
    """
    others = [block.text for block in copy if block.kind is not BlockKind.CODE]
    whole = _SPACE_OR_TICK.sub("", "".join(others))
    names = Counter(name.rstrip(".") for name in _NAME.findall("\n".join(texts)))
    found: Counter[str] = Counter()
    for atom in known:
        if _NAME.fullmatch(atom):
            found[atom] = names[atom]
        else:
            found[atom] = whole.count(atom)
    return found


def _texts_found(texts: Sequence[str], known: Iterable[str]) -> Counter[str]:
    """How often each known message was left in English.

    They are looked for in all of the English: a converter may have joined two of them.
    """
    left = [" ".join(_plain_words(text)) for text in texts if not HAN.search(text)]
    english = f" {' '.join(left)} "
    found: Counter[str] = Counter()
    for text in known:
        found[text] = english.count(f" {text} ")
    return found


def _numbers_in(text: str) -> list[str]:
    """The numbers of a text, each once: ``2 of 2, 1.5`` → ``2``, ``1.5``."""
    return list(filter(_NUMBER.match, tokens_of(text)))


def fits_of(copy: Sequence[Block], versions: Sequence[Features]) -> list[Fit]:
    """How each version fits a copy."""
    found = find_features(copy, versions)
    # Each once, in the order of the oldest version that has it: sums come out the same every time.
    known = dict.fromkeys(chain.from_iterable(versions))
    present = list(filter(found.has, known))
    lost = _lost_shares(versions, found)
    return [_fit(features, found, present, lost) for features in versions]


def _lost_shares(versions: Sequence[Features], found: Found) -> dict[Trait, float]:
    """Which share of each kind of feature the copy has lost, by the version that has most of it.

    No share is 0 or 1: a logarithm is taken of it. Where the copy ends before the page does, that
    is one accident, and not many.
    """
    best = max(versions, key=lambda features: sum(map(found.has, features)), default=())
    best = _without_ends(best, found)
    there = Counter(feature.trait for feature in best if found.has(feature))
    whole = Counter(feature.trait for feature in best)
    shares: dict[Trait, float] = {}
    for trait in Trait:
        missing = whole[trait] - there[trait]
        share = (missing + _FEWEST_LOST) / (whole[trait] + 1)
        shares[trait] = min(max(share, _FEWEST_LOST), _MOST_LOST)
    return shares


def _without_ends(features: Features, found: Found) -> Features:
    """The features from the first to the last that the copy has; all if it has none.

    So a copy that was cut off has not lost what stood behind the cut.
    """
    places = [at for at, feature in enumerate(features) if found.has(feature)]
    if not places:
        return features
    return features[places[0] : places[-1] + 1]


def _fit(
    features: Features,
    found: Found,
    present: Sequence[Feature],
    lost: Mapping[Trait, float],
) -> Fit:
    """How one version fits. ``present`` is what the copy has of any version."""
    own = set(features)
    values = {(feature.trait, feature.value) for feature in features}
    cost = _cost_of_gaps(features, found, lost)
    explained = 0
    for feature in present:
        if feature in own:
            explained += 1
        elif (feature.trait, feature.value) in values:
            cost += _AGAIN * _STRANGE[feature.trait]
        else:
            cost += _STRANGE[feature.trait]
    return Fit(cost=cost, explained=explained / max(1, len(own)))


def _cost_of_gaps(
    features: Features, found: Found, lost: Mapping[Trait, float]
) -> float:
    """What it costs that the copy lacks some features; those in a row may be lost by one cut."""
    total = 0.0
    step = 0.0  # a page that begins later begins later, however many features are before that
    gap: list[float] = []
    for feature in features:
        if feature.trait is Trait.TEXT:
            continue  # most of it is translated, and none of it is missed
        if found.has(feature):
            total += min(sum(gap), _RUN + step * len(gap))
            gap, step = [], _RUN_STEP
        else:
            gap.append(-log(lost[feature.trait]))
    # A page that is cut off is cut off, however long it has grown since.
    return total + min(sum(gap), _RUN)
