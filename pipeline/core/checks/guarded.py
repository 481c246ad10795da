"""G: what the guard leaves out of any page, told before anything is built.

Nobody can silence these: what they tell of is never built, whatever a comment says.
"""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.core.checks.base import Check, Find, Problem, Subject
from pipeline.findings import Severity


def _refused_with(code: str) -> Find:
    """A function that tells of the guard's refusals with one code.

    The guard gives one refusal at most, so that one check at most tells of an entry.
    """

    def find(subject: Subject) -> Iterator[Problem]:
        refusal = subject.refusal
        if refusal and refusal.code == code:
            yield Problem(text=f"the translation {refusal.text}", hint=refusal.hint)

    return find


# The guard gives the codes; G105 is about a whole page, which is not here to be looked at.
_NAMES = {
    "G101": "a control character",
    "G102": "line breaks that the English has not",
    "G103": "text that would become another kind of block",
    "G104": "markup, targets or code that the English has not",
    "G106": "far longer than the English",
}
CHECKS = tuple(
    Check(code=code, name=name, severity=Severity.ERROR, find=_refused_with(code))
    for code, name in _NAMES.items()
)
