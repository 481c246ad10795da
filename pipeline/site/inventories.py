"""Inventories for Sphinx: names that the English site and other sites document, with addresses.

``sync`` fetches the inventory of the English site, and writes a table with those names of other
sites that the docs use. This module parses both, and writes them in the format of Sphinx. So
Sphinx reads only validated data.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from pipeline.adapters.files import read_bytes
from pipeline.config.reader import upstream_variable
from pipeline.core.inventories import (
    InventoryObject,
    Names,
    as_warning,
    format_inventory,
    parse_names,
    read_inventory,
)
from pipeline.errors import InputError
from pipeline.findings import Finding
from pipeline.site.names import RECORDS
from pipeline.site.plan import Site


class SiteInventory(Struct, frozen=True, kw_only=True):
    """Inventory of the site at ``url``, for the file ``path`` in Sphinx's source folder."""

    name: str
    url: str
    path: str
    data: bytes


class SiteInventories(Struct, frozen=True, kw_only=True):
    """All inventories for a site, that of the English site first, and findings."""

    available: tuple[SiteInventory, ...]
    findings: tuple[Finding, ...]


def inventories_of(site: Site) -> SiteInventories:
    """Return the inventories for a site. Missing or damaged ones become findings."""
    available: list[SiteInventory] = []
    findings: list[Finding] = []
    for read in (_own, _others):
        # A damaged file never stops the build: names that it lists do not become links.
        try:
            available.extend(read(site))  # keeps what it gets before the error
        except InputError as error:
            findings.append(as_warning(error))
    return SiteInventories(available=tuple(available), findings=tuple(findings))


def _own(site: Site) -> Iterator[SiteInventory]:
    """Yield the inventory of the English site. Raises InputError if it is missing."""
    url, path = site.policy.english_url, site.paths.inventory
    if not url:
        return
    if not path.is_file():
        raise InputError(
            "is missing, so only names that the docs themselves list become links",
            where=_shown(site, path),
            hint=f"`sync` fetches it from {url}objects.inv, {_given(site)}.",
        )
    # Cache the result: a run calls this several times and a large inventory takes long to parse.
    stamp = path.stat().st_mtime_ns
    yield _fetched(site.upstream.name, url, path, stamp, _shown(site, path))


@lru_cache(maxsize=4)
def _fetched(name: str, url: str, path: Path, stamp: int, where: str) -> SiteInventory:
    """Return the inventory in a file. ``stamp`` is its modification time, a key of the cache."""
    return _for_sphinx(name, url, read_inventory(read_bytes(path), where=where).objects)


def _others(site: Site) -> Iterator[SiteInventory]:
    """Yield inventories of other sites, made from the table of names.

    Then raise InputError if the table lacks configured sites.
    """
    wanted, path = site.policy.inventories, site.paths.names
    names: Names = {}
    if wanted and path.is_file():
        names = parse_names(read_bytes(path), where=_shown(site, path))
    missing: list[str] = []
    for name, url in sorted(wanted.items()):
        known = names.get(name)
        # Use the configured address: it may have changed since the table was written.
        if known and known.url == url:
            yield _for_sphinx(name, url, known.objects)
        else:
            missing.append(name)
    if missing:
        raise InputError(
            f"has no names of {', '.join(missing)}: names of these sites do not become links",
            where=_shown(site, path),
            hint=f"`sync` fetches their inventories, {_given(site)}. Then commit the file.",
        )


def _for_sphinx(name: str, url: str, objects: Iterable[InventoryObject]) -> SiteInventory:
    """Return an inventory in Sphinx's format.

    Its path contains a digest of its content. Otherwise Sphinx would not notice new content: it
    compares only the paths of inventories with those of the last build.
    """
    data = format_inventory(name, objects)
    digest = hashlib.sha256(data).hexdigest()[:12]
    path = f"{RECORDS}/inventories/{name}-{digest}.inv"
    return SiteInventory(name=name, url=url, path=path, data=data)


def _given(site: Site) -> str:
    """Return the conditions under which ``sync`` fetches an inventory."""
    if site.upstream.url_replaced:
        return f"with a network and without {upstream_variable(site.upstream.name)}"
    return "with a network"


def _shown(site: Site, path: Path) -> str:
    """Return a path as shown to people, relative to the root."""
    return path.relative_to(site.settings.root).as_posix()
