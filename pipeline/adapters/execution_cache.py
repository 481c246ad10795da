"""Cache of the outputs of executed pages.

Each page has one file, named by the digest of everything that its outputs depend on. Several runs,
even on several machines, may share the folder without locks. Files are written atomically, and each
contains a digest of its content. A page without a valid file is executed again.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pipeline.adapters import files
from pipeline.errors import InputError
from pipeline.limits import OWN_BYTES

# SHA-256 of everything that the outputs depend on.
KEY = re.compile(r"[0-9a-f]{64}")
# A file is JSON with the entry on separate lines: {"digest": "…", "entry":⏎ … }⏎
HEAD, MIDDLE, TAIL = b'{"digest": "', b'", "entry":\n', b"}\n"
DIGEST_LENGTH = 64
# In seconds. A temporary file that seems less than an hour old may be in use, because the clocks of
# machines may differ by an hour.
HOUR = 3600.0
# Errors of reading a path that is no file.
_MISSING = (FileNotFoundError, NotADirectoryError, IsADirectoryError)


class ExecutionCache:
    """Cache of executed outputs in ``folder``, limited to ``limit`` bytes by ``trim``.

    An entry is any JSON, as bytes. Damaged entries are removed; ``damaged`` has their keys.
    """

    def __init__(self, folder: Path, *, limit: int) -> None:
        self.folder = folder
        self.limit = limit
        self.damaged: list[str] = []
        self._used: set[str] = set()

    def get(self, key: str) -> bytes | None:
        """Return the entry of ``key`` and mark it as used; None if it is missing or damaged."""
        path = self._path(key)
        entry = self.peek(key)
        if entry is None:
            if self._is_damaged(key):
                self.reject(key)
            return None
        self._used.add(key)
        # Another run may have removed the file, or the folder may be read-only.
        with suppress(OSError):
            # Update the time of last use at most once an hour. So a run that finds all pages in
            # the cache usually writes nothing.
            if path.stat().st_mtime < time.time() - HOUR:
                os.utime(path)
        return entry

    def peek(self, key: str) -> bytes | None:
        """Return the entry of ``key``, or None. Unlike ``get``, change nothing in the folder."""
        return _unframed(key, files.read_own(self._path(key)))

    def put(self, key: str, entry: bytes) -> None:
        """Store ``entry``; replace an older entry of ``key``. Raises WriteError."""
        files.write_atomic(self._path(key), _framed(key, entry))
        self._used.add(key)

    def reject(self, key: str) -> None:
        """Remove an invalid entry and record its key in ``damaged``."""
        self.damaged.append(key)
        self._used.discard(key)
        with suppress(OSError):
            self._path(key).unlink(missing_ok=True)

    def trim(self) -> int:
        """Remove the least recently used entries until the rest is within the limit.

        Return the number of removed entries. Entries that this run has used stay. Temporary files
        of interrupted runs are removed too.
        """
        for path in self._leftovers(age=HOUR):
            with suppress(OSError):
                path.unlink()
        # Entries with the same time of last use are sorted by key, so that every machine removes
        # the same ones.
        rows = sorted(self._rows())
        excess = sum(size for _, _, size in rows) - self.limit
        removed = 0
        for _, key, size in rows:
            if excess <= 0:
                break
            if key in self._used:
                continue
            with suppress(OSError):
                self._path(key).unlink()
                removed += 1
            excess -= size
        return removed

    def all_keys(self) -> tuple[str, ...]:
        """Return the keys of all entries, sorted."""
        return tuple(sorted(path.stem for path in self._files()))

    def size(self) -> int:
        """Return the size of all entries in bytes."""
        return sum(size for _, _, size in self._rows())

    def clear(self) -> int:
        """Remove all entries and temporary files. Raises WriteError.

        Return the number of removed entries.
        """
        entries = tuple(self._files())
        files.remove_files([*entries, *self._leftovers(age=0.0)])
        return len(entries)

    def verify(self) -> tuple[str, ...]:
        """Remove the damaged entries and return their keys. Mark no entry as used."""
        for key in filter(self._is_damaged, self.all_keys()):
            self.reject(key)
        return tuple(self.damaged)

    def _is_damaged(self, key: str) -> bool:
        """Return whether an entry is invalid: not if another run has removed its file."""
        try:
            data = files.read_bytes(self._path(key), limit=OWN_BYTES)
        except InputError as error:
            return not isinstance(error.__cause__, _MISSING)
        return _unframed(key, data) is None

    def _path(self, key: str) -> Path:
        if not KEY.fullmatch(key):
            raise ValueError(f"not a key: {key!r}")
        return self.folder / key[:2] / f"{key}.json"

    def _files(self) -> Iterator[Path]:
        for path in self.folder.glob("[0-9a-f][0-9a-f]/*.json"):
            if KEY.fullmatch(path.stem):
                yield path

    def _rows(self) -> Iterator[tuple[float, str, int]]:
        """Yield time of last use (in seconds since the epoch), key and size of each entry."""
        now = time.time()
        for path in self._files():
            with suppress(OSError):
                facts = path.stat()
                used = facts.st_mtime
                if used > now + HOUR:
                    # A clock was wrong. ``trim`` would remove an entry with a time in the future
                    # last, so set the time to now.
                    os.utime(path, (now, now))
                    used = now
                yield used, path.stem, facts.st_size

    def _leftovers(self, *, age: float) -> Iterator[Path]:
        """Yield temporary files whose last change is at least ``age`` seconds ago."""
        now = time.time()
        for path in [
            *self.folder.glob("[0-9a-f][0-9a-f]/.*.tmp"),
            *self.folder.glob(".*.tmp"),
        ]:
            with suppress(OSError):
                if abs(now - path.stat().st_mtime) >= age:
                    yield path


def _framed(key: str, entry: bytes) -> bytes:
    """Return the content of the file for ``entry``."""
    return b"".join((HEAD, _digest(key, entry), MIDDLE, entry, TAIL))


def _unframed(key: str, data: bytes | None) -> bytes | None:
    """Return the entry in the file content ``data``; None if its digest is wrong.

    The digest also covers the key, so a file under a wrong name is invalid.
    """
    if data is None:
        return None
    start = len(HEAD) + DIGEST_LENGTH + len(MIDDLE)
    entry = data[start : -len(TAIL)]
    return entry if data == _framed(key, entry) else None


def _digest(key: str, entry: bytes) -> bytes:
    return hashlib.sha256(key.encode("ascii") + b"\n" + entry).hexdigest().encode("ascii")
