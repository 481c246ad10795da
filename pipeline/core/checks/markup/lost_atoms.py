"""Atoms of the English that a translation lacks, what replaced them, and how each is written.

A lost atom and a new one of the same class are taken for each other if they look alike: then the
translator has changed it, and gets both reported. Sometimes that can be undone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rapidfuzz import fuzz

from pipeline.core.checks.fixes import NARROW, improves, missing, quote
from pipeline.core.checks.markup.links import written_as
from pipeline.core.checks.model import Problem, Subject
from pipeline.core.checks.parsed import Atom
from pipeline.core.document.message import Markup
from pipeline.findings import Span

_LONGEST_ATOM = 60  # characters of an atom that a sentence quotes
_TARGET = re.compile(r"(?P<role>\{[^{}]+\}|:[^`]+:)`(?P<target>.*)`", re.DOTALL)
# What stands before and behind code and formulas. All other atoms bring their marks with them.
_MARKS = {
    (Markup.MARKDOWN, Atom.CODE): ("`", "`"),
    (Markup.MARKDOWN, Atom.MATH): ("$", "$"),
    (Markup.RST, Atom.CODE): ("``", "``"),
    (Markup.RST, Atom.MATH): (":math:`", "`"),
}
# The marks of code, by name: as they are spoken of, and how many of them to write.
TICKS = {Markup.MARKDOWN: "backticks", Markup.RST: "backquotes"}
TICKS_TO_WRITE = {Markup.MARKDOWN: "backticks", Markup.RST: "two backquotes"}


def is_marked(markup: Markup, name: Atom) -> bool:
    """Return whether atoms of a class are values between marks: code and formulas."""
    return (markup, name) in _MARKS


def with_marks(markup: Markup, name: Atom, value: str) -> str:
    """Return code or a formula as the source has it: ```f```, ``$x$``, ``:math:`x```."""
    before, behind = _MARKS[markup, name]
    return f"{before}{value}{behind}"


def spoken(markup: Markup, name: Atom, value: str) -> str:
    """Return an atom in a sentence: between its marks if it has any, else in quotation marks.

    ```jax.jit``` and ``$x$``, but ``“https://a.b”``
    """
    if not is_marked(markup, name):
        return quote(value)
    if len(value) > _LONGEST_ATOM:
        value = f"{value[:_LONGEST_ATOM]}…"
    return with_marks(markup, name, value)


def literal_part(name: Atom, value: str) -> str:
    """Return the part of an atom that stands in the source as it is: of a role only the target.

    Of ``{ref}`a``` that is ``a``: the source may have ``{ref}`词 <a>```.
    """
    match = _TARGET.fullmatch(value)
    if match and name is Atom.ROLE:
        return match["target"]
    return value


def atom_places(
    source: str, markup: Markup, name: Atom, value: str
) -> tuple[Span, ...]:
    """Return where an atom first stands between its marks; otherwise what ``places_of`` finds.

    Of ``用 {func}`jit` 和 `f```, where ``f`` is code, that is not the first letter of ``func``.
    """
    part = literal_part(name, value)
    words = r"\s*".join(map(re.escape, part))
    match = re.search(_place_pattern(markup, name, value, words), source)
    if not match:
        return places_of(source, part)
    return (match.span("words"),)


def _place_pattern(markup: Markup, name: Atom, value: str, words: str) -> str:
    """Return a pattern of an atom with its marks. Its group ``words`` has the atom."""
    words = rf"(?P<words>{words})"
    if is_marked(markup, name):
        before, behind = map(re.escape, _MARKS[markup, name])
        # "{func}`f`" is a role, although it ends as code does.
        return rf"(?<![}}:]){before}\s*{words}\s*{behind}"
    role = _TARGET.fullmatch(value)
    if role and name is Atom.ROLE:
        # With or without words of its own: {ref}`a`, {ref}`词 <a>`
        return rf"{re.escape(role['role'])}`(?:[^`]*<\s*)?{words}\s*>?`"
    if name in (Atom.LINK, Atom.IMAGE):
        return rf"(?:\]\(\s*<?|<){words}(?=[>)\s])"
    return words


def places_of(source: str, value: str) -> tuple[Span, ...]:
    """Return where an atom stands first; nowhere, if the source does not have it.

    White space may stand anywhere in it, for the values of some classes are kept without any:
    ``{{a}}`` is found in ``用 {{ a }}``. Of ``f`` in ``{func}`f``` the one between backquotes is
    meant: the first place counts where the atom is no part of a longer word.
    """
    pattern = r"\s*".join(map(re.escape, value))
    for place in (rf"(?<=`){pattern}(?=`)", rf"(?<!\w){pattern}(?!\w)", pattern):
        if match := re.search(place, source):
            return (match.span(),)
    return ()


_ALIKE = 60  # per cent: from here on one atom is taken for a misspelling of the other
_COPY = "Copy it from the English, letter by letter."
_RST_ROLE = re.compile(r"(:[^`]+:)`(.+)`", re.DOTALL)
# {ref}`标题＜名＞`: the target of a titled role in brackets that are not those of ASCII.
_WIDE_TITLE = re.compile(
    r"(\{[\w:+-]+\}`[^`<>＜＞〈〉《》]*?)\s*[<＜〈《]([^`<>＜＞〈〉《》]*)[>＞〉》]`"
)


def lost_atoms(subject: Subject, name: Atom) -> dict[str, str | None]:
    """Return the lost atoms of a class, each with the new one that is most like it.

    For code ``jax.jit``, ``x`` in English and ``jax.jti``, ``y`` in Chinese: ``jax.jit`` became
    ``jax.jti``, and ``x`` is gone. A new atom is taken for one lost atom only.
    """
    lost = missing(subject.english, subject.chinese, name)
    if not lost:
        return {}
    new = missing(subject.chinese, subject.english, name)
    if len(lost) == len(new) == 1:
        return {lost[0]: new[0]}  # however little they are alike
    pairs: dict[str, str | None] = {}
    for value in lost:
        became = _most_like(value, new)
        if became is not None:
            new.remove(became)
        pairs[value] = became
    return pairs


def _most_like(value: str, candidates: list[str]) -> str | None:
    """Return which of ``candidates`` looks like ``value``, whatever the case; None if none does."""

    def likeness(candidate: str) -> float:
        return fuzz.ratio(value.lower(), candidate.lower())

    best = max(candidates, key=likeness, default=None)
    if best is None or likeness(best) < _ALIKE:
        return None
    return best


def each_lost(subject: Subject, name: Atom) -> Iterator[tuple[str, Problem]]:
    """Yield each lost atom of a class, with the problem that it makes.

    For checks that skip some of them because another check reports those.
    """
    for value, became in lost_atoms(subject, name).items():
        yield value, lost_problem(subject, name, value, became)


def lost_problems(subject: Subject, name: Atom) -> Iterator[Problem]:
    """Yield the problems that the lost atoms of a class make."""
    for _, problem in each_lost(subject, name):
        yield problem


def lost_problem(
    subject: Subject,
    name: Atom,
    value: str,
    became: str | None,
    *,
    is_minor: bool = False,
) -> Problem:
    """Return the problem of a lost atom, and of the new one that it became."""
    markup = subject.markup
    words = spoken(markup, name, value)
    if not is_marked(markup, name):
        words = f"the {name.value} {words}"
    hint = _atom_hint(subject, name, value)
    if not became:
        return Problem(text=f"lacks {words}", hint=hint, is_minor=is_minor)
    return Problem(
        text=f"lacks {words}; has {spoken(markup, name, became)} instead",
        hint=hint,
        spans=atom_places(subject.msgstr, markup, name, became),
        fix=_mended_atoms(subject, name),
        is_minor=is_minor,
    )


def _atom_hint(subject: Subject, name: Atom, value: str) -> str:
    """Return what to do about a lost atom.

    In reStructuredText the words that are shown are mostly the name that is looked up, so that
    whoever translates them loses the atom: the hint says how to show other words.
    """
    if subject.markup is Markup.MARKDOWN:
        return _COPY
    if name is Atom.ROLE and (role := _RST_ROLE.fullmatch(value)):
        return f"Copy it from the English, or write {role[1]}`… <{role[2]}>` to show other words."
    if name is not Atom.REFERENCE:
        return _COPY
    written = written_as(subject, name, value)
    if written.startswith("`…"):  # it is written with other words already
        return f"Write {written}."
    return f"Write {written}, or `… <{written.strip('`_')}_>`_ to show other words."


def _mended_atoms(subject: Subject, name: Atom) -> str | None:
    """Return the msgstr with the atoms of a class as the English has them.

    Only those are changed that differ from the English in marks and white space alone.
    """
    fix = subject.msgstr
    if name is Atom.ROLE:
        fix = _WIDE_TITLE.sub(r"\1 <\2>`", fix)
    for value, became in lost_atoms(subject, name).items():
        if became and _narrow_value(value) == _narrow_value(became):
            fix = fix.replace(literal_part(name, became), literal_part(name, value))
    if improves(subject, fix, name):
        return fix
    return None


def _narrow_value(value: str) -> str:
    """Return a value with the marks of ASCII and no white space: ``f（x）`` -> ``f(x)``."""
    return re.sub(r"\s", "", value.translate(NARROW))
