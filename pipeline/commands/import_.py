"""import: merge files that come back from another translation editor into the catalogues.

The files may be in any folder. ``import`` finds the locale of a file in its header or path, and the
page in the references of its entries or in its path. The merge is three-way, so edits made here
since the export are kept. The base of the merge is the exported catalogue. If this clone never
exported the page, the base is a version of the memory in git.

The import changes only catalogues. A later ``build`` stores the new translations in the memory.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from pipeline.adapters import po
from pipeline.adapters.files import files_below, read_bytes, replace_if_unchanged
from pipeline.commands.options import add_shared, run_of
from pipeline.commands.run_lock import run_lock
from pipeline.core.catalog.exchange import (
    Conflict,
    ReturnedMerge,
    Words,
    merge_returned,
)
from pipeline.core.memory.opening import open_memory
from pipeline.core.pin.lock import Lock
from pipeline.entries import NEUTRAL_DATE, Catalog, Entry
from pipeline.errors import ConfigError, InputError
from pipeline.findings import Finding, Severity
from pipeline.folders import fault_of_path
from pipeline.log import Log
from pipeline.naming import locale_of_header, locale_of_path
from pipeline.packages import how_to_run
from pipeline.report.result import RunResult
from pipeline.run import Run
from pipeline.stages.pull.stage import read_pulled
from pipeline.stages.update.english import texts_in
from pipeline.stages.update.git_changes import memories_in_git
from pipeline.stages.update.locale import Locale, catalog_header


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``import``."""
    parser.add_argument(
        "words",
        metavar="FILE | FOLDER",
        nargs="+",
        help="PO files that come back from the editor, or folders of them",
    )
    parser.add_argument(
        "--name",
        metavar="NAME",
        help="the upstream (default: the first one configured)",
    )
    add_shared(parser, "--check")


def run_command(arguments: Namespace, log: Log) -> RunResult:
    """Import the named files and folders."""
    return import_catalogs(run_of(arguments, log), arguments.words)


def _words(entries: Iterable[Entry]) -> set[Words]:
    """Return msgctxt, msgid and msgstr of each entry that has a translation."""
    return {(entry.context, entry.msgid, entry.msgstr) for entry in entries if entry.msgstr}


def is_gone(run: Run, locale: str, page: str) -> bool:
    """Return whether upstream has dropped ``page``: it then has a memory in git, but no catalogue.

    ``page`` comes from an untrusted file, so it is validated as a path first.
    """
    if fault_of_path(page) or run.paths.catalog(locale, page).exists():
        return False
    return any(memories_in_git(Locale(run, locale), page))


def successor_of(run: Run, locale: str, page: str, entries: Sequence[Entry]) -> str:
    """Return the page that ``page`` was renamed to, or ``page`` itself if there is none.

    ``entries`` are the entries of the returned file. A page that has more than half of their
    messages counts as the renamed page.
    """
    messages = _live(entries)
    catalogs = Locale(run, locale).readable_catalogs()
    shared = Counter(
        {name: len(messages & _live(catalog.entries)) for name, catalog in catalogs.items()}
    )
    ((name, count),) = shared.most_common(1) or [(page, 0)]
    return name if count * 2 > len(messages) else page


def _live(entries: Iterable[Entry]) -> set[str]:
    """Return the English messages of the entries that are not obsolete."""
    return {entry.msgid for entry in entries if not entry.obsolete}


_XLIFF = (".xlf", ".xliff")  # rejected, not skipped silently
# Weblate, Crowdin and Pontoon name Chinese by its script (``zh_Hans``); our locales name it by a
# country (``zh_CN``).
_SCRIPTS = {
    "zh_Hans": "zh_CN",
    "zh_Hans_CN": "zh_CN",
    "zh_Hant": "zh_TW",
    "zh_Hant_TW": "zh_TW",
}
_TRANSLATOR = ("PO-Revision-Date", "Last-Translator", "X-Generator")


class _ReturnedFile(Struct, frozen=True, kw_only=True):
    """Parsed file from the editor. ``translator_fields`` are header fields, see ``_TRANSLATOR``."""

    name: str
    page: str
    locale: str
    entries: tuple[Entry, ...]
    translator_fields: Mapping[str, str]


class _Importing(Struct, kw_only=True):
    """State of one import. ``taken`` counts the entries that came from the files."""

    run: Run
    lock: Lock
    changes: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    taken: int = 0


def import_catalogs(run: Run, words: Sequence[str]) -> RunResult:
    """Import the files and folders in ``words`` and return the result.

    A file that is unreadable or matches no page becomes a finding, and the others are still
    imported. Raises ConfigError if an argument names no PO file.
    """
    with run_lock(run):
        lock = read_pulled(run)
        importing = _Importing(run=run, lock=lock)
        for path in _files(words):
            try:
                _import_file(importing, path)
            except InputError as error:
                importing.findings.append(Finding.of(error))
    run.log.note(f"{importing.taken} translations imported")
    if importing.changes and not run.dry:
        run.log.note(f"to store them: {how_to_run('build', run.name, '--no-execute')}")
    return RunResult.of(run, lock, changes=importing.changes, findings=importing.findings)


def _files(words: Sequence[str]) -> list[Path]:
    """Return the named files and the files in the named folders, without duplicates."""
    files: list[Path] = []
    for word in words:
        path = Path(word)
        found = [path] if path.is_file() else files_below(path, "")
        found = [file for file in found if file.suffix in (".po", *_XLIFF)]
        if not found:
            what = "has no PO file" if path.exists() else "there is no such file"
            raise ConfigError(
                what,
                where=word,
                hint="Name files that came back from the editor (.po), or their folder.",
            )
        files += found
    return list(dict.fromkeys(files))


def _import_file(importing: _Importing, path: Path) -> None:
    """Merge one file from the editor into its catalogue. Raises InputError."""
    run = importing.run
    returned = _read(run, path)
    target = run.paths.catalog(returned.locale, returned.page)
    where = run.shown(target)
    before: bytes | None = None
    header = catalog_header(importing.lock, returned.locale, returned.page, {})
    ours = Catalog(header=header)
    # If the page has no catalogue, upstream has dropped the page: start with an empty catalogue.
    if target.is_file():
        before = read_bytes(target)
        ours = po.read_catalog(before, where=where).catalog
    taken = _taken(run, returned, ours)
    importing.findings += (_conflict(returned, conflict) for conflict in taken.conflicts)
    if not taken.changed and not taken.strays:
        return
    catalog = replace(taken.catalog, header={**taken.catalog.header, **returned.translator_fields})
    data = po.format_catalog(catalog)
    if not run.dry and not replace_if_unchanged(target, data, before=before):
        raise InputError(
            "was saved by another program during the import, so the import did not write it",
            where=where,
            hint="Import again.",
        )
    importing.changes.append(where)
    importing.taken += taken.changed + taken.strays


def _taken(run: Run, returned: _ReturnedFile, ours: Catalog) -> ReturnedMerge:
    """Merge a file from the editor with our catalogue, and return the result.

    The base of the merge is the exported copy. If there is none, the base is a version of the
    memory in git: the one that has the most translations in common with the file. If several
    versions have equally many, the newest of them is the base.
    """
    base = _sent(run, returned)
    if base is not None:
        return merge_returned(ours, returned.entries, base)
    texts = texts_in(ours) | texts_in(Catalog(entries=returned.entries))
    words = _words(returned.entries)
    most = -1
    older: set[Words] = set()
    for memory in memories_in_git(Locale(run, returned.locale), returned.page):
        version = open_memory(memory, (), texts=texts, header={}).catalog
        known = _words(version.entries)
        older |= known
        # git lists the newest version first. With ">", an older version that is only equally good
        # does not replace a newer one.
        if len(known & words) > most:
            base, most = version, len(known & words)
    return merge_returned(ours, returned.entries, base, older=older)


def _sent(run: Run, returned: _ReturnedFile) -> Catalog | None:
    """Return the copy of the catalogue that ``export`` has saved, or None if there is none."""
    path = run.paths.last_export(returned.locale, returned.page)
    if not path.is_file():
        return None
    try:
        return po.read_catalog(read_bytes(path), where=path.name).catalog
    except InputError:
        return None  # use a base from git instead


def _read(run: Run, path: Path) -> _ReturnedFile:
    """Parse a file from the editor, and find its page and locale. Raises InputError."""
    name = path.as_posix()
    if path.suffix in _XLIFF:
        raise InputError(
            "is XLIFF, but import reads only PO",
            where=name,
            hint=f"Convert it with translate-toolkit: xliff2po {path.name} {path.stem}.po",
        )
    catalog = po.read_catalog(read_bytes(path), where=name).catalog
    entries, header = catalog.entries, catalog.header
    locale = locale_of_header(header) or locale_of_path(path.parts)
    if locale not in run.locales:
        locale = _SCRIPTS.get(locale.replace("-", "_"), locale)
    if locale not in run.locales and len(run.locales) == 1 and not locale:
        (locale,) = run.locales
    if locale not in run.locales:
        raise InputError(
            f"is in {locale or 'a language that it does not name'}",
            where=f"{name}:1",
            hint=f"Locales of this project: {', '.join(run.locales)}.",
        )
    return _ReturnedFile(
        name=name,
        page=_page(run, path, entries, locale=locale),
        locale=locale,
        entries=entries,
        translator_fields=_translator_fields(header),
    )


def _page_of_references(entries: Sequence[Entry]) -> str:
    """Return the page that most entries refer to, or an empty string."""
    counts = Counter(entry.references[0] for entry in entries if entry.references)
    return counts.most_common(1)[0][0] if counts else ""


def _page(run: Run, path: Path, entries: Sequence[Entry], *, locale: str) -> str:
    """Return the page of a file: from the references of its entries, or from the end of its path.

    For a page that upstream has renamed, return the new name. Raises InputError if no page matches.
    """
    folder = run.paths.catalogs(locale)
    pages = {file.relative_to(folder).with_suffix("").as_posix() for file in folder.rglob("*.po")}
    candidates = (_page_of_references(entries), *_ends(path))
    for page in candidates:
        if page in pages:
            return page
    for page in candidates:
        if is_gone(run, locale, page):
            return successor_of(run, locale, page, entries)
    raise InputError(
        "belongs to no page that has a catalogue here",
        where=f"{path.as_posix()}:1",
        hint=f"Name the file like its page, or run: {how_to_run('sync', run.name, '--no-execute')}",
    )


def _ends(path: Path) -> Iterator[str]:
    """Yield the possible page names of a path: ``a/b/c.po`` → ``a/b/c``, ``b/c``, ``c``."""
    parts = path.with_suffix("").parts
    for start in range(len(parts)):
        yield "/".join(parts[start:])


def _translator_fields(header: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a header that name translator, date and tool.

    A missing field is blank in the result. Otherwise our own header would keep its value, and
    credit somebody else.
    """
    nobody = {"PO-Revision-Date": NEUTRAL_DATE, "Last-Translator": ""}
    return nobody | {name: header[name] for name in _TRANSLATOR if name in header}


def _conflict(returned: _ReturnedFile, conflict: Conflict) -> Finding:
    """Return the warning for an entry that was changed both here and in the editor."""
    theirs = conflict.theirs
    return Finding(
        code="import-conflict",
        severity=Severity.WARNING,
        where=f"{returned.name}:{theirs.line}",
        page=returned.page,
        text=f"{theirs.msgstr!r} is not imported: line {conflict.ours.line} of the catalogue "
        f"was changed here as well: {conflict.ours.msgstr!r}",
        hint="Put the better translation into the catalogue.",
    )
