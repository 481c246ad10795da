"""The memory as it was before a run stores anything: read as far as it is asked for.

Most runs change a page or two, and the memory has hundreds: reading all of it would take longer
than the rest of the work.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pipeline.core.memory.record import Memory, Place, index_places
from pipeline.stages.update.workspace import Workspace

FEW = 8  # pages; for more of them the whole memory is read at once


@dataclass(kw_only=True)
class OldMemory:
    """The memory of all pages of a locale. A file that cannot be read is a finding of ``work``."""

    work: Workspace
    upstream: str  # its name
    files: Mapping[str, bytes]  # by page
    due: Collection[str]  # the pages that this run stores
    # What people call the commits that the memory names, as far as it was read.
    refs: dict[str, str] = field(default_factory=dict)

    @cached_property
    def of_due(self) -> dict[str, Memory]:
        """The memory of the pages that are due."""
        return self._read(page for page in self.files if page in self.due)

    @cached_property
    def of_others(self) -> dict[str, Memory]:
        """The memory of all other pages."""
        return self._read(page for page in self.files if page not in self.due)

    def find(self, code: str) -> Place | None:
        """Where the English of a digest stood, by what any page's memory says."""
        if len(self.due) > FEW:
            return self._places.get(code)
        # Only files that name the digest can say anything of it.
        naming = [page for page, data in self.files.items() if code.encode() in data]
        return _index(self._read(naming)).get(code)

    @cached_property
    def _places(self) -> dict[str, Place]:
        return _index(self.of_due | self.of_others)

    def _read(self, pages: Iterable[str]) -> dict[str, Memory]:
        memories = self.work.read_memories(
            self.upstream, {page: self.files[page] for page in pages}
        )
        for memory in memories.values():
            self.refs |= memory.known_refs
        return memories


def _index(memories: Mapping[str, Memory]) -> dict[str, Place]:
    # Where several pages had a text, the first one by name counts: not the one that was read first.
    return index_places(memories[page] for page in sorted(memories))
