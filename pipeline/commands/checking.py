"""check: what is wrong with the translations in catalogues, told from the files alone; and mend
what needs no judgement."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes, replace_if_unchanged
from pipeline.config import IgnoreRule, matches
from pipeline.core.checks import hygiene
from pipeline.core.checks.base import Problem, Rule, Subject
from pipeline.core.checks.notes import read_place
from pipeline.core.checks.run import (
    code_names,
    fix_entry,
    run_checks,
    subjects_of,
    without_echoes,
)
from pipeline.core.checks.silence import ignores_of, is_guards, silence_problems
from pipeline.core.glossary.terms import Glossary, read_glossary
from pipeline.entries import Catalog, Entry
from pipeline.errors import ConfigError, InputError
from pipeline.findings import Finding
from pipeline.log import Log
from pipeline.report.result import CheckResult

_OPTIONAL = ("Report-Msgid-Bugs-To", "POT-Creation-Date", "X-Generator")
# A memory has digests in place of the English: there is nothing to compare with.
_MEMORY_FIELD = "X-Upstream-Page"


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogFile:
    """A catalogue to check. ``name`` is its path as people read it."""

    path: Path
    name: str
    page: str
    locale: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What a team has agreed on: a glossary for each locale, and what is not to be told where."""

    glossaries: Mapping[str, Path]
    ignore: Sequence[IgnoreRule] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A catalogue that can be read, and what reading it brought up."""

    file: CatalogFile
    data: bytes
    catalog: Catalog
    findings: tuple[Finding, ...] = ()

    @property
    def subjects(self) -> list[Subject]:
        return subjects_of(self.catalog.entries, self.file.page)


def check(
    files: Sequence[CatalogFile], rules: Rules, *, log: Log, fix: bool = False, strict: bool = False
) -> CheckResult:
    """Look at every finished translation in ``files``; with ``fix``, first mend what can be mended.

    A catalogue that cannot be read is a mistake like any other. Raises ConfigError for a rule about
    a code that does not exist, InputError for a glossary that cannot be read.
    """
    _check_rules(rules.ignore)
    mistakes: dict[str, list[Finding]] = {file.name: [] for file in files}
    read = [
        one
        for file in files
        if (one := _read(file, mistakes[file.name])) and _MEMORY_FIELD not in one.catalog.header
    ]
    unreadable = sum(map(bool, mistakes.values()))
    written: list[str] = []
    diffs: list[str] = []
    if fix:
        read = [_mended(one, written, diffs, log=log) for one in read]
    silenced = 0
    for locale in sorted({one.file.locale for one in read}):
        path = rules.glossaries.get(locale)
        glossary = (
            read_glossary(read_bytes(path).decode("utf-8", "replace"), where=path.name)
            if path
            else None
        )
        silenced += _look(
            [one for one in read if one.file.locale == locale], glossary, rules.ignore, mistakes
        )
    for one in read:
        mistakes[one.file.name] += _of_file(one)
    return CheckResult(
        findings=tuple(
            mistake
            for file in files
            for mistake in sorted(mistakes[file.name], key=lambda mistake: mistake.line)
        ),
        files=len(read) + unreadable,
        entries=sum(len(one.subjects) for one in read),
        silenced=silenced,
        written=tuple(written),
        diffs="".join(diffs),
        strict=strict,
    )


def _check_rules(rules: Sequence[IgnoreRule]) -> None:
    names = code_names()
    for code in (code for rule in rules for code in rule.codes):
        if code not in names or is_guards(code):
            near = difflib.get_close_matches(
                code, [name for name in names if not is_guards(name)], n=1
            )
            hint = f"Did you mean {near[0]}? " if near else ""
            what = "cannot be ignored" if code in names else "is not the code of a check"
            raise ConfigError(
                f"tool.pipeline.checks.ignore: {code} {what}",
                hint=f"{hint}docs/translating.zh.md lists them.",
            )


def _read(file: CatalogFile, mistakes: list[Finding]) -> _Read | None:
    try:
        data = read_bytes(file.path)
        read = po.read_catalog(data, where=file.name)
    except InputError as error:
        mistakes.append(
            _mistake(
                hygiene.UNREADABLE,
                file,
                _line(error.where),
                error.what,
                error.hint,
                exit_code=error.exit_code,
            )
        )
        return None
    return _Read(file=file, data=data, catalog=read.catalog, findings=read.findings)


def _look(
    read: Sequence[_Read],
    glossary: Glossary | None,
    ignore: Sequence[IgnoreRule],
    mistakes: Mapping[str, list[Finding]],
) -> int:
    """Run the checks over catalogues of one locale; return how many mistakes are silenced."""
    by_name = {one.file.name: one for one in read}
    subjects = {name: one.subjects for name, one in by_name.items()}
    kept: list[Problem] = []
    used: dict[tuple[str, int], set[str]] = {}
    silenced = 0
    for found in run_checks(subjects, glossary=glossary):
        entry, page = subjects[found.page][found.index].entry, by_name[found.page].file.page
        if is_guards(found.code):
            kept.append(found)
        elif any(found.code in one.codes for one in ignores_of(entry)):
            used.setdefault((found.page, found.index), set()).add(found.code)
            silenced += 1
        elif any(found.code in rule.codes and matches(page, rule.pages) for rule in ignore):
            silenced += 1
        else:
            kept.append(found)
    fixed = cache(
        lambda name, at: fix_entry(subjects[name][at])
    )  # one entry may have several mistakes
    for found in without_echoes(kept):
        mended = fixed(found.page, found.index) if found.fix is not None else ""
        mistakes[found.page].append(
            _told(found, by_name[found.page].file, subjects[found.page][found.index].entry, mended)
        )
    known = code_names()
    for name, ones in subjects.items():
        for at, one in enumerate(ones):
            for problem in silence_problems(one.entry, known, used.get((name, at), ())):
                mistakes[name].append(
                    _mistake(
                        hygiene.SILENCED,
                        by_name[name].file,
                        one.entry.line,
                        problem.text,
                        problem.hint,
                        entry=one.entry,
                    )
                )
    return silenced


def _told(found: Problem, file: CatalogFile, entry: Entry, mended: str) -> Finding:
    rule = Rule(code=found.code, name=found.name, severity=found.severity)
    mistake = _mistake(rule, file, entry.line, found.text, found.hint, entry=entry)
    return replace(
        mistake,
        spans=found.spans,
        fixed=mended if mended not in ("", entry.msgstr) else None,
    )


def _of_file(read: _Read) -> Iterator[Finding]:
    """What is to be said of the file itself."""
    file = read.file
    is_told = any(finding.code == "po-header" for finding in read.findings)
    if not is_told and (text := hygiene.header_problem(read.catalog, _header(read))):
        yield _mistake(hygiene.HEADER, file, 1, text, "--fix completes it; so does the next sync.")
    told = False
    for finding in read.findings:
        rule = hygiene.OF_READING.get(finding.code, hygiene.LAYOUT)
        told |= rule is hygiene.LAYOUT
        yield _mistake(
            rule, file, _line(finding.where), finding.text, "--fix mends it; so does the next sync."
        )
    if not told and po.format_catalog(read.catalog) != read.data:
        text = "lines are wrapped, ordered or escaped in another way than ours: git would show changes that are none"
        yield _mistake(hygiene.LAYOUT, file, 1, text, "--fix mends it; so does the next sync.")


def _header(read: _Read) -> dict[str, str]:
    """The header with every field that gettext asks for and that is missing, and those of them
    right that must be."""
    header = read.catalog.header
    wanted = po.standard_header(
        project="docs", page=read.file.page, locale=read.file.locale, date="", existing=header
    )
    fixed = (
        "Language",
        "Plural-Forms",
        "MIME-Version",
        "Content-Type",
        "Content-Transfer-Encoding",
    )
    due = {name: value for name, value in wanted.items() if name in header or name not in _OPTIONAL}
    return {
        name: value if name in fixed else header.get(name, value) for name, value in due.items()
    }


def _mended(read: _Read, written: list[str], diffs: list[str], *, log: Log) -> _Read:
    """``read`` as it is after mending; the file is written if that changes it and nobody has saved
    it meanwhile."""
    entries = tuple(
        replace(entry, msgstr=_fixed(entry, read.file.page)) for entry in read.catalog.entries
    )
    data = po.format_catalog(replace(read.catalog, header=_header(read), entries=entries))
    if data == read.data:
        return read
    if not replace_if_unchanged(read.file.path, data, before=read.data):
        log.warn(f"{read.file.name} was saved by someone else meanwhile: it is left as it is")
        return read
    written.append(read.file.name)
    old, new = (text.decode("utf-8", "replace").split("\n") for text in (read.data, data))
    diffs.extend(
        f"{line}\n"
        for line in difflib.unified_diff(
            old, new, f"a/{read.file.name}", f"b/{read.file.name}", n=2, lineterm=""
        )
    )
    return _Read(
        file=read.file, data=data, catalog=po.read_catalog(data, where=read.file.name).catalog
    )


def _fixed(entry: Entry, page: str) -> str:
    return fix_entry(Subject(entry, page)) if entry.is_translated else entry.msgstr


def _mistake(
    rule: Rule,
    file: CatalogFile,
    line: int,
    text: str,
    hint: str,
    *,
    entry: Entry | None = None,
    exit_code: int = 1,
) -> Finding:
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        file=file.name,
        line=line,
        text=text,
        hint=hint,
        page=file.page,
        section=read_place(entry).section if entry else "",
        msgid=entry.msgid if entry else "",
        msgstr=entry.msgstr if entry else "",
        exit_code=exit_code,
    )


def _line(where: str) -> int:
    number = where.rpartition(":")[2]
    return int(number) if number.isdigit() else 1
