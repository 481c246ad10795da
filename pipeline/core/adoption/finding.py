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
        weights = self._weights()
        text = "\n".join(unescaped(block.text) for block in copy)
        asked = weights.keys() & set(_NAME.findall(text))
        likeness: dict[str, float] = {}
        for page, versions in sorted(self.names.items()):
            likeness[page] = max(_likeness(asked, names, weights) for names in versions)
        pages = sorted(likeness, key=likeness.__getitem__, reverse=True)
        return [page for page in pages[:most] if likeness[page] > 0]

    def _weights(self) -> dict[str, float]:
        """Return how much each name says: the fewer pages have it, the more."""
        counts: Counter[str] = Counter()
        for versions in self.names.values():
            counts.update(frozenset[str]().union(*versions))
        total = len(self.names) + 1
        return {name: log(total / count) ** 2 for name, count in counts.items()}


def _likeness(
    asked: Iterable[str], names: frozenset[str], weights: Mapping[str, float]
) -> float:
    """Return the cosine of two sets of names, but for the length of what is ``asked``."""
    # Exactly rounded: a sum in the order of a set would differ from run to run.
    shared = fsum(weights[name] for name in names.intersection(asked))
    return shared / sqrt(fsum(weights[name] for name in names) or 1.0)
