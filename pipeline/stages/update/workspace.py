"""The files of one locale that the memory stage works on, what it says of them, and what it
remembers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes, remove_files, replace_if_unchanged, write_if_changed
from pipeline.core.memory.file import read_memory
from pipeline.core.memory.record import Memory
from pipeline.entries import Catalog
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity
from pipeline.paths import Paths
from pipeline.run import Run

_AGAIN = "Run again to take it up."
STORE = "Run: nox -s build"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryResult:
    """What opening or storing did: findings by page, files written (or to be written) relative to
    the root.

    ``opened`` are the catalogues that opening made, for a run that writes nothing.
    """

    findings: Mapping[str, tuple[Finding, ...]]
    changes: tuple[str, ...] = ()
    opened: Mapping[str, Catalog] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Names:
    """The files of one locale, on disk and as people read them."""

    paths: Paths
    locale: str

    def memories(self) -> dict[str, bytes]:
        """Every memory file, by page."""
        folder = self.paths.memories(self.locale)
        return {
            path.relative_to(folder).as_posix().removesuffix(".po"): read_bytes(path)
            for path in sorted(folder.rglob("*.po"))
        }

    def catalog_pages(self) -> list[str]:
        folder = self.paths.catalogs(self.locale)
        return [
            path.relative_to(folder).as_posix().removesuffix(".po")
            for path in sorted(folder.rglob("*.po"))
        ]

    def catalog(self, page: str) -> bytes | None:
        try:
            return self.paths.catalog(self.locale, page).read_bytes()
        except OSError:
            return None

    def of_memory(self, page: str) -> str:
        return self.paths.memory(self.locale, page).relative_to(self.paths.root).as_posix()

    def of_catalog(self, page: str) -> str:
        return self.paths.catalog(self.locale, page).relative_to(self.paths.root).as_posix()


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """What one call knows and collects."""

    paths: Paths
    locale: str
    dry: bool
    where: Names
    changes: list[str] = field(default_factory=list)
    opened: dict[str, Catalog] = field(default_factory=dict)
    findings: dict[str, list[Finding]] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run, locale: str) -> Workspace:
        """An empty one for ``locale``."""
        return cls(paths=run.paths, locale=locale, dry=run.dry, where=Names(run.paths, locale))

    def find(
        self,
        page: str,
        code: str,
        where: str,
        text: str,
        *,
        hint: str,
        severity: Severity = Severity.ERROR,
    ) -> None:
        finding = Finding(
            code=code, severity=severity, where=where, text=text, page=page, hint=hint
        )
        self.findings.setdefault(page, []).append(finding)

    def result(self) -> dict[str, tuple[Finding, ...]]:
        return {page: tuple(findings) for page, findings in self.findings.items()}

    def sweep(self) -> None:
        """Remove what a killed run was writing: temporary files beside catalogues and memory."""
        if not self.dry:
            folders = (self.paths.memories(self.locale), self.paths.catalogs(self.locale))
            left = [path for folder in folders for path in folder.rglob(".*.po.*.tmp")]
            remove_files([*left, *self.paths.output(self.locale).glob(".*.tmp")])

    def read_memories(self, upstream: str, files: Mapping[str, bytes]) -> dict[str, Memory]:
        """The memory of each page; one that cannot be read is a finding and left alone."""
        memories = {}
        for page, data in files.items():
            where = self.where.of_memory(page)
            try:
                file = po.read_catalog(data, where=where).catalog
                memories[page] = read_memory(
                    file, upstream=upstream, locale=self.locale, page=page, where=where
                )
            except InputError as error:
                self.findings.setdefault(page, []).append(Finding.of(error, page=page))
        return memories

    def read_catalog(self, page: str, data: bytes | None) -> Catalog | None:
        """A working catalogue; None if there is none. Raises InputError."""
        return (
            None
            if data is None
            else po.read_catalog(data, where=self.where.of_catalog(page)).catalog
        )

    def write(self, path: Path, page: str, data: bytes, *, before: bytes | None) -> bool:
        """Write a file unless someone changed it meanwhile; whether it holds ``data`` now."""
        if data == before:
            return True
        name = path.relative_to(self.paths.root).as_posix()
        if not self.dry and not replace_if_unchanged(path, data, before=before):
            text = "was changed while this run was at work; it is left as it is"
            self.find(page, "changed-meanwhile", name, text, hint=_AGAIN, severity=Severity.WARNING)
            return False
        self.changes.append(name)
        return True


@dataclass(slots=True)
class State:
    """The memory as last opened or stored here, and the digest of the catalogue that agreed with
    it, by page."""

    pages: dict[str, tuple[str, str]]

    def agrees(self, page: str, catalog: bytes | None, memory: bytes | None) -> bool:
        """Whether neither file has changed since they were found to agree."""
        known = self.pages.get(page)
        return known is not None and (_hash(catalog), _text(memory)) == (known[1], known[0])

    def base(self, page: str) -> bytes | None:
        known = self.pages.get(page)
        return known[0].encode("utf-8", "surrogateescape") if known else None

    def keep(self, page: str, memory: bytes, catalog: bytes | None) -> None:
        """Both sides start from ``memory`` now; ``catalog`` agrees with it, if there is one that
        does."""
        self.pages[page] = (_text(memory), _hash(catalog) if catalog is not None else "")

    def forget(self, pages: Iterable[str]) -> None:
        """Neither file of these pages is left."""
        for page in pages:
            self.pages.pop(page, None)

    def write(self, paths: Paths, locale: str, *, dry: bool) -> None:
        write_if_changed(
            paths.memory_state(locale),
            json.dumps(self.pages, sort_keys=True).encode("ascii"),
            dry=dry,
        )


def read_state(paths: Paths, locale: str) -> State:
    try:
        pages = json.loads(paths.memory_state(locale).read_bytes())
        return State(
            {page: (str(memory), str(catalog)) for page, (memory, catalog) in pages.items()}
        )
    except (OSError, ValueError, TypeError, AttributeError):
        return State({})  # the first run, or damaged: entries are compared without a common start


def _hash(data: bytes | None) -> str:
    return "" if data is None else hashlib.blake2b(data, digest_size=20).hexdigest()


def _text(data: bytes | None) -> str:
    return "" if data is None else data.decode("utf-8", "surrogateescape")
