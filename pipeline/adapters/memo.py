"""What earlier runs have found out: a value per subject, with a digest of all it was made from.

A stage that is asked for a subject makes its key first, from all that it would read (``digest_of``;
our own code is part of it: ``code_digest``). If the memo has the subject under that key, the work
is done already. A memo never holds what cannot be made again: a file that is missing, damaged or of
an older version is an empty one.
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

_SIZE = 20  # bytes of a digest
_SUFFIXES = (".py", ".js", ".css", ".svg", ".html", ".j2", ".toml")

# By subject a key and the value as it was written.
_FILE = msgspec.json.Decoder(dict[str, tuple[str, msgspec.Raw]])
_UNREADABLE = (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_NOT_JSON = (msgspec.MsgspecError, RecursionError, ValueError, OverflowError)

Value = TypeVar("Value")


class Memo(Generic[Value]):
    """The memo at ``path``. Values are records, or plain ones, of the given type.

    One file holds all subjects: it is read at once, and written by ``save``. A value is made of it
    when it is asked for, since most runs come for a page or two.
    """

    def __init__(self, path: Path, of: type[Value]) -> None:
        self._path = path
        self._decoder = msgspec.json.Decoder(of)
        # A value that this run has kept stays a record until it is written.
        self._known: dict[str, tuple[str, msgspec.Raw | Value]] = {}
        self._values: dict[str, Value] = {}  # those that were asked for
        # Without a file, or with one of another version, everything is found out again.
        with suppress(*_UNREADABLE):
            self._known = {**_FILE.decode(path.read_bytes())}

    def recall(self, subject: str, *keys: str) -> Value | None:
        """The value of ``subject``, if it was made from what one of ``keys`` stands for."""
        known = self._known.get(subject)
        if known is None or known[0] not in keys:
            return None
        return self._value(subject)

    def keep(self, subject: str, key: str, value: Value) -> None:
        """Know ``value`` from now on. Call it when all that the value tells of is written."""
        self._known[subject] = (key, value)
        self._values[subject] = value

    def items(self) -> Iterator[tuple[str, Value]]:
        """Every subject with its value, whatever it was made from."""
        for subject in self._known:
            value = self._value(subject)
            if value is not None:
                yield subject, value

    def keep_only(self, subjects: Collection[str]) -> None:
        """Forget all other subjects."""
        wanted = frozenset(subjects)
        self._known = {
            subject: known
            for subject, known in self._known.items()
            if subject in wanted
        }

    def save(self) -> bool:
        """Write the memo, if it changed; return whether it did. Raises WriteError.

        A value that has no JSON, for a lone surrogate in it, is found out again by the next run.
        """
        # Sorted, so that equal knowledge is an equal file in whatever order it was found out. Only
        # the subjects are: the order within a value, of a header's fields for one, belongs to it.
        known = {subject: self._known[subject] for subject in sorted(self._known)}
        try:
            data = msgspec.json.encode(known)
        except _NOT_JSON:
            storable = {name: kept for name, kept in known.items() if _has_json(kept)}
            data = msgspec.json.encode(storable)
        return write_if_changed(self._path, data)

    def _value(self, subject: str) -> Value | None:
        """What was written; nothing if another version of our code has written it."""
        value = self._known[subject][1]
        if isinstance(value, msgspec.Raw) and subject not in self._values:
            with suppress(*_UNREADABLE):
                self._values[subject] = self._decoder.decode(value)
        return self._values.get(subject)


def _has_json(value: object) -> bool:
    """Return whether a value can be written as JSON: one with a lone surrogate cannot."""
    try:
        msgspec.json.encode(value)
    except _NOT_JSON:
        return False
    return True


def digest_of(*parts: bytes | str) -> str:
    """The digest (40 hex digits) of a sequence of values. Text counts as its UTF-8."""
    digest = hashlib.blake2b(digest_size=_SIZE)
    for part in parts:
        data = (
            part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        )
        # With its length before each, ("a", "bc") and ("ab", "c") are two sequences.
        digest.update(b"%d\0" % len(data))
        digest.update(data)
    return digest.hexdigest()


def digests_of_files(folder: Path, suffix: str) -> dict[str, str]:
    """The digest of each file below ``folder`` with ``suffix`` (``.po``), by its path in it."""
    return {
        path: digest_of(data)
        for path, data in _files_below(folder, suffixes=(suffix,)).items()
    }


@cache
def code_digest(libraries: Sequence[str] = ()) -> str:
    """The digest of our own code and templates, and of the versions of ``libraries`` (a tuple)."""
    return digest_of(_digest_of_own_code(), *versions_of(libraries))


def versions_of(libraries: Sequence[str]) -> list[str]:
    """The names of ``libraries``, each with its version behind it."""
    parts: list[str] = []
    for name in libraries:
        try:
            parts += [name, version(name)]
        except PackageNotFoundError:
            # What needs it says so; once it is there, everything is made anew.
            parts += [name, ""]
    return parts


@cache
def _digest_of_own_code() -> str:
    """The digest of our own code and templates: read once, whatever it is asked for with."""
    parts: list[bytes | str] = []
    folder = Path(pipeline.__file__).parent
    for path, data in _files_below(folder, suffixes=_SUFFIXES).items():
        parts += [path, data]
    return digest_of(*parts)


def _files_below(folder: Path, *, suffixes: tuple[str, ...]) -> dict[str, bytes]:
    """The content of every file below ``folder`` with one of ``suffixes``, in order.

    They are named by their path in it: ``guide/jit.po``.

    Every run asks for this before it does anything, so that ``os.walk`` it is: with ``Path.rglob``,
    listing the files takes longer than reading them.
    """
    paths: list[str] = []
    for place, _, names in os.walk(folder):
        paths += [
            os.path.join(place, name) for name in names if name.endswith(suffixes)
        ]
    found: dict[str, bytes] = {}
    for path in sorted(paths):
        if os.path.isfile(path):  # not a link that leads nowhere
            found[path.removeprefix(f"{folder}/")] = Path(path).read_bytes()
    return found
