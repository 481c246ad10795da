"""Word diff of two versions of a text, for display.

Chinese has no spaces between words. Therefore a word is a term of the glossary, a run of Latin
letters and digits, or any other single character. If a single character between two changes is
unchanged, the diff joins it with the changes, which is easier to read.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum

from msgspec import Struct

_SHORTEST = 2  # minimum length of a term; a single character is a word anyway


class Part(StrEnum):
    """State of a piece of text in a diff."""

    KEPT = "kept"
    REMOVED = "removed"
    ADDED = "added"


class Piece(Struct, frozen=True, kw_only=True):
    """A piece of text, and whether it is in the old, the new or both versions."""

    text: str
    part: Part


Words = re.Pattern[str]  # matches one word


def pattern_of_words(terms: Collection[str] = ()) -> Words:
    """Return a pattern that matches one word; each of ``terms`` is one word.

    ``使用vmap`` → ``使``, ``用``, ``vmap``.
    """
    long = [term for term in terms if len(term) >= _SHORTEST]
    # Try the longest term first, because a term may be a prefix of another one.
    long.sort(key=lambda term: (-len(term), term))
    kinds = (*map(re.escape, long), r"[A-Za-z0-9_]+", r"\s+", ".")
    return re.compile("|".join(kinds), re.DOTALL)


def word_diff(old: str, new: str, words: Words) -> tuple[Piece, ...]:
    """Return the pieces of both versions in order, with removed words before added ones.

    ``用梯度`` and ``用导数`` → ``用`` kept, ``梯度`` removed, ``导数`` added. The kept and removed
    pieces form the old text, the kept and added pieces the new text.
    """
    # Import rapidfuzz only here, because most importers of this module only need `Part`.
    from rapidfuzz.distance import Indel

    old_words, new_words = words.findall(old), words.findall(new)
    # Each row has removed words, added words, and the kept words after them.
    rows = [["", "", ""]]
    for block in Indel.opcodes(old_words, new_words):
        removed = "".join(old_words[block.src_start : block.src_end])
        added = "".join(new_words[block.dest_start : block.dest_end])
        last = rows[-1]
        if block.tag == "equal":
            last[2] = added
        elif not last[2] or _is_island(*last):
            # "[-向-]量[-化-]" is hard to read, so a kept character becomes part of the change.
            last[:] = last[0] + last[2] + removed, last[1] + last[2] + added, ""
        else:
            rows.append([removed, added, ""])
    pieces: list[Piece] = []
    for row in rows:
        parts = zip(row, (Part.REMOVED, Part.ADDED, Part.KEPT), strict=True)
        pieces += [Piece(text=text, part=part) for text, part in parts if text]
    return tuple(pieces)


def _is_island(removed: str, added: str, kept: str) -> bool:
    """Return whether a single character is kept directly after a change."""
    return bool(removed or added) and len(kept) == 1 and kept.isalnum()
