"""The record of something that a person should know, whoever found it: a stage, or a check.

A finding is a value: it is collected in lists, told in several forms (``report``), and read back
from the files of earlier runs. Two findings are the same finding if all of their fields are equal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from pipeline.errors import PipelineError

Span = tuple[int, int]  # from, and up to, a character of a msgstr

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")  # between the words of "InputError"


class Severity(StrEnum):
    """How much a finding weighs. Only ``ERROR`` makes a run end with a non-zero code."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that a person should know.

    ``code`` is stable. A finding about an entry of a catalogue has ``file`` and ``line``, and the
    entry's texts; any other says in ``where`` what it is about: ``file:line`` or ``page, cell N``.
    """

    code: str
    severity: Severity
    text: str  # what is wrong
    hint: str = ""  # what to do about it
    where: str = ""
    page: str = ""
    exit_code: int = 1  # what a run ends with for it, if it is an ``ERROR``

    # What a check adds about the entry that it looked at.
    name: str = ""  # of the check, in a few words
    file: str = ""  # the catalogue, as people read its path
    line: int = 0  # of the entry, from 1
    section: str = ""  # titles of the sections around the message
    msgid: str = ""
    msgstr: str = ""
    spans: tuple[Span, ...] = ()  # of the msgstr: the words that are wrong
    fixed: str | None = None  # the msgstr that ``--fix`` would make of it

    @classmethod
    def of(cls, error: PipelineError, *, page: str = "") -> Finding:
        """``error`` as a finding: for a page that fails while the others go on."""
        return cls(
            code=_CAMEL.sub("-", type(error).__name__).lower(),
            severity=Severity.ERROR,
            where=error.where or page,
            text=error.what,
            page=page,
            hint=error.hint,
            exit_code=error.exit_code,
        )

    @property
    def is_error(self) -> bool:
        """Whether a run ends with ``exit_code`` for it."""
        return self.severity is Severity.ERROR

    @property
    def place(self) -> str:
        """Where a person has to look."""
        if self.file:
            return f"{self.file}:{self.line}"
        return self.where
