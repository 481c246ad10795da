"""Parser and writer of ``objects.inv``, a Sphinx site's list of documented objects.

Sphinx and sphobjinv unpack any amount of data and accept any address. This parser limits the amount
of data. It refuses entries with markup in the name, or with an address outside of the site, and
lists the refused entries.
"""

from __future__ import annotations

import posixpath
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.errors import InputError, check_limit
from pipeline.findings import Finding, Severity
from pipeline.limits import FILE_BYTES, INVENTORY_LINE, INVENTORY_UNPACKED, MEBIBYTE

_MAGIC = b"# Sphinx inventory version 2"
_HEAD_LINES = 4
# A line: "name domain:role priority address text". The text is optional. Only the name and the text
# may contain spaces.
_LINE = re.compile(
    r"(?P<name>\S(?:.*?\S)??)\s+(?P<role>\S+:\S+)\s+-?\d+\s+(?P<address>\S+)(?:\s.*)?"
)
_ROLE = re.compile(r"[\w-]+(?::[\w-]+)+")
# Control characters and lone surrogates, which must not reach a terminal or our files.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_TAG = re.compile(r"<[A-Za-z/!?]")
# Roles whose names may look like HTML tags: std::vector<bool>, --output <file>.
_WITH_ANGLES = ("cpp:", "std:cmdoption")


@dataclass(frozen=True, slots=True, order=True)
class InventoryObject:
    """An object that a site documents."""

    role: str  # with its domain: "py:function"
    name: str
    address: str  # relative to the site's root: "generated/numpy.sin.html#numpy.sin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """The objects that a site documents."""

    release: str  # project and version in the header: "NumPy 2.2"
    objects: tuple[InventoryObject, ...]
    refused: tuple[str, ...] = ()  # refused entries, each as "name address"


def read_inventory(data: bytes, *, where: str) -> Inventory:
    """Parse the inventory ``data``; its objects stay in order.

    ``where`` is its name in errors. Raises InputError if it is malformed or unpacks to more than
    ``INVENTORY_UNPACKED`` bytes.
    """
    project, version, text = _unpacked(data, where)
    objects: list[InventoryObject] = []
    refused: list[str] = []
    for line in text.split(b"\n"):
        # Skip malformed lines, as Sphinx does.
        match = _LINE.fullmatch(_decoded(line)) if len(line) <= INVENTORY_LINE else None
        if not match:
            continue
        name = match["name"]
        address = match["address"]
        if address.endswith("$"):  # "$" stands for the name: "api.html#$"
            address = address[:-1] + name
        if is_plain(match["role"], name) and is_inside(address):
            objects.append(InventoryObject(match["role"], name, address))
        else:
            refused.append(f"{name} {address}")
    release = f"{project} {version}".strip()
    return Inventory(release=release, objects=tuple(objects), refused=tuple(refused))


def _unpacked(data: bytes, where: str) -> tuple[str, str, bytes]:
    """Return the project, its version, and the unpacked lines. Raises InputError."""
    check_limit(len(data), FILE_BYTES[".inv"], where=where)
    lines = data.split(b"\n", _HEAD_LINES)
    if lines[0].rstrip() != _MAGIC:
        raise _malformed("is not a Sphinx inventory (version 2)", where)
    if len(lines) <= _HEAD_LINES or b"zlib" not in lines[_HEAD_LINES - 1]:
        raise _malformed("is an inventory without a header", where)
    unpacking = zlib.decompressobj()
    try:
        # A few kilobytes may unpack to gigabytes, so limit the output.
        text = unpacking.decompress(lines[_HEAD_LINES], INVENTORY_UNPACKED + 1)
    except zlib.error as error:
        raise _malformed(f"cannot be unpacked: {error}", where) from error
    if len(text) > INVENTORY_UNPACKED:
        raise _malformed(
            f"unpacks to more than {INVENTORY_UNPACKED // MEBIBYTE} MiB", where
        )
    if not unpacking.eof:
        raise _malformed("is cut off", where)
    # "# Project: NumPy" and "# Version: 2.2".
    project, version = (
        _decoded(line.partition(b":")[2].strip()) for line in lines[1:3]
    )
    return _UNPRINTABLE.sub("", project), _UNPRINTABLE.sub("", version), text


def _decoded(data: bytes) -> str:
    """Return ``data`` as text. Invalid UTF-8 becomes surrogates, which ``is_plain`` rejects."""
    return data.decode("utf-8", errors="surrogateescape").rstrip()


def is_plain(role: str, name: str) -> bool:
    """Return whether a name is plain text without markup; ``role`` includes the domain."""
    if not _ROLE.fullmatch(role) or _UNPRINTABLE.search(name):
        return False
    return role.startswith(_WITH_ANGLES) or not _TAG.search(name)


def is_inside(address: str) -> bool:
    """Return whether a relative address, appended to the URL of a site, is on that site.

    ``api.html#lamp.on`` is; ``javascript:…``, ``//elsewhere`` and ``../other`` are not.
    """
    path = address.partition("#")[0]
    if not address or _UNPRINTABLE.search(address) or set(address) & set(' <>"'):
        return False
    if path.startswith("/") or ":" in path or "\\" in path:
        return False
    return ".." not in posixpath.normpath(path).split("/")


def format_inventory(release: str, objects: Iterable[InventoryObject]) -> bytes:
    """Return the bytes of an inventory with the objects, sorted. ``read_inventory`` reads them."""
    # The dash means that Sphinx displays the name itself.
    lines = [f"{one.name} {one.role} 1 {one.address} -\n" for one in sorted(objects)]
    return b"".join(
        (
            _MAGIC + b"\n",
            f"# Project: {release}\n# Version: \n".encode(),
            b"# The remainder of this file is compressed using zlib.\n",
            zlib.compress("".join(lines).encode(), 9),
        )
    )


def _malformed(what: str, where: str) -> InputError:
    hint = "The inventory is ignored. Remove the file; `pull` fetches it again."
    return InputError(what, where=where, hint=hint)


def as_warning(error: InputError) -> Finding:
    """Return a warning about a broken inventory or table of names.

    This is no error, because the site can be built without it.
    """
    return Finding(
        code="inventory",
        severity=Severity.WARNING,
        where=error.where,
        text=error.what,
        hint=error.hint,
    )
