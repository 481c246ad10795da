"""Lookup of the English for a memory file, without git or network.

A memory file holds a digest of each message, not the message. This module finds the messages of the
page in the page's catalogue and in the pulled docs, and returns them by digest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes
from pipeline.commands.check.files import ReadFile
from pipeline.config import Settings
from pipeline.core.catalog.update import wanted_entries
from pipeline.core.document.reader import Document, read_document
from pipeline.core.memory.record import digest
from pipeline.entries import Entry
from pipeline.errors import InputError
from pipeline.paths import Paths
from pipeline.reading import MYST, Reading

_SUFFIXES = (".ipynb", ".md", ".rst")


@dataclass(frozen=True, slots=True)
class English:
    """Lookup of English texts in the catalogues and docs that are on disk."""

    settings: Settings

    def catalog_of(self, memory: ReadFile) -> Path:
        """Return the path of the catalogue of a memory's page; the file may not exist."""
        return self._paths(memory).catalog(memory.locale, memory.file.page)

    def of(self, memory: ReadFile) -> Mapping[str, Entry]:
        """Return the messages of a memory's page by digest, as far as they are on disk."""
        messages = [*self.docs_of(memory), *live_blanks(self.entries_of(memory))]
        return {digest(entry.msgid): entry for entry in messages}

    def entries_of(self, memory: ReadFile) -> tuple[Entry, ...]:
        """Return the entries of the page's catalogue; none if it is missing or unreadable."""
        path = self.catalog_of(memory)
        if not path.is_file():
            return ()
        try:
            read = po.read_catalog(read_bytes(path), where=path.name)
        except InputError:
            return ()
        return read.catalog.entries

    def docs_of(self, memory: ReadFile) -> tuple[Entry, ...]:
        """Return the messages of the page in the pulled docs."""
        page = memory.file.page
        documents: list[Document] = []
        for suffix in _SUFFIXES:
            path = self._paths(memory).docs / f"{page}{suffix}"
            if path.is_file():
                name = memory.catalog.header.get("X-Upstream", "")
                upstream = self.settings.upstreams.get(name)
                reading = upstream.reading if upstream else MYST
                documents += _readable(f"{page}{suffix}", path, reading)
        return wanted_entries(page, documents)

    def _paths(self, memory: ReadFile) -> Paths:
        """Return the paths of the upstream that the memory's header names."""
        return Paths(self.settings.root, memory.catalog.header.get("X-Upstream", ""))


def live_blanks(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield the live messages of a catalogue, without their translations."""
    for entry in entries:
        if not entry.obsolete:
            yield Entry(
                msgid=entry.msgid, notes=entry.notes, references=entry.references
            )


def _readable(name: str, path: Path, reading: Reading) -> Iterator[Document]:
    """Yield the document if it is readable. The command ``split`` reports unreadable ones."""
    with suppress(InputError):
        yield read_document(name, read_bytes(path), reading)
