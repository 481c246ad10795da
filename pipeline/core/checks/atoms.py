"""M2: what must survive translation as it is: code, formulas, targets, roles, references.

New HTML, formulas, targets and URLs are not told of here: the guard refuses them (G104). What was
*changed* is told of by both, here with what was meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.core.checks import working
from pipeline.core.checks.atom_words import (
    TICKS,
    TICKS_TO_WRITE,
    spoken,
)
from pipeline.core.checks.base import Check, Find, Problem, Subject
from pipeline.core.checks.code_spans import bare_place, find_code, find_new_code
from pipeline.core.checks.lost_atoms import (
    lost_atoms,
    lost_problem,
    lost_problems,
    told_lost,
)
from pipeline.core.checks.parsed import Atom
from pipeline.core.document.message import Markup
from pipeline.findings import Severity

# The classes of which it matters how often an atom is named.
_COUNTED = (
    Atom.CODE,
    Atom.MATH,
    Atom.ROLE,
    Atom.LINK,
    Atom.REFERENCE,
    Atom.IMAGE,
    Atom.FOOTNOTE,
    Atom.CITATION,
)


def find_math(subject: Subject) -> Iterator[Problem]:
    """Formulas that are gone or changed; the guard refuses new ones.

    Where dollar signs show, M106 has told what is wrong with the marks.
    """
    if not next(working.find_math(subject), None) and not _is_told_as_role(subject):
        yield from lost_problems(subject, Atom.MATH)


def _is_told_as_role(subject: Subject) -> bool:
    """Whether a formula is lost as the role that it is in reStructuredText: ``:math:`` shows."""
    return subject.markup is Markup.RST and bool(
        next(working.find_roles(subject), None)
    )


def find_targets(subject: Subject) -> Iterator[Problem]:
    """Links and images that are gone or lead elsewhere.

    A target that shows as text is a link that does not work: M104 tells of it.
    """
    for name in (Atom.LINK, Atom.IMAGE):
        for target, problem in told_lost(subject, name):
            if not working.stands_elsewhere(subject.chinese, name, target):
                yield problem


def find_roles(subject: Subject) -> Iterator[Problem]:
    """Roles that are gone or name something else.

    Where backticks or the name of a role show, M105 and M107 have told what is wrong.
    """
    for find_shown in (working.find_code, working.find_roles):
        if next(find_shown(subject), None):
            return
    code = subject.chinese.of(Atom.CODE)
    for role, problem in told_lost(subject, Atom.ROLE):
        # Code that reST has in single backquotes is a role; it may as well become code.
        if role.strip("`") not in code:
            yield problem


def find_references(subject: Subject) -> Iterator[Problem]:
    """Footnote marks, citations and labels that are gone; of reST also targets."""
    for label, problem in told_lost(subject, Atom.REFERENCE):
        if not working.stands_elsewhere(subject.chinese, Atom.REFERENCE, label):
            yield problem
    yield from lost_problems(subject, Atom.TARGET)
    yield from lost_problems(subject, Atom.FOOTNOTE)
    for lost in lost_atoms(subject, Atom.CITATION):
        # [!NOTE], the mark of an alert, is lost to a few readers only.
        is_alert = lost.value.startswith("[!")
        yield lost_problem(subject, Atom.CITATION, lost, is_minor=is_alert)


def find_substitutions(subject: Subject) -> Iterator[Problem]:
    """``{{names}}`` that are gone or changed."""
    yield from lost_problems(subject, Atom.SUBSTITUTION)


def find_addresses(subject: Subject) -> Iterator[Problem]:
    """URLs and e-mail addresses that readers see, gone or changed.

    A bare URL may become a link with words.
    """
    links = subject.chinese.of(Atom.LINK)
    for address, problem in told_lost(subject, Atom.URL):
        if address not in links:
            yield problem
    yield from lost_problems(subject, Atom.EMAIL)


def find_fewer(subject: Subject) -> Iterator[Problem]:
    """What is named less often than in the English, but still is.

    What is never named is lost, which the other checks tell.
    """
    for name in _COUNTED:
        theirs, ours = subject.english.of(name), subject.chinese.of(name)
        for value, count in theirs.items():
            if 0 < ours[value] < count:
                yield _fewer(subject, name, value)


def _fewer(subject: Subject, name: Atom, value: str) -> Problem:
    """What is to be said of an atom that the translation names less often.

    Code may stand there once more as plain text: then that is the place to look at.
    """
    count, wanted = subject.chinese.of(name)[value], subject.english.of(name)[value]
    words = f"{spoken(subject.markup, name, value)} {count}× for {wanted}×"
    place = None
    if name is Atom.CODE:
        place = bare_place(subject, value)
    if not place:
        return Problem(text=f"has {words}", hint="Check that nothing was left out.")
    return Problem(
        text=f"has {words}, and once without {TICKS[subject.markup]}",
        hint=f"Put {TICKS_TO_WRITE[subject.markup]} around each.",
        spans=(place,),
    )


def _error(find: Find, *, code: str, name: str) -> Check:
    return Check(code=code, name=name, severity=Severity.ERROR, find=_in_place(find))


def _warning(find: Find, *, code: str, name: str) -> Check:
    return Check(code=code, name=name, severity=Severity.WARNING, find=_in_place(find))


def _in_place(find: Find) -> Find:
    """``find``, where there are atoms that differ, in a text that stands as the right block.

    With most messages there are none, so that no check need look any closer.
    """

    def find_in_place(subject: Subject) -> Iterator[Problem]:
        if subject.has_all_atoms or not subject.is_in_place:
            return iter(())
        return find(subject)

    return find_in_place


CHECKS: tuple[Check, ...] = (
    _error(find_code, code="M201", name="code lost or changed"),
    _warning(find_new_code, code="M202", name="code that the English has not"),
    _error(find_math, code="M203", name="a formula lost or changed"),
    _error(find_targets, code="M204", name="a link or image lost or changed"),
    _error(find_roles, code="M205", name="a role lost or changed"),
    _error(
        find_references,
        code="M206",
        name="a footnote mark or reference lost or changed",
    ),
    _error(find_substitutions, code="M207", name="a substitution lost or changed"),
    _error(find_addresses, code="M208", name="an address lost or changed"),
    _warning(
        find_fewer, code="M209", name="code, a formula or a link named less often"
    ),
)
