"""Look at catalogues under the rules of a team, and mend what needs no judgement.

In go files and rules, out comes one result with everything that is wrong. No English docs are
needed: a catalogue holds all that its checks compare.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from pipeline.adapters.files import read_bytes
from pipeline.commands.check.catalogs import (
    CatalogFile,
    ReadFile,
    findings_of_file,
    mend,
    read_file,
)
from pipeline.commands.check.looking import look
from pipeline.config import IgnoreRule
from pipeline.core.checks.run import code_names
from pipeline.core.checks.silence import is_guards
from pipeline.core.glossary.terms import Glossary, read_glossary
from pipeline.errors import ConfigError
from pipeline.findings import Finding
from pipeline.log import Log
from pipeline.report.result import CheckResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What a team has agreed on: a glossary for each locale, and what is not to be told where."""

    glossaries: Mapping[str, Path]
    ignore: Sequence[IgnoreRule] = ()


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
    findings: dict[str, list[Finding]] = {file.name: [] for file in files}
    readable: list[ReadFile] = []
    unreadable = 0
    for file in files:
        read = read_file(file)
        if isinstance(read, Finding):
            findings[file.name].append(read)
            unreadable += 1
        # A folder that is named may hold both.
        elif not read.is_memory:
            readable.append(read)
    diffs: dict[str, str] = {}
    if fix:
        # What is looked at below is what the files hold then.
        for at, read in enumerate(readable):
            mended = mend(read, log)
            readable[at] = mended.read
            if mended.diff:
                diffs[read.file.name] = mended.diff
    silenced = 0
    # A locale at a time: each has its own glossary, and texts are compared within one.
    for locale in sorted({read.file.locale for read in readable}):
        of_locale = [read for read in readable if read.file.locale == locale]
        looked = look(of_locale, _glossary(rules, locale), rules.ignore)
        silenced += looked.silenced
        for name, found in looked.findings.items():
            findings[name] += found
    for read in readable:
        findings[read.file.name] += findings_of_file(read)
    # As a person goes through them: file by file, from the first line to the last.
    in_order: list[Finding] = []
    for file in files:
        in_order += sorted(findings[file.name], key=lambda finding: finding.line)
    return CheckResult(
        findings=tuple(in_order),
        files=len(readable) + unreadable,
        entries=sum(len(read.subjects) for read in readable),
        silenced=silenced,
        written=tuple(diffs),
        diffs="".join(diffs.values()),
        strict=strict,
    )


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


def _glossary(rules: Rules, locale: str) -> Glossary | None:
    """The terms of ``locale``; None if nobody has agreed on any."""
    # Broken bytes become a term that nobody uses, rather than the end of the check.
    path = rules.glossaries.get(locale)
    if path is None:
        return None
    return read_glossary(read_bytes(path).decode("utf-8", "replace"), where=path.name)
