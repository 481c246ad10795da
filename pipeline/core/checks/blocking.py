"""What keeps a translation from being built: a reader would get something broken. English is shown instead."""

from __future__ import annotations

from collections.abc import Collection

from pipeline.core.checks import atoms, structure
from pipeline.core.checks.base import Check, Problem, Subject
from pipeline.core.checks.silence import ignores_of
from pipeline.findings import Severity

BLOCKING: tuple[Check, ...] = tuple(
    check for check in (*structure.CHECKS, *atoms.CHECKS) if check.severity is Severity.ERROR
)


def blocking_problem(
    subject: Subject, ignored: Collection[str] = ()
) -> tuple[Check, Problem] | None:
    """The first error of a translation, if there is one that neither ``ignored`` nor a comment silences."""
    ignored = {*ignored, *(code for ignore in ignores_of(subject.entry) for code in ignore.codes)}
    checks = (check for check in BLOCKING if check.code not in ignored)
    found = ((check, problem) for check in checks for problem in check.find(subject))
    return next(
        (
            (check, problem)
            for check, problem in found
            if (problem.severity or check.severity) is Severity.ERROR
        ),
        None,
    )
