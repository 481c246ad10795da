"""Conversion of the shared memory for a run of a release beside the pin.

The memory files describe the pinned release. A run of another release ("beside the pin") converts
each memory when it reads or writes the file. ``core.memory.releases`` does the conversion.
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
    """Converter of the shared memory for one release beside the pin.

    ``wanted`` returns the entries that a page needs at the release; None if it lacks the page.
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
        """Return the shared memory with the translations of ``own``, the memory at the release."""
        return fold(shared, own)
