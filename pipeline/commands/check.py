"""Which catalogues ``check`` looks at, and by which rules."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from pathlib import Path

from pipeline.commands.checking import CatalogFile, Rules, check
from pipeline.config import Settings, matches
from pipeline.errors import ConfigError
from pipeline.log import Log
from pipeline.paths import Paths, glossary_path
from pipeline.report.result import CheckResult

_SELDOM = 10_000  # new records between two looks for garbage


def check_catalogs(
    settings: Settings,
    words: Sequence[str],
    *,
    locales: Sequence[str],
    pages: Sequence[str] = (),
    fix: bool = False,
    strict: bool = False,
    log: Log,
) -> CheckResult:
    """Check what ``words`` name: upstreams, catalogues, folders of catalogues; without any, every
    catalogue there is.

    Raises ConfigError if that is nothing.
    """
    files = {
        file.path: file
        for word in words or settings.upstreams
        for file in _files(settings, word, locales)
    }
    chosen = [file for file in files.values() if not pages or matches(file.page, tuple(pages))]
    if not chosen:
        what = (
            f"no catalogue is of a page that matches {' '.join(pages)}"
            if files
            else "there are no catalogues yet"
        )
        raise ConfigError(
            what,
            hint="Run: nox -s sync -- --no-execute"
            if not files
            else "Pages are named by their path without suffix.",
        )
    found = {
        locale: path
        for locale in locales
        if (path := glossary_path(settings.root, locale)).is_file()
    }
    usual = gc.get_threshold()
    gc.set_threshold(
        _SELDOM, *usual[1:]
    )  # what is read lives to the end: to look through it for garbage often takes 8 % of the time
    try:
        return check(
            chosen, Rules(glossaries=found, ignore=settings.ignore), log=log, fix=fix, strict=strict
        )
    finally:
        gc.set_threshold(*usual)


def _files(settings: Settings, word: str, locales: Sequence[str]) -> Iterator[CatalogFile]:
    if word in settings.upstreams:
        for locale in locales:
            yield from _below(settings, Paths(settings.root, word).catalogs(locale), locales)
        return
    path = Path(word)
    if path.is_dir():
        yield from _below(settings, path, locales)
    elif path.suffix == ".po" and path.is_file():
        yield _file(settings, path, locales)
    else:
        hint = f"Name catalogues (.po), folders of them, or an upstream: {', '.join(settings.upstreams)}."
        raise ConfigError(
            "is no catalogue" if path.exists() else "there is no such file", where=word, hint=hint
        )


def _below(settings: Settings, folder: Path, locales: Sequence[str]) -> Iterator[CatalogFile]:
    return (_file(settings, path, locales) for path in sorted(folder.rglob("*.po")))


def _file(settings: Settings, path: Path, locales: Sequence[str]) -> CatalogFile:
    """A file with the page and locale that its place tells; elsewhere the page is named by the
    file."""
    path = path.resolve()
    shown = (
        path.relative_to(Path.cwd()).as_posix()
        if path.is_relative_to(Path.cwd())
        else path.as_posix()
    )
    for name in settings.upstreams:
        for locale in settings.locales:
            folder = Paths(settings.root, name).catalogs(locale).resolve()
            if path.is_relative_to(folder):
                return CatalogFile(
                    path=path,
                    name=shown,
                    page=path.relative_to(folder).as_posix().removesuffix(".po"),
                    locale=locale,
                )
    return CatalogFile(path=path, name=shown, page=path.stem, locale=locales[0])
