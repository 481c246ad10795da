"""M2: what must survive translation as it is: code, formulas, targets, roles, references.

New HTML, targets and URLs are not told here: the guard refuses them (G104). A target that was *changed* is told of by both, here
with the one that was meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from rapidfuzz import fuzz

from pipeline.core.checks import markup
from pipeline.core.checks.base import Check, Problem, Subject
from pipeline.core.checks.mending import NARROW, excess, improves, is_han, missing, quote, spans_of
from pipeline.core.checks.parsed import Atom
from pipeline.model import Severity

_ALIKE = 60  # per cent: from here on one is taken for a misspelling of the other
_COPY = "Copy it from the English, letter by letter."
_SEVERAL_WORDS = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")
_TARGET = re.compile(r"\{[^{}]+\}`(.*)`", re.DOTALL)
_WIDE_TITLE = re.compile(r"(\{[\w:+-]+\}`[^`<>＜＞〈〉《》]*?)\s*[<＜〈《]([^`<>＜＞〈〉《》]*)[>＞〉》]`")
_GLUED = re.compile(r"((?<!`)`[^`]+`)(`[^`]+`(?!`))")
_MARKS = {Atom.CODE: "`", Atom.MATH: "$"}
_COUNTED = (Atom.CODE, Atom.MATH, Atom.ROLE, Atom.LINK, Atom.REFERENCE, Atom.IMAGE, Atom.FOOTNOTE, Atom.CITATION)
_ONCE_EACH = frozenset((Atom.IMAGE, Atom.FOOTNOTE, Atom.CITATION))


def find_code(subject: Subject) -> Iterator[Problem]:
    """Code that is gone or changed."""
    if excess(subject, "`", "｀") > 0:
        return  # told by the structure
    apart = _GLUED.sub(r"\1 \2", subject.msgstr)
    if (found := _GLUED.search(subject.msgstr)) and improves(subject, apart, Atom.CODE):
        yield Problem(
            text="two pieces of code run together: a double backtick opens and closes nothing here",
            hint="Put a space between them.",
            spans=(found.span(),),
            fix=apart,
        )
        return
    for lost, new in _changed(subject, Atom.CODE):
        if new is None and (bare := _bare(subject, lost)):
            marked = f"{subject.msgstr[: bare[0]]}`{lost}`{subject.msgstr[bare[1] :]}"
            yield Problem(
                text=f"{_shown(Atom.CODE, lost)} stands without its backticks",
                hint="Put backticks around it.",
                spans=(bare,),
                fix=marked if _is_code_only(lost) and improves(subject, marked, Atom.CODE) else None,
            )
        else:
            yield _problem(subject, Atom.CODE, lost, new, severity=Severity.WARNING if new and _is_readable(lost, new) else None)


def _is_readable(lost: str, new: str) -> bool:
    """Whether changed code still says the same: words that were translated, other white space."""
    is_translated = bool(_SEVERAL_WORDS.search(lost)) and any(map(is_han, new))
    return is_translated or "".join(lost.split()) == "".join(new.split())


def _bare(subject: Subject, code: str) -> tuple[int, int] | None:
    """Where code stands as plain text, if it does once, and never in the English."""
    pattern = rf"(?<![\w.`]){re.escape(code)}(?![\w`(\[])(?!\.\w)"
    if re.search(pattern, subject.english.plain, re.ASCII) or len(re.findall(pattern, subject.chinese.plain, re.ASCII)) != 1:
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
        if code not in taken and code.removesuffix("()").lower() not in subject.english.visible.lower():
            yield Problem(
                text=f"has {_shown(Atom.CODE, code)}, which the English has not",
                hint="Check its spelling; take the backticks away if it is no code.",
                spans=spans_of(subject.msgstr, f"`{code}`"),
            )


def find_math(subject: Subject) -> Iterator[Problem]:
    """Formulas that are gone, changed or new."""
    if next(markup.find_math(subject), None):
        return
    yield from _lost(subject, Atom.MATH)
    taken = {new for _, new in _changed(subject, Atom.MATH)}
    for formula in missing(subject.chinese, subject.english, Atom.MATH):
        if formula not in taken and formula not in re.sub(r"\s", "", subject.english.visible):
            yield Problem(
                text=f"has {_shown(Atom.MATH, formula)}, which the English has not",
                hint="Check it; if it is no formula, write \\$ for each dollar sign.",
                spans=_spans(subject.msgstr, f"${formula}$"),
                severity=Severity.WARNING,
            )


def find_targets(subject: Subject) -> Iterator[Problem]:
    """Links and images that are gone or lead elsewhere."""
    for name in (Atom.LINK, Atom.IMAGE):
        yield from (problem for lost, problem in _told(subject, name) if not markup.stands_elsewhere(subject.chinese, name, lost))


def find_roles(subject: Subject) -> Iterator[Problem]:
    """Roles that are gone or name something else."""
    if excess(subject, "`", "｀") <= 0 and not next(markup.find_roles(subject), None):
        yield from _lost(subject, Atom.ROLE)


def find_references(subject: Subject) -> Iterator[Problem]:
    """Footnote marks, citations and labels that are gone."""
    yield from (
        problem for lost, problem in _told(subject, Atom.REFERENCE) if not markup.stands_elsewhere(subject.chinese, Atom.REFERENCE, lost)
    )
    yield from _lost(subject, Atom.FOOTNOTE)
    for lost, new in _changed(subject, Atom.CITATION):
        yield _problem(subject, Atom.CITATION, lost, new, severity=Severity.WARNING if lost.startswith("[!") else None)


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
                yield Problem(
                    text=f"has {_shown(name, value)} {ours[value]}× for {theirs[value]}×{', and once without backticks' if bare else ''}",
                    hint="Put backticks around each." if bare else "Check that nothing was left out.",
                    spans=(bare,) if bare else (),
                    severity=Severity.WARNING if bare or name in _ONCE_EACH else None,
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


def _problem(subject: Subject, name: Atom, lost: str, new: str | None, *, severity: Severity | None = None) -> Problem:
    instead = f"; has {_shown(name, new)} instead" if new else ""
    return Problem(
        text=f"lacks {'the ' + name.value + ' ' if name not in _MARKS else ''}{_shown(name, lost)}{instead}",
        hint=_COPY,
        spans=_spans(subject.msgstr, _inner(name, new)) if new else (),
        fix=_fix(subject, name) if new else None,
        severity=severity,
    )


def _shown(name: Atom, value: str) -> str:
    mark = _MARKS.get(name, "")
    short = f"{value[:60]}…" if len(value) > 60 else value
    return f"{mark}{short}{mark}" if mark else quote(value)


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


def _in_place(find: Callable[[Subject], Iterator[Problem]]) -> Callable[[Subject], Iterator[Problem]]:
    """``find``, where there are atoms that differ, in a text that stands as the right block."""

    def find_in_place(subject: Subject) -> Iterator[Problem]:
        english, chinese = subject.english, subject.chinese
        return find(subject) if english.atoms != chinese.atoms and english.blocks == chinese.blocks else iter(())

    return find_in_place


CHECKS: tuple[Check, ...] = (
    Check(code="M201", name="code lost or changed", severity=Severity.ERROR, find=_in_place(find_code)),
    Check(code="M202", name="code that the English has not", severity=Severity.WARNING, find=_in_place(find_new_code)),
    Check(code="M203", name="a formula lost, changed or added", severity=Severity.ERROR, find=_in_place(find_math)),
    Check(code="M204", name="a link or image lost or changed", severity=Severity.ERROR, find=_in_place(find_targets)),
    Check(code="M205", name="a role lost or changed", severity=Severity.ERROR, find=_in_place(find_roles)),
    Check(code="M206", name="a footnote mark or reference lost or changed", severity=Severity.ERROR, find=_in_place(find_references)),
    Check(code="M207", name="a substitution lost or changed", severity=Severity.ERROR, find=_in_place(find_substitutions)),
    Check(code="M208", name="an address lost or changed", severity=Severity.ERROR, find=_in_place(find_addresses)),
    Check(code="M209", name="code, a formula or a link named less often", severity=Severity.NOTE, find=_in_place(find_fewer)),
)
