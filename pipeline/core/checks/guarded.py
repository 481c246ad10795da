"""G: what the guard leaves out of any page, told before anything is built. It cannot be silenced."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pipeline.core.checks.base import Check, Problem, Subject
from pipeline.findings import Severity


def _refused(code: str) -> Callable[[Subject], Iterator[Problem]]:
    def find(subject: Subject) -> Iterator[Problem]:
        refusal = subject.refusal
        if refusal and refusal.code == code:
            yield Problem(text=f"the translation {refusal.text}", hint=refusal.hint)

    return find


_NAMES = {
    "G101": "a control character",
    "G102": "line breaks that the English has not",
    "G103": "text that would become another kind of block",
    "G104": "markup, targets or code that the English has not",
    "G106": "far longer than the English",
}
CHECKS = tuple(
    Check(code=code, name=name, severity=Severity.ERROR, find=_refused(code))
    for code, name in _NAMES.items()
)
