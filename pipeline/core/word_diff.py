"""Word diff of two versions of a text, for display.

Chinese has no spaces between words. Therefore a word is a term of the glossary, a run of Latin
letters and digits, or any other single character. If a single character between two changes is
unchanged, the diff joins it with the changes, which is easier to read.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

_SHORTEST = 2  # minimum length of a term; a single character is a word anyway


class Part(StrEnum):
    """State of a piece of text in a diff."""

    KEPT = "kept"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A piece of text, and whether it is in the old, the new or both versions."""

    text: str
    part: Part


@dataclass(frozen=True, slots=True)
class Words:
    """Tokenizer of texts into words. ``pattern`` matches one word."""

    pattern: re.Pattern[str]

    @classmethod
    def of(cls, terms: Collection[str]) -> Words:
        """Return a tokenizer that treats each of ``terms`` as one word."""
        long = [term for term in terms if len(term) >= _SHORTEST]
        # Try the longest term first, because a term may be a prefix of another one.
        long.sort(key=lambda term: (-len(term), term))
        kinds = (*map(re.escape, long), r"[A-Za-z0-9_]+", r"\s+", ".")
        return cls(re.compile("|".join(kinds), re.DOTALL))

    def in_text(self, text: str) -> list[str]:
        """Return the words of ``text``: ``使用vmap`` → ``使``, ``用``, ``vmap``."""
        return self.pattern.findall(text)


def word_diff(old: str, new: str, words: Words) -> tuple[Piece, ...]:
    """Return the pieces of both versions in order, with removed words before added ones.

    ``用梯度`` and ``用导数`` → ``用`` kept, ``梯度`` removed, ``导数`` added. The kept and removed
    pieces form the old text, the kept and added pieces the new text.
    """
    # Import rapidfuzz only here, because most importers of this module only need `Part`.
    from rapidfuzz.distance import Indel

    old_words, new_words = words.in_text(old), words.in_text(new)
    pieces = _Pieces()
    for block in Indel.opcodes(old_words, new_words):
        removed = "".join(old_words[block.src_start : block.src_end])
        added = "".join(new_words[block.dest_start : block.dest_end])
        if block.tag == "equal":
            pieces.keep(added)
        else:
            pieces.change(removed, added)
    return pieces.finished()


class _Pieces:
    """Builder of pieces, which joins consecutive removals and additions to one change."""

    def __init__(self) -> None:
        self._done: list[Piece] = []
        self._removed = self._added = ""
        self._island = ""  # a single kept character directly after a change

    def keep(self, text: str) -> None:
        """Add words that both versions have."""
        is_after_change = bool(self._removed or self._added)
        if is_after_change and len(text) == 1 and text.isalnum():
            # "[-向-]量[-化-]" is hard to read, so remember the character. If another change
            # follows, the character becomes part of this change.
            self._island = text
            return
        self._flush()
        self._done.append(Piece(text=text, part=Part.KEPT))

    def change(self, removed: str, added: str) -> None:
        """Add words that only one version has."""
        self._removed += self._island + removed
        self._added += self._island + added
        self._island = ""

    def finished(self) -> tuple[Piece, ...]:
        """Return all non-empty pieces."""
        self._flush()
        return tuple(piece for piece in self._done if piece.text)

    def _flush(self) -> None:
        """Add the current change, and the kept character after it, to the finished pieces."""
        self._done += (
            Piece(text=self._removed, part=Part.REMOVED),
            Piece(text=self._added, part=Part.ADDED),
            Piece(text=self._island, part=Part.KEPT),
        )
        self._removed = self._added = self._island = ""
