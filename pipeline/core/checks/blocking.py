"""What keeps a translation from being built.

Readers would get something broken, so that ``merge`` and the previews show the English instead.
"""

from __future__ import annotations

from collections.abc import Collection

from pipeline.core.checks import atoms, structure
from pipeline.core.checks.base import Check, Problem, Subject
from pipeline.core.checks.silence import silenced_codes
from pipeline.findings import Severity

BLOCKING: tuple[Check, ...] = tuple(
    check
    for check in (*structure.CHECKS, *atoms.CHECKS)
    if check.severity is Severity.ERROR
)


def blocking_problem(subject: Subject, ignored: Collection[str] = ()) -> Problem | None:
    """The first error of a translation, if there is one.

    The codes in ``ignored`` do not count, nor do those that a comment of the entry can silence.
    """
    silenced = silenced_codes(subject.entry).union(ignored)
    for check in BLOCKING:
        if check.code in silenced:
            continue
        for problem in check.look(subject):
            if problem.severity is Severity.ERROR:
                return problem
    return None
