"""What differs between two versions of a text, word by word and whole: for a screen."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rapidfuzz.distance import Indel

from pipeline.core.document.prose import CJK

# Chinese has no spaces between words: there each character counts.
_WORD = re.compile(rf"[{CJK}]|[^\W{CJK}]+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of either text. ``side`` is ``same``, ``old`` or ``new``."""

    side: str
    text: str


def word_diff(old: str, new: str) -> tuple[Piece, ...]:
    """Both texts in one row of pieces, in order.

    ``"at least 2 cups"``, ``"at least 3 cups"`` → same ``at least``, old ``2``, new ``3``, same
    ``cups``
    """
    old_words, new_words = _WORD.findall(old), _WORD.findall(new)
    pieces: list[Piece] = []
    removed = added = ""
    for step in Indel.opcodes(old_words, new_words):
        old_text = "".join(old_words[step.src_start : step.src_end])
        if step.tag != "equal":
            removed += old_text
            added += "".join(new_words[step.dest_start : step.dest_end])
            continue
        pieces += [Piece("old", removed), Piece("new", added), Piece("same", old_text)]
        removed = added = ""
    pieces += [Piece("old", removed), Piece("new", added)]
    return tuple(piece for piece in pieces if piece.text)
