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
    translated: int = 0  # finished
    fuzzy: int = 0  # with a msgstr that a person has to look at again
    words: int = 0
    translated_words: int = 0
    fuzzy_words: int = 0
    drafts: int = 0  # of the fuzzy ones: a machine's, which nobody has looked at
    draft_words: int = 0

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
    messages = translated = fuzzy = 0
    words = translated_words = fuzzy_words = 0
    drafts = draft_words = 0
    for page in pages:
        messages += page.messages
        translated += page.translated
        fuzzy += page.fuzzy
        words += page.words
        translated_words += page.translated_words
        fuzzy_words += page.fuzzy_words
        drafts += page.drafts
        draft_words += page.draft_words
    return Progress(
        messages=messages,
        translated=translated,
        fuzzy=fuzzy,
        words=words,
        translated_words=translated_words,
        fuzzy_words=fuzzy_words,
        drafts=drafts,
        draft_words=draft_words,
    )


def whole_percent(part: int, whole: int) -> int | None:
    """``part`` of ``whole`` in percent, rounded down; None if the whole is nothing."""
    if not whole:
        return None  # each table says in its own way that there is nothing
    return 100 * part // whole
