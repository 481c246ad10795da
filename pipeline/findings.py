"""The record of something that a person should know, whoever found it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from pipeline.errors import PipelineError, worst


class Severity(StrEnum):
    """How much a finding weighs. Only ``ERROR`` makes a run end with a non-zero code."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something a person should know. ``code`` is stable; ``where`` is ``file:line`` or ``page, cell N``."""

    code: str
    severity: Severity
    where: str
    text: str
    page: str = ""
    hint: str = ""
    exit_code: int = 1  # what a run ends with for it, if it is an ``ERROR``

    @classmethod
    def of(cls, error: PipelineError, *, page: str = "") -> Finding:
        """``error`` as a finding: for a page that fails while the others go on."""
        code = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(error).__name__).lower()
        return cls(
            code=code,
            severity=Severity.ERROR,
            where=error.where or page,
            text=error.what,
            page=page,
            hint=error.hint,
            exit_code=error.exit_code,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """What a check found in a catalogue. ``file`` is as people read it; ``line`` is the entry's, from 1."""

    code: str
    name: str
    severity: Severity
    file: str
    line: int
    text: str
    hint: str
    page: str = ""
    section: str = ""  # titles of the sections around the message
    msgid: str = ""
    msgstr: str = ""
    spans: tuple[
        tuple[int, int], ...
    ] = ()  # of the msgstr, in characters: the words that are wrong
    fixed: str | None = None  # the msgstr that ``--fix`` would make of it
    exit_code: int = 1  # what a run ends with for it, if it is an ``ERROR``


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What ``check`` found, in the order of files and entries."""

    mistakes: tuple[Mistake, ...] = ()
    files: int = 0
    entries: int = 0  # finished translations that were looked at
    silenced: int = 0  # mistakes that a comment or the configuration has taken out
    written: tuple[str, ...] = ()  # files that ``--fix`` mended
    diffs: str = ""  # what it changed
    strict: bool = False  # warnings count as errors

    @property
    def exit_code(self) -> int:
        """The worst of the errors; 1 for warnings if ``strict``."""
        bad = (Severity.ERROR, Severity.WARNING) if self.strict else (Severity.ERROR,)
        return worst(mistake.exit_code for mistake in self.mistakes if mistake.severity in bad)
