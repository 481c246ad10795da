"""Engine of the checks: runs them on catalogue entries, and applies their fixes.

:func:`run_checks` takes subjects, which are translated entries, and returns problems. Each problem
has the code of its check, its page and its entry. :func:`fix_entry` applies a fix only if the
translation keeps its words and gets no additional errors.

A comment of the translator disables a check for one entry::

    # pipeline: ignore=M304 reason
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

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

_IGNORE = re.compile(r"pipeline:\s*ignore=([A-Z]\d+(?:\s*,\s*[A-Z]\d+)*)\s*(.*)", re.DOTALL)
# Comments cannot disable these checks. They compare formulas and roles, from which renderers
# generate other markup. The guard examines formulas and roles as well. If the guard misses unsafe
# text, these checks must still report it.
_FOR_SAFETY = frozenset(("M106", "M203", "M205"))


class Ignore(Struct, frozen=True, kw_only=True):
    """One ignore comment: the codes that it disables for its entry, and its reason."""

    codes: tuple[str, ...]
    reason: str


def ignores_of(entry: Entry) -> Iterator[Ignore]:
    """Yield the ignore comments of an entry.

    ``pipeline: ignore=M304, M305 the value is the same`` -> codes ``M304`` and ``M305``, reason
    ``the value is the same``
    """
    for comment in entry.comments:
        if match := _IGNORE.fullmatch(comment.strip()):
            codes, reason = match.groups()
            yield Ignore(
                codes=tuple(re.split(r"\s*,\s*", codes)),
                reason=reason.strip(),
            )


def ignored_codes(entry: Entry) -> frozenset[str]:
    """Return the codes that the comments of an entry disable.

    Leave out the codes that no comment can disable; see :func:`can_ignore`.
    """
    codes = (code for ignore in ignores_of(entry) for code in ignore.codes)
    return frozenset(filter(can_ignore, codes))


def is_guard_code(code: str) -> bool:
    """Return whether a code belongs to the guard. Comments can never disable such a code."""
    return code.startswith("G")


def can_ignore(code: str) -> bool:
    """Return whether a comment can disable a code.

    The codes of the guard and of the checks in `_FOR_SAFETY` cannot be disabled.
    """
    return not is_guard_code(code) and code not in _FOR_SAFETY


def ignore_comment_problems(
    entry: Entry, known: Collection[str], used: Collection[str]
) -> Iterator[Problem]:
    """Yield the problems with the ignore comments of an entry.

    ``known`` contains all existing codes. ``used`` contains the codes of the problems that the
    comments of this entry have suppressed.
    """
    for ignore in ignores_of(entry):
        for code in ignore.codes:
            if problem := _silence_problem(code, known, used):
                yield problem
        if not ignore.reason:
            yield Problem(
                text=f"{', '.join(ignore.codes)} is silenced without a reason",
                hint="Write the reason after the code.",
            )


def _silence_problem(code: str, known: Collection[str], used: Collection[str]) -> Problem | None:
    """Return the problem with disabling one code, or None."""
    if code not in known:
        return Problem(
            text=f"there is no check {code} to silence",
            hint="Look the code up in the list of checks, or delete the comment.",
        )
    if not can_ignore(code):
        return Problem(
            text=f"{code} cannot be silenced",
            hint="Correct the translation: otherwise it is never published.",
        )
    if code not in used:
        return Problem(
            text=f"{code} reports nothing here",
            hint="Delete the comment: it would hide later mistakes.",
        )
    return None


# Checks of structure and atoms with the severity "error". A translation with such an
# error is left out of the page, which shows the English instead.
BLOCKING: tuple[Check, ...] = tuple(
    check for check in (*table.MARKUP, *table.ATOMS) if check.severity is Severity.ERROR
)


def blocking_problem(subject: Subject, ignored: Collection[str] = ()) -> Problem | None:
    """Return the first error that keeps a translation out of its page, or None.

    Skip the codes in ``ignored`` and the codes that the entry's comments disable.
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
# Maximum number of fixes per entry. An entry that needs more remains unchanged.
_ROUNDS = 12


def subjects_of(
    entries: Sequence[Entry],
    page: str,
    markup: Markup | None = None,
    *,
    are_of_others: bool = False,
) -> list[Subject]:
    """Return the entries of a page that the checks examine: translated, not fuzzy, not obsolete.

    ``markup`` is the markup of entries whose note does not name one. If it is None, the type of
    the referenced file decides. For an entry without a reference, the markup of most other entries
    decides. ``are_of_others`` means that another tool, such as Sphinx, inserts these translations.
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

    ``pages`` maps the name of each page to its entries. All pages must be in the language of
    ``check_set``. The problems that only a comparison of all pages reveals come last.
    """
    checks = check_set.checks
    if glossary:  # without a glossary there are no agreed terms to check
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
    """Yield the problems that the checks find in single entries of a page.

    Run all checks on one entry before the next entry, because they share the parsed texts.
    """
    for index, subject in enumerate(subjects):
        for check in checks:
            for problem in check.find(subject):
                yield check.stamp(problem, page=page, index=index)


def _find_across(
    pages: Mapping[str, Sequence[Subject]], checks: Sequence[PageCheck]
) -> Iterator[Problem]:
    """Yield the problems that a comparison of all entries of ``pages`` reveals.

    Each check receives the entries of all pages as one sequence. ``places`` converts an index in
    this sequence to a page and an index in this page.
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
    """Return ``problems`` without rejections by the guard that a check explains better.

    The guard rejects most translations in which a check finds an error. For such an entry, drop the
    problem of the guard, because the message of the check is more precise.
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


def fix_entry(subject: Subject, checks: Sequence[Check] = table.SIMPLIFIED.checks) -> str:
    """Return the msgstr after all fixes that are safe without a person's decision.

    The rendered text changes in white space and punctuation only. A second call changes nothing.
    Checks that a comment of the entry disables are not applied.
    """
    silenced = ignored_codes(subject.entry)
    checks = [check for check in checks if check.code not in silenced]
    current = subject
    for _ in range(_ROUNDS):
        mended = _apply_first_fix(subject, current, checks)
        if mended is None:
            return current.entry.msgstr
        current = mended
    # After so many rounds, the fixes probably undo each other. So use none of them.
    return subject.entry.msgstr


def _apply_first_fix(
    original: Subject, current: Subject, checks: Sequence[Check]
) -> Subject | None:
    """Return ``current`` after the first fix that does not damage ``original``, or None.

    Apply one fix at a time: a fix is a complete msgstr, so two fixes cannot be combined.
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
    """Return whether a fix keeps the words of a translation and adds no error.

    The words of the two msgstrs must be equal. The words of the rendered texts may differ only if
    all atoms are correct after the fix. For example, a reader of a broken link sees its target;
    after the fix, the target is hidden.
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
    """Return a text in half-width letters, without white space, punctuation and markup characters.

    ``用**ＪＡＸ**，即……`` -> ``用JAX即``
    """
    return _NO_WORD.sub("", unicodedata.normalize("NFKC", text))


def _count_errors(subject: Subject) -> int:
    """Return the number of errors that keep an entry out of its page.

    A rule with the severity ``ERROR`` may downgrade a problem. Downgraded problems do not count.
    """
    count = 0
    # Rejections by the guard count as well, because a fix must not cause one.
    for check in (*table.GUARD, *BLOCKING):
        for problem in check.look(subject):
            count += problem.severity is Severity.ERROR
    return count
