"""M2: what must survive translation as it is: code, formulas, targets, roles, references.

New HTML, targets and URLs are not told here: the guard refuses them (G104). A target that was *changed* is told of by both, here
with the one that was meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from rapidfuzz import fuzz

from pipeline.core.checks import rst_markup, working
from pipeline.core.checks.base import Check, Problem, Subject
from pipeline.core.checks.mending import NARROW, improves, is_han, missing, quote, spans_of
from pipeline.core.checks.parsed import Atom
from pipeline.core.document.message import Markup
from pipeline.findings import Severity

_ALIKE = 60  # per cent: from here on one is taken for a misspelling of the other
_COPY = "Copy it from the English, letter by letter."
_SEVERAL_WORDS = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")
_TARGET = re.compile(r"(?:\{[^{}]+\}|:[^`]+:)`(.*)`", re.DOTALL)
_ROLE = re.compile(r"(:[^`]+:)`(.+)`", re.DOTALL)
_WIDE_TITLE = re.compile(
    r"(\{[\w:+-]+\}`[^`<>＜＞〈〉《》]*?)\s*[<＜〈《]([^`<>＜＞〈〉《》]*)[>＞〉》]`"
)
_GLUED = {
    Markup.MARKDOWN: re.compile(r"((?<!`)`[^`]+`)(`[^`]+`(?!`))"),
    Markup.RST: re.compile(r"((?<!`)``[^`]+``)(``[^`]+``(?!`))"),
}
# What stands before and behind code and formulas.
_MARKS = {
    (Markup.MARKDOWN, Atom.CODE): ("`", "`"),
    (Markup.MARKDOWN, Atom.MATH): ("$", "$"),
    (Markup.RST, Atom.CODE): ("``", "``"),
    (Markup.RST, Atom.MATH): (":math:`", "`"),
}
_TICKS = {Markup.MARKDOWN: "backticks", Markup.RST: "two backquotes"}
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


def find_code(subject: Subject) -> Iterator[Problem]:
    """Code that is gone or changed."""
    if next(working.find_code(subject), None):
        return  # told by the structure
    glued = _GLUED[subject.markup]
    apart = glued.sub(r"\1 \2", subject.msgstr)
    if (found := glued.search(subject.msgstr)) and improves(subject, apart, Atom.CODE):
        yield Problem(
            text="two pieces of code run together: the marks between them open and close nothing",
            hint="Put a space between them.",
            spans=(found.span(),),
            fix=apart,
        )
        return
    for lost, new in _changed(subject, Atom.CODE):
        if new is None and (bare := _bare(subject, lost)):
            marked = f"{subject.msgstr[: bare[0]]}{_marked(subject.markup, Atom.CODE, lost)}{subject.msgstr[bare[1] :]}"
            yield Problem(
                text=f"{_shown(subject, Atom.CODE, lost)} stands without its {_TICKS[subject.markup].removeprefix('two ')}",
                hint=f"Put {_TICKS[subject.markup]} around it.",
                spans=(bare,),
                fix=marked
                if _is_code_only(lost) and improves(subject, marked, Atom.CODE)
                else None,
            )
        else:
            yield _problem(
                subject,
                Atom.CODE,
                lost,
                new,
                is_minor=bool(new) and _is_readable(lost, new or ""),
            )


def _is_readable(lost: str, new: str) -> bool:
    """Whether changed code still says the same: words that were translated, other white space."""
    is_translated = bool(_SEVERAL_WORDS.search(lost)) and any(map(is_han, new))
    return is_translated or "".join(lost.split()) == "".join(new.split())


def _bare(subject: Subject, code: str) -> tuple[int, int] | None:
    """Where code stands as plain text, if it does once, and never in the English."""
    pattern = rf"(?<![\w.`]){re.escape(code)}(?![\w`(\[])(?!\.\w)"
    if (
        re.search(pattern, subject.english.plain, re.ASCII)
        or len(re.findall(pattern, subject.chinese.plain, re.ASCII)) != 1
    ):
        return None
    found = [match.span() for match in re.finditer(pattern, subject.msgstr, re.ASCII)]
    return found[0] if len(found) == 1 else None


def _is_code_only(code: str) -> bool:
    """Whether it can be nothing but code: ``jax.jit``, ``static_argnums``, ``f(x)``, not ``None`` or ``x``."""
    return bool(re.search(r"[A-Za-z0-9][._(\[=][A-Za-z0-9_)\]]*", code))


def find_new_code(subject: Subject) -> Iterator[Problem]:
    """Code that the English never mentions."""
    taken = {new for _, new in _changed(subject, Atom.CODE)}
    for code in missing(subject.chinese, subject.english, Atom.CODE):
        if (
            code not in taken
            and code.removesuffix("()").lower() not in subject.english.visible.lower()
        ):
            yield Problem(
                text=f"has {_shown(subject, Atom.CODE, code)}, which the English has not",
                hint=f"Check its spelling; take the {_TICKS[subject.markup].removeprefix('two ')} away if it is no code.",
                spans=spans_of(subject.msgstr, _marked(subject.markup, Atom.CODE, code)),
            )


def find_math(subject: Subject) -> Iterator[Problem]:
    """Formulas that are gone, changed or new."""
    if next(working.find_math(subject), None) or _is_role_told(subject):
        return
    yield from _lost(subject, Atom.MATH)
    taken = {new for _, new in _changed(subject, Atom.MATH)}
    for formula in missing(subject.chinese, subject.english, Atom.MATH):
        if formula not in taken and formula not in re.sub(r"\s", "", subject.english.visible):
            yield Problem(
                text=f"has {_shown(subject, Atom.MATH, formula)}, which the English has not",
                hint="Check it; if it is no formula, write \\$ for each dollar sign.",
                spans=_spans(subject.msgstr, _marked(subject.markup, Atom.MATH, formula)),
                is_minor=True,
            )


def find_targets(subject: Subject) -> Iterator[Problem]:
    """Links and images that are gone or lead elsewhere."""
    for name in (Atom.LINK, Atom.IMAGE):
        yield from (
            problem
            for lost, problem in _told(subject, name)
            if not working.stands_elsewhere(subject.chinese, name, lost)
        )


def find_roles(subject: Subject) -> Iterator[Problem]:
    """Roles that are gone or name something else. Code that reST has in single backquotes may as well be code."""
    if not next(working.find_code(subject), None) and not next(working.find_roles(subject), None):
        yield from (
            problem
            for lost, problem in _told(subject, Atom.ROLE)
            if lost.strip("`") not in subject.chinese.of(Atom.CODE)
        )


def _is_role_told(subject: Subject) -> bool:
    """Whether a formula is lost as the role that it is in reStructuredText."""
    return subject.markup is Markup.RST and bool(next(working.find_roles(subject), None))


def find_references(subject: Subject) -> Iterator[Problem]:
    """Footnote marks, citations and labels that are gone."""
    yield from (
        problem
        for lost, problem in _told(subject, Atom.REFERENCE)
        if not working.stands_elsewhere(subject.chinese, Atom.REFERENCE, lost)
    )
    yield from _lost(subject, Atom.TARGET)
    yield from _lost(subject, Atom.FOOTNOTE)
    for lost, new in _changed(subject, Atom.CITATION):
        yield _problem(
            subject,
            Atom.CITATION,
            lost,
            new,
            is_minor=lost.startswith("[!"),
        )


def find_substitutions(subject: Subject) -> Iterator[Problem]:
    """``{{names}}`` that are gone or changed."""
    yield from _lost(subject, Atom.SUBSTITUTION)


def find_addresses(subject: Subject) -> Iterator[Problem]:
    """URLs and e-mail addresses that readers see, gone or changed."""
    links = subject.chinese.of(Atom.LINK)
    yield from (problem for lost, problem in _told(subject, Atom.URL) if lost not in links)
    yield from _lost(subject, Atom.EMAIL)


def find_fewer(subject: Subject) -> Iterator[Problem]:
    """What is named less often than in the English, but still is."""
    for name in _COUNTED:
        theirs, ours = subject.english.of(name), subject.chinese.of(name)
        for value in theirs:
            if 0 < ours[value] < theirs[value]:
                bare = _bare(subject, value) if name is Atom.CODE else None
                without = (
                    f", and once without {_TICKS[subject.markup].removeprefix('two ')}"
                    if bare
                    else ""
                )
                yield Problem(
                    text=f"has {_shown(subject, name, value)} {ours[value]}× for {theirs[value]}×{without}",
                    hint=f"Put {_TICKS[subject.markup]} around each."
                    if bare
                    else "Check that nothing was left out.",
                    spans=(bare,) if bare else (),
                )


def _lost(subject: Subject, name: Atom) -> Iterator[Problem]:
    return (problem for _, problem in _told(subject, name))


def _told(subject: Subject, name: Atom) -> Iterator[tuple[str, Problem]]:
    """Each lost atom of a class, with what to say of it."""
    return ((lost, _problem(subject, name, lost, new)) for lost, new in _changed(subject, name))


def _changed(subject: Subject, name: Atom) -> list[tuple[str, str | None]]:
    """Each lost atom of a class with the new one that is most like it."""
    lost = missing(subject.english, subject.chinese, name)
    new = missing(subject.chinese, subject.english, name) if lost else []
    if len(lost) == len(new) == 1:
        return [(lost[0], new[0])]
    pairs: list[tuple[str, str | None]] = []
    for value in lost:
        best = max(new, key=partial(_likeness, value), default="")
        if best and _likeness(value, best) >= _ALIKE:
            pairs.append((value, best))
            new.remove(best)
        else:
            pairs.append((value, None))
    return pairs


def _likeness(value: str, other: str) -> float:
    return fuzz.ratio(value.lower(), other.lower())


def _problem(
    subject: Subject, name: Atom, lost: str, new: str | None, *, is_minor: bool = False
) -> Problem:
    instead = f"; has {_shown(subject, name, new)} instead" if new else ""
    is_marked = (subject.markup, name) in _MARKS
    return Problem(
        text=f"lacks {'' if is_marked else f'the {name.value} '}{_shown(subject, name, lost)}{instead}",
        hint=_hint(subject, name, lost),
        spans=_spans(subject.msgstr, _inner(name, new)) if new else (),
        fix=_fix(subject, name) if new else None,
        is_minor=is_minor,
    )


def _hint(subject: Subject, name: Atom, lost: str) -> str:
    """In reStructuredText what is shown is mostly the name that is looked up: other words stand beside it."""
    if subject.markup is Markup.RST and name is Atom.ROLE and (role := _ROLE.fullmatch(lost)):
        return f"Copy it from the English, or write {role[1]}`… <{role[2]}>` to show other words."
    if subject.markup is Markup.MARKDOWN or name is not Atom.REFERENCE:
        return _COPY
    written = rst_markup.written_as(subject, name, lost)
    words = (
        ""
        if written.startswith("`…")
        else f", or `… <{written.strip('`_')}_>`_ to show other words"
    )
    return f"Write {written}{words}."


def _shown(subject: Subject, name: Atom, value: str) -> str:
    short = f"{value[:60]}…" if len(value) > 60 else value
    return (
        _marked(subject.markup, name, short) if (subject.markup, name) in _MARKS else quote(value)
    )


def _marked(markup: Markup, name: Atom, value: str) -> str:
    before, behind = _MARKS[markup, name]
    return f"{before}{value}{behind}"


def _spans(source: str, value: str) -> tuple[tuple[int, int], ...]:
    """Where an atom stands, with any white space in it: of some classes the value has none."""
    found = re.search(r"\s*".join(map(re.escape, value)), source)
    return (found.span(),) if found else ()


def _inner(name: Atom, value: str) -> str:
    """The part of an atom that stands in the source as it is."""
    return match[1] if name is Atom.ROLE and (match := _TARGET.fullmatch(value)) else value


def _fix(subject: Subject, name: Atom) -> str | None:
    """The msgstr with each atom of a class as the English has it where only marks and white space differ."""
    fix = subject.msgstr
    if name is Atom.ROLE:
        fix = _WIDE_TITLE.sub(r"\1 <\2>`", fix)
    for lost, new in _changed(subject, name):
        if new and _plain(lost) == _plain(new):
            fix = fix.replace(_inner(name, new), _inner(name, lost))
    return fix if improves(subject, fix, name) else None


def _plain(value: str) -> str:
    return re.sub(r"\s", "", value.translate(NARROW))


def _in_place(
    find: Callable[[Subject], Iterator[Problem]],
) -> Callable[[Subject], Iterator[Problem]]:
    """``find``, where there are atoms that differ, in a text that stands as the right block."""

    def find_in_place(subject: Subject) -> Iterator[Problem]:
        return find(subject) if not subject.has_all_atoms and subject.is_in_place else iter(())

    return find_in_place


CHECKS: tuple[Check, ...] = (
    Check(
        code="M201", name="code lost or changed", severity=Severity.ERROR, find=_in_place(find_code)
    ),
    Check(
        code="M202",
        name="code that the English has not",
        severity=Severity.WARNING,
        find=_in_place(find_new_code),
    ),
    Check(
        code="M203",
        name="a formula lost, changed or added",
        severity=Severity.ERROR,
        find=_in_place(find_math),
    ),
    Check(
        code="M204",
        name="a link or image lost or changed",
        severity=Severity.ERROR,
        find=_in_place(find_targets),
    ),
    Check(
        code="M205",
        name="a role lost or changed",
        severity=Severity.ERROR,
        find=_in_place(find_roles),
    ),
    Check(
        code="M206",
        name="a footnote mark or reference lost or changed",
        severity=Severity.ERROR,
        find=_in_place(find_references),
    ),
    Check(
        code="M207",
        name="a substitution lost or changed",
        severity=Severity.ERROR,
        find=_in_place(find_substitutions),
    ),
    Check(
        code="M208",
        name="an address lost or changed",
        severity=Severity.ERROR,
        find=_in_place(find_addresses),
    ),
    Check(
        code="M209",
        name="code, a formula or a link named less often",
        severity=Severity.WARNING,
        find=_in_place(find_fewer),
    ),
)
