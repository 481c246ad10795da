"""M2: lost or changed atoms, such as code, formulas, link targets, roles and references.

New HTML, formulas, targets and URLs are not reported here: the guard rejects them (G104).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.checks.fixes import improves, is_han, missing, spans_of
from pipeline.core.checks.markup.links import is_target_visible
from pipeline.core.checks.markup.lost_atoms import (
    TICKS,
    TICKS_TO_WRITE,
    each_lost,
    lost_atoms,
    lost_problem,
    lost_problems,
    quote_atom,
    with_marks,
)
from pipeline.core.checks.markup.roles import find_dollars, find_shown_roles
from pipeline.core.checks.markup.verbatim import find_backticks
from pipeline.core.checks.model import Problem, Subject
from pipeline.core.checks.parsed import Atom
from pipeline.core.document.message import Markup
from pipeline.findings import Span

# Classes of the atoms that must occur as often as in the English.
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
    """Report lost or changed formulas.

    If a dollar sign or the role ``:math:`` is visible, M106 or M107 reports the mistake instead.
    """
    if not next(find_dollars(subject), None) and not _is_reported_as_role(subject):
        yield from lost_problems(subject, Atom.MATH)


def _is_reported_as_role(subject: Subject) -> bool:
    """Return whether M107 reports the lost formula: in reST, formulas are roles."""
    return subject.markup is Markup.RST and bool(next(find_shown_roles(subject), None))


def find_targets(subject: Subject) -> Iterator[Problem]:
    """Report links and images that are lost or have another target.

    If the target is visible as text, M104 reports the broken link instead.
    """
    for name in (Atom.LINK, Atom.IMAGE):
        for target, problem in each_lost(subject, name):
            if not is_target_visible(subject.chinese, name, target):
                yield problem


def find_roles(subject: Subject) -> Iterator[Problem]:
    """Report lost or changed roles.

    If backticks or the name of a role are visible, M105 or M107 reports the mistake instead.
    """
    for find_shown in (find_backticks, find_shown_roles):
        if next(find_shown(subject), None):
            return
    code = subject.chinese.of(Atom.CODE)
    for role, problem in each_lost(subject, Atom.ROLE):
        # In reST, single backquotes make a role without a name. A translation may use
        # the two backquotes of real code instead.
        if role.strip("`") not in code:
            yield problem


def find_references(subject: Subject) -> Iterator[Problem]:
    """Report lost references: labels of links, footnote marks, citations, and targets of reST."""
    for label, problem in each_lost(subject, Atom.REFERENCE):
        if not is_target_visible(subject.chinese, Atom.REFERENCE, label):
            yield problem
    yield from lost_problems(subject, Atom.TARGET)
    yield from lost_problems(subject, Atom.FOOTNOTE)
    yield from lost_problems(subject, Atom.CITATION)


def find_substitutions(subject: Subject) -> Iterator[Problem]:
    """Report lost or changed substitutions: ``{{name}}``, in reST ``|name|``."""
    yield from lost_problems(subject, Atom.SUBSTITUTION)


def find_addresses(subject: Subject) -> Iterator[Problem]:
    """Report lost or changed URLs and e-mail addresses in the visible text.

    A translation may turn a bare URL into a link with words.
    """
    links = subject.chinese.of(Atom.LINK)
    for address, problem in each_lost(subject, Atom.URL):
        if address not in links:
            yield problem
    yield from lost_problems(subject, Atom.EMAIL)


def find_fewer(subject: Subject) -> Iterator[Problem]:
    """Report atoms that occur less often than in the English, but at least once.

    The other checks of this module report atoms that do not occur at all.
    """
    for name in _COUNTED:
        theirs, ours = subject.english.of(name), subject.chinese.of(name)
        for value, count in theirs.items():
            if 0 < ours[value] < count:
                yield _fewer_problem(subject, name, value)


def _fewer_problem(subject: Subject, name: Atom, value: str) -> Problem:
    """Return the problem with an atom that occurs less often than in the English.

    If the code also occurs once as plain text, the problem points to that place.
    """
    count, wanted = subject.chinese.of(name)[value], subject.english.of(name)[value]
    words = f"{quote_atom(subject.markup, name, value)} {count}× instead of {wanted}×"
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
# Text that can only be code: ``jax.jit``, ``static_argnums``, ``f(x)``. ``None`` and
# ``x`` may also be words.
_CODE_ONLY = re.compile(r"[A-Za-z0-9][._(\[=][A-Za-z0-9_)\]]*")
# Two code spans with nothing between them: `a``b`, in reST ``a````b``.
_GLUED = {
    Markup.MARKDOWN: re.compile(r"((?<!`)`[^`]+`)(`[^`]+`(?!`))"),
    Markup.RST: re.compile(r"((?<!`)``[^`]+``)(``[^`]+``(?!`))"),
}


def find_code(subject: Subject) -> Iterator[Problem]:
    """Report code that is lost or changed, has no marks, or is merged with other code."""
    if next(find_backticks(subject), None):
        return  # M105 reports visible backticks
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
                subject,
                Atom.CODE,
                code,
                became,
                is_downgraded=_is_readable(code, became),
            )


def _glued_problem(subject: Subject) -> Problem | None:
    """Return the problem with two adjacent code spans that merge into one, or None.

    For a Markdown parser, "`a``b`" is one code span, whose content is "a``b".
    """
    pattern = _GLUED[subject.markup]
    match = pattern.search(subject.msgstr)
    if not match:
        return None
    apart = pattern.sub(r"\1 \2", subject.msgstr)
    if not improves(subject, apart, Atom.CODE):
        return None
    return Problem(
        text="two code spans run together: the marks between them have no effect",
        hint="Put a space between them.",
        spans=(match.span(),),
        fix=apart,
    )


def _unmarked_problem(subject: Subject, code: str, place: Span) -> Problem:
    """Return the problem with code that is plain text in the translation."""
    start, end = place
    marked = with_marks(subject.markup, Atom.CODE, code)
    fix = f"{subject.msgstr[:start]}{marked}{subject.msgstr[end:]}"
    # "None" or "x" may be an ordinary word in this place, so a person must decide.
    is_fixable = bool(_CODE_ONLY.search(code)) and improves(subject, fix, Atom.CODE)
    ticks = TICKS[subject.markup]
    return Problem(
        text=f"{quote_atom(subject.markup, Atom.CODE, code)} lacks its {ticks}",
        hint=f"Put {TICKS_TO_WRITE[subject.markup]} around it.",
        spans=(place,),
        fix=fix if is_fixable else None,
    )


def _is_readable(code: str, became: str | None) -> bool:
    """Return whether readers still understand code that a translation changed.

    Readers understand it if its words were translated ("`data types`" became "`数据类型`"), or if
    only white space differs ("`a, b`" became "`a,b`").
    """
    if not became:
        return False
    if _SEVERAL_WORDS.search(code) and any(map(is_han, became)):
        return True
    return "".join(code.split()) == "".join(became.split())


def bare_place(subject: Subject, code: str) -> Span | None:
    """Return the position in the msgstr of code that occurs once as plain text, or None.

    Return None if the code occurs several times, or if the English also has it as plain text. In
    these cases, the place of the lost code is uncertain.
    """
    pattern = re.compile(rf"(?<![\w.`]){re.escape(code)}(?![\w`(\[])(?!\.\w)", re.ASCII)
    if pattern.search(subject.english.plain):
        return None
    if len(pattern.findall(subject.chinese.plain)) != 1:
        return None
    # In the msgstr itself, the code may also be part of a link target or another atom. If it is,
    # the place is uncertain as well.
    places = [match.span() for match in pattern.finditer(subject.msgstr)]
    if len(places) != 1:
        return None
    return places[0]


def find_new_code(subject: Subject) -> Iterator[Problem]:
    """Report code that the English does not mention, not even as plain text.

    M201 reports code that replaces code of the English. ``f()`` counts as ``f``.
    """
    changed = set(lost_atoms(subject, Atom.CODE).values())
    mentioned = subject.english.visible.lower()
    for code in missing(subject.chinese, subject.english, Atom.CODE):
        if code in changed or code.removesuffix("()").lower() in mentioned:
            continue
        yield Problem(
            text=(
                f"has {quote_atom(subject.markup, Atom.CODE, code)}, "
                "which the English does not have"
            ),
            hint=f"Check its spelling; remove the {TICKS[subject.markup]} if it is not code.",
            spans=spans_of(subject.msgstr, with_marks(subject.markup, Atom.CODE, code)),
        )
