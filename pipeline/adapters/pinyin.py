"""How Chinese words are read, in Latin letters: what people type who write Chinese by pinyin."""

from __future__ import annotations

from collections.abc import Iterable


def readings_of(words: Iterable[str]) -> dict[str, str]:
    """Return how each word is read, by syllables: ``{"向量化": "xiang liang hua"}``."""
    from pypinyin import lazy_pinyin  # its dictionary takes half a second to load

    return {
        word: " ".join(" ".join(lazy_pinyin(word)).lower().split()) for word in words
    }
