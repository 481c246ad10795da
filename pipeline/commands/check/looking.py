"""The checks, run over all catalogues of one locale, without what somebody has silenced.

Entries go in, findings by file come out. A comment above an entry silences a check there, a rule of
the configuration on whole pages. Neither silences the guard, and a comment no check of formulas or
roles: what they refuse is never built.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from pipeline.commands.check.catalogs import ReadFile, finding_of
from pipeline.config import IgnoreRule, matches
from pipeline.core.checks import hygiene
from pipeline.core.checks.base import Problem, Rule, Subject
from pipeline.core.checks.notes import read_place
from pipeline.core.checks.run import code_names, fix_entry, run_checks, without_echoes
from pipeline.core.checks.sets import CheckSet
from pipeline.core.checks.silence import (
    ignores_of,
    is_guards,
    may_silence,
    silence_problems,
)
from pipeline.core.glossary.terms import Glossary
from pipeline.findings import Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What the checks have found, in the order of the checks, and how much of it is silenced."""

    findings: Mapping[str, list[Finding]]  # by the name of the file
    silenced: int


@dataclass
class _Entry:
    """An entry under check. ``used`` are the codes that its comments have silenced."""

    read: ReadFile
    subject: Subject
    used: set[str] = field(default_factory=set)

    @cached_property
    def mended(self) -> str:
        """What ``--fix`` would make of it: once, for an entry may have several mistakes."""
        return fix_entry(self.subject, self.read.checks.checks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How catalogues of one locale are looked at."""

    checks: CheckSet
    glossary: Glossary | None = None
    ignore: Sequence[IgnoreRule] = ()
    # Whether all checks run, so that a comment which silences nothing is of no use.
    is_whole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedAt:
    """A catalogue with those of its entries that are looked at."""

    read: ReadFile
    subjects: Sequence[Subject]


def look(files: Sequence[LookedAt], way: Way) -> Looked:
    """Run the checks over the entries of catalogues of one locale.

    Findings of one entry stand in the order of the checks, and what its comments do wrong last.
    """
    entries: dict[str, list[_Entry]] = {}
    for file in files:
        of_file = [_Entry(file.read, subject) for subject in file.subjects]
        entries[file.read.file.name] = of_file
    # All at once: some checks compare what one text has become on several pages.
    subjects = {
        name: [entry.subject for entry in of_file] for name, of_file in entries.items()
    }
    kept: list[Problem] = []
    silenced = 0
    for problem in run_checks(subjects, glossary=way.glossary, of=way.checks):
        if _is_silenced(problem, entries[problem.page][problem.index], way.ignore):
            silenced += 1
        else:
            kept.append(problem)
    # What somebody has silenced makes no echo: the guard's own words are told then.
    findings: dict[str, list[Finding]] = {name: [] for name in entries}
    for problem in without_echoes(kept):
        entry = entries[problem.page][problem.index]
        findings[problem.page].append(_finding(problem, entry))
    # Last, when it is known which comments were of any use.
    codes = code_names()
    for name, of_file in entries.items() if way.is_whole else ():
        for entry in of_file:
            findings[name] += _of_comments(entry, codes)
    return Looked(findings=findings, silenced=silenced)


def _is_silenced(problem: Problem, entry: _Entry, ignore: Sequence[IgnoreRule]) -> bool:
    """Whether somebody has said that this is not to be told.

    Either a comment above the entry has, and ``entry`` notes that it was of use, or a rule of the
    configuration. What the guard finds nobody can silence, and what is for safety no comment.
    """
    code = problem.code
    if is_guards(code):
        return False
    for comment in ignores_of(entry.subject.entry):
        if code in comment.codes and may_silence(code):
            entry.used.add(code)
            return True
    # A comment comes first: it tells whoever reads the entry why.
    page = entry.read.file.page
    return any(code in rule.codes and matches(page, rule.pages) for rule in ignore)


def _finding(problem: Problem, entry: _Entry) -> Finding:
    """What a check has found, with the entry that it is about and what ``--fix`` would do."""
    # A check may find one thing worse than another: the severity is that of what it found.
    rule = Rule(code=problem.code, name=problem.name, severity=problem.severity)
    fixed = None
    # A fix may be undone by that of another check: then nothing would change. A memory is not
    # mended: it is written from the catalogue.
    is_mended = problem.fix is not None and not entry.read.is_memory
    if is_mended and entry.mended not in ("", entry.subject.entry.msgstr):
        fixed = entry.mended
    finding = _of_entry(rule, entry, text=problem.text, hint=problem.hint)
    return replace(finding, spans=problem.spans, fixed=fixed)


def _of_comments(entry: _Entry, codes: Mapping[str, str]) -> Iterator[Finding]:
    """What is wrong with the comments that silence checks for an entry."""
    for problem in silence_problems(entry.subject.entry, codes, entry.used):
        yield _of_entry(hygiene.SILENCED, entry, text=problem.text, hint=problem.hint)


def _of_entry(rule: Rule, entry: _Entry, *, text: str, hint: str) -> Finding:
    """A finding about an entry, with its texts."""
    looked_at = entry.subject.entry
    finding = finding_of(rule, entry.read.file, looked_at.line, text=text, hint=hint)
    return replace(
        finding,
        section=read_place(looked_at).section,
        msgid=looked_at.msgid,
        msgstr=looked_at.msgstr,
    )
