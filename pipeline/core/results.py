"""Results of a run for each page, the rows of report.json, and how far their translation is.

There is one way to count and to round, for every table, page and badge. A percent is rounded down,
so that nothing is called complete while a message is missing. Reports and web sites read these
records: importing this module must not import what compares texts.
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
    """How the messages of one page came to their translations in one update."""

    kept: int = 0
    carried: int = 0  # finished translations taken from equal text elsewhere
    fuzzy: Mapping[str, int] = field(default_factory=dict)  # by class of change
    new: int = 0  # without any translation
    obsolete: int = 0
    # The page that most translations came from, if it is another one.
    moved_from: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageResult:
    """All that a run knows of one page in one locale: a row of ``report.json``."""

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
    # Of the fuzzy ones: what a machine has made.
    drafts: int = 0
    draft_words: int = 0
    # Fuzzy messages by class of change.
    classes: Mapping[str, int] = field(default_factory=dict)
    rest_words: int = 0  # of sections that stay English, and are no messages
    code_cells: int = 0
    findings: tuple[Finding, ...] = ()
    execution: Execution | None = None
    update: UpdateCounts | None = None  # of this run's update; no report keeps it

    def with_included(self, included: Iterable[PageResult]) -> PageResult:
        """Return the row with the counts of what the page includes in its own."""
        row = self
        for part in included:
            counts = {key: getattr(row, key) + getattr(part, key) for key in _COUNTS}
            row = replace(row, **counts)
        return row

    @property
    def untranslated(self) -> int:
        """Messages without any msgstr."""
        return self.messages - self.translated - self.fuzzy


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
