"""Atoms of the English that a translation lacks, and what has come in their place.

A lost atom and a new one of the same class are taken for each other if they look alike: then the
translator has changed it, and can be told of both. In some cases that can be undone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rapidfuzz import fuzz

from pipeline.core.checks import rst_links
from pipeline.core.checks.atom_words import is_marked, literal_part, places_of, spoken
from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.mending import NARROW, improves, missing
from pipeline.core.checks.parsed import Atom
from pipeline.core.document.message import Markup

_ALIKE = 60  # per cent: from here on one atom is taken for a misspelling of the other
_COPY = "Copy it from the English, letter by letter."
_RST_ROLE = re.compile(r"(:[^`]+:)`(.+)`", re.DOTALL)
# {ref}`标题＜名＞`: the target of a titled role in brackets that are not those of ASCII.
_WIDE_TITLE = re.compile(
    r"(\{[\w:+-]+\}`[^`<>＜＞〈〉《》]*?)\s*[<＜〈《]([^`<>＜＞〈〉《》]*)[>＞〉》]`"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """An atom that the translation never names, and the new one that it became, if any."""

    value: str
    became: str | None = None


def lost_atoms(subject: Subject, name: Atom) -> list[Lost]:
    """The lost atoms of a class, each with the new one that is most like it.

    For code ``jax.jit``, ``x`` in English and ``jax.jti``, ``y`` in Chinese: ``jax.jit`` became
    ``jax.jti``, and ``x`` is gone. A new atom is taken for one lost atom only.
    """
    lost = missing(subject.english, subject.chinese, name)
    if not lost:
        return []
    new = missing(subject.chinese, subject.english, name)
    if len(lost) == len(new) == 1:
        return [Lost(value=lost[0], became=new[0])]  # however little they are alike
    pairs = []
    for value in lost:
        became = _most_like(value, new)
        if became is not None:
            new.remove(became)
        pairs.append(Lost(value=value, became=became))
    return pairs


def _most_like(value: str, candidates: list[str]) -> str | None:
    """Which of ``candidates`` looks like ``value``, whatever the case; None if none does."""

    def likeness(candidate: str) -> float:
        return fuzz.ratio(value.lower(), candidate.lower())

    best = max(candidates, key=likeness, default=None)
    if best is None or likeness(best) < _ALIKE:
        return None
    return best


def told_lost(subject: Subject, name: Atom) -> Iterator[tuple[str, Problem]]:
    """Each lost atom of a class, with the problem that it makes.

    For those who leave some of them out, as other checks tell of them.
    """
    for lost in lost_atoms(subject, name):
        yield lost.value, lost_problem(subject, name, lost)


def lost_problems(subject: Subject, name: Atom) -> Iterator[Problem]:
    """The problems that the lost atoms of a class make."""
    for _, problem in told_lost(subject, name):
        yield problem


def lost_problem(
    subject: Subject, name: Atom, lost: Lost, *, is_minor: bool = False
) -> Problem:
    """What is to be said of a lost atom, and of the new one that it became."""
    markup = subject.markup
    words = spoken(markup, name, lost.value)
    if not is_marked(markup, name):
        words = f"the {name.value} {words}"
    hint = _hint(subject, name, lost.value)
    if not lost.became:
        return Problem(text=f"lacks {words}", hint=hint, is_minor=is_minor)
    return Problem(
        text=f"lacks {words}; has {spoken(markup, name, lost.became)} instead",
        hint=hint,
        spans=places_of(subject.msgstr, literal_part(name, lost.became)),
        fix=_fix(subject, name),
        is_minor=is_minor,
    )


def _hint(subject: Subject, name: Atom, value: str) -> str:
    """What to do about a lost atom.

    In reStructuredText the words that are shown are mostly the name that is looked up, so that
    whoever translates them loses the atom: the hint says how to show other words.
    """
    if subject.markup is Markup.MARKDOWN:
        return _COPY
    if name is Atom.ROLE and (role := _RST_ROLE.fullmatch(value)):
        return f"Copy it from the English, or write {role[1]}`… <{role[2]}>` to show other words."
    if name is not Atom.REFERENCE:
        return _COPY
    written = rst_links.written_as(subject, name, value)
    if written.startswith("`…"):  # it is written with other words already
        return f"Write {written}."
    return f"Write {written}, or `… <{written.strip('`_')}_>`_ to show other words."


def _fix(subject: Subject, name: Atom) -> str | None:
    """The msgstr with the atoms of a class as the English has them.

    Only those are changed that differ from the English in marks and white space alone.
    """
    fix = subject.msgstr
    if name is Atom.ROLE:
        fix = _WIDE_TITLE.sub(r"\1 <\2>`", fix)
    for lost in lost_atoms(subject, name):
        if lost.became and _narrowed(lost.value) == _narrowed(lost.became):
            fix = fix.replace(
                literal_part(name, lost.became), literal_part(name, lost.value)
            )
    if improves(subject, fix, name):
        return fix
    return None


def _narrowed(value: str) -> str:
    """A value with the marks of ASCII and no white space: ``f（x）`` -> ``f(x)``."""
    return re.sub(r"\s", "", value.translate(NARROW))
