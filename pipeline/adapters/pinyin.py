"""Pinyin of Chinese words: the Latin letters that people type to enter a word."""

from __future__ import annotations

from collections.abc import Iterable


def readings_of(words: Iterable[str]) -> dict[str, str]:
    """Return the pinyin of each word, with spaces between syllables.

    ``["向量化"]`` → ``{"向量化": "xiang liang hua"}``
    """
    # imported here, because its dictionary takes half a second to load
    from pypinyin import lazy_pinyin

    return {
        word: " ".join(" ".join(lazy_pinyin(word)).lower().split()) for word in words
    }
