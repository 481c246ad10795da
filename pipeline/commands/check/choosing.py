"""Which catalogues ``check`` looks at, and under which rules.

In go the words of the command line, out come catalogues with their page and locale. Files need not
be of a project of ours: what their place does not tell is assumed.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pipeline.commands.check.catalogs import CatalogFile
from pipeline.commands.check.checking import Rules, check
from pipeline.commands.check.english import English
from pipeline.commands.pages import unmatched
from pipeline.config import Settings, matches
from pipeline.config.suggesting import did_you_mean, did_you_mean_any
from pipeline.core.checks.locales import locale_of_path
from pipeline.core.document.message import Markup
from pipeline.errors import ConfigError
from pipeline.log import Log
from pipeline.packages import how_to_run
from pipeline.paths import Paths, glossary_path, own_glossary_path
from pipeline.report.result import CheckResult

# How the command line calls them.
_MARKUPS = {"markdown": Markup.MARKDOWN, "rst": Markup.RST}
_SELDOM = 10_000  # new records between two looks for garbage


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
    rules = rules_of(settings, locales)
    with _garbage_seldom_looked_for():
        return check(chosen, rules, log=log, fix=fix, strict=strict)


def rules_of(settings: Settings, locales: Sequence[str]) -> Rules:
    """What the team of a project has agreed on, for these locales."""
    glossaries: dict[str, Path] = {}
    own: dict[tuple[str, str], Path] = {}
    # A team need not have a glossary, or not yet.
    for locale in locales:
        path = glossary_path(settings.root, locale)
        if path.is_file():
            glossaries[locale] = path
        for name in settings.upstreams:
            path = own_glossary_path(settings.root, locale, name)
            if path.is_file():
                own[locale, name] = path
    return Rules(
        glossaries=glossaries,
        own=own,
        ignore=settings.ignore,
        english=English(root=settings.root, upstreams=settings.upstreams),
    )


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


@contextmanager
def _garbage_seldom_looked_for() -> Iterator[None]:
    """Let Python look for garbage seldom.

    What is read lives to the end, and to look through it again and again takes 8 % of the time.
    """
    usual = gc.get_threshold()
    gc.set_threshold(_SELDOM, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


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
