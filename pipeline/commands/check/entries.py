"""The checks, run over the entries of catalogues and memories of one locale.

Entries go in, findings by file come out. A comment above an entry silences a check there, a rule of
the configuration on whole pages. Neither silences the guard, and a comment no check of formulas or
roles: what they refuse is never built. A memory is checked with its English where that is at hand,
and otherwise by its text alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from pipeline.commands.check.english import English
from pipeline.commands.check.files import CatalogFile, ReadFile, finding_of
from pipeline.config import IgnoreRule, matches
from pipeline.core.checks import hygiene
from pipeline.core.checks.engine import (
    fix_entry,
    ignores_of,
    is_guards,
    may_silence,
    run_checks,
    silence_problems,
    subjects_of,
    without_echoes,
)
from pipeline.core.checks.hygiene import (
    Remembered,
    find_unlike,
    markup_of_texts,
    read_remembered,
    readable_texts,
)
from pipeline.core.checks.model import Problem, Rule, Subject, read_place
from pipeline.core.checks.table import CheckSet, code_names
from pipeline.core.document.message import Markup
from pipeline.core.glossary.glossary import Glossary
from pipeline.entries import Entry
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


# A catalogue with those of its entries that are checked.
Chosen = tuple[ReadFile, Sequence[Subject]]


def look(files: Sequence[Chosen], way: Way) -> Looked:
    """Run the checks over entries of catalogues of one locale.

    Findings of one entry stand in the order of the checks, and what its comments do wrong last.
    """
    entries: dict[str, list[_Entry]] = {}
    for read, chosen in files:
        entries[read.file.name] = [_Entry(read, subject) for subject in chosen]
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
            for problem in silence_problems(entry.subject.entry, codes, entry.used):
                findings[name].append(_of_entry(hygiene.SILENCED, entry, problem))
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
    finding = _of_entry(rule, entry, problem)
    return replace(finding, spans=problem.spans, fixed=fixed)


def _of_entry(rule: Rule, entry: _Entry, problem: Problem) -> Finding:
    """Return a finding about an entry, with its texts."""
    checked = entry.subject.entry
    finding = finding_of(
        rule, entry.read.file, checked.line, text=problem.text, hint=problem.hint
    )
    return replace(
        finding,
        section=read_place(checked).section,
        msgid=checked.msgid,
        msgstr=checked.msgstr,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFile:
    """A memory file, and what it holds as far as its English is known."""

    read: ReadFile
    remembered: Remembered


def remember(
    memories: Sequence[ReadFile], english: English, files: Sequence[CatalogFile]
) -> list[MemoryFile]:
    """What memories hold. Those entries are left out that are looked at in a catalogue anyway.

    ``files`` are all files that are looked at: a folder that is named may hold both.
    """
    chosen = {file.path for file in files}
    result: list[MemoryFile] = []
    for read in memories:
        remembered = read_remembered(read.catalog.entries, english.of(read))
        if english.catalog_of(read).resolve() in chosen:
            remembered = replace(remembered, known=())
        result.append(MemoryFile(read=read, remembered=remembered))
    return result


def look_at_memories(memories: Sequence[MemoryFile], way: Way) -> Iterator[Looked]:
    """Run the checks over memories of one locale: all of them where the English is known."""
    known = []
    for file in memories:
        page, entries = file.read.file.page, file.remembered.known
        known.append((file.read, subjects_of(entries, page, Markup.MARKDOWN)))
    yield look(known, way)
    # Without it, those that ask nothing but how the text is set.
    of_text = replace(way, checks=CheckSet(checks=way.checks.of_text), is_whole=False)
    of_text = replace(of_text, glossary=None)
    looked = look([_text_of(file) for file in memories], of_text)
    # People know the text with its placeholders, which are as long as what stood for them.
    for file in memories:
        texts = {entry.line: entry.msgstr for entry in file.remembered.unknown}
        found = looked.findings[file.read.file.name]
        found[:] = [
            replace(finding, msgid="", msgstr=texts[finding.line]) for finding in found
        ]
    yield looked


def findings_of_placeholders(memories: Sequence[MemoryFile]) -> Iterator[Finding]:
    """What is wrong with placeholders: by themselves, and beside other translations of the text."""
    files: list[MemoryFile] = []
    row: list[Entry] = []
    for file in memories:
        remembered = file.remembered
        for problem in remembered.problems:
            yield _placeholder_finding(file, remembered.entries[problem.index], problem)
        files += [file] * len(remembered.entries)
        row += remembered.entries
    for problem in find_unlike(row):
        yield _placeholder_finding(files[problem.index], row[problem.index], problem)


def _text_of(file: MemoryFile) -> Chosen:
    """Return the entries of a memory of which only the translation can be checked."""
    unknown = file.remembered.unknown
    markup = markup_of_texts(file.remembered.entries)
    texts = tuple(readable_texts(unknown, markup))
    return file.read, subjects_of(texts, file.read.file.page, markup)


def _placeholder_finding(file: MemoryFile, entry: Entry, problem: Problem) -> Finding:
    """A finding about the placeholders of an entry."""
    stamped = hygiene.PLACEHOLDER.stamp(problem)
    rule = replace(hygiene.PLACEHOLDER, severity=stamped.severity)
    finding = finding_of(
        rule, file.read.file, entry.line, text=problem.text, hint=problem.hint
    )
    return replace(finding, msgid=entry.msgid, msgstr=entry.msgstr, spans=problem.spans)
