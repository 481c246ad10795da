"""Checks of the entries of catalogues and memories in one locale.

The input is entries. The output is findings by file. Users can silence a check: for one entry with
the comment ``# pipeline: ignore=CODE``, for whole pages with a rule in the configuration. Problems
that the guard reports cannot be silenced: these translations would change a page outside its prose,
and a build leaves them out. Checks of formulas and roles can be silenced by a rule, but not by a
comment.

A memory file holds a digest of each message, not the message. ``English`` finds the messages of the
page in the page's catalogue and in the pulled docs, without git or network. The entries of a memory
are checked with their English if it is on disk. Otherwise only the checks of the Chinese text run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes
from pipeline.commands.check.files import CatalogFile, ReadFile, finding_of
from pipeline.config.settings import IgnoreRule, Settings, matches
from pipeline.core.catalog.update import wanted_entries
from pipeline.core.checks import engine, hygiene
from pipeline.core.checks.model import Problem, Rule, Subject, read_place
from pipeline.core.checks.table import CheckSet, code_names
from pipeline.core.document.message import Markup
from pipeline.core.document.reader import Document, read_document
from pipeline.core.glossary.glossary import Glossary
from pipeline.core.memory.record import digest
from pipeline.entries import Entry
from pipeline.errors import InputError
from pipeline.findings import Finding
from pipeline.paths import Paths
from pipeline.reading import MYST


class CheckedEntries(Struct, frozen=True, kw_only=True):
    """Findings of a run of the checks, and the number of problems that users have silenced."""

    findings: list[Finding]  # those of a file are in the order of the checks
    silenced: int = 0


class _Entry(Struct, dict=True):
    """Entry to check. ``used`` has the codes that its comments have silenced so far."""

    read: ReadFile
    subject: Subject
    used: set[str] = field(default_factory=set)

    @cached_property
    def fixed(self) -> str:
        """The translation after ``--fix``; cached, because an entry may have several findings."""
        return engine.fix_entry(self.subject, self.read.checks.checks)


class CheckRules(Struct, frozen=True, kw_only=True):
    """Checks, glossary and ignore rules for the catalogues of one locale."""

    checks: CheckSet
    glossary: Glossary | None = None
    ignore: Sequence[IgnoreRule] = ()
    # Whether all checks run. Only then, a comment that silences no problem is a finding.
    is_whole: bool = True


# A catalogue with the entries to check.
Chosen = tuple[ReadFile, Sequence[Subject]]


def check_entries(files: Sequence[Chosen], rules: CheckRules) -> CheckedEntries:
    """Run the checks on entries of catalogues in one locale.

    The findings of an entry are in the order of the checks. Findings about its comments come last.
    """
    entries: dict[str, list[_Entry]] = {}
    for read, chosen in files:
        entries[read.file.name] = [_Entry(read, subject) for subject in chosen]
    # Check all files at once: some checks compare translations of the same text on two pages.
    subjects = {name: [entry.subject for entry in of_file] for name, of_file in entries.items()}
    kept: list[Problem] = []
    silenced = 0
    for problem in engine.run_checks(subjects, glossary=rules.glossary, check_set=rules.checks):
        if _is_silenced(problem, entries[problem.page][problem.index], rules.ignore):
            silenced += 1
        else:
            kept.append(problem)
    # The guard often reports the same mistake as a check. In that case, drop the guard's problem.
    # Do this only here, after silencing: if the user has silenced the check's problem, the guard's
    # must stay.
    findings: list[Finding] = []
    for problem in engine.without_redundant_guard_problems(kept):
        entry = entries[problem.page][problem.index]
        findings.append(_finding(problem, entry))
    # Report comments that silence nothing. This is last, after all checks have filled ``used``.
    codes = code_names()
    for entry in chain.from_iterable(entries.values()) if rules.is_whole else ():
        checked, used = entry.subject.entry, entry.used
        problems = engine.ignore_comment_problems(checked, codes, used)
        findings += (_of_entry(hygiene.SILENCED, entry, each) for each in problems)
    return CheckedEntries(findings=findings, silenced=silenced)


def _is_silenced(problem: Problem, entry: _Entry, ignore: Sequence[IgnoreRule]) -> bool:
    """Return whether a comment or a rule silences the problem.

    A code that a comment silences is added to ``entry.used``. Nothing silences problems of the
    guard. Problems that endanger the page's syntax are silenced by rules, but not by comments.
    """
    code = problem.code
    if engine.is_guard_code(code):
        return False
    for comment in engine.ignores_of(entry.subject.entry):
        if code in comment.codes and engine.can_ignore(code):
            entry.used.add(code)
            return True
    # Comments come first. Otherwise a comment would count as useless if a rule has the same code.
    page = entry.read.file.page
    return any(code in rule.codes and matches(page, rule.pages) for rule in ignore)


def _finding(problem: Problem, entry: _Entry) -> Finding:
    """Return the finding for a problem, with its entry and the fixed text, if any."""
    # Use the problem's severity: one check may report problems of different severities.
    rule = Rule(code=problem.code, name=problem.name, severity=problem.severity)
    fixed = None
    # The fixes of two checks may cancel each other out; then there is no fixed text. A memory is
    # not fixed, because it is generated from the catalogue.
    has_fix = problem.fix is not None and not entry.read.is_memory
    if has_fix and entry.fixed not in ("", entry.subject.entry.msgstr):
        fixed = entry.fixed
    finding = _of_entry(rule, entry, problem)
    return replace(finding, spans=problem.spans, fixed=fixed)


def _of_entry(rule: Rule, entry: _Entry, problem: Problem) -> Finding:
    """Return a finding about an entry, with the entry's texts and section."""
    checked = entry.subject.entry
    finding = finding_of(rule, entry.read.file, checked.line, text=problem.text, hint=problem.hint)
    return replace(
        finding,
        section=read_place(checked).section,
        msgid=checked.msgid,
        msgstr=checked.msgstr,
    )


_SUFFIXES = (".ipynb", ".md", ".rst")


class PageEnglish(Struct, frozen=True, kw_only=True):
    """English of a page by digest.

    ``messages`` has the messages of the current page, in page order. ``texts`` also has older
    English.
    """

    messages: Mapping[str, Entry] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


class English(Struct, frozen=True):
    """Lookup of English texts in the catalogues and docs that are on disk."""

    settings: Settings

    def catalog_of(self, memory: ReadFile) -> Path:
        """Return the path of the catalogue of a memory's page; the file may not exist."""
        return self._paths(memory).catalog(memory.locale, memory.file.page)

    def of(self, memory: ReadFile, needed: Collection[str]) -> PageEnglish:
        """Return the English of a memory's page, at the release that the memory's header names.

        ``needed`` are the digests to look for, in the catalogue first.
        """
        entries = self._entries_of(memory)
        messages: dict[str, Entry] = {}
        texts: dict[str, str] = {}
        for entry in entries:
            if not entry.obsolete:
                notes, references = entry.notes, entry.references
                blank = Entry(msgid=entry.msgid, notes=notes, references=references)
                messages[digest(entry.msgid)] = blank
        if not messages.keys() >= set(needed):
            # The catalogue lacks messages: read the docs as well. Use the order of the docs,
            # because it includes the new messages.
            docs = {digest(entry.msgid): entry for entry in self._docs_of(memory)}
            messages = docs | messages
        for code, entry in messages.items():
            texts[code] = entry.msgid
        for entry in entries:
            for text in (entry.msgid, entry.previous):
                if text:
                    texts[digest(text)] = text
        return PageEnglish(messages=messages, texts=texts)

    def _entries_of(self, memory: ReadFile) -> tuple[Entry, ...]:
        """Return the entries of the page's catalogue; none if it is missing or unreadable."""
        path = self.catalog_of(memory)
        if not path.is_file():
            return ()
        try:
            return po.read_catalog(read_bytes(path), where=path.name).catalog.entries
        except InputError:
            return ()

    def _docs_of(self, memory: ReadFile) -> tuple[Entry, ...]:
        """Return the messages of the page in the pulled docs."""
        page = memory.file.page
        name = memory.catalog.header.get("X-Upstream", "")
        upstream = self.settings.upstreams.get(name)
        reading = upstream.reading if upstream else MYST
        documents: list[Document] = []
        for suffix in _SUFFIXES:
            path = self._paths(memory).docs / f"{page}{suffix}"
            # The command ``split`` reports unreadable documents.
            with suppress(InputError):
                if path.is_file():
                    data = read_bytes(path)
                    documents.append(read_document(f"{page}{suffix}", data, reading))
        return wanted_entries(page, documents)

    def _paths(self, memory: ReadFile) -> Paths:
        """Return the paths of the upstream that the memory's header names."""
        return Paths(self.settings.root, memory.catalog.header.get("X-Upstream", ""))


class MemoryFile(Struct, frozen=True, kw_only=True):
    """Memory file. ``remembered`` has the entries whose English is known apart from the others."""

    read: ReadFile
    remembered: hygiene.MemoryEntries


def remember(
    memories: Sequence[ReadFile], english: English, files: Sequence[CatalogFile]
) -> list[MemoryFile]:
    """Return the memories with the English of their entries.

    ``files`` are all files that are checked. If the catalogue of a memory's page is among them, the
    memory's known entries are left out, because the catalogue has the same ones.
    """
    chosen = {file.path for file in files}
    result: list[MemoryFile] = []
    for read in memories:
        entries = read.catalog.entries
        found = english.of(read, [entry.msgid for entry in entries])
        remembered = hygiene.read_memory_entries(entries, found.messages)
        if english.catalog_of(read).resolve() in chosen:
            remembered = replace(remembered, known=())
        result.append(MemoryFile(read=read, remembered=remembered))
    return result


def check_memories(memories: Sequence[MemoryFile], rules: CheckRules) -> Iterator[CheckedEntries]:
    """Run the checks on memories of one locale.

    Run all checks on entries with known English. On the other entries, run only the checks of the
    Chinese text.
    """
    known = []
    for file in memories:
        page, entries = file.read.file.page, file.remembered.known
        known.append((file.read, engine.subjects_of(entries, page, Markup.MARKDOWN)))
    yield check_entries(known, rules)
    # For entries without English, select the checks that read only the translation.
    text_only = replace(rules, checks=CheckSet(checks=rules.checks.text_only), is_whole=False)
    # Glossary checks need the English as well.
    text_only = replace(text_only, glossary=None)
    checked = check_entries([_text_of(file) for file in memories], text_only)
    # The checks read a text in which stand-ins replace placeholders such as "⟦1⟧". Show the
    # placeholders again. A stand-in has the length of its placeholder, so the spans still fit.
    texts: dict[tuple[str, int], str] = {}
    for file in memories:
        for entry in file.remembered.unknown:
            texts[file.read.file.name, entry.line] = entry.msgstr
    shown = [
        replace(finding, msgid="", msgstr=texts[finding.file, finding.line])
        for finding in checked.findings
    ]
    yield replace(checked, findings=shown)


def findings_of_placeholders(memories: Sequence[MemoryFile]) -> Iterator[Finding]:
    """Yield findings about placeholders such as ``⟦1⟧``, which stand for long atoms in a memory.

    This includes placeholders that differ between translations of the same text.
    """
    files: list[MemoryFile] = []
    row: list[Entry] = []
    for file in memories:
        remembered = file.remembered
        for problem in remembered.problems:
            yield _placeholder_finding(file, remembered.entries[problem.index], problem)
        files += [file] * len(remembered.entries)
        row += remembered.entries
    for problem in hygiene.find_differing_placeholders(row):
        yield _placeholder_finding(files[problem.index], row[problem.index], problem)


def _text_of(file: MemoryFile) -> Chosen:
    """Return a memory's entries without known English, in a form that the checks can read."""
    unknown = file.remembered.unknown
    markup = hygiene.markup_of_texts(file.remembered.entries)
    texts = tuple(hygiene.readable_texts(unknown, markup))
    return file.read, engine.subjects_of(texts, file.read.file.page, markup)


def _placeholder_finding(file: MemoryFile, entry: Entry, problem: Problem) -> Finding:
    """Return a finding about the placeholders of an entry."""
    stamped = hygiene.PLACEHOLDER.stamp(problem)
    rule = replace(hygiene.PLACEHOLDER, severity=stamped.severity)
    finding = finding_of(rule, file.read.file, entry.line, text=problem.text, hint=problem.hint)
    return replace(finding, msgid=entry.msgid, msgstr=entry.msgstr, spans=problem.spans)
