"""How two versions of a text differ, word by word and whole: for a screen.

Chinese has no spaces between words. A word is a term of the glossary, a run of Latin letters and
digits, or else one character; and a character that stays between two changes belongs to them.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

_SHORTEST = 2  # characters of a term; one alone is a word anyway


class Part(StrEnum):
    """What has become of a piece of text."""

    KEPT = "kept"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A piece of text, and whether it is in both versions."""

    text: str
    part: Part


@dataclass(frozen=True, slots=True)
class Words:
    """Cuts texts into words. ``pattern`` finds the next one."""

    pattern: re.Pattern[str]

    @classmethod
    def of(cls, terms: Collection[str]) -> Words:
        """Words of a language in which ``terms`` are not cut in two."""
        long = [term for term in terms if len(term) >= _SHORTEST]
        # The longest one first: a term may be the beginning of another one.
        long.sort(key=lambda term: (-len(term), term))
        kinds = (*map(re.escape, long), r"[A-Za-z0-9_]+", r"\s+", ".")
        return cls(re.compile("|".join(kinds), re.DOTALL))

    def in_text(self, text: str) -> list[str]:
        """All of ``text`` as words: ``使用vmap`` → ``使``, ``用``, ``vmap``."""
        return self.pattern.findall(text)


def word_diff(old: str, new: str, words: Words) -> tuple[Piece, ...]:
    """The pieces of both versions in order; of a change the old words stand before the new ones.

    ``用梯度`` and ``用导数`` → ``用`` kept, ``梯度`` removed, ``导数`` added. The old text is what
    is kept and removed, the new one what is kept and added.
    """
    # Most who name parts compare nothing.
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
    """Pieces while they come together. What is removed and added in a row is one change."""

    def __init__(self) -> None:
        self._done: list[Piece] = []
        self._removed = self._added = ""
        self._island = ""  # a character that is kept, right behind a change

    def keep(self, text: str) -> None:
        """Add words that both versions have."""
        is_after_change = bool(self._removed or self._added)
        if is_after_change and len(text) == 1 and text.isalnum():
            # A reader takes "[-向-]量[-化-]" for nothing: let it wait for what comes next.
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
        """All pieces, none of them empty."""
        self._flush()
        return tuple(piece for piece in self._done if piece.text)

    def _flush(self) -> None:
        """End the change that is open, and what was kept behind it."""
        self._done += (
            Piece(text=self._removed, part=Part.REMOVED),
            Piece(text=self._added, part=Part.ADDED),
            Piece(text=self._island, part=Part.KEPT),
        )
        self._removed = self._added = self._island = ""
