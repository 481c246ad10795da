"""State of a locale's memory between runs.

For each page, the state has the memory file as the last run in this clone opened or stored it. It
also has the digest of the catalogue that agreed with that memory file. The memory file is the base
of the next three-way merge. If both files of a page are still the same, the page needs no work.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from pipeline.adapters.files import read_own, write_if_changed
from pipeline.paths import Paths

_SIZE = 20  # length of a digest in bytes
_BRANCH = ""  # key of the branch; the other keys are page names, which are never empty


class Agreed(NamedTuple):
    """The two files of a page when they agreed; a JSON array in the file."""

    memory: str  # content of the memory file
    catalog: str  # digest of the catalogue; empty if no catalogue agreed
    # Digest of a memory file that a run was about to write in place of the file from git.
    pending: str = ""


class Branch(NamedTuple):
    """The branch that git had checked out in the last run; a JSON array in the file."""

    head: str
    has_catalogs: bool  # whether the branch commits catalogues; most branches do not


class State(Struct):
    """The files of each page when they last agreed in this clone, and the branch."""

    pages: dict[str, Agreed]
    branch: Branch | None = None  # None if no run has recorded it

    def agrees(self, page: str, catalog: bytes | None, memory: bytes | None) -> bool:
        """Return whether both files are unchanged since they agreed."""
        known = self.pages.get(page)
        is_same = known is not None and known.memory == _text(memory)
        return is_same and self.has_stored(page, catalog)

    def has_stored(self, page: str, catalog: bytes | None) -> bool:
        """Return whether the memory in the state agrees with ``catalog``.

        The memory file itself may have changed since.
        """
        known = self.pages.get(page)
        return known is not None and known.catalog == _digest_of_file(catalog) != ""

    def base(self, page: str) -> bytes | None:
        """Return the memory file that is the base of the next merge, or None if unknown."""
        known = self.pages.get(page)
        if known is None:
            return None
        return known.memory.encode("utf-8", "surrogateescape")

    def keep(self, page: str, memory: bytes, catalog: bytes | None) -> None:
        """Make ``memory`` the base. ``catalog`` is the catalogue that agrees with it, if any."""
        self.pages[page] = Agreed(memory=_text(memory), catalog=_digest_of_file(catalog))

    def announce(self, page: str, memory: bytes) -> None:
        """Record that ``memory`` is about to replace a file that git has checked out."""
        known = self.pages.get(page)
        if known is not None:
            self.pages[page] = known._replace(pending=_digest_of_file(memory))

    def has_announced(self, page: str, memory: bytes) -> bool:
        """Return whether ``memory`` is the file that an interrupted run was writing."""
        known = self.pages.get(page)
        return known is not None and known.pending == _digest_of_file(memory)

    def restamp(self, page: str, before: bytes, memory: bytes) -> None:
        """Replace the base ``before`` by ``memory``, which has the same content."""
        known = self.pages.get(page)
        if known is not None and known.memory == _text(before):
            self.pages[page] = known._replace(memory=_text(memory))

    def forget(self, pages: Iterable[str]) -> None:
        """Remove pages whose memory file is gone, or will be removed now."""
        for page in pages:
            self.pages.pop(page, None)

    def write(self, paths: Paths, locale: str, *, dry: bool) -> None:
        """Save the state for the next run. Raises WriteError."""
        rows: dict[str, tuple[str, ...] | Branch] = {**self.pages}
        if self.branch is not None:
            rows[_BRANCH] = self.branch
        data = json.dumps(rows, sort_keys=True).encode("ascii")
        write_if_changed(paths.memory_state(locale), data, dry=dry)


def read_state(paths: Paths, locale: str) -> State:
    """Return the state that the last run saved; an empty one if it is missing or invalid.

    Without a state, entries are merged without a base. Even then, no translation is lost.
    """
    try:
        pages = json.loads(read_own(paths.memory_state(locale)) or b"")
        branch = Branch(*pages.pop(_BRANCH)) if _BRANCH in pages else None
        # Somebody may have edited the file. Unexpected JSON raises one of the errors below.
        known = {}
        for page, texts in pages.items():
            known[page] = Agreed(*map(str, texts))
        return State(known, branch)
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return State({})  # the first run, or a damaged file


def _digest_of_file(data: bytes | None) -> str:
    if data is None:
        return ""
    return hashlib.blake2b(data, digest_size=_SIZE).hexdigest()


def _text(data: bytes | None) -> str:
    # With surrogateescape, no byte is lost if the file is not UTF-8.
    return "" if data is None else data.decode("utf-8", "surrogateescape")
