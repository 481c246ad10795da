"""Selection of catalogues for ``check``, and the check of all of them.

The input is command-line arguments. The output is one result. Catalogues of other projects are
allowed; their page, locale and markup are guessed from path and header. All files with the same
glossary are checked together. They form a *glossary scope*: a locale, and the upstream if it has a
glossary of its own.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from msgspec import Struct

from pipeline.adapters.files import read_bytes
from pipeline.commands.check.entries import (
    CheckedEntries,
    CheckRules,
    English,
    MemoryFile,
    check_entries,
    check_memories,
    findings_of_placeholders,
    remember,
)
from pipeline.commands.check.files import (
    CatalogFile,
    ReadFile,
    findings_of_file,
    fix_file,
    read_file,
)
from pipeline.commands.pages import unmatched
from pipeline.commands.run_lock import clear_after_kill, marked
from pipeline.config.settings import IgnoreRule, Settings, matches
from pipeline.core.checks.engine import is_guard_code
from pipeline.core.checks.table import checks_of, code_names
from pipeline.core.document.message import Markup
from pipeline.core.glossary.glossary import Glossary, read_glossaries
from pipeline.errors import ConfigError, did_you_mean, did_you_mean_any
from pipeline.findings import Finding
from pipeline.log import Log
from pipeline.naming import locale_of_path
from pipeline.packages import how_to_run
from pipeline.paths import Paths, glossary_path, own_glossary_path
from pipeline.report.result import CheckResult


def check(
    files: Sequence[CatalogFile],
    settings: Settings,
    *,
    log: Log,
    fix: bool = False,
    strict: bool = False,
) -> CheckResult:
    """Check every finished translation in ``files`` and return the result.

    With ``fix``, first apply and write the safe fixes. With ``strict``, warnings count as errors.
    An unreadable catalogue is a finding. Raises ConfigError for an ignore rule with an unknown
    code, and InputError for an unreadable glossary.
    """
    if fix:
        clear_after_kill(settings.root)
    # An ignore rule with a typo would have no effect, and nobody would notice.
    _check_rules(settings.ignore)
    findings: list[Finding] = []
    catalogs: list[ReadFile] = []
    memories: list[ReadFile] = []
    diffs: dict[str, str] = {}
    for file in files:
        read = read_file(file)
        if isinstance(read, Finding):
            findings.append(read)
        elif read.is_memory:
            memories.append(read)
        elif fix:
            # Fix now, so that the checks below see the fixed file.
            with marked(settings.root):
                fixed, diff = fix_file(read, log)
            catalogs.append(fixed)
            if diff:
                diffs[file.name] = diff
        else:
            catalogs.append(read)
    remembered = remember(memories, English(settings), files)
    silenced = 0
    for checked in _checked_by_scope(catalogs, remembered, settings):
        silenced += checked.silenced
        findings += checked.findings
    for catalog in catalogs:
        findings += findings_of_file(catalog)
    findings += findings_of_placeholders(remembered)
    # Sort by file, then by line, because people work through a file from top to bottom.
    order = {file.name: number for number, file in enumerate(files)}
    findings.sort(key=lambda finding: (order[finding.file], finding.line))
    entries = sum(len(catalog.subjects) for catalog in catalogs)
    entries += sum(len(memory.remembered.entries) for memory in remembered)
    return CheckResult(
        findings=tuple(findings),
        files=len(files),
        entries=entries,
        silenced=silenced,
        written=tuple(diffs),
        diffs="".join(diffs.values()),
        strict=strict,
    )


def _checked_by_scope(
    catalogs: Sequence[ReadFile], memories: Sequence[MemoryFile], settings: Settings
) -> Iterator[CheckedEntries]:
    """Check all entries, one glossary scope at a time.

    Some checks compare translations of the same text. They compare only files of one scope.
    """
    reads = [*catalogs, *(memory.read for memory in memories)]
    for scope in sorted({glossary_scope(read, settings) for read in reads}):
        rules = check_rules_for(scope, settings)
        own = [read for read in catalogs if glossary_scope(read, settings) == scope]
        yield check_entries([(read, read.subjects) for read in own], rules)
        yield from check_memories(
            [memory for memory in memories if glossary_scope(memory.read, settings) == scope],
            rules,
        )


def glossary_scope(read: ReadFile, settings: Settings) -> tuple[str, str]:
    """Return a file's glossary scope: the locale and upstream whose glossary applies to it.

    If the file's upstream has no glossary of its own, the upstream in the scope is empty: only the
    glossary of the locale applies.
    """
    locale, upstream = read.locale, read.file.upstream
    has_own = own_glossary_path(settings.root, locale, upstream).is_file()
    return locale, upstream if upstream and has_own else ""


def check_rules_for(scope: tuple[str, str], settings: Settings) -> CheckRules:
    """Return the checks, the glossary and the ignore rules of a glossary scope."""
    locale, upstream = scope
    paths: list[Path] = []
    # Another project's catalogue may name any locale. Only configured locales have glossaries.
    if locale in settings.locales:
        paths = [
            glossary_path(settings.root, locale),
            own_glossary_path(settings.root, locale, upstream),
        ]
    return CheckRules(checks=checks_of(locale), glossary=read_terms(paths), ignore=settings.ignore)


def read_terms(paths: Iterable[Path]) -> Glossary | None:
    """Return the merged glossary of all ``paths``, or None if none of the files exists.

    Terms of a later file override those of an earlier one. Raises InputError.
    """
    return read_glossaries(
        (f"{path.parent.name}/{path.name}", read_bytes(path)) for path in paths if path.is_file()
    )


def _check_rules(rules: Sequence[IgnoreRule]) -> None:
    """Raise ConfigError for a rule with an unknown code, or with a code that cannot be ignored."""
    names = code_names()
    allowed = [name for name in names if not is_guard_code(name)]
    for code in chain.from_iterable(rule.codes for rule in rules):
        if code in allowed:
            continue
        problem = "is not the code of a check"
        if code in names:
            problem = "cannot be ignored"
        # `did_you_mean` would put the code in quotation marks, so do not use it.
        near = difflib.get_close_matches(code, allowed, n=1)
        meant = f"Did you mean {near[0]}? " if near else ""
        raise ConfigError(
            f"tool.pipeline.checks.ignore: {code} {problem}",
            hint=f"{meant}docs/translating.zh.md lists the codes.",
        )


class Scope(Struct, frozen=True, kw_only=True):
    """Settings that decide which catalogues the command-line arguments name."""

    settings: Settings
    locales: tuple[str, ...]  # the first one is the default
    # Markup in catalogues of other projects. If None, it is guessed from the files they refer to.
    markup: Markup | None


def choose(scope: Scope, words: Sequence[str], pages: tuple[str, ...]) -> list[CatalogFile]:
    """Return the catalogues that ``words`` name: upstreams, files, or folders of files.

    Without ``words``, return every catalogue of the project. ``pages`` are glob patterns that
    narrow the selection. Raises ConfigError if there is no catalogue.
    """
    files: list[CatalogFile] = []
    for word in words or scope.settings.upstreams:
        files += _files(scope, word)
    if not files:
        raise ConfigError(
            "there are no catalogues yet",
            hint=f"Run: {how_to_run('sync', '--no-execute')}",
        )
    # Keep each file once: two arguments may name the same file.
    chosen = list({file.path: file for file in files}.values())
    if not pages:
        return chosen
    # The page of a catalogue outside the project is the file's name.
    names = [file.page for file in chosen]
    for pattern in unmatched(pages, names):
        raise ConfigError(
            f"no catalogue belongs to a page that matches {pattern!r}",
            hint=f"{did_you_mean_any(pattern, names)}Pages are named by their path without suffix.",
        )
    return [file for file in chosen if matches(file.page, pages)]


def _files(scope: Scope, word: str) -> Iterator[CatalogFile]:
    """Yield the catalogues that one argument names. Raises ConfigError if there are none."""
    settings = scope.settings
    # Names of upstreams have priority; "./NAME" still means a folder of that name.
    if word in settings.upstreams:
        for locale in scope.locales:
            yield from _below(scope, Paths(settings.root, word).catalogs(locale))
        return
    path = Path(word)
    if path.is_dir():
        yield from _below(scope, path)
    elif path.suffix == ".po" and path.is_file():
        yield _file(scope, path)
    else:
        raise ConfigError(
            "is no catalogue" if path.exists() else "there is no such file",
            where=word,
            hint=f"{_meant(scope, word)}Name catalogues (.po), folders of them, "
            f"or an upstream: {', '.join(settings.upstreams)}.",
        )


def _meant(scope: Scope, word: str) -> str:
    """Return a hint with the upstream or catalogue whose name is most similar to ``word``."""
    settings = scope.settings
    upstream = did_you_mean(word, settings.upstreams)
    if upstream:
        return upstream
    names = []
    for name in settings.upstreams:
        names += [file.name for file in _files(scope, name)]
    return did_you_mean_any(word, names)


def _below(scope: Scope, folder: Path) -> Iterator[CatalogFile]:
    """Yield all catalogues below a folder, sorted by path."""
    for path in sorted(folder.rglob("*.po")):
        yield _file(scope, path)


def _file(scope: Scope, path: Path) -> CatalogFile:
    """Return a catalogue with its page and locale, which follow from its path.

    For example, ``translations/zh_CN/jax/a/b.po`` belongs to page ``a/b``. Outside the project's
    folders, the page is the file's name. The locale is one that the path contains (``zh_CN/b.po``),
    otherwise the first locale of the scope.
    """
    # Resolve the path, so that two arguments that name the same file give equal paths.
    path = path.resolve()
    name = path.as_posix()
    if path.is_relative_to(Path.cwd()):
        name = path.relative_to(Path.cwd()).as_posix()
    settings = scope.settings
    # Try all locales, not only those of ``--locale``: the path decides.
    for upstream in settings.upstreams:
        paths = Paths(settings.root, upstream)
        for locale in settings.locales:
            for folder in (paths.catalogs(locale), paths.memories(locale)):
                if path.is_relative_to(folder.resolve()):
                    page = path.relative_to(folder.resolve()).as_posix()
                    return CatalogFile(
                        path=path,
                        name=name,
                        page=page.removesuffix(".po"),
                        locale=locale,
                        upstream=upstream,
                    )
    locale = locale_of_path(path.parts)
    return CatalogFile(
        path=path,
        name=name,
        page=path.stem,
        locale=locale or scope.locales[0],
        is_ours=False,
        markup=scope.markup,
    )
