"""How far a translation is: one way to count and to round, for every table, page and badge.

The results of pages go in, sums and percent come out. A percent is rounded down, so that nothing
is called complete while a message is missing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.core.results import PageResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Messages, and their English words, by the state of their translation."""

    messages: int = 0
    translated: int = 0
    fuzzy: int = 0
    words: int = 0
    translated_words: int = 0
    fuzzy_words: int = 0

    @property
    def untranslated(self) -> int:
        """Messages without any msgstr."""
        return self.messages - self.translated - self.fuzzy

    @property
    def untranslated_words(self) -> int:
        """Words of messages without any msgstr."""
        return self.words - self.translated_words - self.fuzzy_words

    @property
    def words_to_do(self) -> int:
        """Words of messages that are not finished: fuzzy or without any msgstr."""
        return self.words - self.translated_words


def progress_of(pages: Iterable[PageResult]) -> Progress:
    """The sums over ``pages``, all of one locale."""
    rows = tuple(pages)
    return Progress(
        messages=sum(page.messages for page in rows),
        translated=sum(page.translated for page in rows),
        fuzzy=sum(page.fuzzy for page in rows),
        words=sum(page.words for page in rows),
        translated_words=sum(page.translated_words for page in rows),
        fuzzy_words=sum(page.fuzzy_words for page in rows),
    )


def whole_percent(part: int, whole: int) -> int | None:
    """``part`` of ``whole`` in percent, rounded down; None if the whole is nothing."""
    return 100 * part // whole if whole else None
