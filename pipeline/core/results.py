"""Results of a run for each page (the rows of ``report.json``), and the progress of translations.

All tables, pages and badges use the counts and percentages of this module. Percentages are rounded
down, so 100 % means that no message is missing. Reports and sites import this module, so it must
not import slow modules, such as those that compare texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from pipeline.core.execution.result import Execution
from pipeline.core.pin.lock import SourceFile
from pipeline.findings import Finding

_COUNTS = (
    *("messages", "words", "translated", "translated_words", "obsolete"),
    *("fuzzy", "fuzzy_words", "drafts", "draft_words", "rest_words"),
)


class UpdateCounts(Struct, frozen=True, kw_only=True):
    """Counts of the messages of one page, by the source of their translations in one update."""

    kept: int = 0
    carried: int = 0  # finished translations that were taken over from other messages
    fuzzy: Mapping[str, int] = field(default_factory=dict)  # by class of change
    new: int = 0  # without any translation
    obsolete: int = 0
    # The old name of the page, if upstream renamed it.
    moved_from: str = ""


class PageResult(Struct, frozen=True, kw_only=True):
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
    # Fuzzy messages whose translation is a draft: a machine wrote it, and nobody has reviewed it.
    drafts: int = 0
    draft_words: int = 0
    # Fuzzy messages by class of the change to their English, such as "punctuation".
    classes: Mapping[str, int] = field(default_factory=dict)
    rest_words: int = 0  # words of the sections that stay English by configuration
    code_cells: int = 0
    findings: tuple[Finding, ...] = ()
    execution: Execution | None = None
    update: UpdateCounts | None = None  # counts of this run; reports do not store them

    def with_included(self, included: Iterable[PageResult]) -> PageResult:
        """Return the row plus the counts of ``included``, such as the pages that it includes."""
        row = self
        for part in included:
            counts = {key: getattr(row, key) + getattr(part, key) for key in _COUNTS}
            row = replace(row, **counts)
        return row

    @property
    def untranslated(self) -> int:
        """Return the number of messages without a msgstr."""
        return self.messages - self.translated - self.fuzzy

    @property
    def untranslated_words(self) -> int:
        """Return the number of words in messages without a msgstr."""
        return self.words - self.translated_words - self.fuzzy_words

    @property
    def words_to_do(self) -> int:
        """Return the number of words in unfinished messages: fuzzy, or without a msgstr."""
        return self.words - self.translated_words


def progress_of(pages: Iterable[PageResult]) -> PageResult:
    """Return a row with the sums of the counts of ``pages``, which must be of the same locale."""
    return PageResult(page="").with_included(pages)


def whole_percent(part: int, whole: int) -> int | None:
    """Return ``part`` of ``whole`` in percent, rounded down; None if ``whole`` is 0."""
    if not whole:
        return None  # callers choose the text for this case
    return 100 * part // whole
