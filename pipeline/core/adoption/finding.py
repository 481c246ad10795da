"""Which page a copy is of: a first guess by the names that both use.

Raw documents go in, as text: to read them properly would take too long for all pages there ever
were. What comes out is an order in which to look at pages, and not yet an answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, log, sqrt

from pipeline.core.adoption.blocks import Block
from pipeline.core.adoption.evidence import unescaped

# A name that says something of a page: of code, of a library, or a number of some length.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}|\d+\.\d+|\d{3,}")
_PAYLOAD = re.compile(r"[A-Za-z0-9+/=]{200,}")  # of a picture in the outputs
_OUTPUTS = re.compile(r'"outputs":\s*\[\s*\{.*?\n   \],?$', re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """A page by name, and how much of what it says is in the copy, 0 to 1."""

    page: str
    likeness: float


@dataclass(slots=True)
class NameIndex:
    """The names that stand on each page, in any of its versions that were looked at."""

    names: dict[str, list[frozenset[str]]] = field(default_factory=dict)
    _known: dict[str, str] = field(default_factory=dict)

    def add(self, page: str, text: str) -> None:
        """Take in a version of a page: its document as text."""
        known: set[str] = set()
        for name in names_in(text):
            # Every name once: hundreds of versions have the same ones, and would hold copies.
            known.add(self._known.setdefault(name, name))
        self.names.setdefault(page, []).append(frozenset(known))

    def guesses(self, copy: Sequence[Block], *, most: int) -> list[Guess]:
        """The pages that are likest to a copy, the likeliest first.

        Of each page the version counts that is likest.
        """
        asked = names_in("\n".join(unescaped(block.text) for block in copy))
        weights = self._weights()
        found: list[Guess] = []
        for page, versions in self.names.items():
            likeness = max(_cosine(asked, names, weights) for names in versions)
            found.append(Guess(page=page, likeness=likeness))
        found.sort(key=lambda guess: (-guess.likeness, guess.page))
        return found[:most]

    def _weights(self) -> dict[str, float]:
        """How much each name says: the fewer pages have it, the more."""
        counts: Counter[str] = Counter()
        for versions in self.names.values():
            counts.update(frozenset[str]().union(*versions))
        total = len(self.names) + 1
        weights: dict[str, float] = {}
        for name, count in counts.items():
            weights[name] = log(total / count)
        return weights


def names_in(text: str) -> frozenset[str]:
    """The names in a text, without those of pictures and of other outputs.

    ``"use jax.jit on 1.5"`` → ``use``, ``jax``, ``jit``, ``1.5``
    """
    source = _PAYLOAD.sub("", _OUTPUTS.sub("", text))
    return frozenset(_NAME.findall(source))


def _cosine(
    ours: frozenset[str], theirs: frozenset[str], weights: Mapping[str, float]
) -> float:
    """How alike two sets of names are, 0 to 1; names that no page has count for nothing."""
    known = ours & weights.keys()
    shared = _square(known & theirs, weights)
    if not shared:
        return 0.0
    return shared / sqrt(_square(known, weights) * _square(theirs, weights))


def _square(names: Iterable[str], weights: Mapping[str, float]) -> float:
    """The square of the length of a set of names, as a vector of their weights."""
    # Exactly rounded: a sum in the order of a set would differ from run to run.
    return fsum(weights[name] ** 2 for name in names)
