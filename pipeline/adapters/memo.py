"""Cache of earlier results, one value per subject, with the digest of all its inputs.

A stage first computes a key from everything it would read (``digest_of``), including the pipeline's
own code (``code_digest``). If the memo has the subject with this key, the work can be skipped. The
invariant: a memo is safe to delete. A file that is missing, damaged or of an older version counts
as empty.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

import pipeline
from pipeline.adapters.files import write_if_changed

_SIZE = 20  # length of a digest in bytes
_SUFFIXES = (".py", ".js", ".css", ".svg", ".html", ".j2", ".toml")

# By subject: the key, and the value in JSON.
_FILE = msgspec.json.Decoder(dict[str, tuple[str, msgspec.Raw]])
_UNREADABLE = (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_NOT_JSON = (msgspec.MsgspecError, RecursionError, ValueError, OverflowError)

Value = TypeVar("Value")


class Memo(Generic[Value]):
    """Cache in the file ``path`` with values of the given type: a record or a plain type.

    One file has all subjects. It is read at once and written by ``save``. Values are decoded on
    demand, because most runs use only a few.
    """

    def __init__(self, path: Path, of: type[Value]) -> None:
        self._path = path
        self._decoder = msgspec.json.Decoder(of)
        # Values kept by this run are encoded only when the file is written.
        self._known: dict[str, tuple[str, msgspec.Raw | Value]] = {}
        self._values: dict[str, Value] = {}  # decoded values
        # If the file is missing or of another version, everything is computed again.
        with suppress(*_UNREADABLE):
            self._known = {**_FILE.decode(path.read_bytes())}

    def get(self, subject: str, *keys: str) -> Value | None:
        """Return the value of ``subject`` if it was made with one of ``keys``, or None."""
        known = self._known.get(subject)
        if known is None or known[0] not in keys:
            return None
        return self._value(subject)

    def put(self, subject: str, key: str, value: Value) -> None:
        """Store ``value``. Call this after everything that the value describes is written."""
        self._known[subject] = (key, value)
        self._values[subject] = value

    def items(self) -> Iterator[tuple[str, Value]]:
        """Yield every subject with its value, whatever its key."""
        for subject in self._known:
            value = self._value(subject)
            if value is not None:
                yield subject, value

    def keep_only(self, subjects: Collection[str]) -> None:
        """Remove all other subjects."""
        wanted = frozenset(subjects)
        self._known = {
            subject: known
            for subject, known in self._known.items()
            if subject in wanted
        }

    def save(self) -> bool:
        """Write the memo if it changed; return whether it did. Raises WriteError.

        Values that have no JSON form, because of a lone surrogate, are left out and computed again.
        """
        # Subjects are sorted, so that equal memos are equal files. The order inside a value is
        # kept, because it may be significant, as for the fields of a header.
        known = {subject: self._known[subject] for subject in sorted(self._known)}
        try:
            data = msgspec.json.encode(known)
        except _NOT_JSON:
            storable = {name: kept for name, kept in known.items() if _has_json(kept)}
            data = msgspec.json.encode(storable)
        return write_if_changed(self._path, data)

    def _value(self, subject: str) -> Value | None:
        """Return the decoded value; None if it has another version's format."""
        value = self._known[subject][1]
        if isinstance(value, msgspec.Raw) and subject not in self._values:
            with suppress(*_UNREADABLE):
                self._values[subject] = self._decoder.decode(value)
        return self._values.get(subject)


def _has_json(value: object) -> bool:
    """Return whether a value can be written as JSON; one with a lone surrogate cannot."""
    try:
        msgspec.json.encode(value)
    except _NOT_JSON:
        return False
    return True


def digest_of(*parts: bytes | str) -> str:
    """Return the digest (40 hex digits) of a sequence of values; text counts as its UTF-8."""
    digest = hashlib.blake2b(digest_size=_SIZE)
    for part in parts:
        data = (
            part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        )
        # With the length before each value, ("a", "bc") and ("ab", "c") are different.
        digest.update(b"%d\0" % len(data))
        digest.update(data)
    return digest.hexdigest()


@cache
def code_digest(libraries: Sequence[str] = ()) -> str:
    """Return the digest of the pipeline's code and the versions of ``libraries`` (a tuple)."""
    return digest_of(_digest_of_own_code(), *versions_of(libraries))


def versions_of(libraries: Sequence[str]) -> list[str]:
    """Return the names of ``libraries``, each followed by its version."""
    parts: list[str] = []
    for name in libraries:
        try:
            parts += [name, version(name)]
        except PackageNotFoundError:
            # A missing library is reported where it is needed; installing it changes the digest.
            parts += [name, ""]
    return parts


@cache
def _digest_of_own_code() -> str:
    """Return the digest of the pipeline's own code and templates."""
    parts: list[bytes | str] = []
    folder = Path(pipeline.__file__).parent
    for path, data in _files_below(folder, suffixes=_SUFFIXES).items():
        parts += [path, data]
    return digest_of(*parts)


def _files_below(folder: Path, *, suffixes: tuple[str, ...]) -> dict[str, bytes]:
    """Return the content of every file below ``folder`` with one of ``suffixes``, sorted.

    Keys are relative paths: ``guide/jit.po``. Every run calls this before anything else.
    ``os.walk`` is used because listing the files with ``Path.rglob`` takes longer than reading
    them.
    """
    paths: list[str] = []
    for place, _, names in os.walk(folder):
        paths += [
            os.path.join(place, name) for name in names if name.endswith(suffixes)
        ]
    found: dict[str, bytes] = {}
    for path in sorted(paths):
        if os.path.isfile(path):  # skip dangling links
            found[path.removeprefix(f"{folder}/")] = Path(path).read_bytes()
    return found
