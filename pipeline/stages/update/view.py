"""Conversion of the shared memory for a run of a release beside the pin.

The memory files of an upstream are in the state of its pin. A run of another release converts a
memory when it reads or writes the file. ``core.memory.releases`` does the conversion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pipeline.core.memory.record import Memory, digest, layout_of
from pipeline.core.memory.releases import at_release, fold
from pipeline.core.pin.lock import Lock
from pipeline.entries import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseView:
    """The shared memory as one release beside the pin reads and writes it.

    ``wanted`` returns the entries that a page needs at the release, or None without such a page.
    """

    lock: Lock
    wanted: Callable[[str], Sequence[Entry] | None]

    def read(self, shared: Memory) -> Memory:
        """Return a page's memory at the release."""
        wanted = self.wanted(shared.page) or ()
        codes = dict.fromkeys(digest(entry.msgid) for entry in wanted)
        head = Memory(
            upstream=shared.upstream,
            locale=shared.locale,
            page=shared.page,
            commit=self.lock.commit,
            ref=self.lock.ref,
            layout=layout_of(wanted),
            entries=tuple(Entry(msgid=code) for code in codes),
        )
        return at_release(shared, head)

    def write(self, shared: Memory, own: Memory) -> Memory:
        """Return the shared memory with the work of ``own``, the page's memory at the release."""
        return fold(shared, own)
