"""Which page a copy is of: a first guess by the names that both use.

Raw documents go in, as text: to read them properly would take too long for all pages there ever
were. What comes out is an order in which to look at pages, and not yet an answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log, sqrt

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
        """Take in a version of a page."""
        # Every name once: hundreds of versions have the same ones, and would hold copies.
        known = frozenset(self._known.setdefault(name, name) for name in names_in(text))
        self.names.setdefault(page, []).append(known)

    def guesses(self, copy: Sequence[Block], *, most: int) -> list[Guess]:
        """The pages that are likest to a copy, the likeliest first."""
        asked = names_in("\n".join(unescaped(block.text) for block in copy))
        weights = self._weights()
        found: list[Guess] = []
        for page, versions in self.names.items():
            likeness = max(_cosine(asked, names, weights) for names in versions)
            found.append(Guess(page=page, likeness=likeness))
        found.sort(key=lambda guess: (-guess.likeness, guess.page))
        return found[:most]

    def _weights(self) -> Mapping[str, float]:
        """How much each name says: the fewer pages have it, the more."""
        counts: Counter[str] = Counter()
        for versions in self.names.values():
            counts.update(frozenset[str]().union(*versions))
        total = len(self.names) + 1
        return {name: log(total / count) for name, count in counts.items()}


def names_in(text: str) -> frozenset[str]:
    """The names in a text, without those of pictures and of other outputs."""
    return frozenset(_NAME.findall(_PAYLOAD.sub("", _OUTPUTS.sub("", text))))


def _cosine(
    ours: Iterable[str], theirs: frozenset[str], weights: Mapping[str, float]
) -> float:
    """How alike two sets of names are, 0 to 1; names that no page has count for nothing."""
    known = [name for name in ours if name in weights]
    shared = sum(weights[name] ** 2 for name in known if name in theirs)
    length = sum(weights[name] ** 2 for name in known)
    other = sum(weights[name] ** 2 for name in theirs)
    return shared / sqrt(length * other) if shared else 0.0
