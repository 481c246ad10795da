"""Which catalogues ``check`` looks at, under which rules, and everything that is wrong with them.

In go the words of the command line, out comes one result. Files need not be of a project of ours:
what their place does not tell is assumed. No English docs are needed: a catalogue holds all that
its checks compare.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from pipeline.commands.check.english import English
from pipeline.commands.check.entries import (
    Looked,
    MemoryFile,
    Way,
    findings_of_placeholders,
    look,
    look_at_memories,
    remember,
)
from pipeline.commands.check.files import (
    CatalogFile,
    ReadFile,
    findings_of_file,
    mend,
    read_file,
)
from pipeline.commands.pages import unmatched
from pipeline.commands.terms import read_terms
from pipeline.config import IgnoreRule, Settings, matches
from pipeline.core.checks.engine import is_guards
from pipeline.core.checks.locales import locale_of_path
from pipeline.core.checks.table import checks_of, code_names
from pipeline.core.document.message import Markup
from pipeline.errors import ConfigError, did_you_mean, did_you_mean_any
from pipeline.findings import Finding
from pipeline.log import Log
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
    """Check every finished translation in ``files``; with ``fix``, first mend what can be mended.

    A catalogue that cannot be read is a finding like any other. Raises ConfigError for a rule about
    a code that does not exist, InputError for a glossary that cannot be read.
    """
    # Before anything is read: a rule that silences nothing would let a build pass.
    _check_rules(settings.ignore)
    findings: dict[str, list[Finding]] = {file.name: [] for file in files}
    catalogs: list[ReadFile] = []
    memories: list[ReadFile] = []
    diffs: dict[str, str] = {}
    for file in files:
        read = read_file(file)
        if isinstance(read, Finding):
            findings[file.name].append(read)
        elif read.is_memory:
            memories.append(read)
        elif fix:
            # What is checked below is what the file holds then.
            mended, diff = mend(read, log)
            catalogs.append(mended)
            if diff:
                diffs[file.name] = diff
        else:
            catalogs.append(read)
    remembered = remember(memories, English(settings), files)
    silenced = 0
    for looked in _looks(catalogs, remembered, settings):
        silenced += looked.silenced
        for name, found in looked.findings.items():
            findings[name] += found
    for catalog in catalogs:
        findings[catalog.file.name] += findings_of_file(catalog)
    for finding in findings_of_placeholders(remembered):
        findings[finding.file].append(finding)
    # As a person goes through them: file by file, from the first line to the last.
    in_order: list[Finding] = []
    for file in files:
        in_order += sorted(findings[file.name], key=lambda finding: finding.line)
    entries = sum(len(catalog.subjects) for catalog in catalogs)
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


def _looks(
    catalogs: Sequence[ReadFile], memories: Sequence[MemoryFile], settings: Settings
) -> Iterator[Looked]:
    """Check all entries, a team at a time: texts are compared within one."""
    reads = [*catalogs, *(memory.read for memory in memories)]
    for team in sorted({team_of(read, settings) for read in reads}):
        way = way_of(team, settings)
        own = [read for read in catalogs if team_of(read, settings) == team]
        yield look([(read, read.subjects) for read in own], way)
        yield from look_at_memories(
            [memory for memory in memories if team_of(memory.read, settings) == team],
            way,
        )


def team_of(read: ReadFile, settings: Settings) -> tuple[str, str]:
    """Return whose terms hold for a file: a locale, and the upstream if that has its own terms."""
    locale, upstream = read.locale, read.file.upstream
    has_own = own_glossary_path(settings.root, locale, upstream).is_file()
    return locale, upstream if upstream and has_own else ""


def way_of(team: tuple[str, str], settings: Settings) -> Way:
    """Return the checks of a team's locale, its glossary and what it has silenced."""
    locale, upstream = team
    paths: list[Path] = []
    # The header of somebody else's catalogue may name any locale.
    if locale in settings.locales:
        paths = [
            glossary_path(settings.root, locale),
            own_glossary_path(settings.root, locale, upstream),
        ]
    return Way(
        checks=checks_of(locale), glossary=read_terms(paths), ignore=settings.ignore
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


# How the command line calls them.
_MARKUPS = {"markdown": Markup.MARKDOWN, "rst": Markup.RST}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scope:
    """What words of the command line may name."""

    settings: Settings
    locales: tuple[str, ...]  # the first one counts where nothing else tells it
    # What catalogues of others are marked up in; None: what they say.
    markup: Markup | None


def check_catalogs(
    settings: Settings,
    words: Sequence[str],
    *,
    log: Log,
    locales: tuple[str, ...],
    pages: tuple[str, ...] = (),
    fix: bool = False,
    strict: bool = False,
    markup: str | None = None,
) -> CheckResult:
    """Check what ``words`` name: upstreams, catalogues, folders of catalogues.

    Without any, every catalogue there is. ``pages`` are glob patterns; ``fix`` mends what needs no
    judgement, ``strict`` counts warnings as errors. Raises ConfigError if there is no catalogue.
    """
    scope = _Scope(
        settings=settings, locales=locales, markup=_MARKUPS.get(markup or "")
    )
    chosen = _choose(scope, words, pages)
    return check(chosen, settings, log=log, fix=fix, strict=strict)


def _choose(
    scope: _Scope, words: Sequence[str], pages: tuple[str, ...]
) -> list[CatalogFile]:
    """The catalogues that are named, each once, of the pages that are asked for."""
    files: list[CatalogFile] = []
    for word in words or scope.settings.upstreams:
        files += _files(scope, word)
    if not files:
        raise ConfigError(
            "there are no catalogues yet",
            hint=f"Run: {how_to_run('sync', '--no-execute')}",
        )
    # Two words may name one file.
    chosen = list({file.path: file for file in files}.values())
    if not pages:
        return chosen
    # A catalogue outside of a project is a page as well, by the name of its file.
    names = [file.page for file in chosen]
    for pattern in unmatched(pages, names):
        raise ConfigError(
            f"no catalogue is of a page that matches {pattern!r}",
            hint=f"{did_you_mean_any(pattern, names)}"
            "Pages are named by their path without suffix.",
        )
    return [file for file in chosen if matches(file.page, pages)]


def _files(scope: _Scope, word: str) -> Iterator[CatalogFile]:
    """Yield the catalogues that one word names. Raises ConfigError if it names none."""
    settings = scope.settings
    # First the names of upstreams: a folder of that name can still be meant by "./NAME".
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


def _meant(scope: _Scope, word: str) -> str:
    """Return what may have been meant: the name of an upstream, or the catalogue of a page."""
    settings = scope.settings
    upstream = did_you_mean(word, settings.upstreams)
    if upstream:
        return upstream
    names = []
    for name in settings.upstreams:
        for locale in scope.locales:
            folder = Paths(settings.root, name).catalogs(locale)
            names += [file.name for file in _below(scope, folder)]
    return did_you_mean_any(word, names)


def _below(scope: _Scope, folder: Path) -> Iterator[CatalogFile]:
    """Yield all catalogues in a folder and in those within it, sorted; none if it is not there."""
    for path in sorted(folder.rglob("*.po")):
        yield _file(scope, path)


def _file(scope: _Scope, path: Path) -> CatalogFile:
    """A file with the page and the locale that its place tells.

    Elsewhere the page is named by the file, and the locale is what the path says, or the first
    one.
    """
    # Resolved: one file that two words name is looked at once.
    path = path.resolve()
    name = path.as_posix()
    if path.is_relative_to(Path.cwd()):
        name = path.relative_to(Path.cwd()).as_posix()
    settings = scope.settings
    # Of all locales, also of those that are not asked for: the place of a file tells its own.
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
