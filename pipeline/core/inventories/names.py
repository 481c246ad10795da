"""Names that docs look for on other sites, and the file that says where those document them.

``upstream/<name>.names.lock`` is committed, so that a site has the same links wherever it is made,
and without a network. People merge it: an object is a line, and everything in it is checked before
any of it is used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from pipeline.core.inventories.inventory import (
    Documented,
    Inventory,
    is_inside,
    is_plain,
)
from pipeline.errors import InputError

Asked = frozenset[tuple[str, str]]  # (domain, name): ("py", "numpy.sin")

PYTHON, STANDARD = "py", "std"  # domains

_ROLE = re.compile(r"(?::([A-Za-z][\w:+.-]*):|\{([A-Za-z][\w:+.-]*)\})`([^`]+)`")
# (label)= and .. _label:
_LABEL = re.compile(r"\(([\w.:-]+)\)=|\.\. _([^:`\n]+):")
_TARGET = re.compile(r"<([^<>]+)>\s*\Z")  # title <target>
# Roles that are of no language.
# Not "doc": it names pages of the docs themselves.
_STANDARD = frozenset("ref numref term option envvar keyword token confval".split())
_PYTHON = frozenset(
    "func class mod meth attr data exc obj const type deco property".split()
)
_ANY = "any"


def asked_for(texts: Iterable[str], usual: Mapping[str, str]) -> Asked:
    """The names that documents ask for. ``usual`` is what they call modules: ``np`` is ``numpy``.

    ``:func:`~numpy.sin```, ``{func}`sine <numpy.sin>``` → ``("py", "numpy.sin")``
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
                found.add((domain, spelled_out(name, usual)))
    # What the docs have themselves, another site may have under the same name.
    return frozenset(found - labels)


def spelled_out(name: str, usual: Mapping[str, str]) -> str:
    """A name with what its first part stands for: ``np.sin`` → ``numpy.sin``"""
    first, dot, rest = name.partition(".")
    return f"{usual.get(first, first)}{dot}{rest}"


def _domains(role: str) -> Iterator[str]:
    """Whose names a role names: ``func`` and ``external+numpy:py:func`` are of ``py``."""
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
    """What a role names: ``sine <numpy.sin>`` → ``numpy.sin``, ``~numpy.sin()`` → ``numpy.sin``"""
    # A line may be broken within a role.
    content = " ".join(content.split())
    target = _TARGET.search(content)
    name = target[1].strip() if target else content
    if domain == STANDARD:
        # Terms and labels are found whatever their case.
        return name.lower()
    return name.lstrip("~.!").removesuffix("()")


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherSite:
    """What of another site is asked for. Addresses of ``objects`` are relative to ``url``."""

    url: str  # with a slash at the end
    release: str
    objects: tuple[Documented, ...]  # sorted


class _Site(msgspec.Struct):
    """The same as JSON has it: a line for each object."""

    url: str
    release: str
    objects: list[str]


Names = Mapping[str, OtherSite]


def names_of(
    sites: Mapping[str, str], fetched: Mapping[str, Inventory], old: Names, asked: Asked
) -> Names:
    """The table for the ``sites`` (URL by name): of what was fetched, or else what it was before.

    What is not asked for is left out of what was fetched, and so is a site that was never reached.
    The rest stays whole: who goes back to another release has no network perhaps.
    """
    table: dict[str, OtherSite] = {}
    for name, url in sites.items():
        known = old.get(name)
        if name in fetched:
            inventory = fetched[name]
            wanted = {entry for entry in inventory.objects if _is_asked(entry, asked)}
            objects = tuple(sorted(wanted))
            table[name] = OtherSite(url=url, release=inventory.release, objects=objects)
        elif known and known.url == url:
            table[name] = known
    return table


def _is_asked(entry: Documented, asked: Asked) -> bool:
    """Whether a role asks for an object."""
    domain = entry.role.partition(":")[0]
    name = entry.name.lower() if domain == STANDARD else entry.name
    return (domain, name) in asked


def format_names(table: Names) -> bytes:
    """As JSON in UTF-8: keys sorted, indented by 1, LF, final newline; an object is a line."""
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
    """The inverse of ``format_names``. Raises InputError, whatever is wrong with ``data``."""
    try:
        table = msgspec.json.decode(data, type=dict[str, _Site])
    except (ValueError, RecursionError) as error:
        raise _malformed(f"is no table of names: {error}", where) from error
    names: dict[str, OtherSite] = {}
    for name, site in table.items():
        objects = tuple(_object(line, where) for line in site.objects)
        names[name] = OtherSite(url=site.url, release=site.release, objects=objects)
    return names


def _object(line: str, where: str) -> Documented:
    """``py:function numpy.sin reference/numpy.sin.html#numpy.sin`` as a record."""
    role, _, rest = line.partition(" ")
    # A name may hold spaces, the other two may not.
    name, _, address = rest.rpartition(" ")
    if not name or not is_plain(role, name) or not is_inside(address):
        raise _malformed(f"has a line that names no object: {line!r}", where)
    return Documented(role, name, address)


def _malformed(what: str, where: str) -> InputError:
    hint = "Remove the file; `pull` makes it again, given a network."
    return InputError(what, where=where, hint=hint)
