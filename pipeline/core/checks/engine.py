"""Engine of the checks, which runs them on the entries of catalogues and applies their fixes.

Subjects go in; problems come out, each with its code and place. A fix is applied only if the
translation keeps its words and gets no additional errors. A translator disables a check for one
entry by a comment::

    # pipeline: ignore=M203 reason
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.core.checks import table
from pipeline.core.checks.model import (
    Check,
    PageCheck,
    Problem,
    Subject,
    markup_of_references,
    usual_markup_of,
)
from pipeline.core.document.message import Markup
from pipeline.core.glossary.glossary import Glossary
from pipeline.entries import Entry
from pipeline.findings import Severity

_IGNORE = re.compile(
    r"pipeline:\s*ignore=([A-Z]\d+(?:\s*,\s*[A-Z]\d+)*)\s*(.*)", re.DOTALL
)
# These checks compare formulas and roles, which renderers turn into other markup. The
# guard examines them first. Text that evades the guard must not get through by an
# ignore comment.
_FOR_SAFETY = frozenset(("M106", "M203", "M205"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignore:
    """The codes that a comment disables for its entry, and the reason."""

    codes: tuple[str, ...]
    reason: str


def ignores_of(entry: Entry) -> Iterator[Ignore]:
    """Yield what the comments of an entry disable.

    ``pipeline: ignore=M203, M304 the value is the same`` -> two codes, and the reason
    """
    for comment in entry.comments:
        if match := _IGNORE.fullmatch(comment.strip()):
            codes, reason = match.groups()
            yield Ignore(
                codes=tuple(re.split(r"\s*,\s*", codes)),
                reason=reason.strip(),
            )


def ignored_codes(entry: Entry) -> frozenset[str]:
    """Return the codes that the comments of an entry disable."""
    codes = (code for ignore in ignores_of(entry) for code in ignore.codes)
    return frozenset(filter(can_ignore, codes))


def is_guard_code(code: str) -> bool:
    """Return whether a code belongs to the guard; such codes can never be disabled."""
    return code.startswith("G")


def can_ignore(code: str) -> bool:
    """Return whether a comment can disable a code: not if it belongs to the guard or to safety."""
    return not is_guard_code(code) and code not in _FOR_SAFETY


def ignore_comment_problems(
    entry: Entry, known: Collection[str], used: Collection[str]
) -> Iterator[Problem]:
    """Yield the problems with the comments that disable checks for an entry.

    ``known`` are all existing codes, ``used`` those whose findings a comment has suppressed.
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
    """Return the problem with disabling one code, or None."""
    if code not in known:
        return Problem(
            text=f"there is no check {code} to silence",
            hint="Look the code up in the list of checks, or delete the comment.",
        )
    if not can_ignore(code):
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


# Errors in structure or atoms, which keep a message from being built.
BLOCKING: tuple[Check, ...] = tuple(
    check for check in (*table.MARKUP, *table.ATOMS) if check.severity is Severity.ERROR
)


def blocking_problem(subject: Subject, ignored: Collection[str] = ()) -> Problem | None:
    """Return the first error of a translation that keeps it from being built, or None.

    Codes in ``ignored`` do not count, nor do those that the entry's comments disable.
    """
    silenced = ignored_codes(subject.entry).union(ignored)
    for check in BLOCKING:
        if check.code in silenced:
            continue
        for problem in check.look(subject):
            if problem.severity is Severity.ERROR:
                return problem
    return None


_NO_WORD = re.compile(r"[\W_]+")
_ROUNDS = 12  # attempts per entry; one that still changes then is left alone


def subjects_of(
    entries: Sequence[Entry],
    page: str,
    markup: Markup | None = None,
    *,
    are_of_others: bool = False,
) -> list[Subject]:
    """Return the subjects of a page: entries that are translated, not fuzzy, not obsolete.

    ``markup`` applies to entries without a note. If it is None, the markup of an entry is that of
    the file it references or, without a reference, that of most other entries. ``are_of_others``
    means that other tools insert these translations.
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
    check_set: table.CheckSet = table.SIMPLIFIED,
) -> list[Problem]:
    """Return the problems in the translations of ``pages``, sorted by page, entry and check.

    All pages are in the language of ``check_set``. The ``page`` of a problem is a key of
    ``pages``. Problems found by comparing all pages come last.
    """
    checks = check_set.checks
    if glossary:  # there are no agreed terms without one
        checks = (*checks, *table.glossary_checks(glossary))
    problems: list[Problem] = []
    for page, subjects in pages.items():
        # Keep the problems of one entry together, whichever check reports them.
        of_page = [
            *_find_in_entries(page, subjects, checks),
            *_find_across({page: subjects}, check_set.page_checks),
        ]
        problems += sorted(of_page, key=lambda problem: problem.index)
    return [*problems, *_find_across(pages, check_set.across)]


def _find_in_entries(
    page: str, subjects: Sequence[Subject], checks: Sequence[Check]
) -> Iterator[Problem]:
    """Yield the problems of each entry of a page on its own.

    All checks examine one entry before the next one, because they share its parsed texts.
    """
    for index, subject in enumerate(subjects):
        for check in checks:
            for problem in check.find(subject):
                yield check.stamp(problem, page=page, index=index)


def _find_across(
    pages: Mapping[str, Sequence[Subject]], checks: Sequence[PageCheck]
) -> Iterator[Problem]:
    """Yield the problems that a comparison of all entries of ``pages`` shows.

    The check sees all entries in one sequence. ``places`` maps an index in that sequence to the
    page and the index there.
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


def without_redundant_guard_problems(problems: Iterable[Problem]) -> list[Problem]:
    """Return ``problems`` without the guard's, where a check reports an error of the same entry.

    The guard rejects most of what checks call errors. The message of a check is more precise.
    """
    problems = list(problems)
    explained: set[tuple[str, int]] = set()
    for problem in problems:
        if problem.severity is Severity.ERROR and not is_guard_code(problem.code):
            explained.add((problem.page, problem.index))
    kept = []
    for problem in problems:
        is_explained = (problem.page, problem.index) in explained
        if not is_explained or not is_guard_code(problem.code):
            kept.append(problem)
    return kept


def fix_entry(
    subject: Subject, checks: Sequence[Check] = table.SIMPLIFIED.checks
) -> str:
    """Return the msgstr with all fixes applied that need no judgement.

    The rendered text differs in white space and punctuation at most. Fixing it again changes
    nothing. Whatever a comment of the entry disables stays as it is.
    """
    silenced = ignored_codes(subject.entry)
    checks = [check for check in checks if check.code not in silenced]
    current = subject
    for _ in range(_ROUNDS):
        mended = _apply_first_fix(subject, current, checks)
        if mended is None:
            return current.entry.msgstr
        current = mended
    # The fixes undo each other, so none of them can be trusted.
    return subject.entry.msgstr


def _apply_first_fix(
    original: Subject, current: Subject, checks: Sequence[Check]
) -> Subject | None:
    """Return ``current`` after the first fix that is harmless to ``original``; None without one.

    Fixes are applied one at a time: each is a whole msgstr, so two cannot be combined.
    """
    for check in checks:
        for problem in check.find(current):
            # A fix that changes nothing would otherwise use up all rounds.
            if problem.fix in (None, current.entry.msgstr):
                continue
            entry = replace(current.entry, msgstr=problem.fix)
            mended = replace(current, entry=entry)
            if _is_harmless(original, mended):
                return mended
    return None


def _is_harmless(before: Subject, after: Subject) -> bool:
    """Return whether the fixed translation shows the same words, and has no more errors.

    When broken markup starts to work, parts of its source such as a link's target disappear from
    the text. The visible words may therefore differ if all atoms are correct after the fix.
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
    """Return a text without white space, punctuation and marks, in half-width letters.

    ``用**ＪＡＸ**，即……`` -> ``用JAX即``
    """
    return _NO_WORD.sub("", unicodedata.normalize("NFKC", text))


def _count_errors(subject: Subject) -> int:
    """Return the number of errors that keep an entry from being built.

    Minor problems of a rule do not count, even if the rule's severity is ``ERROR``.
    """
    count = 0
    # The rejections of the guard count as well: a fix must not cause one.
    for check in (*table.GUARD, *BLOCKING):
        for problem in check.look(subject):
            count += problem.severity is Severity.ERROR
    return count
