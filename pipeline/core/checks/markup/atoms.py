"""M2: what must survive translation as it is: code, formulas, targets, roles, references.

New HTML, formulas, targets and URLs are the guard's (G104). Both report what was *changed*; the
checks here also say what was meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.checks.fixes import improves, is_han, missing, spans_of
from pipeline.core.checks.markup.links import stands_elsewhere
from pipeline.core.checks.markup.lost_atoms import (
    TICKS,
    TICKS_TO_WRITE,
    each_lost,
    lost_atoms,
    lost_problem,
    lost_problems,
    spoken,
    with_marks,
)
from pipeline.core.checks.markup.roles import find_dollars, find_shown_roles
from pipeline.core.checks.markup.verbatim import find_backticks
from pipeline.core.checks.model import Problem, Subject
from pipeline.core.checks.parsed import Atom
from pipeline.core.document.message import Markup
from pipeline.findings import Span

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


def find_formulas(subject: Subject) -> Iterator[Problem]:
    """Find formulas that are gone or changed; the guard refuses new ones.

    Where dollar signs show, M106 reports what is wrong with the marks.
    """
    if not next(find_dollars(subject), None) and not _is_told_as_role(subject):
        yield from lost_problems(subject, Atom.MATH)


def _is_told_as_role(subject: Subject) -> bool:
    """Return whether M107 reports a formula of reStructuredText: its ``:math:`` shows."""
    return subject.markup is Markup.RST and bool(next(find_shown_roles(subject), None))


def find_targets(subject: Subject) -> Iterator[Problem]:
    """Find links and images that are gone or lead elsewhere.

    A target that shows as text is a link that does not work: M104 reports it.
    """
    for name in (Atom.LINK, Atom.IMAGE):
        for target, problem in each_lost(subject, name):
            if not stands_elsewhere(subject.chinese, name, target):
                yield problem


def find_roles(subject: Subject) -> Iterator[Problem]:
    """Find roles that are gone or name something else.

    Where backticks or the name of a role show, M105 and M107 report what is wrong.
    """
    for find_shown in (find_backticks, find_shown_roles):
        if next(find_shown(subject), None):
            return
    code = subject.chinese.of(Atom.CODE)
    for role, problem in each_lost(subject, Atom.ROLE):
        # Code that reST has in single backquotes is a role; it may as well become code.
        if role.strip("`") not in code:
            yield problem


def find_references(subject: Subject) -> Iterator[Problem]:
    """Find footnote marks, citations and labels that are gone; of reST also targets."""
    for label, problem in each_lost(subject, Atom.REFERENCE):
        if not stands_elsewhere(subject.chinese, Atom.REFERENCE, label):
            yield problem
    yield from lost_problems(subject, Atom.TARGET)
    yield from lost_problems(subject, Atom.FOOTNOTE)
    for value, became in lost_atoms(subject, Atom.CITATION).items():
        # [!NOTE], the mark of an alert, is lost to a few readers only.
        is_alert = value.startswith("[!")
        yield lost_problem(subject, Atom.CITATION, value, became, is_minor=is_alert)


def find_substitutions(subject: Subject) -> Iterator[Problem]:
    """Find ``{{names}}`` that are gone or changed."""
    yield from lost_problems(subject, Atom.SUBSTITUTION)


def find_addresses(subject: Subject) -> Iterator[Problem]:
    """Find URLs and e-mail addresses that readers see, gone or changed.

    A bare URL may become a link with words.
    """
    links = subject.chinese.of(Atom.LINK)
    for address, problem in each_lost(subject, Atom.URL):
        if address not in links:
            yield problem
    yield from lost_problems(subject, Atom.EMAIL)


def find_fewer(subject: Subject) -> Iterator[Problem]:
    """Find what is named less often than in the English, but still is.

    The other checks report what is never named.
    """
    for name in _COUNTED:
        theirs, ours = subject.english.of(name), subject.chinese.of(name)
        for value, count in theirs.items():
            if 0 < ours[value] < count:
                yield _fewer_problem(subject, name, value)


def _fewer_problem(subject: Subject, name: Atom, value: str) -> Problem:
    """Return the problem of an atom that the translation names less often.

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


_SEVERAL_WORDS = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")
# What can be nothing but code: ``jax.jit``, ``static_argnums``, ``f(x)``, but not ``None`` or
# ``x``.
_CODE_ONLY = re.compile(r"[A-Za-z0-9][._(\[=][A-Za-z0-9_)\]]*")
# `a``b`: two pieces of code without anything between them.
_GLUED = {
    Markup.MARKDOWN: re.compile(r"((?<!`)`[^`]+`)(`[^`]+`(?!`))"),
    Markup.RST: re.compile(r"((?<!`)``[^`]+``)(``[^`]+``(?!`))"),
}


def find_code(subject: Subject) -> Iterator[Problem]:
    """Find code that is gone or changed.

    It may also run together with other code, or stand there as plain text.
    """
    if next(find_backticks(subject), None):
        return  # M105 reports backticks that show
    if glued := _glued_problem(subject):
        yield glued
        return
    for code, became in lost_atoms(subject, Atom.CODE).items():
        place = None
        if became is None:
            place = bare_place(subject, code)
        if place:
            yield _unmarked_problem(subject, code, place)
        else:
            yield lost_problem(
                subject, Atom.CODE, code, became, is_minor=_is_readable(code, became)
            )


def _glued_problem(subject: Subject) -> Problem | None:
    """Return the problem of two pieces of code that run together; None if there are none.

    ```a``b``` is code with two backticks in it, and shows those.
    """
    pattern = _GLUED[subject.markup]
    match = pattern.search(subject.msgstr)
    if not match:
        return None
    apart = pattern.sub(r"\1 \2", subject.msgstr)
    if not improves(subject, apart, Atom.CODE):
        return None
    return Problem(
        text="two pieces of code run together: the marks between them open and close nothing",
        hint="Put a space between them.",
        spans=(match.span(),),
        fix=apart,
    )


def _unmarked_problem(subject: Subject, code: str, place: Span) -> Problem:
    """Return the problem of code that stands as plain text."""
    start, end = place
    marked = with_marks(subject.markup, Atom.CODE, code)
    fix = f"{subject.msgstr[:start]}{marked}{subject.msgstr[end:]}"
    # "None" or "x" may be an ordinary word where it stands: whether it is code, a person must say.
    is_fixable = bool(_CODE_ONLY.search(code)) and improves(subject, fix, Atom.CODE)
    ticks = TICKS[subject.markup]
    return Problem(
        text=f"{spoken(subject.markup, Atom.CODE, code)} stands without its {ticks}",
        hint=f"Put {TICKS_TO_WRITE[subject.markup]} around it.",
        spans=(place,),
        fix=fix if is_fixable else None,
    )


def _is_readable(code: str, became: str | None) -> bool:
    """Return whether changed code still says the same: only words or white space differ.

    ```data types``` became ```数据类型```, or ```a, b``` became ```a,b```.
    """
    if not became:
        return False
    if _SEVERAL_WORDS.search(code) and any(map(is_han, became)):
        return True
    return "".join(code.split()) == "".join(became.split())


def bare_place(subject: Subject, code: str) -> Span | None:
    """Return where code stands as plain text, if it does once.

    If the English has it as plain text as well, or the translation more than once, nobody can say
    which of them is meant.
    """
    pattern = re.compile(rf"(?<![\w.`]){re.escape(code)}(?![\w`(\[])(?!\.\w)", re.ASCII)
    if pattern.search(subject.english.plain):
        return None
    if len(pattern.findall(subject.chinese.plain)) != 1:
        return None
    # In the source it may stand in a link target or another atom too.
    places = [match.span() for match in pattern.finditer(subject.msgstr)]
    if len(places) != 1:
        return None
    return places[0]


def find_new_code(subject: Subject) -> Iterator[Problem]:
    """Find code that the English never mentions, not even as plain text.

    M201 reports what an English atom became. ``f()`` for ``f`` is a matter of taste.
    """
    changed = set(lost_atoms(subject, Atom.CODE).values())
    mentioned = subject.english.visible.lower()
    for code in missing(subject.chinese, subject.english, Atom.CODE):
        if code in changed or code.removesuffix("()").lower() in mentioned:
            continue
        yield Problem(
            text=f"has {spoken(subject.markup, Atom.CODE, code)}, which the English has not",
            hint=f"Check its spelling; take the {TICKS[subject.markup]} away if it is no code.",
            spans=spans_of(subject.msgstr, with_marks(subject.markup, Atom.CODE, code)),
        )
