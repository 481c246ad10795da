"""Candidates: the pages and versions that a copy may be of, and the choice among them.

A first guess goes by the names that a raw document and the copy both use: reading all pages of the
history properly would take too long. Then lines of code decide between versions: a line that only
one side has counts against a version. Of versions that fit equally well the one that stood longest
is taken: most copies are of that one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, log, sqrt

from pipeline.core.adoption.alignment import Encoder, Pair, align
from pipeline.core.adoption.blocks import Block, BlockKind, words_of
from pipeline.core.adoption.evidence import (
    HAN,
    code_lines,
    count_han,
    lines_in,
)
from pipeline.core.adoption.history import Version, moment

_CLEAR = 3.5  # nats from which on a pair shows that this is the page


# A line of code, and its number among those that are equal, from 1.
Line = tuple[str, int]
# A name that says something of a page: of code, of a library, or a number of some length.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}|\d+\.\d+|\d{3,}")
_PAYLOAD = re.compile(r"[A-Za-z0-9+/=]{200,}")  # of a picture in the outputs


@dataclass(frozen=True, eq=False)
class Candidate:
    """A version of a page, read. ``lines`` are what it is known by, in the order of the page."""

    version: Version
    blocks: tuple[Block, ...]
    lines: tuple[Line, ...]

    @classmethod
    def of(cls, version: Version, blocks: tuple[Block, ...]) -> Candidate:
        """Return the candidate with its lines."""
        return cls(version, blocks, tuple(_lines_of(blocks)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The version that was chosen, what fits as well, and which block is the translation of which.

    ``share`` says how much of the copy's Chinese clearly belongs to the page, 0 to 1.
    """

    candidate: Candidate
    as_good: tuple[Version, ...]  # the chosen one among them, from the oldest on
    pairs: tuple[Pair, ...]
    share: float


def rank(
    copy: Sequence[Block], candidates: Sequence[Candidate]
) -> list[tuple[int, Candidate]]:
    """Return the candidates with what they cost, the cheapest first."""
    known = frozenset[Line]().union(*(candidate.lines for candidate in candidates))
    found = _found_in(copy, known)
    costs = [_cost(candidate.lines, found) for candidate in candidates]
    ranked = zip(costs, candidates, strict=True)
    return sorted(ranked, key=lambda pair: pair[0])


def choose(
    copy: Sequence[Block],
    candidates: Sequence[Candidate],
    encoder: Encoder,
    *,
    pinned: frozenset[str],
) -> Choice:
    """Return the version that ``copy`` is of. ``pinned`` are the pages of the pin."""
    ranked = rank(copy, candidates)
    cheapest = ranked[0][0]
    fitting = [candidate for cost, candidate in ranked if cost == cheapest]

    def worth(candidate: Candidate) -> tuple[bool, float, str]:
        version = candidate.version
        return version.page.name in pinned, version.days, version.since

    best = max(fitting, key=worth)
    page = best.version.page.name
    versions = [candidate.version for candidate in fitting]
    as_good = [version for version in versions if version.page.name == page]
    similar = encoder(block.text for block in words_of([*best.blocks, *copy]))
    pairs = tuple(align(best.blocks, copy, similar))
    return Choice(
        candidate=best,
        as_good=tuple(sorted(as_good, key=lambda version: moment(version.since))),
        pairs=pairs,
        share=share_of(copy, pairs),
    )


def share_of(copy: Sequence[Block], pairs: Sequence[Pair]) -> float:
    """Return how much of the Chinese of a copy is in pairs that are clear, 0 to 1.

    Code has Chinese in its comments, which nobody looks for.
    """
    clear: list[Block] = []
    for pair in pairs:
        if pair.english and pair.score >= _CLEAR:
            clear += [copy[number] for number in pair.copy]
    return _count_han(clear) / max(1, _count_han(copy))


def _count_han(blocks: Iterable[Block]) -> int:
    return sum(count_han(block.text) for block in words_of(blocks))


def _lines_of(blocks: Iterable[Block]) -> Iterator[Line]:
    """Yield the lines of code of a page."""
    counts: Counter[str] = Counter()
    for block in blocks:
        if block.kind is BlockKind.CODE:
            for line in code_lines(block.text):
                counts[line] += 1
                yield line, counts[line]


def _found_in(copy: Iterable[Block], known: Collection[Line]) -> frozenset[Line]:
    """Return those of the ``known`` lines that a copy has, as often as it has them."""
    lines = frozenset(line for line, _ in known)
    counts: Counter[str] = Counter()
    for block in copy:
        # A fence may be lost: then code stands where prose does.
        if block.kind is BlockKind.CODE or not HAN.search(block.text):
            counts += lines_in(block.text, lines)
    return frozenset((line, number) for line, number in known if counts[line] >= number)


def _cost(lines: Sequence[Line], found: frozenset[Line]) -> int:
    """Return how many lines a version or the copy has and the other one lacks.

    A copy that ends before the page does lacks nothing behind its end.
    """
    places = [at for at, line in enumerate(lines) if line in found]
    strange = len(found) - len(places)
    if not places:
        return strange
    lacking = places[-1] + 1 - places[0] - len(places)
    return strange + lacking


@dataclass(slots=True)
class NameIndex:
    """The names that stand on each page, in any of its versions that were looked at."""

    names: dict[str, list[frozenset[str]]] = field(default_factory=dict)

    def add(self, page: str, text: str) -> None:
        """Take in a version of a page: its document as text."""
        names = frozenset(_NAME.findall(_PAYLOAD.sub("", text)))
        self.names.setdefault(page, []).append(names)

    def guesses(self, copy: Sequence[Block], *, most: int) -> list[str]:
        """Return the pages that are likest to a copy, the likeliest first.

        Of each page the version counts that is likest.
        """
        counts: Counter[str] = Counter()
        for versions in self.names.values():
            counts.update(frozenset[str]().union(*versions))
        total = len(self.names) + 1
        # The fewer pages have a name, the more it says.
        weights = {name: log(total / count) ** 2 for name, count in counts.items()}
        text = "\n".join(block.text for block in copy)
        asked = weights.keys() & set(_NAME.findall(text))
        likeness: dict[str, float] = {}
        for page, versions in sorted(self.names.items()):
            likeness[page] = max(_likeness(asked, names, weights) for names in versions)
        pages = sorted(likeness, key=likeness.__getitem__, reverse=True)
        return [page for page in pages[:most] if likeness[page] > 0]


def _likeness(
    asked: Iterable[str], names: frozenset[str], weights: Mapping[str, float]
) -> float:
    """Return the cosine of two sets of names, but for the length of what is ``asked``."""
    # Exactly rounded: a sum in the order of a set would differ from run to run.
    shared = fsum(weights[name] for name in names.intersection(asked))
    return shared / sqrt(fsum(weights[name] for name in names) or 1.0)
