"""The files of one locale that opening, storing and verifying work on, and what they say of them.

Catalogues and memory are read and written here alone. A file that somebody changes during a run is
left as it is, and a file that cannot be read is a finding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes, remove_files, replace_if_unchanged
from pipeline.core.memory.file import read_memory
from pipeline.core.memory.record import Memory
from pipeline.entries import Catalog
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity
from pipeline.packages import how_to_run
from pipeline.paths import Paths
from pipeline.run import Run


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
