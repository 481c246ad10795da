"""Inventories of other Sphinx sites, and the names on these sites that the docs refer to.

An inventory (``objects.inv``) lists the objects that a site documents, with their addresses, for
links such as ":func:`numpy.sin`". It comes from another site, so it is untrusted. Sphinx and
sphobjinv unpack any amount of data and accept any address. This parser limits the amount of data.
It refuses entries with markup in the name, or with an address outside of the site, and lists the
refused entries.

The names and their addresses are in the file ``upstream/<name>.names.lock``. It is committed, so
that every build has the same links, even without a network. It has one object on each line, because
people merge it with git. A merge may damage it, so parsing validates every value.
"""

from __future__ import annotations

import json
import posixpath
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping

import msgspec
from msgspec import Struct

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
_OBJECT_ROLE = re.compile(r"[\w-]+(?::[\w-]+)+")
# Control characters and lone surrogates, which must not reach a terminal or our files.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_TAG = re.compile(r"<[A-Za-z/!?]")
# Roles whose names may look like HTML tags: std::vector<bool>, --output <file>.
_WITH_ANGLES = ("cpp:", "std:cmdoption")


class InventoryObject(Struct, frozen=True, order=True):
    """An object that a site documents."""

    role: str  # with its domain: "py:function"
    name: str
    address: str  # relative to the site's root: "generated/numpy.sin.html#numpy.sin"


class Inventory(Struct, frozen=True, kw_only=True):
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
        raise _unusable("is not a Sphinx inventory (version 2)", where)
    if len(lines) <= _HEAD_LINES or b"zlib" not in lines[_HEAD_LINES - 1]:
        raise _unusable("is an inventory without a header", where)
    unpacking = zlib.decompressobj()
    try:
        # A few kilobytes may unpack to gigabytes, so limit the output.
        text = unpacking.decompress(lines[_HEAD_LINES], INVENTORY_UNPACKED + 1)
    except zlib.error as error:
        raise _unusable(f"cannot be unpacked: {error}", where) from error
    if len(text) > INVENTORY_UNPACKED:
        raise _unusable(f"unpacks to more than {INVENTORY_UNPACKED // MEBIBYTE} MiB", where)
    if not unpacking.eof:
        raise _unusable("is cut off", where)
    # "# Project: NumPy" and "# Version: 2.2".
    project, version = (_decoded(line.partition(b":")[2].strip()) for line in lines[1:3])
    return _UNPRINTABLE.sub("", project), _UNPRINTABLE.sub("", version), text


def _decoded(data: bytes) -> str:
    """Return ``data`` as text. Invalid UTF-8 becomes surrogates, which ``is_plain`` rejects."""
    return data.decode("utf-8", errors="surrogateescape").rstrip()


def is_plain(role: str, name: str) -> bool:
    """Return whether a name is plain text without markup; ``role`` includes the domain."""
    if not _OBJECT_ROLE.fullmatch(role) or _UNPRINTABLE.search(name):
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


def _unusable(what: str, where: str) -> InputError:
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


References = frozenset[tuple[str, str]]  # (domain, name): ("py", "numpy.sin")

PYTHON, STANDARD = "py", "std"  # domains

_ROLE = re.compile(r"(?::([A-Za-z][\w:+.-]*):|\{([A-Za-z][\w:+.-]*)\})`([^`]+)`")
# The definition of a label: "(label)=" in MyST, ".. _label:" in reST.
_LABEL = re.compile(r"\(([\w.:-]+)\)=|\.\. _([^:`\n]+):")
_TARGET = re.compile(r"<([^<>]+)>\s*\Z")  # title <target>
# Roles of Sphinx's domain "std", except "doc", which names pages of the docs themselves.
_STANDARD = frozenset("ref numref term option envvar keyword token confval".split())
_PYTHON = frozenset("func class mod meth attr data exc obj const type deco property".split())
_ANY = "any"


def references_in(texts: Iterable[str], usual: Mapping[str, str]) -> References:
    """Return the pairs (domain, name) that the roles in ``texts`` refer to.

    Both ":func:`~numpy.sin`" and "{func}`sine <numpy.sin>`" give ``("py", "numpy.sin")``.
    ``usual`` maps aliases to modules: ``np`` to ``numpy``. A name with an alias is returned in both
    forms: as ``np.sin`` and as ``numpy.sin``.
    """
    found: set[tuple[str, str]] = set()
    labels: set[tuple[str, str]] = set()
    for text in texts:
        for in_myst, in_rest in _LABEL.findall(text):
            labels.add((STANDARD, (in_rest or in_myst).lower()))
        for in_rest, in_myst, content in _ROLE.findall(text):
            for domain in _domains(in_rest or in_myst):
                name = _name(domain, content)
                found.add((domain, name))
                found.add((domain, expand_alias(name, usual)))
    # Leave out the labels of the docs themselves, which must not link to another site.
    return frozenset(found - labels)


def expand_alias(name: str, usual: Mapping[str, str]) -> str:
    """Return a name with the alias at its start expanded: ``np.sin`` → ``numpy.sin``."""
    first, dot, rest = name.partition(".")
    return f"{usual.get(first, first)}{dot}{rest}"


def _domains(role: str) -> Iterator[str]:
    """Yield the domains of a role: ``func`` and ``external+numpy:py:func`` → ``py``."""
    *before, kind = role.split(":")
    if kind == _ANY:
        yield from (PYTHON, STANDARD)
    elif before and not before[-1].startswith("external"):
        yield before[-1]
    elif kind in _STANDARD:
        yield STANDARD
    elif kind in _PYTHON:
        yield PYTHON


def _name(domain: str, content: str) -> str:
    """Return the name in a role: ``sine <numpy.sin>`` and ``~numpy.sin()`` → ``numpy.sin``."""
    # A role may span two lines.
    content = " ".join(content.split())
    target = _TARGET.search(content)
    name = target[1].strip() if target else content
    if domain == STANDARD:
        # Sphinx ignores the case of terms and labels.
        return name.lower()
    return name.lstrip("~.!").removesuffix("()")


class OtherSite(Struct, frozen=True, kw_only=True):
    """The objects of another site that the docs refer to."""

    url: str  # with a trailing slash
    release: str  # project and version: "NumPy 2.2"
    # The objects are sorted. Their addresses are relative to ``url``.
    objects: tuple[InventoryObject, ...]


class _Site(Struct):
    """Schema of an ``OtherSite`` in JSON, with one string per object."""

    url: str
    release: str
    objects: list[str]


Names = Mapping[str, OtherSite]


def names_table(
    sites: Mapping[str, str],
    fetched: Mapping[str, Inventory],
    old: Names,
    references: References,
) -> Names:
    """Return the table of names for ``sites`` (URLs by name).

    For a site in ``fetched``, the table has the objects of the fetched inventory that are in
    ``references``. A site that is not in ``fetched``, for example because there is no network,
    keeps all its objects of the ``old`` table, unless its URL has changed. This includes objects
    that are not in ``references``, because another release may need them.
    """
    table: dict[str, OtherSite] = {}
    for name, url in sites.items():
        known = old.get(name)
        if name in fetched:
            inventory = fetched[name]
            wanted = {entry for entry in inventory.objects if _is_referenced(entry, references)}
            objects = tuple(sorted(wanted))
            table[name] = OtherSite(url=url, release=inventory.release, objects=objects)
        elif known and known.url == url:
            table[name] = known
    return table


def _is_referenced(entry: InventoryObject, references: References) -> bool:
    """Return whether the docs refer to an object."""
    domain = entry.role.partition(":")[0]
    name = entry.name.lower() if domain == STANDARD else entry.name
    return (domain, name) in references


def format_names(table: Names) -> bytes:
    """Return the table as JSON in UTF-8: keys sorted, one object per line, a final newline."""
    data = {
        name: {
            "url": site.url,
            "release": site.release,
            "objects": [f"{o.role} {o.name} {o.address}" for o in site.objects],
        }
        for name, site in table.items()
    }
    text = json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False)
    return f"{text}\n".encode()


def parse_names(data: bytes, *, where: str) -> Names:
    """Parse the output of :func:`format_names`. Raises InputError if any value is invalid."""
    try:
        table = msgspec.json.decode(data, type=dict[str, _Site])
    except (ValueError, RecursionError) as error:
        raise _malformed(f"is not a table of names: {error}", where) from error
    names: dict[str, OtherSite] = {}
    for name, site in table.items():
        objects = tuple(_object(line, where) for line in site.objects)
        names[name] = OtherSite(url=site.url, release=site.release, objects=objects)
    return names


def _object(line: str, where: str) -> InventoryObject:
    """Parse ``py:function numpy.sin reference/numpy.sin.html#numpy.sin``. Raises InputError."""
    role, _, rest = line.partition(" ")
    # Only the name may contain spaces.
    name, _, address = rest.rpartition(" ")
    if not name or not is_plain(role, name) or not is_inside(address):
        raise _malformed(f"has a line that is not an object: {line!r}", where)
    return InventoryObject(role, name, address)


def _malformed(what: str, where: str) -> InputError:
    hint = "Remove the file; `pull` creates it again if there is a network."
    return InputError(what, where=where, hint=hint)
