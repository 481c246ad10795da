"""What a run knows of each page: the rows of report.json, and how two commits differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pipeline.core.execution.result import Execution
from pipeline.core.pin.lock import Lock, SourceFile
from pipeline.findings import Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateCounts:
    """How the messages of one page came to their translations in one update."""

    kept: int = 0
    carried: int = 0  # finished translations taken from equal text elsewhere
    fuzzy: Mapping[str, int] = field(default_factory=dict)  # by class of change
    new: int = 0  # without any translation
    obsolete: int = 0
    moved_from: str = ""  # the page that most translations came from, if it is another one


@dataclass(frozen=True, slots=True, kw_only=True)
class PageChange:
    """How the English of one page differs between two commits, in messages. Pages that are equal have none."""

    page: str
    appeared: bool = False
    vanished: bool = False
    renamed_from: str = ""  # the vanished page that most of the text stood on
    added: int = 0  # messages that stood nowhere before
    changed: int = 0  # messages like one that stood on the page before
    moved: int = 0  # messages that stood on another page
    dropped: int = 0
    words: int = 0  # English words of what was added or changed
    code_changed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two commits of one upstream. ``commits`` counts those on the way there and those on the way back."""

    before: Lock
    after: Lock
    pages: tuple[PageChange, ...]
    commits: tuple[int, int] | None = None  # None: the history between them is not known here


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
    classes: Mapping[str, int] = field(default_factory=dict)  # fuzzy messages by class of change
    code_cells: int = 0
    findings: tuple[Finding, ...] = ()
    execution: Execution | None = None
    update: UpdateCounts | None = None  # of this run's update; no report keeps it

    @property
    def untranslated(self) -> int:
        """Messages without any msgstr."""
        return self.messages - self.translated - self.fuzzy
