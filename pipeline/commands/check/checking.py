"""Look at catalogues under the rules of a team, and mend what needs no judgement.

In go files and rules, out comes one result with everything that is wrong. No English docs are
needed: a catalogue holds all that its checks compare.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from pipeline.commands.check.catalogs import (
    CatalogFile,
    ReadFile,
    findings_of_file,
    read_file,
)
from pipeline.commands.check.english import English
from pipeline.commands.check.looking import Looked, LookedAt, Way, look
from pipeline.commands.check.memories import (
    MemoryFile,
    findings_of_placeholders,
    look_at_memories,
    remember,
)
from pipeline.commands.check.mending import mend
from pipeline.commands.terms import read_terms
from pipeline.config import IgnoreRule
from pipeline.core.checks.run import code_names
from pipeline.core.checks.sets import checks_of
from pipeline.core.checks.silence import is_guards
from pipeline.core.glossary.terms import Glossary
from pipeline.errors import ConfigError
from pipeline.findings import Finding
from pipeline.log import Log
from pipeline.report.result import CheckResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What a team has agreed on: a glossary for each locale, and what is not to be told where."""

    glossaries: Mapping[str, Path]  # by locale
    # By locale and upstream, of those that have one of their own besides.
    own: Mapping[tuple[str, str], Path] = field(default_factory=dict)
    ignore: Sequence[IgnoreRule] = ()
    english: English | None = None  # of memories; None if there is no project

    def team_of(self, read: ReadFile) -> tuple[str, str]:
        """Whose terms hold for a file: locale, and upstream if that has terms of its own."""
        locale, upstream = read.locale, read.file.upstream
        return locale, upstream if (locale, upstream) in self.own else ""


def check(
    files: Sequence[CatalogFile],
    rules: Rules,
    *,
    log: Log,
    fix: bool = False,
    strict: bool = False,
) -> CheckResult:
    """Look at every finished translation in ``files``; with ``fix``, first mend what can be mended.

    A catalogue that cannot be read is a finding like any other. Raises ConfigError for a rule about
    a code that does not exist, InputError for a glossary that cannot be read.
    """
    # Before anything is read: a rule that silences nothing would let a build pass.
    _check_rules(rules.ignore)
    read = _read(files)
    diffs: dict[str, str] = {}
    if fix:
        # What is looked at below is what the files hold then.
        for at, catalog in enumerate(read.catalogs):
            mended = mend(catalog, log)
            read.catalogs[at] = mended.read
            if mended.diff:
                diffs[catalog.file.name] = mended.diff
    findings = read.findings
    remembered = remember(read.memories, rules.english, files)
    silenced = 0
    for looked in _looks(read.catalogs, remembered, rules):
        silenced += looked.silenced
        for name, found in looked.findings.items():
            findings[name] += found
    for catalog in read.catalogs:
        findings[catalog.file.name] += findings_of_file(catalog)
    for finding in findings_of_placeholders(remembered):
        findings[finding.file].append(finding)
    # As a person goes through them: file by file, from the first line to the last.
    in_order: list[Finding] = []
    for file in files:
        in_order += sorted(findings[file.name], key=lambda finding: finding.line)
    entries = sum(len(catalog.subjects) for catalog in read.catalogs)
    entries += sum(len(memory.remembered.entries) for memory in remembered)
    return CheckResult(
        findings=tuple(in_order),
        files=len(files),
        entries=entries,
        silenced=silenced,
        written=tuple(diffs),
        diffs="".join(diffs.values()),
        strict=strict,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReadFiles:
    """Files that were read, by what they are, and a list of findings for each file by name."""

    catalogs: list[ReadFile]
    memories: list[ReadFile]
    findings: dict[str, list[Finding]]


def _read(files: Sequence[CatalogFile]) -> _ReadFiles:
    """Read all files. Those that cannot be read are findings."""
    read_files = _ReadFiles(catalogs=[], memories=[], findings={})
    for file in files:
        read = read_file(file)
        read_files.findings[file.name] = []
        if isinstance(read, Finding):
            read_files.findings[file.name].append(read)
        elif read.is_memory:
            read_files.memories.append(read)
        else:
            read_files.catalogs.append(read)
    return read_files


def _looks(
    catalogs: Sequence[ReadFile], memories: Sequence[MemoryFile], rules: Rules
) -> Iterator[Looked]:
    """Look at all entries, a locale at a time, and of it the upstreams with terms of their own.

    Each has its own checks and its own glossary, and texts are compared within one.
    """
    reads = [*catalogs, *(memory.read for memory in memories)]
    for team in sorted({rules.team_of(read) for read in reads}):
        locale, upstream = team
        way = Way(
            checks=checks_of(locale),
            glossary=glossary_of(rules, locale, upstream),
            ignore=rules.ignore,
        )
        of_team = [read for read in catalogs if rules.team_of(read) == team]
        yield look(
            [LookedAt(read=read, subjects=read.subjects) for read in of_team], way
        )
        remembered = [
            memory for memory in memories if rules.team_of(memory.read) == team
        ]
        yield from look_at_memories(remembered, way)


def _check_rules(rules: Sequence[IgnoreRule]) -> None:
    """Raise ConfigError for a code that is none, or that nobody may silence."""
    names = code_names()
    allowed = [name for name in names if not is_guards(name)]
    for code in chain.from_iterable(rule.codes for rule in rules):
        if code in allowed:
            continue
        problem = "is not the code of a check"
        if code in names:
            problem = "cannot be ignored"
        # Codes are shown without quotes, as in the list of checks: not by "did_you_mean".
        near = difflib.get_close_matches(code, allowed, n=1)
        meant = f"Did you mean {near[0]}? " if near else ""
        raise ConfigError(
            f"tool.pipeline.checks.ignore: {code} {problem}",
            hint=f"{meant}docs/translating.zh.md lists them.",
        )


def glossary_of(rules: Rules, locale: str, upstream: str = "") -> Glossary | None:
    """The terms of ``locale``, and of ``upstream``; None if nobody has agreed on any."""
    paths = (rules.glossaries.get(locale), rules.own.get((locale, upstream)))
    return read_terms(path for path in paths if path is not None)
