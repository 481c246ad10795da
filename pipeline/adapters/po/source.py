"""The ``.po`` file that is being read, as findings and errors name it."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.errors import InputError
from pipeline.findings import Finding, Severity

MEND = "Mend the line and run again; nothing was changed."


@dataclass(frozen=True, slots=True)
class Source:
    """A file called ``where``; makes findings and errors about its lines, which count from 1."""

    where: str

    def finding(
        self, code: str, text: str, *, line: int, severity: Severity = Severity.NOTE
    ) -> Finding:
        return Finding(
            code=code, severity=severity, where=f"{self.where}:{line}", text=text
        )

    def error(self, text: str, *, line: int, hint: str = MEND) -> InputError:
        return InputError(text, where=f"{self.where}:{line}", hint=hint)
