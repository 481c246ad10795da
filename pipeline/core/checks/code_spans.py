"""M201, M202: code that is gone, changed, or new, and code that stands without its marks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.checks import working
from pipeline.core.checks.atom_words import TICKS, TICKS_TO_WRITE, spoken, with_marks
from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.lost_atoms import Lost, lost_atoms, lost_problem
from pipeline.core.checks.mending import improves, is_han, missing, spans_of
from pipeline.core.checks.parsed import Atom
from pipeline.core.document.message import Markup
from pipeline.findings import Span

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
    """Code that is gone or changed.

    It may also run together with other code, or stand there as plain text.
    """
    if next(working.find_code(subject), None):
        return  # the checks of structure tell of backticks that show
    if glued := _glued(subject):
        yield glued
        return
    for lost in lost_atoms(subject, Atom.CODE):
        place = None
        if lost.became is None:
            place = bare_place(subject, lost.value)
        if place:
            yield _unmarked(subject, lost.value, place)
        else:
            yield lost_problem(subject, Atom.CODE, lost, is_minor=_is_readable(lost))


def _glued(subject: Subject) -> Problem | None:
    """What is to be said of two pieces of code that run together; None if there are none.

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


def _unmarked(subject: Subject, code: str, place: Span) -> Problem:
    """What is to be said of code that stands as plain text."""
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


def _is_readable(lost: Lost) -> bool:
    """Whether changed code still says the same: words that were translated, other white space.

    ```data types``` became ```数据类型```, or ```a, b``` became ```a,b```.
    """
    code, became = lost.value, lost.became
    if not became:
        return False
    if _SEVERAL_WORDS.search(code) and any(map(is_han, became)):
        return True
    return "".join(code.split()) == "".join(became.split())


def bare_place(subject: Subject, code: str) -> Span | None:
    """Where code stands as plain text, if it does once.

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
    """Code that the English never mentions, not even as plain text.

    What an English atom became is told with that. ``f()`` for ``f`` is a matter of taste.
    """
    changed = {lost.became for lost in lost_atoms(subject, Atom.CODE)}
    mentioned = subject.english.visible.lower()
    for code in missing(subject.chinese, subject.english, Atom.CODE):
        if code in changed or code.removesuffix("()").lower() in mentioned:
            continue
        yield Problem(
            text=f"has {spoken(subject.markup, Atom.CODE, code)}, which the English has not",
            hint=f"Check its spelling; take the {TICKS[subject.markup]} away if it is no code.",
            spans=spans_of(subject.msgstr, with_marks(subject.markup, Atom.CODE, code)),
        )
