"""Record of a finding: a problem or a note that a stage or a check reports to people.

Runs collect findings in lists, ``report`` renders them in several formats, and later runs read them
back from memos. Two findings are the same if all their fields are equal.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache
from typing import Any

from msgspec import Struct

from pipeline.errors import PipelineError

Span = tuple[int, int]  # a range of characters in a msgstr: start, and end (exclusive)

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")  # between the words of "InputError"


class Severity(StrEnum):
    """Severity of a finding. Only ``ERROR`` gives a run a non-zero exit code."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


class Finding(Struct, frozen=True, kw_only=True):
    """A problem or a note for people.

    ``code`` names the kind of finding and never changes: ``M201`` or ``input-error``. A finding
    about an entry of a catalogue has ``file``, ``line`` and the texts of the entry. Any other
    finding has ``where``: ``file:line`` or ``page, cell N``.
    """

    code: str
    severity: Severity
    text: str  # the problem
    hint: str = ""  # how to solve it
    where: str = ""
    page: str = ""
    exit_code: int = 1  # exit code of the run, if this is an ``ERROR``

    # Only findings about an entry of a catalogue have these fields.
    name: str = ""  # name of the check, such as "code lost or changed"
    file: str = ""  # path of the catalogue, for display
    line: int = 0  # line of the entry, from 1
    section: str = ""  # titles of the sections around the message
    msgid: str = ""
    msgstr: str = ""
    spans: tuple[Span, ...] = ()  # positions of the wrong words in the msgstr
    # The msgstr after ``--fix``; None if ``--fix`` cannot help.
    fixed: str | None = None

    @classmethod
    def of(cls, error: PipelineError, *, page: str = "") -> Finding:
        """Return ``error`` as a finding, so that a run can continue with the other pages."""
        return cls(
            code=_CAMEL.sub("-", type(error).__name__).lower(),
            severity=Severity.ERROR,
            where=error.where or page,
            text=error.what,
            page=page,
            hint=error.hint,
            exit_code=error.exit_code,
        )

    @classmethod
    def from_table(cls, name: str, *, where: str, page: str = "", **values: object) -> Finding:
        """Return the finding in the row ``name`` of ``findings.toml``, with ``values`` inserted."""
        row = _table()[name]
        return cls(
            code=row.get("code", name),
            severity=Severity(row.get("severity", "warning")),
            where=where,
            text=row["text"].format(**values),
            page=page,
            hint=row.get("hint", "").format(**values),
        )

    @property
    def is_error(self) -> bool:
        """Return whether the finding makes a run end with ``exit_code``."""
        return self.severity is Severity.ERROR

    @property
    def place(self) -> str:
        """Return the location for display: ``file:line`` of the entry, or ``where``."""
        if self.file:
            return f"{self.file}:{self.line}"
        return self.where


@cache
def _table() -> dict[str, dict[str, Any]]:
    """Return the rows of ``findings.toml``. Most runs have no findings, so read it when needed."""
    from pipeline.tables import read_table

    return read_table(__name__, "findings")
