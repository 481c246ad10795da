"""Candidates: the pages and versions that a copy may translate, and the choice among them.

A first guess compares the names used in the copy and in the raw documents, as parsing the whole
history would take too long. Then lines of code decide between versions: each line that only one
side has counts against a version. If versions fit equally well, the one that was current longest
wins, because most copies were made from it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, log, sqrt

from pipeline.core.adoption import evidence
from pipeline.core.adoption.alignment import Encoder, Pair, align
from pipeline.core.adoption.blocks import Block, BlockKind, words_of
from pipeline.core.adoption.history import Version, moment

_CLEAR = 3.5  # nats from which on a pair proves that the page is right


# A line of code, with its number among equal lines, from 1.
Line = tuple[str, int]
# Names typical of a page: identifiers, and numbers of some length.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}|\d+\.\d+|\d{3,}")
# base64 data of a picture in the outputs
_PAYLOAD = re.compile(r"[A-Za-z0-9+/=]{200,}")


@dataclass(frozen=True, eq=False)
class Candidate:
    """Parsed version of a page, with the lines of code that identify it, in page order."""

    version: Version
    blocks: tuple[Block, ...]
    lines: tuple[Line, ...]

    @classmethod
    def of(cls, version: Version, blocks: tuple[Block, ...]) -> Candidate:
        """Return the candidate with its lines of code."""
        return cls(version, blocks, tuple(_lines_of(blocks)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Chosen version, the versions that fit equally well, and the aligned pairs.

    ``share`` is the share of the copy's Chinese that clearly belongs to the page, 0 to 1.
    """

    candidate: Candidate
    as_good: tuple[Version, ...]  # including the chosen one, oldest first
    pairs: tuple[Pair, ...]
    share: float


def rank(
    copy: Sequence[Block], candidates: Sequence[Candidate]
) -> list[tuple[int, Candidate]]:
    """Return the candidates with their costs, the cheapest first."""
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
    """Return the version that ``copy`` translates. ``pinned`` are the page names at the pin."""
    ranked = rank(copy, candidates)
    cheapest = ranked[0][0]
    fitting = [candidate for cost, candidate in ranked if cost == cheapest]

    # A page of the pin wins, then the version that was current longest, then the newest.
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
    """Return the share of a copy's Chinese that is in clear pairs, 0 to 1.

    Chinese comments in code do not count.
    """
    clear: list[Block] = []
    for pair in pairs:
        if pair.english and pair.score >= _CLEAR:
            clear += [copy[number] for number in pair.copy]
    return _count_han(clear) / max(1, _count_han(copy))


def _count_han(blocks: Iterable[Block]) -> int:
    return sum(evidence.count_han(block.text) for block in words_of(blocks))


def _lines_of(blocks: Iterable[Block]) -> Iterator[Line]:
    """Yield the lines of code of a page, numbered among equal ones."""
    counts: Counter[str] = Counter()
    for block in blocks:
        if block.kind is BlockKind.CODE:
            for line in evidence.code_lines(block.text):
                counts[line] += 1
                yield line, counts[line]


def _found_in(copy: Iterable[Block], known: Collection[Line]) -> frozenset[Line]:
    """Return the ``known`` lines that occur in a copy; repeated lines only as often as there."""
    lines = frozenset(line for line, _ in known)
    counts: Counter[str] = Counter()
    for block in copy:
        # A copy may have lost its fences, so code can appear as prose without Chinese.
        if block.kind is BlockKind.CODE or not evidence.HAN.search(block.text):
            counts += evidence.lines_in(block.text, lines)
    return frozenset((line, number) for line, number in known if counts[line] >= number)


def _cost(lines: Sequence[Line], found: frozenset[Line]) -> int:
    """Return how many lines only one of version and copy has.

    Lines before the first match and after the last one do not count: a copy may be an excerpt.
    """
    places = [at for at, line in enumerate(lines) if line in found]
    # Lines of the copy that other versions have, and this one does not.
    strange = len(found) - len(places)
    if not places:
        return strange
    lacking = places[-1] + 1 - places[0] - len(places)
    return strange + lacking


@dataclass(slots=True)
class NameIndex:
    """Index of the names on each page, for some versions of it."""

    names: dict[str, list[frozenset[str]]] = field(default_factory=dict)

    def add(self, page: str, text: str) -> None:
        """Add the text of one version of a page."""
        names = frozenset(_NAME.findall(_PAYLOAD.sub("", text)))
        self.names.setdefault(page, []).append(names)

    def guesses(self, copy: Sequence[Block], *, most: int) -> list[str]:
        """Return the pages most similar to a copy, the most similar first.

        A page counts by its most similar version.
        """
        counts: Counter[str] = Counter()
        for versions in self.names.values():
            counts.update(frozenset[str]().union(*versions))
        total = len(self.names) + 1
        # The fewer pages have a name, the higher its weight (inverse document frequency).
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
    """Return the cosine similarity of two sets of names, without the norm of ``asked``."""
    # fsum rounds exactly: the order of a set varies between runs, and a plain sum with it.
    shared = fsum(weights[name] for name in names.intersection(asked))
    return shared / sqrt(fsum(weights[name] for name in names) or 1.0)
