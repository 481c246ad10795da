"""What the memory held when it was last opened or stored here: the base of the next merge.

A page is as it was left if both of its files are what this tells. If the memory has changed since,
its text of that time says who has changed what.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from pipeline.adapters.files import write_if_changed
from pipeline.paths import Paths

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
        return known is not None and known[:2] == (_text(memory), _digest(catalog))

    def has_stored(self, page: str, catalog: bytes | None) -> bool:
        """Whether all of a catalogue was stored, in whatever memory that was."""
        known = self.pages.get(page)
        return known is not None and known.catalog == _digest(catalog) != ""

    def base(self, page: str) -> bytes | None:
        """The memory file that both sides started from; None if it is not known."""
        # The text itself is kept, not a digest: a merge needs what stood there.
        known = self.pages.get(page)
        if known is None:
            return None
        return known.memory.encode("utf-8", "surrogateescape")

    def keep(self, page: str, memory: bytes, catalog: bytes | None) -> None:
        """Let both sides start from ``memory``; ``catalog`` agrees with it, if one does."""
        self.pages[page] = Agreed(memory=_text(memory), catalog=_digest(catalog))

    def announce(self, page: str, memory: bytes) -> None:
        """Tell that ``memory`` is about to be written, in place of what git has put there."""
        known = self.pages.get(page)
        if known is not None:
            self.pages[page] = known._replace(pending=_digest(memory))

    def has_announced(self, page: str, memory: bytes) -> bool:
        """Whether ``memory`` is what a run had begun to write when it was killed."""
        known = self.pages.get(page)
        return known is not None and known.pending == _digest(memory)

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


def _digest(data: bytes | None) -> str:
    if data is None:
        return ""
    return hashlib.blake2b(data, digest_size=_SIZE).hexdigest()


def _text(data: bytes | None) -> str:
    # A memory file that is not UTF-8 comes back as the same bytes.
    return "" if data is None else data.decode("utf-8", "surrogateescape")
