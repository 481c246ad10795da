"""Run the checks over the entries of catalogues, and mend what needs no judgement.

Subjects go in, problems come out, each with its code and its place. Mending gives a new msgstr; it
guards that a mended translation says the same words as before and has no more errors.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from pipeline.core.checks import guarded, hygiene, terms
from pipeline.core.checks.base import Check, PageCheck, Problem, Subject
from pipeline.core.checks.blocking import BLOCKING
from pipeline.core.checks.notes import markup_of_references, usual_markup_of
from pipeline.core.checks.sets import SIMPLIFIED, CheckSet
from pipeline.core.checks.silence import is_guards, silenced_codes
from pipeline.core.document.message import Markup
from pipeline.core.glossary.terms import Glossary
from pipeline.entries import Entry
from pipeline.findings import Severity

_NO_WORD = re.compile(r"[\W_]+")
_ROUNDS = 12  # of mending; entries that still change then are left alone


def subjects_of(
    entries: Sequence[Entry],
    page: str,
    markup: Markup | None = None,
    *,
    are_of_others: bool = False,
) -> list[Subject]:
    """The entries of a page that readers would see: translated, not fuzzy, not obsolete.

    ``markup`` is what those are marked up in that have no note of ours. None: each is what the file
    is that it names, and where it names none, what most others are. Those of other projects
    (``are_of_others``) are put in place by other tools.
    """
    usual = markup or usual_markup_of(entries)
    subjects: list[Subject] = []
    for entry in entries:
        if entry.is_translated:
            own = markup or markup_of_references(entry) or usual
            subjects.append(Subject(entry, page, own, are_of_others))
    return subjects


def run_checks(
    pages: Mapping[str, Sequence[Subject]],
    *,
    glossary: Glossary | None = None,
    of: CheckSet = SIMPLIFIED,
) -> list[Problem]:
    """What is wrong with the translations of ``pages``, by page, entry and check.

    All of them are in the language that the checks are ``of``. The ``page`` of a problem is a key
    of ``pages``. What only shows when all pages are compared comes last.
    """
    checks = of.checks
    if glossary:  # without one nobody has agreed on any term
        checks = (*checks, *terms.checks_of(glossary))
    problems: list[Problem] = []
    for page, subjects in pages.items():
        # What is wrong with one entry stands together, whichever check has found it.
        of_page = [
            *_of_entries(page, subjects, checks),
            *_of_page(page, subjects, of.page_checks),
        ]
        problems += sorted(of_page, key=lambda problem: problem.index)
    return [*problems, *_across(pages, of.across)]


def _of_entries(
    page: str, subjects: Sequence[Subject], checks: Sequence[Check]
) -> Iterator[Problem]:
    """What is wrong with each entry of a page by itself.

    All checks look at one entry before the next: what it is parsed into is wanted by all of them.
    """
    for index, subject in enumerate(subjects):
        for check in checks:
            for problem in check.find(subject):
                yield check.stamp(problem, page=page, index=index)


def _of_page(
    page: str, subjects: Sequence[Subject], checks: Sequence[PageCheck]
) -> Iterator[Problem]:
    """What is wrong with the entries of a page when they are compared.

    The check says which entry of the page a problem is about.
    """
    for check in checks:
        for problem in check.find(subjects):
            yield check.stamp(problem, page=page, index=problem.index)


def _across(
    pages: Mapping[str, Sequence[Subject]], checks: Sequence[PageCheck]
) -> Iterator[Problem]:
    """What shows when the entries of all pages are laid in one row.

    A problem there has the number of an entry in the row; ``places`` say what that is on its page.
    """
    places: list[tuple[str, int]] = []
    row: list[Subject] = []
    for page, subjects in pages.items():
        places += [(page, index) for index in range(len(subjects))]
        row += subjects
    for check in checks:
        for problem in check.find(row):
            page, index = places[problem.index]
            yield check.stamp(problem, page=page, index=index)


def without_echoes(problems: Iterable[Problem]) -> list[Problem]:
    """``problems`` without those that say the same as another one in worse words.

    Whatever a check calls an error the guard mostly refuses as well. The check says more precisely
    what is wrong, so the guard is only heard about entries in which no check found an error.
    """
    problems = list(problems)
    explained: set[tuple[str, int]] = set()
    for problem in problems:
        if problem.severity is Severity.ERROR and not is_guards(problem.code):
            explained.add((problem.page, problem.index))
    kept = []
    for problem in problems:
        is_explained = (problem.page, problem.index) in explained
        if not is_explained or not is_guards(problem.code):
            kept.append(problem)
    return kept


def code_names() -> dict[str, str]:
    """Every code there is, with its name: ``"M101": "text that becomes another block"``."""
    # Other languages have a part of these.
    rules = (
        *SIMPLIFIED.checks,
        *SIMPLIFIED.page_checks,
        *terms.RULES,
        *SIMPLIFIED.across,
        *hygiene.RULES,
    )
    return {rule.code: rule.name for rule in rules}


def fix_entry(subject: Subject, checks: Sequence[Check] = SIMPLIFIED.checks) -> str:
    """The msgstr with everything mended that needs no judgement.

    For a reader it differs in white space and punctuation at most. Mending it again changes
    nothing. What a comment of the entry silences is meant, and stays.
    """
    silenced = silenced_codes(subject.entry)
    checks = [check for check in checks if check.code not in silenced]
    current = subject
    for _ in range(_ROUNDS):
        mended = _mended_once(subject, current, checks)
        if mended is None:
            return current.entry.msgstr
        current = mended
    # The fixes chase each other: none of them is to be trusted.
    return subject.entry.msgstr


def _mended_once(
    original: Subject, current: Subject, checks: Sequence[Check]
) -> Subject | None:
    """``current`` with the first fix that does ``original`` no harm; None if there is none.

    Only one is taken at a time, for a fix is a whole msgstr: two of them cannot be joined.
    """
    for check in checks:
        for problem in check.find(current):
            if problem.fix in (None, current.entry.msgstr):
                continue
            entry = replace(current.entry, msgstr=problem.fix)
            mended = replace(current, entry=entry)
            if _is_harmless(original, mended):
                return mended
    return None


def _is_harmless(before: Subject, after: Subject) -> bool:
    """Whether a reader gets the same words, and no more errors than before.

    Markup that begins to work may hide what showed of it, such as the target of a link. So
    other words may be seen, if the atoms are those of the English then.
    """
    if _words(before.msgstr) != _words(after.msgstr):
        return False
    is_seen_alike = _words(before.chinese.visible) == _words(after.chinese.visible)
    if not is_seen_alike and not after.has_all_atoms:
        return False
    return _count_errors(after) <= _count_errors(before)


def _words(text: str) -> str:
    """A text without white space, punctuation and marks; full-width letters as plain ones.

    ``用**ＪＡＸ**，即……`` -> ``用JAX即``
    """
    return _NO_WORD.sub("", unicodedata.normalize("NFKC", text))


def _count_errors(subject: Subject) -> int:
    """How many errors an entry has, of those that keep it from being built.

    A rule for errors may find problems that are minor: those do not count.
    """
    count = 0
    for check in (*guarded.CHECKS, *BLOCKING):
        for problem in check.look(subject):
            count += problem.severity is Severity.ERROR
    return count
