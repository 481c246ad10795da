"""Names on other sites that the docs refer to, and the file with their addresses.

The file ``upstream/<name>.names.lock`` is committed, so that every build has the same links, even
without a network. It has one object on each line, because people merge it with git. A merge may
damage it, so parsing validates every value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from pipeline.core.inventories.inventory import (
    Inventory,
    InventoryObject,
    is_inside,
    is_plain,
)
from pipeline.errors import InputError

References = frozenset[tuple[str, str]]  # (domain, name): ("py", "numpy.sin")

PYTHON, STANDARD = "py", "std"  # domains

_ROLE = re.compile(r"(?::([A-Za-z][\w:+.-]*):|\{([A-Za-z][\w:+.-]*)\})`([^`]+)`")
# The definition of a label: "(label)=" in MyST, ".. _label:" in reST.
_LABEL = re.compile(r"\(([\w.:-]+)\)=|\.\. _([^:`\n]+):")
_TARGET = re.compile(r"<([^<>]+)>\s*\Z")  # title <target>
# Roles of Sphinx's domain "std", except "doc", which names pages of the docs themselves.
_STANDARD = frozenset("ref numref term option envvar keyword token confval".split())
_PYTHON = frozenset(
    "func class mod meth attr data exc obj const type deco property".split()
)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherSite:
    """The objects of another site that the docs refer to."""

    url: str  # with a trailing slash
    release: str  # project and version: "NumPy 2.2"
    # The objects are sorted. Their addresses are relative to ``url``.
    objects: tuple[InventoryObject, ...]


class _Site(msgspec.Struct):
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
            wanted = {
                entry
                for entry in inventory.objects
                if _is_referenced(entry, references)
            }
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
