"""Files of one locale: catalogues, memory, and the state of the last run.

Only this module reads and writes catalogues and memory. It guards three invariants. A file that
somebody saves during a run is not overwritten. No file is removed before its content is written
elsewhere. A file that cannot be read is a finding, not an error.

The state is the base of the next merge: the memory as it was last opened or stored here. A page is
unchanged if both of its files are those in the state.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from pipeline.adapters import po
from pipeline.adapters.files import (
    read_bytes,
    remove_files,
    replace_if_unchanged,
    write_if_changed,
)
from pipeline.adapters.memo import Memo, code_digest, digest_of
from pipeline.core.catalog.update import Updated
from pipeline.core.memory.file import read_memory
from pipeline.core.memory.record import Memory
from pipeline.core.pin.lock import Lock
from pipeline.entries import Catalog
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity
from pipeline.packages import how_to_run
from pipeline.paths import Paths
from pipeline.run import Run

_SIZE = 20  # length of a digest in bytes
_BRANCH = ""  # key next to the page names, which are never empty


class Agreed(NamedTuple):
    """The two files of a page when they agreed; serialised as a JSON array."""

    memory: str  # content of the file
    catalog: str  # digest of the file; empty if none agreed
    # Digest of the memory file that a run is about to write over the one from git.
    pending: str = ""


class Branch(NamedTuple):
    """What git had checked out when the memory was last opened; serialised as a JSON array."""

    head: str
    has_catalogs: bool  # whether it commits catalogues, which are ignored elsewhere


@dataclass(slots=True)
class State:
    """The memory as last opened or stored here, and the catalogue that agreed with it, by page."""

    pages: dict[str, Agreed]
    branch: Branch | None = None  # None if no run has recorded it

    def agrees(self, page: str, catalog: bytes | None, memory: bytes | None) -> bool:
        """Return whether both files are unchanged since they agreed."""
        known = self.pages.get(page)
        return known is not None and known[:2] == (
            _text(memory),
            _digest_of_file(catalog),
        )

    def has_stored(self, page: str, catalog: bytes | None) -> bool:
        """Return whether a catalogue was stored completely, in whatever memory."""
        known = self.pages.get(page)
        return known is not None and known.catalog == _digest_of_file(catalog) != ""

    def base(self, page: str) -> bytes | None:
        """Return the memory file that is the base of both sides, or None if unknown."""
        # The content is kept instead of a digest, because a merge needs it.
        known = self.pages.get(page)
        if known is None:
            return None
        return known.memory.encode("utf-8", "surrogateescape")

    def keep(self, page: str, memory: bytes, catalog: bytes | None) -> None:
        """Set ``memory`` as the base; ``catalog`` is the catalogue that agrees with it, or None."""
        self.pages[page] = Agreed(
            memory=_text(memory), catalog=_digest_of_file(catalog)
        )

    def announce(self, page: str, memory: bytes) -> None:
        """Record that ``memory`` is about to be written over a file that git put there."""
        known = self.pages.get(page)
        if known is not None:
            self.pages[page] = known._replace(pending=_digest_of_file(memory))

    def has_announced(self, page: str, memory: bytes) -> bool:
        """Return whether ``memory`` is the file that an interrupted run was writing."""
        known = self.pages.get(page)
        return known is not None and known.pending == _digest_of_file(memory)

    def restamp(self, page: str, before: bytes, memory: bytes) -> None:
        """Replace the base ``before`` by ``memory``, which has the same content."""
        known = self.pages.get(page)
        if known is not None and known.memory == _text(before):
            self.pages[page] = known._replace(memory=_text(memory))

    def forget(self, pages: Iterable[str]) -> None:
        """Remove pages of which neither file is left."""
        for page in pages:
            self.pages.pop(page, None)

    def write(self, paths: Paths, locale: str, *, dry: bool) -> None:
        """Save the state for the next run. Raises WriteError."""
        rows: dict[str, tuple[str, ...] | Branch] = {**self.pages}
        if self.branch is not None:
            rows[_BRANCH] = self.branch
        data = json.dumps(rows, sort_keys=True).encode("ascii")
        write_if_changed(paths.memory_state(locale), data, dry=dry)


def read_state(paths: Paths, locale: str) -> State:
    """Return the state that the last run saved; an empty one if it is missing or invalid.

    Without a state, entries are merged without a base, which loses nothing.
    """
    try:
        pages = json.loads(paths.memory_state(locale).read_bytes())
        branch = Branch(*pages.pop(_BRANCH)) if _BRANCH in pages else None
        # The file may contain any JSON; the wrong shape raises one of the errors below.
        known = {}
        for page, texts in pages.items():
            known[page] = Agreed(*map(str, texts))
        return State(known, branch)
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return State({})  # the first run, or a damaged file


def _digest_of_file(data: bytes | None) -> str:
    if data is None:
        return ""
    return hashlib.blake2b(data, digest_size=_SIZE).hexdigest()


def _text(data: bytes | None) -> str:
    # surrogateescape preserves the bytes of a memory file that is not UTF-8.
    return "" if data is None else data.decode("utf-8", "surrogateescape")


def catalog_header(
    lock: Lock, locale: str, page: str, existing: Mapping[str, str]
) -> dict[str, str]:
    """Return the header of a page's catalogue, based on the existing one."""
    # The last part is the name: "https://host/jax.git", "/home/me/jax".
    project = f"{lock.url.rstrip('/').rpartition('/')[2]} docs"
    return po.standard_header(
        project=project, page=page, locale=locale, date=lock.date, existing=existing
    )


def how_to_store() -> str:
    """Return the hint to run the command that makes catalogues and memory agree."""
    # Build stores the catalogues, after opening the memory.
    return f"Run: {how_to_run('build')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryResult:
    """Result of opening or storing.

    ``changes`` has the files that were written (or would be, in a dry run), relative to the root.
    ``opened`` has the opened catalogues, for files that were not written in a dry run or that
    cannot be read.
    """

    findings: Mapping[str, tuple[Finding, ...]]  # by page
    changes: tuple[str, ...] = ()
    opened: Mapping[str, Catalog] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LocaleFiles:
    """The catalogues and the memory of one locale, as bytes and by displayed name."""

    paths: Paths
    locale: str

    def memories(self) -> dict[str, bytes]:
        """Return the content of every memory file, by page."""
        folder = self.paths.memories(self.locale)
        return {page: read_bytes(path) for page, path in _by_page(folder)}

    def catalog_pages(self) -> list[str]:
        """Return the pages that have a catalogue."""
        return [page for page, _ in _by_page(self.paths.catalogs(self.locale))]

    def catalog(self, page: str) -> bytes | None:
        """Return the content of a page's catalogue; None if it is missing or unreadable."""
        try:
            return self.paths.catalog(self.locale, page).read_bytes()
        except OSError:
            return None  # it may also have been removed after it was listed

    def memory_name(self, page: str) -> str:
        """Return the path of a page's memory file, relative to the root."""
        return (
            self.paths.memory(self.locale, page).relative_to(self.paths.root).as_posix()
        )

    def catalog_name(self, page: str) -> str:
        """Return the path of a page's catalogue, relative to the root."""
        return (
            self.paths.catalog(self.locale, page)
            .relative_to(self.paths.root)
            .as_posix()
        )


def _by_page(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the catalogues below ``folder`` with their pages, sorted."""
    for path in sorted(folder.rglob("*.po")):
        yield path.relative_to(folder).as_posix().removesuffix(".po"), path


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """Context and collected results of opening or storing one locale."""

    paths: Paths
    locale: str
    dry: bool
    files: LocaleFiles
    # Results so far.
    changes: list[str] = field(default_factory=list)
    opened: dict[str, Catalog] = field(default_factory=dict)
    findings: dict[str, list[Finding]] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run, locale: str) -> Workspace:
        """Return an empty workspace for ``locale``."""
        files = LocaleFiles(run.paths, locale)
        return cls(paths=run.paths, locale=locale, dry=run.dry, files=files)

    def report(self, finding: Finding) -> None:
        """Add a finding to those of its page."""
        self.findings.setdefault(finding.page, []).append(finding)

    def result(self) -> MemoryResult:
        """Return the results so far."""
        return MemoryResult(
            findings={
                page: tuple(findings) for page, findings in self.findings.items()
            },
            changes=tuple(self.changes),
            opened=self.opened,
        )

    def sweep(self) -> None:
        """Remove temporary files of interrupted runs beside catalogues and memory."""
        if self.dry:
            return
        output = self.paths.output(self.locale)
        abandoned: list[Path] = []
        for folder in (
            self.paths.memories(self.locale),
            self.paths.catalogs(self.locale),
            output / "set-aside",
            output / "replaced",
        ):
            abandoned += folder.rglob(".*.tmp")
        # The state and the memos. The built pages beside them are written whole in any case.
        state = self.paths.memory_state(self.locale)
        for folder in (state.parent, self.paths.memo(self.locale, "catalogs").parent):
            abandoned += folder.glob(".*.tmp")
        # Runs for other upstreams may be writing other files there.
        splits = self.paths.splits
        abandoned += splits.parent.glob(f".{splits.name}.*.tmp")
        remove_files(abandoned)

    def read_memories(
        self, upstream: str, files: Mapping[str, bytes]
    ) -> dict[str, Memory]:
        """Return the memory of each page; report and skip those that are invalid."""
        memories = {}
        for page, data in files.items():
            # A file may have been copied from another page or locale, so its header is checked too.
            where = self.files.memory_name(page)
            try:
                catalog = po.read_catalog(data, where=where).catalog
                memories[page] = read_memory(
                    catalog,
                    upstream=upstream,
                    locale=self.locale,
                    page=page,
                    where=where,
                )
            except InputError as error:
                self.report(Finding.of(error, page=page))
        return memories

    def read_base(self, page: str, data: bytes | None) -> Memory | None:
        """Return a past memory file, as kept in the state; None if it is invalid."""
        if data is None:
            return None
        try:
            return read_memory(
                po.read_catalog(data, where="base").catalog,
                upstream=self.paths.name,
                locale=self.locale,
                page=page,
                where="base",
            )
        except InputError:
            return None  # anybody may have edited the state file

    def read_catalog(self, page: str, data: bytes | None) -> Catalog | None:
        """Return a working catalogue, or None if there is none. Raises InputError."""
        # A page that was not opened here yet is no error.
        if data is None:
            return None
        return po.read_catalog(data, where=self.files.catalog_name(page)).catalog

    def write_memory(self, page: str, data: bytes, *, before: bytes | None) -> bool:
        """Write the memory of a page unless someone changed it since ``before``.

        Return whether it now contains ``data``. A dry run only records the change.
        """
        return self._write(
            self.paths.memory(self.locale, page), page, data, before=before
        )

    def write_catalog(self, page: str, data: bytes, *, before: bytes | None) -> bool:
        """Write the catalogue of a page, like ``write_memory``."""
        return self._write(
            self.paths.catalog(self.locale, page), page, data, before=before
        )

    def remove_catalog(self, page: str) -> None:
        """Remove the catalogue of a page. A dry run only records the change."""
        self.changes.append(self.files.catalog_name(page))
        self.opened[page] = Catalog()
        if not self.dry:
            remove_files([self.paths.catalog(self.locale, page)])

    def _write(
        self, path: Path, page: str, data: bytes, *, before: bytes | None
    ) -> bool:
        """Write a file of ``page`` if it changes and if it still contains ``before``."""
        # ``before`` is the version that this run read and that ``data`` is based on.
        if data == before:
            return True
        name = path.relative_to(self.paths.root).as_posix()
        if not self.dry and not replace_if_unchanged(path, data, before=before):
            self.report(_changed_meanwhile(page, name))
            return False
        self.changes.append(name)
        return True


def _changed_meanwhile(page: str, where: str) -> Finding:
    return Finding(
        code="changed-meanwhile",
        severity=Severity.WARNING,
        where=where,
        text="was changed while this run was at work; it is left as it is",
        page=page,
        hint="Run again to take it up.",
    )


# the libraries that decide how a catalogue is read, besides our own code
_READS_WITH = ("polib",)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogFiles:
    """The catalogues of one locale, by page.

    ``catalogs`` has their records, ``data`` the bytes of their files, ``findings`` the findings
    about them. A file that cannot be read is only in ``data`` and ``findings``. For pages in
    ``unreadable``, the catalogue comes from the memory, and the file is never written.
    """

    run: Run
    locale: str
    catalogs: dict[str, Catalog] = field(default_factory=dict)
    data: dict[str, bytes] = field(default_factory=dict)
    findings: dict[str, tuple[Finding, ...]] = field(default_factory=dict)
    unreadable: set[str] = field(default_factory=set)

    def path(self, page: str) -> Path:
        """Return the path of a page's catalogue."""
        return self.run.paths.catalog(self.locale, page)

    def report(self, page: str, *findings: Finding) -> None:
        """Add findings to those of a page."""
        if findings:
            self.findings[page] = (*self.findings.get(page, ()), *findings)

    def read_all(self) -> None:
        """Read every catalogue of the locale, including pages outside this run.

        Files are cached by digest, because most runs change one page and need the texts of all.
        """
        folder = self.run.paths.catalogs(self.locale)
        memo = self._memo()
        for path in sorted(folder.rglob("*.po")):
            # The path decides: a header may contain anything.
            page = path.relative_to(folder).as_posix().removesuffix(".po")
            try:
                self.data[page] = read_bytes(path)
                read = self._read(page, memo)
            except InputError as error:
                # The bytes are kept, as a sign that there is a file which must not be overwritten.
                self.report(page, Finding.of(error, page=page))
                continue
            self.catalogs[page] = read.catalog
            self.report(
                page, *(replace(finding, page=page) for finding in read.findings)
            )
        self._save(memo)

    def use_opened(self, opened: Mapping[str, Catalog]) -> None:
        """Use ``opened`` for files that are unreadable, or unwritten in a dry run."""
        for page, catalog in opened.items():
            if page in self.data and page not in self.catalogs:
                self.unreadable.add(page)
            elif not self.run.dry:
                continue  # it was written, or somebody has fixed it in the meantime
            self.catalogs[page] = catalog

    def write(self, updated: Mapping[str, Updated]) -> tuple[str, ...]:
        """Write changed files, then remove empty ones; return them, relative to the root.

        In this order, an interrupted run may duplicate a translation but never lose one. A file
        that someone saved since it was read is not overwritten; in that case no file is removed
        either.
        """
        written: list[str] = []
        edited: list[str] = []
        removed: list[Path] = []
        for page, result in updated.items():
            if page in self.unreadable:
                continue
            before = self.data.get(page)
            if not result.catalog.entries:
                # A catalogue that could not be read is not empty.
                if before is not None and page in self.catalogs:
                    removed.append(self.path(page))
                continue
            data = po.format_catalog(result.catalog)
            if data == before:
                continue
            if self.run.dry or replace_if_unchanged(
                self.path(page), data, before=before
            ):
                written.append(page)
                self.data[page] = data
            else:
                edited.append(page)
                # Its content is now unknown: results for this page must not be cached.
                self.data.pop(page, None)
        for page in edited:
            self.report(page, _edited_meanwhile(page, self.run.shown(self.path(page))))
        if edited:
            # The content of a file to be removed may only live on in the file that was not written.
            removed = []
        if not self.run.dry:
            remove_files(removed)
        self._cache_written(written)
        return tuple(map(self.run.shown, [*map(self.path, written), *removed]))

    def _read(self, page: str, memo: Memo[po.ReadCatalog]) -> po.ReadCatalog:
        data = self.data[page]
        key = digest_of(code_digest(_READS_WITH), data)
        read = memo.get(page, key)
        if read is None:
            read = po.read_catalog(data, where=self.run.shown(self.path(page)))
            memo.put(page, key, read)
        return read

    def _cache_written(self, pages: list[str]) -> None:
        """Cache the files that were just written, for the next run."""
        if not pages:
            return
        memo = self._memo()
        for page in pages:
            self._read(page, memo)
        self._save(memo)

    def _memo(self) -> Memo[po.ReadCatalog]:
        return Memo(self.run.paths.memo(self.locale, "catalogs"), po.ReadCatalog)

    def _save(self, memo: Memo[po.ReadCatalog]) -> None:
        # Removed files are dropped, because the cache would grow forever.
        if not self.run.dry:
            memo.keep_only(self.data.keys())
            memo.save()


def _edited_meanwhile(page: str, where: str) -> Finding:
    return Finding(
        code="catalogue-edited",
        severity=Severity.WARNING,
        where=where,
        text="the catalogue was saved by someone else during this run; it is left as it is",
        page=page,
        hint="Run again: then it is brought up to date with the edit in it.",
    )
