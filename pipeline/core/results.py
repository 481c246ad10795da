"""Results of a run per page (the rows of report.json), and the progress of translations.

All tables, pages and badges count and round here. The invariant: percentages are rounded down, so
nothing with a missing message is called complete. Reports and sites read these records, so this
module must not import the code that compares texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from pipeline.core.execution.result import Execution
from pipeline.core.pin.lock import SourceFile
from pipeline.findings import Finding

_COUNTS = (
    *("messages", "words", "translated", "translated_words", "obsolete"),
    *("fuzzy", "fuzzy_words", "drafts", "draft_words", "rest_words"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateCounts:
    """How the messages of one page got their translations in one update."""

    kept: int = 0
    carried: int = 0  # finished translations taken over from other messages
    fuzzy: Mapping[str, int] = field(default_factory=dict)  # by class of change
    new: int = 0  # without any translation
    obsolete: int = 0
    # The old name of the page, if upstream renamed it.
    moved_from: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageResult:
    """All results of a run for one page in one locale: a row of ``report.json``."""

    page: str
    files: tuple[SourceFile, ...] = ()
    title: str = ""
    messages: int = 0
    words: int = 0
    translated: int = 0
    fuzzy: int = 0
    obsolete: int = 0
    translated_words: int = 0
    fuzzy_words: int = 0
    # The drafts among the fuzzy messages.
    drafts: int = 0
    draft_words: int = 0
    # Fuzzy messages by class of change.
    classes: Mapping[str, int] = field(default_factory=dict)
    rest_words: int = 0  # words of sections that stay English and have no messages
    code_cells: int = 0
    findings: tuple[Finding, ...] = ()
    execution: Execution | None = None
    update: UpdateCounts | None = None  # this run's update; not stored in reports

    def with_included(self, included: Iterable[PageResult]) -> PageResult:
        """Return the row with the counts of the pages that it includes added."""
        row = self
        for part in included:
            counts = {key: getattr(row, key) + getattr(part, key) for key in _COUNTS}
            row = replace(row, **counts)
        return row

    @property
    def untranslated(self) -> int:
        """Return the number of messages without a msgstr."""
        return self.messages - self.translated - self.fuzzy


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Messages and their English words, by state of translation."""

    messages: int = 0
    translated: int = 0  # finished
    fuzzy: int = 0  # with a msgstr that a person must review
    words: int = 0
    translated_words: int = 0
    fuzzy_words: int = 0
    drafts: int = 0  # unreviewed words of a machine, among the fuzzy ones
    draft_words: int = 0

    @property
    def untranslated(self) -> int:
        """Return the number of messages without a msgstr."""
        return self.messages - self.translated - self.fuzzy

    @property
    def untranslated_words(self) -> int:
        """Return the words of messages without a msgstr."""
        return self.words - self.translated_words - self.fuzzy_words

    @property
    def words_to_do(self) -> int:
        """Return the words of unfinished messages: fuzzy or without a msgstr."""
        return self.words - self.translated_words


def progress_of(pages: Iterable[PageResult]) -> Progress:
    """Return the sums over ``pages``, all of one locale."""
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
    """Return ``part`` of ``whole`` in percent, rounded down; None if ``whole`` is 0."""
    if not whole:
        return None  # each table has its own text for this
    return 100 * part // whole
