"""Atoms of the English that a translation lacks, and the new atoms that replaced them.

If a lost and a new atom of the same class are similar, the translator has probably changed the
atom. In that case one problem reports both. The problem has a fix if the two atoms differ only in
punctuation and white space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rapidfuzz import fuzz

from pipeline.core.checks.fixes import ASCII_EQUIVALENTS, improves, missing, quote
from pipeline.core.checks.markup.links import written_as
from pipeline.core.checks.model import Problem, Subject
from pipeline.core.checks.parsed import Atom
from pipeline.core.document.message import Markup
from pipeline.findings import Span

_LONGEST_ATOM = 60  # maximum length of a quoted atom, in characters
_TARGET = re.compile(r"(?P<role>\{[^{}]+\}|:[^`]+:)`(?P<target>.*)`", re.DOTALL)
# The marks before and after code and formulas. The values of other atoms already include
# their marks.
_MARKS = {
    (Markup.MARKDOWN, Atom.CODE): ("`", "`"),
    (Markup.MARKDOWN, Atom.MATH): ("$", "$"),
    (Markup.RST, Atom.CODE): ("``", "``"),
    (Markup.RST, Atom.MATH): (":math:`", "`"),
}
# The marks of code: their name, and what to write.
TICKS = {Markup.MARKDOWN: "backticks", Markup.RST: "backquotes"}
TICKS_TO_WRITE = {Markup.MARKDOWN: "backticks", Markup.RST: "two backquotes"}


def is_marked(markup: Markup, name: Atom) -> bool:
    """Return whether the values of a class exclude their marks: true for code and formulas."""
    return (markup, name) in _MARKS


def with_marks(markup: Markup, name: Atom, value: str) -> str:
    """Return code or a formula with its marks: "`f`", "$x$", ":math:`x`"."""
    before, behind = _MARKS[markup, name]
    return f"{before}{value}{behind}"


def quote_atom(markup: Markup, name: Atom, value: str) -> str:
    """Return an atom for a message: code and formulas with their marks, others in quotation marks.

    "`jax.jit`", "$x$", "“https://a.b”"
    """
    if not is_marked(markup, name):
        return quote(value)
    if len(value) > _LONGEST_ATOM:
        value = f"{value[:_LONGEST_ATOM]}…"
    return with_marks(markup, name, value)


def source_form(name: Atom, value: str) -> str:
    """Return the part of an atom's value that certainly occurs in the source.

    For a role, this is the target: the source of "{ref}`a`" may be "{ref}`词 <a>`".
    """
    match = _TARGET.fullmatch(value)
    if match and name is Atom.ROLE:
        return match["target"]
    return value


def atom_places(source: str, markup: Markup, name: Atom, value: str) -> tuple[Span, ...]:
    """Return the first position of an atom between its marks.

    For the code ``f`` in ``用 {func}`jit` 和 `f```, this is the last letter, not the ``f`` of
    ``func``. If ``source`` has the atom only without marks, return the result of :func:`places_of`.
    """
    part = source_form(name, value)
    words = r"\s*".join(map(re.escape, part))
    match = re.search(_place_pattern(markup, name, value, words), source)
    if not match:
        return places_of(source, part)
    return (match.span("words"),)


def _place_pattern(markup: Markup, name: Atom, value: str, words: str) -> str:
    """Return a pattern for an atom with its marks.

    ``words`` is a pattern for the atom itself, which becomes the group ``words``.
    """
    words = rf"(?P<words>{words})"
    if is_marked(markup, name):
        before, behind = map(re.escape, _MARKS[markup, name])
        # Exclude roles such as {func}`f`, which end like code.
        return rf"(?<![}}:]){before}\s*{words}\s*{behind}"
    role = _TARGET.fullmatch(value)
    if role and name is Atom.ROLE:
        # With or without a title: {ref}`a`, {ref}`词 <a>`
        return rf"{re.escape(role['role'])}`(?:[^`]*<\s*)?{words}\s*>?`"
    if name in (Atom.LINK, Atom.IMAGE):
        return rf"(?:\]\(\s*<?|<){words}(?=[>)\s])"
    return words


def places_of(source: str, value: str) -> tuple[Span, ...]:
    """Return the first position of an atom, or an empty tuple if the source lacks it.

    Some values are normalized, so the source may have white space anywhere: ``{{a}}`` is found in
    ``用 {{ a }}``. Prefer a position between backquotes; otherwise prefer a whole word. For ``f``
    in "{func}`f`", the result is the position of the second ``f``.
    """
    pattern = r"\s*".join(map(re.escape, value))
    for place in (rf"(?<=`){pattern}(?=`)", rf"(?<!\w){pattern}(?!\w)", pattern):
        if match := re.search(place, source):
            return (match.span(),)
    return ()


# Minimum similarity of a lost atom and the one that replaced it, in percent.
_ALIKE = 60
_COPY = "Copy it from the English, letter by letter."
_RST_ROLE = re.compile(r"(:[^`]+:)`(.+)`", re.DOTALL)
# {ref}`标题＜名＞`: a role with a title, and non-ASCII brackets around the target.
_WIDE_TITLE = re.compile(
    r"(\{[\w:+-]+\}`[^`<>＜＞〈〉《》]*?)\s*[<＜〈《]([^`<>＜＞〈〉《》]*)[>＞〉》]`"
)


def lost_atoms(subject: Subject, name: Atom) -> dict[str, str | None]:
    """Return the lost atoms of a class, each with the new atom that replaced it, or None.

    The new atom is the most similar one. Each new atom replaces at most one lost atom. If the
    English has the code ``jax.jit`` and ``x``, and the translation ``jax.jti`` and ``y``, return
    ``{"jax.jit": "jax.jti", "x": None}``.
    """
    lost = missing(subject.english, subject.chinese, name)
    if not lost:
        return {}
    new = missing(subject.chinese, subject.english, name)
    if len(lost) == len(new) == 1:
        return {lost[0]: new[0]}  # regardless of similarity
    pairs: dict[str, str | None] = {}
    for value in lost:
        became = _most_like(value, new)
        if became is not None:
            new.remove(became)
        pairs[value] = became
    return pairs


def _most_like(value: str, candidates: list[str]) -> str | None:
    """Return the candidate that is most similar to ``value``, or None if none is similar enough.

    Ignore case.
    """

    def likeness(candidate: str) -> float:
        return fuzz.ratio(value.lower(), candidate.lower())

    best = max(candidates, key=likeness, default=None)
    if best is None or likeness(best) < _ALIKE:
        return None
    return best


def each_lost(subject: Subject, name: Atom) -> Iterator[tuple[str, Problem]]:
    """Yield each lost atom of a class with its problem.

    With the atom, the caller can decide whether another check already reports it.
    """
    for value, became in lost_atoms(subject, name).items():
        yield value, lost_problem(subject, name, value, became)


def lost_problems(subject: Subject, name: Atom) -> Iterator[Problem]:
    """Yield the problems with the lost atoms of a class."""
    for _, problem in each_lost(subject, name):
        yield problem


def lost_problem(
    subject: Subject,
    name: Atom,
    value: str,
    became: str | None,
    *,
    is_downgraded: bool = False,
) -> Problem:
    """Return the problem with a lost atom, and with ``became``, the new atom that replaced it."""
    markup = subject.markup
    words = quote_atom(markup, name, value)
    if not is_marked(markup, name):
        words = f"the {name.value} {words}"
    hint = _atom_hint(subject, name, value)
    if not became:
        return Problem(text=f"lacks {words}", hint=hint, is_downgraded=is_downgraded)
    return Problem(
        text=f"lacks {words}; has {quote_atom(markup, name, became)} instead",
        hint=hint,
        spans=atom_places(subject.msgstr, markup, name, became),
        fix=_mended_atoms(subject, name),
        is_downgraded=is_downgraded,
    )


def _atom_hint(subject: Subject, name: Atom, value: str) -> str:
    """Return how to correct a lost atom.

    In reST, the visible words of a reference are usually also its target. A translator who
    translates the words loses the target. The hint shows the syntax that separates the two.
    """
    if subject.markup is Markup.MARKDOWN:
        return _COPY
    if name is Atom.ROLE and (role := _RST_ROLE.fullmatch(value)):
        return f"Copy it from the English, or write {role[1]}`… <{role[2]}>` to show other words."
    if name is not Atom.REFERENCE:
        return _COPY
    written = written_as(subject, name, value)
    if written.startswith("`…"):  # the English already separates words and target
        return f"Write {written}."
    return f"Write {written}, or `… <{written.strip('`_')}_>`_ to show other words."


def _mended_atoms(subject: Subject, name: Atom) -> str | None:
    """Return the msgstr with the atoms of a class corrected, or None if that does not help.

    Change only atoms that differ from the English in punctuation and white space.
    """
    fix = subject.msgstr
    if name is Atom.ROLE:
        fix = _WIDE_TITLE.sub(r"\1 <\2>`", fix)
    for value, became in lost_atoms(subject, name).items():
        if became and _narrow_value(value) == _narrow_value(became):
            fix = fix.replace(source_form(name, became), source_form(name, value))
    if improves(subject, fix, name):
        return fix
    return None


def _narrow_value(value: str) -> str:
    """Return a value with ASCII punctuation and without white space: ``f（x ）`` -> ``f(x)``."""
    return re.sub(r"\s", "", value.translate(ASCII_EQUIVALENTS))
