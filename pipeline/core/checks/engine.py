"""Engine of the checks: it runs them over the entries of catalogues, and mends.

Subjects go in, problems come out, each with its code and its place. Mending gives a new msgstr; it
guards that a mended translation says the same words as before and has no more errors. A comment
``# pipeline: ignore=M203 reason`` silences a check for one entry.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.core.checks.model import (
    Check,
    PageCheck,
    Problem,
    Subject,
    markup_of_references,
    usual_markup_of,
)
from pipeline.core.checks.table import (
    ATOMS,
    GUARD,
    MARKUP,
    SIMPLIFIED,
    CheckSet,
    glossary_checks,
)
from pipeline.core.document.message import Markup
from pipeline.core.glossary.glossary import Glossary
from pipeline.entries import Entry
from pipeline.findings import Severity

_IGNORE = re.compile(
    r"pipeline:\s*ignore=([A-Z]\d+(?:\s*,\s*[A-Z]\d+)*)\s*(.*)", re.DOTALL
)
# What compares formulas and roles, of which renderers make markup of their own. The guard looks at
# them first; whoever finds a way past it shall not get further by a comment beside his words.
_FOR_SAFETY = frozenset(("M106", "M203", "M205"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignore:
    """The codes that a comment takes out for its entry, and why."""

    codes: tuple[str, ...]
    reason: str


def ignores_of(entry: Entry) -> Iterator[Ignore]:
    """Yield what the comments of an entry silence.

    ``pipeline: ignore=M203, M304 the value is the same`` -> two codes, and the reason
    """
    for comment in entry.comments:
        if match := _IGNORE.fullmatch(comment.strip()):
            codes, reason = match.groups()
            yield Ignore(
                codes=tuple(re.split(r"\s*,\s*", codes)),
                reason=reason.strip(),
            )


def silenced_codes(entry: Entry) -> frozenset[str]:
    """Return the codes that the comments of an entry take out."""
    codes = (code for ignore in ignores_of(entry) for code in ignore.codes)
    return frozenset(filter(may_silence, codes))


def is_guards(code: str) -> bool:
    """Return whether a code is one of the guard's, which nobody can silence."""
    return code.startswith("G")


def may_silence(code: str) -> bool:
    """Return whether a comment can silence a code: not those of the guard, nor those for safety."""
    return not is_guards(code) and code not in _FOR_SAFETY


def silence_problems(
    entry: Entry, known: Collection[str], used: Collection[str]
) -> Iterator[Problem]:
    """Yield what is wrong with the comments that silence checks for an entry.

    ``known`` are all codes that there are, ``used`` those that a comment took out of the results.
    """
    for ignore in ignores_of(entry):
        for code in ignore.codes:
            if problem := _silence_problem(code, known, used):
                yield problem
        if not ignore.reason:
            yield Problem(
                text=f"{', '.join(ignore.codes)} is silenced without a reason",
                hint="Write it behind the code, for whoever comes after you.",
            )


def _silence_problem(
    code: str, known: Collection[str], used: Collection[str]
) -> Problem | None:
    """Return what is wrong with silencing one code; None if that is right."""
    if code not in known:
        return Problem(
            text=f"there is no check {code} to silence",
            hint="Look the code up in the list of checks, or delete the comment.",
        )
    if not may_silence(code):
        return Problem(
            text=f"{code} cannot be silenced",
            hint="Mend the translation: as it is, it would never be built.",
        )
    if code not in used:
        return Problem(
            text=f"nothing is wrong that {code} tells of",
            hint="Delete the comment: it would hide a mistake made later.",
        )
    return None


BLOCKING: tuple[Check, ...] = tuple(
    check for check in (*MARKUP, *ATOMS) if check.severity is Severity.ERROR
)


def blocking_problem(subject: Subject, ignored: Collection[str] = ()) -> Problem | None:
    """Return the first error of a translation, if there is one.

    The codes in ``ignored`` do not count, nor do those that a comment of the entry can silence.
    """
    silenced = silenced_codes(subject.entry).union(ignored)
    for check in BLOCKING:
        if check.code in silenced:
            continue
        for problem in check.look(subject):
            if problem.severity is Severity.ERROR:
                return problem
    return None


_NO_WORD = re.compile(r"[\W_]+")
_ROUNDS = 12  # of mending; entries that still change then are left alone


def subjects_of(
    entries: Sequence[Entry],
    page: str,
    markup: Markup | None = None,
    *,
    are_of_others: bool = False,
) -> list[Subject]:
    """Return the subjects of a page that readers would see: translated, not fuzzy, not obsolete.

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
    """Return what is wrong with the translations of ``pages``, by page, entry and check.

    All of them are in the language that the checks are ``of``. The ``page`` of a problem is a key
    of ``pages``. What only shows when all pages are compared comes last.
    """
    checks = of.checks
    if glossary:  # without one nobody has agreed on any term
        checks = (*checks, *glossary_checks(glossary))
    problems: list[Problem] = []
    for page, subjects in pages.items():
        # What is wrong with one entry stands together, whichever check has found it.
        of_page = [
            *_find_in_entries(page, subjects, checks),
            *_find_in_page(page, subjects, of.page_checks),
        ]
        problems += sorted(of_page, key=lambda problem: problem.index)
    return [*problems, *_find_across(pages, of.across)]


def _find_in_entries(
    page: str, subjects: Sequence[Subject], checks: Sequence[Check]
) -> Iterator[Problem]:
    """Find what is wrong with each entry of a page by itself.

    All checks look at one entry before the next: what it is parsed into is wanted by all of them.
    """
    for index, subject in enumerate(subjects):
        for check in checks:
            for problem in check.find(subject):
                yield check.stamp(problem, page=page, index=index)


def _find_in_page(
    page: str, subjects: Sequence[Subject], checks: Sequence[PageCheck]
) -> Iterator[Problem]:
    """Find what is wrong with the entries of a page when they are compared.

    The check says which entry of the page a problem is about.
    """
    for check in checks:
        for problem in check.find(subjects):
            yield check.stamp(problem, page=page, index=problem.index)


def _find_across(
    pages: Mapping[str, Sequence[Subject]], checks: Sequence[PageCheck]
) -> Iterator[Problem]:
    """Find what shows when the entries of all pages are laid in one row.

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
    """Return ``problems`` without those that say the same as another one in worse words.

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


def fix_entry(subject: Subject, checks: Sequence[Check] = SIMPLIFIED.checks) -> str:
    """Return the msgstr with everything mended that needs no judgement.

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
    """Return ``current`` with the first fix that does ``original`` no harm; None if there is none.

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
    """Return whether a reader gets the same words, and no more errors than before.

    Markup that begins to work may hide what showed of it, such as the target of a link. So
    other words may be seen, if the atoms are those of the English then.
    """
    if _compared_words(before.msgstr) != _compared_words(after.msgstr):
        return False
    is_seen_alike = _compared_words(before.chinese.visible) == _compared_words(
        after.chinese.visible
    )
    if not is_seen_alike and not after.has_all_atoms:
        return False
    return _count_errors(after) <= _count_errors(before)


def _compared_words(text: str) -> str:
    """Return a text without white space, punctuation and marks; full-width letters as plain ones.

    ``用**ＪＡＸ**，即……`` -> ``用JAX即``
    """
    return _NO_WORD.sub("", unicodedata.normalize("NFKC", text))


def _count_errors(subject: Subject) -> int:
    """Return how many errors an entry has, of those that keep it from being built.

    A rule for errors may find problems that are minor: those do not count.
    """
    count = 0
    for check in (*GUARD, *BLOCKING):
        for problem in check.look(subject):
            count += problem.severity is Severity.ERROR
    return count
