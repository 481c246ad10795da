"""What earlier runs have found out: a value per subject, with a digest of all it was made from.

A stage that is asked for a subject makes its key first, from all that it would read (``digest_of``;
our own code is part of it: ``code_digest``). If the memo has the subject under that key, the work
is done already. A memo never holds what cannot be made again: a file that is missing, damaged or of
an older version is an empty one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

import pipeline
from pipeline.adapters.files import write_if_changed

_SIZE = 20  # bytes of a digest
_SUFFIXES = (".py", ".js", ".css", ".svg", ".html", ".j2")

Value = TypeVar("Value")


class Memo(Generic[Value]):
    """The memo at ``path``. Values are records, or plain ones, of the given type.

    One file holds all subjects, since they are asked for together; it is read at once and written
    by ``save``.
    """

    def __init__(self, path: Path, of: type[Value]) -> None:
        self._path = path
        self._of = of
        self._decoder = msgspec.json.Decoder(dict[str, tuple[str, of]])  # type: ignore[valid-type]
        self._known: dict[str, tuple[str, Value]] = {}
        # Without a file, or with one of another version, everything is found out again.
        with suppress(OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            self._known = self._decoder.decode(path.read_bytes())

    def recall(self, subject: str, key: str) -> Value | None:
        """The value of ``subject``, if it was made from what ``key`` stands for."""
        known = self._known.get(subject)
        if known is None or known[0] != key:
            return None
        return known[1]

    def keep(self, subject: str, key: str, value: Value) -> None:
        """Know ``value`` from now on. Call it when all that the value tells of is written."""
        self._known[subject] = (key, value)

    def can_hold(self, value: Value) -> bool:
        """Whether ``value`` would come back as it is.

        Values that were read from JSON may hold more than is written as JSON again: NaN, numbers of
        any length, halves of pairs of surrogates.
        """
        try:
            return (
                msgspec.json.decode(msgspec.json.encode(value), type=self._of) == value
            )
        except (msgspec.MsgspecError, RecursionError, ValueError, OverflowError):
            return False

    def items(self) -> list[tuple[str, Value]]:
        """Every subject with its value, whatever it was made from."""
        return [(subject, known[1]) for subject, known in self._known.items()]

    def keep_only(self, subjects: Collection[str]) -> None:
        """Forget all other subjects."""
        wanted = frozenset(subjects)
        self._known = {
            subject: known
            for subject, known in self._known.items()
            if subject in wanted
        }

    def save(self) -> bool:
        """Write the memo, if it changed; return whether it did. Raises WriteError."""
        # Sorted, so that equal knowledge is an equal file in whatever order it was found out. Only
        # the subjects are: the order within a value, of a header's fields for one, belongs to it.
        known = {subject: self._known[subject] for subject in sorted(self._known)}
        return write_if_changed(self._path, msgspec.json.encode(known))


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


def digest_of_files(folder: Path, suffix: str) -> str:
    """The digest of every file below ``folder`` with ``suffix`` (``.po``), with its name."""
    return digest_of(*_files_below(folder, suffixes=(suffix,)))


@cache
def code_digest(libraries: Sequence[str] = ()) -> str:
    """The digest of our own code and templates, and of the versions of ``libraries`` (a tuple)."""
    parts: list[bytes | str] = []
    for name in libraries:
        try:
            parts += [name, version(name)]
        except PackageNotFoundError:
            # What needs it says so; once it is there, everything is made anew.
            parts += [name, ""]
    return digest_of(_digest_of_own_code(), *parts)


@cache
def _digest_of_own_code() -> str:
    """The digest of our own code and templates: read once, whatever it is asked for with."""
    return digest_of(*_files_below(Path(pipeline.__file__).parent, suffixes=_SUFFIXES))


def _files_below(folder: Path, *, suffixes: tuple[str, ...]) -> list[bytes | str]:
    """The name and the content of every file below ``folder`` with one of ``suffixes``, in order.

    Every run asks for this before it does anything, so that ``os.walk`` it is: with ``Path.rglob``,
    listing the files takes longer than reading them.
    """
    paths: list[str] = []
    for place, _, names in os.walk(folder):
        paths += [
            os.path.join(place, name) for name in names if name.endswith(suffixes)
        ]
    parts: list[bytes | str] = []
    for path in sorted(paths):
        if not os.path.isfile(path):  # a link that leads nowhere
            continue
        parts += [path[len(str(folder)) :], Path(path).read_bytes()]
    return parts
