"""Memo: a cache of earlier results, each stored with the digest of all its inputs.

A subject, such as the page ``guide/jit``, has one value. Before a stage works on a subject, it
computes a key: the digest (``digest_of``) of everything that it would read, including the
pipeline's own code (``code_digest``). If the memo has a value with this key, the stage skips the
work. A memo can be deleted at any time. A file that is missing, damaged or of another version
counts as empty.
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
from pipeline.adapters.files import read_own, write_if_changed

_SIZE = 20  # length of a digest in bytes
_SUFFIXES = (".py", ".js", ".css", ".svg", ".html", ".j2", ".toml")

# The content of the file: for each subject its key, and its value in JSON.
_FILE = msgspec.json.Decoder(dict[str, tuple[str, msgspec.Raw]])
_UNREADABLE = (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_NOT_JSON = (msgspec.MsgspecError, RecursionError, ValueError, OverflowError)

Value = TypeVar("Value")


class Memo(Generic[Value]):
    """Cache in the file ``path``. ``of`` is the type of its values, such as a record or ``str``.

    The constructor reads the whole file, and ``save`` writes it. Each value is decoded when it is
    first used, because most runs use only a few of them.
    """

    def __init__(self, path: Path, of: type[Value]) -> None:
        self._path = path
        self._decoder = msgspec.json.Decoder(of)
        # For each subject: the key, and the value. A value from the file is JSON until ``_value``
        # decodes it. A value that this run has put is not JSON until ``save`` encodes it.
        self._known: dict[str, tuple[str, msgspec.Raw | Value]] = {}
        self._values: dict[str, Value] = {}  # decoded values by subject
        # Without a readable file, the memo is empty, so everything is computed again.
        with suppress(*_UNREADABLE):
            self._known = {**_FILE.decode(read_own(path) or b"")}

    def get(self, subject: str, *keys: str) -> Value | None:
        """Return the value of ``subject`` if it was made with one of ``keys``, or None."""
        known = self._known.get(subject)
        if known is None or known[0] not in keys:
            return None
        return self._value(subject)

    def put(self, subject: str, key: str, value: Value) -> None:
        """Store the ``value`` of ``subject``, computed from inputs with the digest ``key``.

        If the value describes files, write the files first: a run may be killed in between.
        """
        self._known[subject] = (key, value)
        self._values[subject] = value

    def items(self) -> Iterator[tuple[str, Value]]:
        """Yield every subject with its value, whatever its key."""
        for subject in self._known:
            value = self._value(subject)
            if value is not None:
                yield subject, value

    def keep_only(self, subjects: Collection[str]) -> None:
        """Remove all subjects except ``subjects``."""
        wanted = frozenset(subjects)
        self._known = {
            subject: known for subject, known in self._known.items() if subject in wanted
        }

    def save(self) -> bool:
        """Write the memo if it changed; return whether it did. Raises WriteError.

        Values with a lone surrogate cannot be written as JSON. They are left out, so the next run
        computes them again.
        """
        # Sort the subjects, so that equal memos are equal files. Keep the order inside each value,
        # because it may matter: for example, the order of the fields in a header.
        known = {subject: self._known[subject] for subject in sorted(self._known)}
        try:
            data = msgspec.json.encode(known)
        except _NOT_JSON:
            storable = {name: kept for name, kept in known.items() if _has_json(kept)}
            data = msgspec.json.encode(storable)
        return write_if_changed(self._path, data)

    def _value(self, subject: str) -> Value | None:
        """Return the decoded value of ``subject``; None if its JSON does not fit the type."""
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
    """Return the digest (40 hex digits) of a sequence of values; text is encoded as UTF-8."""
    digest = hashlib.blake2b(digest_size=_SIZE)
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        # The length before each value makes the digests of ("a", "bc") and ("ab", "c") differ.
        digest.update(b"%d\0" % len(data))
        digest.update(data)
    return digest.hexdigest()


def digest_of_stamps(*paths: Path) -> str:
    """Return a digest of the sizes and modification times of files. A file may be missing."""
    stamps: list[str] = []
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            stamps.append("")
        else:
            stamps.append(f"{status.st_size} {status.st_mtime_ns}")
    return digest_of(*stamps)


@cache
def code_digest(libraries: Sequence[str] = ()) -> str:
    """Return the digest of the pipeline's code and of the versions of ``libraries``.

    Results are cached, so ``libraries`` must be a tuple.
    """
    return digest_of(_digest_of_own_code(), *versions_of(libraries))


def versions_of(libraries: Sequence[str]) -> list[str]:
    """Return the names of ``libraries``, each followed by its version."""
    parts: list[str] = []
    for name in libraries:
        try:
            parts += [name, version(name)]
        except PackageNotFoundError:
            # The code that needs the library reports that it is missing. Installing it changes the
            # digest.
            parts += [name, ""]
    return parts


@cache
def _digest_of_own_code() -> str:
    """Return the digest of the pipeline's own code and templates, with the names of the files.

    Every run calls this function first, so it must be fast: listing the files with ``Path.rglob``
    would take longer than reading them.
    """
    folder = os.path.dirname(pipeline.__file__)
    paths: list[str] = []
    for place, _, names in os.walk(folder):
        paths += [os.path.join(place, name) for name in names]
    parts: list[bytes | str] = []
    for path in sorted(paths):
        if path.endswith(_SUFFIXES) and os.path.isfile(path):  # skip dangling links
            parts += [path.removeprefix(f"{folder}/"), Path(path).read_bytes()]
    return digest_of(*parts)
