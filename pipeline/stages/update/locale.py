"""Files of one locale: its catalogues and its translation memory, each read once in a run.

Only this module and the merge driver read and write these files. The invariants: if somebody saves
a file during a run, the run does not overwrite it. No file is removed before its content is written
elsewhere. A file that cannot be parsed is a finding, and does not stop the run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.adapters.files import (
    files_below,
    read_bytes,
    remove_files,
    replace_if_unchanged,
)
from pipeline.adapters.memo import Memo, code_digest, digest_of
from pipeline.core.pin.lock import Lock, is_reference
from pipeline.entries import Catalog
from pipeline.errors import InputError
from pipeline.findings import Finding
from pipeline.limits import OWN_BYTES
from pipeline.packages import how_to_run
from pipeline.run import Run
from pipeline.stages.update import releases
from pipeline.stages.update.state import State, read_state

if TYPE_CHECKING:
    from pipeline.adapters import po
    from pipeline.core.memory.record import Memory

# Libraries whose version affects how a catalogue is parsed, besides our own code.
_READS_WITH = ("polib",)


def catalog_header(
    lock: Lock, locale: str, page: str, existing: Mapping[str, str]
) -> dict[str, str]:
    """Return the header of a page's catalogue, based on the existing one."""
    from pipeline.adapters import po

    # The name is the last part of the address: "https://host/jax.git", "/home/me/jax".
    project = f"{lock.url.rstrip('/').rpartition('/')[2]} docs"
    return po.standard_header(
        project=project, page=page, locale=locale, date=lock.date, existing=existing
    )


def how_to_store() -> str:
    """Return the hint to run ``build``, which makes catalogues and memory agree."""
    return f"Run: {how_to_run('build')}"


class Locale:
    """Catalogues and memory of one locale, by page, as they are on disk.

    Every file is read once, and parsed when it is first needed. A write changes the file and this
    object; in a dry run, it changes only this object. ``changes`` lists the written and removed
    files, relative to the root.

    The memory files describe the pinned release. In a run for another release ("beside the pin"),
    ``view`` converts each memory to that release when it is read, and back when it is written.
    Pages that only other releases have are hidden.

    The parsers are imported where they are used, because a run without changes does not need them.
    """

    def __init__(self, run: Run, name: str) -> None:
        self.run = run
        self.paths = run.paths
        self.name = name
        self.changes: dict[str, None] = {}
        self.findings: dict[str, dict[Finding, None]] = {}
        # Catalogues that were rebuilt from the memory, because their files cannot be parsed. Pages
        # are made from the rebuilt catalogues. The files are never overwritten.
        self.unreadable: dict[str, Catalog] = {}
        # Pages whose catalogue somebody saved after it was read. Its content is unknown.
        self.saved_meanwhile: set[str] = set()
        self.view: Callable[[Memory], Memory] | None = None
        self._catalogs: dict[str, po.ReadCatalog] = {}
        # The errors of unreadable catalogues, by page. Such catalogues do not count as missing.
        self._unread: dict[str, InputError] = {}
        self._stored: dict[str, Memory | None] = {}

    @cached_property
    def elsewhere(self) -> releases.Elsewhere:
        """Pages and commits of the other releases."""
        return releases.find_elsewhere(self.run)

    @cached_property
    def catalog_files(self) -> dict[str, bytes]:
        """The content of every catalogue that can be read. ``_unread`` gets the other errors."""
        files: dict[str, bytes] = {}
        for page, path in self._by_page(self.paths.catalogs(self.name)):
            try:
                # The parser reports a file that is too large to be a catalogue.
                files[page] = read_bytes(path, limit=OWN_BYTES)
            except InputError as error:
                self._unread[page] = error
        return files

    @cached_property
    def memory_files(self) -> dict[str, bytes]:
        """The content of every memory file."""
        folder = self.paths.memories(self.name)
        return {page: read_bytes(path) for page, path in self._by_page(folder)}

    def _by_page(self, folder: Path) -> Iterator[tuple[str, Path]]:
        """Yield each page with its ``.po`` file below ``folder``, sorted by path."""
        start = len(f"{folder.as_posix()}/")
        for path in files_below(folder, ".po"):
            # The page comes from the path, because anything may be in the header.
            page = path.as_posix()[start:].removesuffix(".po")
            if not self._is_hidden(page):
                yield page, path

    def _is_hidden(self, page: str) -> bool:
        """Return whether the run must neither read nor change the files of a page."""
        if is_reference(page) and self._lacks_reference:
            return True
        return page in self.elsewhere.hidden

    @property
    def removed_memories(self) -> set[str]:
        """The pages whose memory file has disappeared since the last run opened or stored it."""
        removed = self.state.pages.keys() - self.memory_files.keys()
        return {page for page in removed if not self._is_hidden(page)}

    @cached_property
    def _lacks_reference(self) -> bool:
        return releases.lacks_reference(self.run)

    @cached_property
    def state(self) -> State:
        """The memory as the last run in this clone opened or stored it."""
        return read_state(self.paths, self.name)

    def save_state(self) -> None:
        """Save the state for the next run. Raises WriteError."""
        self.state.write(self.paths, self.name, dry=self.run.dry)

    def catalog_name(self, page: str) -> str:
        """Return the path of a page's catalogue, relative to the root."""
        return self.run.shown(self.paths.catalog(self.name, page))

    def memory_name(self, page: str) -> str:
        """Return the path of a page's memory file, relative to the root."""
        return self.run.shown(self.paths.memory(self.name, page))

    def digests(self) -> dict[str, str]:
        """Return the digest of each file at the end of this run, by path.

        A catalogue that somebody saved during the run has no digest. So the next run does not
        consider it up to date.
        """
        digests: dict[str, str] = {}
        for folder, found in (
            (self.paths.catalogs(self.name), self.catalog_files),
            (self.paths.memories(self.name), self.memory_files),
        ):
            shown = self.run.shown(folder)
            for page, data in found.items():
                digests[f"{shown}/{page}.po"] = digest_of(data)
        return digests

    def report(self, finding: Finding) -> None:
        """Add a finding to its page, unless the page already has it."""
        self.findings.setdefault(finding.page, {})[finding] = None

    def report_row(self, name: str, page: str, *, where: str = "", **values: object) -> None:
        """Report a finding of ``findings.toml``. By default, it is about the page's catalogue."""
        where = where or self.catalog_name(page)
        self.report(Finding.from_table(name, where=where, page=page, **values))

    def findings_of(self, page: str) -> tuple[Finding, ...]:
        """Return the findings of a page."""
        return tuple(self.findings.get(page, ()))

    def all_findings(self) -> list[Finding]:
        """Return the findings of all pages."""
        return [*chain.from_iterable(self.findings.values())]

    def is_unbegun(self, page: str, catalog: Catalog) -> bool:
        """Return whether a page of the API reference has no translation and no comment yet.

        Such a page gets no memory file, because the reference may have a thousand pages.
        """
        if not is_reference(page) or page in self.memory_files:
            return False
        return not any(entry.msgstr or entry.comments for entry in catalog.entries)

    def has_catalog(self, page: str) -> bool:
        """Return whether a page has a catalogue, readable or not."""
        return page in self.catalog_files or page in self._unknown

    @property
    def _unknown(self) -> set[str]:
        """The pages that have a catalogue with unknown content, after ``catalog_files`` is read."""
        return self.saved_meanwhile | self._unread.keys()

    def agrees(self, page: str) -> bool:
        """Return whether catalogue and memory of a page are the same as when they last agreed."""
        catalog, memory = self.catalog_files.get(page), self.memory_files.get(page)
        return self.state.agrees(page, catalog, memory)

    # --- catalogues

    def read_catalog(self, page: str) -> po.ReadCatalog:
        """Return the parsed catalogue of a page that has one. Raises InputError.

        Parsed catalogues are cached from run to run, by the digest of their file. Most runs change
        one page, but need the texts of all pages.
        """
        from pipeline.adapters import po

        files = self.catalog_files
        if page in self._unread:
            raise self._unread[page]
        if page not in self._catalogs:
            data = files[page]
            key = _key(data)
            read = self._memo.get(page, key)
            if read is None:
                read = po.read_catalog(data, where=self.catalog_name(page))
                self._memo.put(page, key, read)
            self._catalogs[page] = read
        return self._catalogs[page]

    def catalog(self, page: str) -> Catalog | None:
        """Return the catalogue of a page, or None if it has none yet. Raises InputError."""
        if not self.has_catalog(page):
            return None
        return self.read_catalog(page).catalog

    def readable_catalogs(self) -> dict[str, Catalog]:
        """Return the catalogues of all pages, except those that cannot be parsed."""
        catalogs: dict[str, Catalog] = {}
        for page in self.catalog_pages():
            with suppress(InputError):
                catalogs[page] = self.read_catalog(page).catalog
        return catalogs

    def catalog_pages(self) -> list[str]:
        """Return the pages that have a catalogue, in the order of their files."""
        return sorted(
            self.catalog_files.keys() | self._unknown,
            key=lambda page: f"{page}.po".split("/"),
        )

    def shown_catalog(self, page: str) -> Catalog:
        """Return the catalogue that pages are made from; an empty one if there is none."""
        if page in self.unreadable:
            return self.unreadable[page]
        with suppress(InputError):
            return self.catalog(page) or Catalog()
        return Catalog()

    def shown_bytes(self, page: str) -> bytes | None:
        """Return the content of a page's catalogue file; empty if the page has no catalogue.

        Return None if the content is unknown, or if the page is made from a rebuilt catalogue.
        """
        data = self.catalog_files.get(page, b"")
        return None if page in self.unreadable or page in self._unknown else data

    def write_catalog(self, page: str, catalog: Catalog) -> bool:
        """Write the catalogue of a page unless somebody saved the file since it was read.

        Return whether the file now contains ``catalog``. Report a file that somebody saved.
        """
        from pipeline.adapters import po

        data, read = po.write_catalog(catalog)
        before = self.catalog_files.get(page)
        # If the file does not change, keep the result of reading it, which may have findings.
        if data == before:
            return True
        self._catalogs[page] = po.ReadCatalog(catalog=read)
        if not self._write(self.paths.catalog(self.name, page), data, before):
            self.saved_meanwhile.add(page)
            self.catalog_files.pop(page, None)
            self.report_row("catalogue-edited", page)
            return False
        self.catalog_files[page] = data
        if read.header:  # without a header, reading the file must give a finding
            self._memo.put(page, _key(data), self._catalogs[page])
        return True

    def remove_catalogs(self, pages: Collection[str]) -> None:
        """Remove the catalogues of pages."""
        for page in pages:
            del self.catalog_files[page]
            self._catalogs.pop(page, None)
        self._remove(self.paths.catalog(self.name, page) for page in pages)

    def save_cache(self) -> None:
        """Save the parsed catalogues for the next run."""
        if not self.run.dry:
            # Drop the entries of removed files. Otherwise the cache would grow in every run.
            self._memo.keep_only(self.catalog_files.keys())
            self._memo.save()

    @cached_property
    def _memo(self) -> Memo[po.ReadCatalog]:
        from pipeline.adapters import po

        return Memo(self.paths.memo(self.name, "catalogs"), po.ReadCatalog)

    # --- memory

    def memories(self, pages: Iterable[str]) -> dict[str, Memory]:
        """Return the memory of each of ``pages``. Invalid files are reported and left out."""
        stored = self.stored_memories(pages)
        return {page: self._viewed(memory) for page, memory in stored.items()}

    def stored_memories(self, pages: Iterable[str]) -> dict[str, Memory]:
        """Return the memories as in their files, for the pinned release, without ``view``."""
        memories = {page: self._stored_memory(page) for page in pages}
        return {page: memory for page, memory in memories.items() if memory}

    def _stored_memory(self, page: str) -> Memory | None:
        if page not in self._stored:
            self._stored[page] = None
            try:
                data, where = self.memory_files[page], self.memory_name(page)
                self._stored[page] = self._parse_memory(page, data, where)
            except InputError as error:
                self.report(Finding.of(error, page=page))
        return self._stored[page]

    def _viewed(self, memory: Memory) -> Memory:
        return self.view(memory) if self.view else memory

    def past_memory(self, page: str, data: bytes | None) -> Memory | None:
        """Parse an old version of a memory file, from the state or from git; None if invalid."""
        if data is None:
            return None
        try:
            return self._viewed(self._parse_memory(page, data, "base"))
        except InputError:
            return None  # somebody may have edited the file of the state

    def _parse_memory(self, page: str, data: bytes, where: str) -> Memory:
        from pipeline.adapters import po
        from pipeline.core.memory.file import read_memory

        # Somebody may have copied the file from another locale, so the header is checked, too.
        return read_memory(
            po.read_catalog(data, where=where).catalog,
            upstream=self.paths.upstream,
            locale=self.name,
            page=page,
            where=where,
        )

    def write_memory(self, memory: Memory) -> bool:
        """Write the memory of a page unless somebody changed the file since it was read.

        Return whether the file now contains ``memory``. Report a file that somebody changed.
        """
        return self._write_memory(memory.page, self.format_memory(memory))

    def write_stored_memory(self, memory: Memory) -> bool:
        """Write a memory that is already for the pinned release, without ``view``."""
        from pipeline.adapters import po
        from pipeline.core.memory.file import memory_file

        return self._write_memory(memory.page, po.format_catalog(memory_file(memory)))

    def _write_memory(self, page: str, data: bytes) -> bool:
        before = self.memory_files.get(page)
        if data == before:
            return True
        if not self._write(self.paths.memory(self.name, page), data, before):
            self.report_row("changed-meanwhile", page, where=self.memory_name(page))
            return False
        self.memory_files[page] = data
        self._stored.pop(page, None)
        return True

    def format_memory(self, memory: Memory) -> bytes:
        """Return the bytes to write for a memory.

        In a run of a release beside the pin, the translations of ``memory`` are added to the memory
        in the file.
        """
        from pipeline.adapters import po
        from pipeline.core.memory.file import memory_file
        from pipeline.core.memory.releases import fold

        before = self.memory_files.get(memory.page)
        shared = self._stored_memory(memory.page) if before is not None else None
        if self.view is None or before is None or shared is None:
            return po.format_catalog(memory_file(memory))
        folded = fold(shared, memory)
        # If nothing changes, the file keeps its bytes, even if the pipeline would write others.
        return before if folded is shared else po.format_catalog(memory_file(folded))

    def remove_memories(self, pages: Collection[str]) -> None:
        """Remove the memory of pages."""
        for page in pages:
            del self.memory_files[page]
        self._remove(self.paths.memory(self.name, page) for page in pages)

    def _remove(self, paths: Iterable[Path]) -> None:
        removed = list(paths)
        self.changes |= dict.fromkeys(map(self.run.shown, removed))
        if not self.run.dry:
            remove_files(removed)

    def _write(self, path: Path, data: bytes, before: bytes | None) -> bool:
        """Write a file if it still contains ``before``, the version that ``data`` is based on."""
        if not self.run.dry and not replace_if_unchanged(path, data, before=before):
            return False
        self.changes[self.run.shown(path)] = None
        return True


def _key(data: bytes) -> str:
    return digest_of(code_digest(_READS_WITH), data)
