"""``objects.inv``, the list that a Sphinx site has of what it documents: bytes ↔ objects.

Sphinx and sphobjinv read it as well, but unpack whatever comes, and take any address. Here the
bytes are bounded, and what could lead off the site, or is no plain name, is refused by name.
"""

from __future__ import annotations

import posixpath
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pipeline.errors import InputError
from pipeline.findings import Finding, Severity

MOST_PACKED, MOST = 8 << 20, 64 << 20  # bytes; that of Python takes 140 kB, and 1.3 MB
_LONGEST = 1000  # bytes of a line; a pattern must not be tried on more
_MAGIC = b"# Sphinx inventory version 2"
_HEAD_LINES = 4
# name  domain:role  priority  address  words: only the words may be left out, and the name alone
# and the words may hold spaces.
_LINE = re.compile(
    r"(?P<name>\S(?:.*?\S)??)\s+(?P<role>\S+:\S+)\s+-?\d+\s+(?P<address>\S+)(?:\s.*)?"
)
_ROLE = re.compile(r"[\w-]+(?::[\w-]+)+")
# What no terminal and no file of ours should get.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_TAG = re.compile(r"<[A-Za-z/!?]")
# std::vector<bool> and --output <file> are names.
_WITH_ANGLES = ("cpp:", "std:cmdoption")


@dataclass(frozen=True, slots=True, order=True)
class Documented:
    """An object that a site documents. ``address`` is relative to the site's root."""

    role: str  # with its domain: "py:function"
    name: str
    address: str  # "generated/numpy.sin.html#numpy.sin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """What a site documents; ``refused`` are entries that are none, as they stand there."""

    release: str  # "NumPy 2.2", as the site calls itself
    objects: tuple[Documented, ...]
    refused: tuple[str, ...] = ()


def read_inventory(data: bytes, *, where: str) -> Inventory:
    """The objects of an inventory, in its order. ``where`` names it in complaints.

    Raises InputError for what is none, or unpacks to more than ``MOST`` bytes.
    """
    project, version, text = _unpacked(data, where)
    objects: list[Documented] = []
    refused: list[str] = []
    for line in text.split(b"\n"):
        # As Sphinx does, pass over what is no entry.
        match = _LINE.fullmatch(_decoded(line)) if len(line) <= _LONGEST else None
        if not match:
            continue
        name, address = match["name"], _whole(match["address"], match["name"])
        if is_plain(match["role"], name) and is_inside(address):
            objects.append(Documented(match["role"], name, address))
        else:
            refused.append(f"{name} {address}")
    release = f"{project} {version}".strip()
    return Inventory(release=release, objects=tuple(objects), refused=tuple(refused))


def _unpacked(data: bytes, where: str) -> tuple[str, str, bytes]:
    """Project, version and lines."""
    if len(data) > MOST_PACKED:
        raise _malformed(f"takes more than {MOST_PACKED >> 20} MiB", where)
    lines = data.split(b"\n", _HEAD_LINES)
    if lines[0].rstrip() != _MAGIC:
        raise _malformed("is no inventory of Sphinx (version 2)", where)
    if len(lines) <= _HEAD_LINES or b"zlib" not in lines[_HEAD_LINES - 1]:
        raise _malformed("is an inventory without its head", where)
    unpacking = zlib.decompressobj()
    try:
        # A few kilobytes may unpack to gigabytes: never more than is wanted.
        text = unpacking.decompress(lines[_HEAD_LINES], MOST + 1)
    except zlib.error as error:
        raise _malformed(f"cannot be unpacked: {error}", where) from error
    if len(text) > MOST:
        raise _malformed(f"unpacks to more than {MOST >> 20} MiB", where)
    if not unpacking.eof:
        raise _malformed("is cut off", where)
    project, version = (_decoded(_value(line)) for line in lines[1:3])
    return _UNPRINTABLE.sub("", project), _UNPRINTABLE.sub("", version), text


def _value(line: bytes) -> bytes:
    """``# Project: NumPy`` → ``NumPy``"""
    return line.partition(b":")[2].strip()


def _decoded(data: bytes) -> str:
    """As UTF-8; bytes that are none become characters that no name has."""
    return data.decode("utf-8", errors="surrogateescape").rstrip()


def _whole(address: str, name: str) -> str:
    """An address is often shortened: ``api.html#$`` of ``lamp.on`` → ``api.html#lamp.on``"""
    return address[:-1] + name if address.endswith("$") else address


def is_plain(role: str, name: str) -> bool:
    """Whether a name is one, and no markup; ``role`` is that of its object, with a domain."""
    if not _ROLE.fullmatch(role) or _UNPRINTABLE.search(name):
        return False
    return role.startswith(_WITH_ANGLES) or not _TAG.search(name)


def is_inside(address: str) -> bool:
    """Whether an address, put behind that of a site, stays on it.

    ``api.html#lamp.on`` does; ``javascript:…``, ``//elsewhere`` and ``../other`` do not.
    """
    path = address.partition("#")[0]
    if not address or _UNPRINTABLE.search(address) or set(address) & set(' <>"'):
        return False
    if path.startswith("/") or ":" in path or "\\" in path:
        return False
    return ".." not in posixpath.normpath(path).split("/")


def format_inventory(release: str, objects: Iterable[Documented]) -> bytes:
    """The inverse of ``read_inventory``, sorted, without the words that sites show for objects."""
    return b"".join(
        (
            _MAGIC + b"\n",
            f"# Project: {release}\n# Version: \n".encode(),
            b"# The remainder of this file is compressed using zlib.\n",
            zlib.compress("".join(_lines(objects)).encode(), 9),
        )
    )


def _lines(objects: Iterable[Documented]) -> Iterator[str]:
    """``lamp.on py:function 1 api.html#lamp.on -``: a dash says that the name is shown."""
    for entry in sorted(objects):
        yield f"{entry.name} {entry.role} 1 {entry.address} -\n"


def _malformed(what: str, where: str) -> InputError:
    hint = "Nothing of it is used. Remove the file; it is fetched again by `pull`."
    return InputError(what, where=where, hint=hint)


def as_warning(error: InputError) -> Finding:
    """What is wrong with an inventory, or with the table of names: a site can do without."""
    return Finding(
        code="inventory",
        severity=Severity.WARNING,
        where=error.where,
        text=error.what,
        hint=error.hint,
    )
