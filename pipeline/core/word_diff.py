"""Word diff of two versions of a text, complete and for display.

Chinese has no spaces between words. A word is a term of the glossary, a run of Latin letters and
digits, or a single character. A single character that is unchanged between two changes becomes part
of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

_SHORTEST = 2  # characters of a term; a single character is a word anyway


class Part(StrEnum):
    """State of a piece of text in a diff."""

    KEPT = "kept"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A piece of text, and the versions that it is in."""

    text: str
    part: Part


@dataclass(frozen=True, slots=True)
class Words:
    """Tokenizer of texts. ``pattern`` matches the next word."""

    pattern: re.Pattern[str]

    @classmethod
    def of(cls, terms: Collection[str]) -> Words:
        """Return a tokenizer that keeps each of ``terms`` in one piece."""
        long = [term for term in terms if len(term) >= _SHORTEST]
        # Longest first: a term may be a prefix of another one.
        long.sort(key=lambda term: (-len(term), term))
        kinds = (*map(re.escape, long), r"[A-Za-z0-9_]+", r"\s+", ".")
        return cls(re.compile("|".join(kinds), re.DOTALL))

    def in_text(self, text: str) -> list[str]:
        """Return all of ``text`` as words: ``使用vmap`` → ``使``, ``用``, ``vmap``."""
        return self.pattern.findall(text)


def word_diff(old: str, new: str, words: Words) -> tuple[Piece, ...]:
    """Return the pieces of both versions in order, with old words before new ones.

    ``用梯度`` and ``用导数`` → ``用`` kept, ``梯度`` removed, ``导数`` added. Kept and removed
    pieces make up the old text, kept and added ones the new text.
    """
    # Imported here, because most importers only need the names of parts.
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
    """Builder of pieces. Consecutive removals and additions form one change."""

    def __init__(self) -> None:
        self._done: list[Piece] = []
        self._removed = self._added = ""
        self._island = ""  # a kept character directly after a change

    def keep(self, text: str) -> None:
        """Add words that both versions have."""
        is_after_change = bool(self._removed or self._added)
        if is_after_change and len(text) == 1 and text.isalnum():
            # "[-向-]量[-化-]" is unreadable: wait, the character may become part of the next
            # change.
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
        """Finish the current change and add the kept character after it."""
        self._done += (
            Piece(text=self._removed, part=Part.REMOVED),
            Piece(text=self._added, part=Part.ADDED),
            Piece(text=self._island, part=Part.KEPT),
        )
        self._removed = self._added = self._island = ""
