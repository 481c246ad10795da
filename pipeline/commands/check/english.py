"""The English of a memory under check, from wherever it can be had without git or network.

In go the upstream and the page of a memory file, out come the entries of that page by digest. They
are those of the working catalogue, or else of the docs that were pulled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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
    """The English that a project has at hand."""

    settings: Settings

    def catalog_of(self, memory: ReadFile) -> Path:
        """Where the working catalogue of a memory's page lies, if there is one."""
        return self._paths(memory).catalog(memory.locale, memory.file.page)

    def of(self, memory: ReadFile) -> Mapping[str, Entry]:
        """The messages of a memory's page by digest; none if nothing of it is here."""
        messages = [*self.docs_of(memory), *live_blanks(self.entries_of(memory))]
        return {digest(entry.msgid): entry for entry in messages}

    def entries_of(self, memory: ReadFile) -> tuple[Entry, ...]:
        """The entries of the working catalogue; one that is broken is told elsewhere."""
        path = self.catalog_of(memory)
        if not path.is_file():
            return ()
        try:
            read = po.read_catalog(read_bytes(path), where=path.name)
        except InputError:
            return ()
        return read.catalog.entries

    def docs_of(self, memory: ReadFile) -> tuple[Entry, ...]:
        """What the page asks to be translated, as it was pulled."""
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
        """The places of the upstream that a memory says it is of."""
        return Paths(self.settings.root, memory.catalog.header.get("X-Upstream", ""))


def live_blanks(entries: Iterable[Entry]) -> Iterator[Entry]:
    """The messages of a catalogue that are on the page, without what people put into them."""
    for entry in entries:
        if not entry.obsolete:
            yield Entry(
                msgid=entry.msgid, notes=entry.notes, references=entry.references
            )


def _readable(name: str, path: Path, reading: Reading) -> Iterator[Document]:
    """A document, if it can be read: whether it can is for ``split`` to say."""
    try:
        yield read_document(name, read_bytes(path), reading)
    except InputError:
        return
