"""Run the checks over the entries of catalogues, and mend what needs no judgement."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.core.checks import (
    atoms,
    content,
    guarded,
    hygiene,
    shifted,
    structure,
    terms,
    typography,
)
from pipeline.core.checks.base import Check, PageCheck, Problem, Subject
from pipeline.core.checks.blocking import BLOCKING
from pipeline.core.checks.silence import is_guards
from pipeline.core.glossary.terms import Glossary
from pipeline.entries import Entry
from pipeline.findings import Severity

_NO_WORD = re.compile(r"[\W_]+")
_ROUNDS = 12  # of mending; entries that still change then are left alone

CHECKS: tuple[Check, ...] = (
    *guarded.CHECKS,
    *structure.CHECKS,
    *atoms.CHECKS,
    *content.CHECKS,
    *typography.CHECKS,
)
PAGE_CHECKS: tuple[PageCheck, ...] = (*shifted.PAGE_CHECKS, *typography.PAGE_CHECKS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A problem of the ``index``-th subject of a page."""

    page: str
    index: int
    code: str
    name: str
    severity: Severity
    problem: Problem

    @classmethod
    def of(cls, check: Check | PageCheck, page: str, index: int, problem: Problem) -> Found:
        severity = problem.severity or check.severity
        return cls(
            page=page,
            index=index,
            code=check.code,
            name=check.name,
            severity=severity,
            problem=problem,
        )


def subjects_of(entries: Iterable[Entry], page: str) -> list[Subject]:
    """The entries that readers would see."""
    return [Subject(entry, page) for entry in entries if entry.is_translated]


def run_checks(
    pages: Mapping[str, Sequence[Subject]], *, glossary: Glossary | None = None
) -> list[Found]:
    """What is wrong with the translations of ``pages``, by page, entry and check."""
    checks = (*CHECKS, *(terms.checks_of(glossary) if glossary else ()))
    found = []
    for page, subjects in pages.items():
        own = [
            Found.of(check, page, at, problem)
            for at, one in enumerate(subjects)
            for check in checks
            for problem in check.find(one)
        ]
        own += [
            Found.of(check, page, at, problem)
            for check in PAGE_CHECKS
            for at, problem in check.find(subjects)
        ]
        found += sorted(own, key=lambda one: one.index)
    places = [(page, at) for page, subjects in pages.items() for at in range(len(subjects))]
    everywhere = [subject for subjects in pages.values() for subject in subjects]
    found += [
        Found.of(terms.INCONSISTENT, *places[at], problem)
        for at, problem in terms.INCONSISTENT.find(everywhere)
    ]
    return found


def without_echoes(found: Iterable[Found]) -> list[Found]:
    """What the guard says is left out where another check has told of an error in the same entry, in better words."""
    told = list(found)
    known = {
        (one.page, one.index)
        for one in told
        if one.severity is Severity.ERROR and not is_guards(one.code)
    }
    return [one for one in told if not (is_guards(one.code) and (one.page, one.index) in known)]


def code_names() -> dict[str, str]:
    """Every code there is, with its name."""
    return {
        check.code: check.name for check in (*CHECKS, *PAGE_CHECKS, *terms.RULES, *hygiene.RULES)
    }


def fix_entry(subject: Subject, checks: Sequence[Check] = CHECKS) -> str:
    """The msgstr with everything mended that needs no judgement: never more than white space and punctuation, as a reader sees it.

    Mending it again changes nothing.
    """
    now = subject
    for _ in range(_ROUNDS):
        fixes = (
            problem.fix
            for check in checks
            for problem in check.find(now)
            if problem.fix is not None
        )
        better = (replace(now.entry, msgstr=fix) for fix in fixes if fix != now.msgstr)
        mended = next(
            (one for entry in better if _is_harmless(subject, one := Subject(entry, now.page))),
            None,
        )
        if mended is None:
            return now.msgstr
        now = mended
    return subject.msgstr


def _is_harmless(before: Subject, after: Subject) -> bool:
    """Whether a reader gets the same words, and no more errors than before. Markup that begins to work may hide what showed of it."""
    if _words(before.msgstr) != _words(after.msgstr):
        return False
    if (
        _words(before.chinese.visible) != _words(after.chinese.visible)
        and after.chinese.atoms != after.english.atoms
    ):
        return False
    return _errors(after) <= _errors(before)


def _words(text: str) -> str:
    """A text without white space, punctuation and marks; full-width letters as plain ones."""
    return _NO_WORD.sub("", unicodedata.normalize("NFKC", text))


def _errors(subject: Subject) -> int:
    found = (
        (check, problem)
        for check in (*guarded.CHECKS, *BLOCKING)
        for problem in check.find(subject)
    )
    return sum((problem.severity or check.severity) is Severity.ERROR for check, problem in found)
