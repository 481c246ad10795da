"""The files of one locale: catalogues, memory, and the state in which a run left them.

Catalogues and memory are read and written here alone. A file that somebody saves while a run is at
work is left as it is. No file is removed before what stood in it is written elsewhere. A file that
cannot be read is a finding. The state is the base of the next merge: the memory as it was last
opened or stored here. A page is as it was left if both of its files are what the state says.
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

_SIZE = 20  # bytes of a digest
_BRANCH = ""  # beside the pages, none of which has an empty name


class Agreed(NamedTuple):
    """The two files of a page as they were when they agreed. It is written as a JSON array."""

    memory: str  # the text of the file
    catalog: str  # the digest of the file; empty if none agreed
    # The digest of a memory file that a run is about to write, merged from what git has put there.
    pending: str = ""


class Branch(NamedTuple):
    """What git had checked out when the memory was last opened. It is written as a JSON array."""

    head: str
    has_catalogs: bool  # it commits catalogues that are ignored elsewhere


@dataclass(slots=True)
class State:
    """The memory as last opened or stored here, and the catalogue that agreed with it, by page."""

    pages: dict[str, Agreed]
    branch: Branch | None = None  # None if no run has noted it

    def agrees(self, page: str, catalog: bytes | None, memory: bytes | None) -> bool:
        """Whether neither file has changed since they were found to agree."""
        known = self.pages.get(page)
        return known is not None and known[:2] == (
            _text(memory),
            _digest_of_file(catalog),
        )

    def has_stored(self, page: str, catalog: bytes | None) -> bool:
        """Whether all of a catalogue was stored, in whatever memory that was."""
        known = self.pages.get(page)
        return known is not None and known.catalog == _digest_of_file(catalog) != ""

    def base(self, page: str) -> bytes | None:
        """The memory file that both sides started from; None if it is not known."""
        # The text itself is kept, not a digest: a merge needs what stood there.
        known = self.pages.get(page)
        if known is None:
            return None
        return known.memory.encode("utf-8", "surrogateescape")

    def keep(self, page: str, memory: bytes, catalog: bytes | None) -> None:
        """Let both sides start from ``memory``; ``catalog`` agrees with it, if one does."""
        self.pages[page] = Agreed(
            memory=_text(memory), catalog=_digest_of_file(catalog)
        )

    def announce(self, page: str, memory: bytes) -> None:
        """Tell that ``memory`` is about to be written, in place of what git has put there."""
        known = self.pages.get(page)
        if known is not None:
            self.pages[page] = known._replace(pending=_digest_of_file(memory))

    def has_announced(self, page: str, memory: bytes) -> bool:
        """Whether ``memory`` is what a run had begun to write when it was killed."""
        known = self.pages.get(page)
        return known is not None and known.pending == _digest_of_file(memory)

    def restamp(self, page: str, before: bytes, memory: bytes) -> None:
        """Let ``memory`` take the place of ``before``, which says the same in other words."""
        known = self.pages.get(page)
        if known is not None and known.memory == _text(before):
            self.pages[page] = known._replace(memory=_text(memory))

    def forget(self, pages: Iterable[str]) -> None:
        """Neither file of these pages is left."""
        for page in pages:
            self.pages.pop(page, None)

    def write(self, paths: Paths, locale: str, *, dry: bool) -> None:
        """Write the state for the next run. Raises WriteError."""
        rows: dict[str, tuple[str, ...] | Branch] = {**self.pages}
        if self.branch is not None:
            rows[_BRANCH] = self.branch
        data = json.dumps(rows, sort_keys=True).encode("ascii")
        write_if_changed(paths.memory_state(locale), data, dry=dry)


def read_state(paths: Paths, locale: str) -> State:
    """The state that the last run has written; an empty one if there is none that can be read.

    Without a state, entries are compared without a common start: nothing is lost by that.
    """
    try:
        pages = json.loads(paths.memory_state(locale).read_bytes())
        branch = Branch(*pages.pop(_BRANCH)) if _BRANCH in pages else None
        # It may be any JSON: what has not this shape ends below.
        known = {}
        for page, texts in pages.items():
            known[page] = Agreed(*map(str, texts))
        return State(known, branch)
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return State({})  # the first run, or whatever else lies in that file


def _digest_of_file(data: bytes | None) -> str:
    if data is None:
        return ""
    return hashlib.blake2b(data, digest_size=_SIZE).hexdigest()


def _text(data: bytes | None) -> str:
    # A memory file that is not UTF-8 comes back as the same bytes.
    return "" if data is None else data.decode("utf-8", "surrogateescape")


def catalog_header(
    lock: Lock, locale: str, page: str, existing: Mapping[str, str]
) -> dict[str, str]:
    """Return the header of a page's catalogue, made from the one that it has."""
    # "https://host/jax.git" and "/home/me/jax" are both named by their last part.
    project = f"{lock.url.rstrip('/').rpartition('/')[2]} docs"
    return po.standard_header(
        project=project, page=page, locale=locale, date=lock.date, existing=existing
    )


def how_to_store() -> str:
    """What brings catalogues and memory together again."""
    # It stores the catalogues, and opens the memory before that.
    return f"Run: {how_to_run('build')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryResult:
    """What opening or storing did, and what there is to say of it.

    ``changes`` are the files written, or to be written, relative to the root. ``opened`` are the
    catalogues that opening made, for a run that writes nothing, and for files that cannot be read.
    """

    findings: Mapping[str, tuple[Finding, ...]]  # by page
    changes: tuple[str, ...] = ()
    opened: Mapping[str, Catalog] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LocaleFiles:
    """The catalogues and the memory of one locale, as bytes and by the names that people see."""

    paths: Paths
    locale: str

    def memories(self) -> dict[str, bytes]:
        """Every memory file, by page."""
        folder = self.paths.memories(self.locale)
        return {page: read_bytes(path) for page, path in _by_page(folder)}

    def catalog_pages(self) -> list[str]:
        """The pages that have a catalogue."""
        return [page for page, _ in _by_page(self.paths.catalogs(self.locale))]

    def catalog(self, page: str) -> bytes | None:
        """The catalogue of a page; None if there is none, or it cannot be read."""
        try:
            return self.paths.catalog(self.locale, page).read_bytes()
        except OSError:
            return None  # it may also have gone since it was listed

    def memory_name(self, page: str) -> str:
        """The memory file of a page, relative to the root."""
        return (
            self.paths.memory(self.locale, page).relative_to(self.paths.root).as_posix()
        )

    def catalog_name(self, page: str) -> str:
        """The catalogue of a page, relative to the root."""
        return (
            self.paths.catalog(self.locale, page)
            .relative_to(self.paths.root)
            .as_posix()
        )


def _by_page(folder: Path) -> Iterator[tuple[str, Path]]:
    """The catalogues below ``folder`` with the pages that they are of, sorted."""
    for path in sorted(folder.rglob("*.po")):
        yield path.relative_to(folder).as_posix().removesuffix(".po"), path


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """What one call knows and collects."""

    paths: Paths
    locale: str
    dry: bool
    files: LocaleFiles
    # What comes together while the call is at work.
    changes: list[str] = field(default_factory=list)
    opened: dict[str, Catalog] = field(default_factory=dict)
    findings: dict[str, list[Finding]] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run, locale: str) -> Workspace:
        """An empty one for ``locale``."""
        files = LocaleFiles(run.paths, locale)
        return cls(paths=run.paths, locale=locale, dry=run.dry, files=files)

    def tell(self, finding: Finding) -> None:
        """Add to what there is to say of the finding's page."""
        self.findings.setdefault(finding.page, []).append(finding)

    def result(self) -> MemoryResult:
        """What this call has done so far."""
        return MemoryResult(
            findings={
                page: tuple(findings) for page, findings in self.findings.items()
            },
            changes=tuple(self.changes),
            opened=self.opened,
        )

    def sweep(self) -> None:
        """Remove what a killed run was writing: temporary files beside catalogues and memory."""
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
        # The state and the memos; beside them are built pages, which are made whole anyway.
        state = self.paths.memory_state(self.locale)
        for folder in (state.parent, self.paths.memo(self.locale, "catalogs").parent):
            abandoned += folder.glob(".*.tmp")
        # Those of other upstreams may be at work.
        splits = self.paths.splits
        abandoned += splits.parent.glob(f".{splits.name}.*.tmp")
        remove_files(abandoned)

    def read_memories(
        self, upstream: str, files: Mapping[str, bytes]
    ) -> dict[str, Memory]:
        """The memory of each page; one that cannot be read is a finding and left alone."""
        memories = {}
        for page, data in files.items():
            # A file may be copied to another page, or another locale: its header is checked too.
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
                self.tell(Finding.of(error, page=page))
        return memories

    def read_base(self, page: str, data: bytes | None) -> Memory | None:
        """A memory file of the past, as the state keeps it; None if it tells nothing."""
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
            return None  # the state lies in a file that anybody may have edited

    def read_catalog(self, page: str, data: bytes | None) -> Catalog | None:
        """A working catalogue; None if there is none. Raises InputError."""
        # A page that nobody has opened here is no error.
        if data is None:
            return None
        return po.read_catalog(data, where=self.files.catalog_name(page)).catalog

    def write_memory(self, page: str, data: bytes, *, before: bytes | None) -> bool:
        """Write the memory of a page unless someone changed it since it was ``before``.

        Return whether it holds ``data`` now. A dry run only notes it.
        """
        return self._write(
            self.paths.memory(self.locale, page), page, data, before=before
        )

    def write_catalog(self, page: str, data: bytes, *, before: bytes | None) -> bool:
        """The same for the catalogue of a page."""
        return self._write(
            self.paths.catalog(self.locale, page), page, data, before=before
        )

    def remove_catalog(self, page: str) -> None:
        """Remove the catalogue of a page. A dry run only notes it."""
        self.changes.append(self.files.catalog_name(page))
        self.opened[page] = Catalog()
        if not self.dry:
            remove_files([self.paths.catalog(self.locale, page)])

    def _write(
        self, path: Path, page: str, data: bytes, *, before: bytes | None
    ) -> bool:
        """Write a file of ``page`` if it changes, and if it is still what it was ``before``."""
        # ``before`` is what this run has read, which is what ``data`` was made from.
        if data == before:
            return True
        name = path.relative_to(self.paths.root).as_posix()
        if not self.dry and not replace_if_unchanged(path, data, before=before):
            self.tell(_changed_meanwhile(page, name))
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


_READS_WITH = ("polib",)  # what decides how a catalogue is read, beside our own code


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogFiles:
    """The catalogues of one locale, by page.

    ``catalogs`` is what they hold, ``data`` the bytes of their files, ``findings`` what a person
    should know of them. A file that cannot be read is in ``data`` and ``findings`` only.
    ``unreadable`` are those whose catalogue is of the memory: their file is never written.
    """

    run: Run
    locale: str
    catalogs: dict[str, Catalog] = field(default_factory=dict)
    data: dict[str, bytes] = field(default_factory=dict)
    findings: dict[str, tuple[Finding, ...]] = field(default_factory=dict)
    unreadable: set[str] = field(default_factory=set)

    def path(self, page: str) -> Path:
        """The file of a page's catalogue."""
        return self.run.paths.catalog(self.locale, page)

    def tell(self, page: str, *findings: Finding) -> None:
        """Add to what there is to say of a page."""
        if findings:
            self.findings[page] = (*self.findings.get(page, ()), *findings)

    def read_all(self) -> None:
        """Read every catalogue of the locale, also of pages that are not in this run.

        A file that was read before is known by its digest: most runs come for one page, and need
        the texts of all.
        """
        folder = self.run.paths.catalogs(self.locale)
        memo = self._memo()
        for path in sorted(folder.rglob("*.po")):
            # By their place: a header may say anything.
            page = path.relative_to(folder).as_posix().removesuffix(".po")
            try:
                self.data[page] = read_bytes(path)
                read = self._read(page, memo)
            except InputError as error:
                # Its bytes stay known: they say that there is a file that must not be written.
                self.tell(page, Finding.of(error, page=page))
                continue
            self.catalogs[page] = read.catalog
            self.tell(page, *(replace(finding, page=page) for finding in read.findings))
        self._save(memo)

    def stand_in(self, opened: Mapping[str, Catalog]) -> None:
        """Let ``opened`` stand for files that cannot be read, or that a dry run has not written."""
        for page, catalog in opened.items():
            if page in self.data and page not in self.catalogs:
                self.unreadable.add(page)
            elif not self.run.dry:
                continue  # it was written, or somebody has mended it meanwhile
            self.catalogs[page] = catalog

    def write(self, updated: Mapping[str, Updated]) -> tuple[str, ...]:
        """Write what changed, then remove what is empty; return these files, relative to the root.

        In this order a run that is killed between leaves a translation twice, never nowhere. A file
        that someone saved since it was read stays as it is, and then nothing is removed either.
        """
        written: list[str] = []
        edited: list[str] = []
        removed: list[Path] = []
        for page, result in updated.items():
            if page in self.unreadable:
                continue
            before = self.data.get(page)
            if not result.catalog.entries:
                # One that could not be read is not empty, it is only not seen.
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
                # What it holds now is not known: whatever is made of this page is no use to keep.
                self.data.pop(page, None)
        for page in edited:
            self.tell(page, _edited_meanwhile(page, self.run.shown(self.path(page))))
        if edited:
            # What was to be removed may live on in nothing but the file that was not written.
            removed = []
        if not self.run.dry:
            remove_files(removed)
        self._know(written)
        return tuple(map(self.run.shown, [*map(self.path, written), *removed]))

    def _read(self, page: str, memo: Memo[po.ReadCatalog]) -> po.ReadCatalog:
        data = self.data[page]
        key = digest_of(code_digest(_READS_WITH), data)
        read = memo.recall(page, key)
        if read is None:
            read = po.read_catalog(data, where=self.run.shown(self.path(page)))
            memo.keep(page, key, read)
        return read

    def _know(self, pages: list[str]) -> None:
        """Know the files that were just written as well: the next run reads them from the memo."""
        if not pages:
            return
        memo = self._memo()
        for page in pages:
            self._read(page, memo)
        self._save(memo)

    def _memo(self) -> Memo[po.ReadCatalog]:
        return Memo(self.run.paths.memo(self.locale, "catalogs"), po.ReadCatalog)

    def _save(self, memo: Memo[po.ReadCatalog]) -> None:
        # Files that are gone are forgotten, or the memo would grow for ever.
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
