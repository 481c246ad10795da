"""Inventories of Sphinx sites, and the committed table of the names that the docs use from them.

An inventory (``objects.inv``) has the names that a site documents, with their addresses. The
inventories of upstream's English site and of the configured other sites are fetched once a day. The
table has those names of other sites that occur in the docs (``core.inventories``). It is
committed, so every build has the same links. The invariant: nothing here stops a run, because a
site can be built with an old inventory or without one.
"""

from __future__ import annotations

import time
from pathlib import Path

from msgspec import Struct

from pipeline.adapters.files import read_bytes, remove_files, write_if_changed
from pipeline.core import inventories
from pipeline.core.inventories import Inventory, Names, References
from pipeline.core.pin.lock import Lock
from pipeline.errors import InputError
from pipeline.findings import Finding
from pipeline.run import Run

DAY = 24 * 60 * 60  # seconds; other sites are rebuilt about once a day
_SHOWN = 3  # number of rejected objects that a warning names


class Refreshed(Struct, frozen=True, kw_only=True):
    """Result of ``refresh_names``: the path of the table if it has changed, and findings."""

    changes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


def refresh_names(run: Run, lock: Lock) -> Refreshed:
    """Fetch inventories that are missing or older than a day, and update the table.

    Nothing is fetched if upstream's address is replaced (``JAX_DOCS_UPSTREAM``), because there may
    be no network. A person may then copy an inventory to its place.
    """
    own, others = run.upstream.site.english_url, run.upstream.site.inventories
    findings: list[Finding] = []
    if own:
        findings += _fetch(run, own, run.paths.inventory)
    for name, url in others.items():
        findings += _fetch(run, url, run.paths.other_inventory(name))
    if _is_up_to_date(run):
        return Refreshed(findings=tuple(findings))
    fetched: dict[str, Inventory] = {}
    for name in others:
        path = run.paths.other_inventory(name)
        if not _counts(run, path):
            continue
        try:
            fetched[name] = inventories.read_inventory(read_bytes(path), where=run.shown(path))
        except InputError as error:
            findings.append(inventories.as_warning(error))
            continue
        findings += _refused(fetched[name], run.shown(path))
    old, damage = _old_names(run)
    if damage and fetched.keys() != others.keys():
        # Without all inventories, the new table would lack names. A person may still recover these
        # names from the damaged table, so do not overwrite the damaged table.
        return Refreshed(findings=(*findings, *damage))
    table = inventories.names_table(others, fetched, old, _references(run, lock))
    is_changed = _write(run, table)
    return Refreshed(
        changes=(run.shown(run.paths.names),) if is_changed else (),
        findings=tuple(findings),
    )


def _fetch(run: Run, site: str, path: Path) -> tuple[Finding, ...]:
    """Fetch the inventory of a site to ``path``. If it is unavailable, the old file stays."""
    if run.upstream.url_replaced or _is_fresh(path):
        return ()
    from pipeline.adapters.upstream.indexes import fetch_inventory

    where = f"{site}objects.inv"
    data = fetch_inventory(site)
    if data is None:
        instead = "only names that the table already has become links"
        if path.is_file():
            instead = "the older one is used"
        run.log.detail(f"{where} is unavailable: {instead}")
        return ()
    try:
        inventories.read_inventory(data, where=where)
    except InputError as error:
        return (inventories.as_warning(error),)
    write_if_changed(path, data)
    # An unchanged file is not written. Its new time shows that it was fetched today.
    path.touch()
    return ()


def _is_fresh(path: Path) -> bool:
    # With a wrong clock, the file may have a time in the future. Then it is not fresh.
    return path.is_file() and 0 <= time.time() - path.stat().st_mtime < DAY


def _is_up_to_date(run: Run) -> bool:
    """Return whether the table is newer than the lock and the inventories that it is made from."""
    others, table = run.upstream.site.inventories, run.paths.names
    if not others or not table.is_file():
        return not others and not table.exists()
    old, damage = _old_names(run)
    # All sites of the table must be configured. The table may lack a site that was never reached.
    is_of_these = all(name in others and others[name] == site.url for name, site in old.items())
    made_from = [run.paths.lock, *map(run.paths.other_inventory, others)]
    return is_of_these and not damage and not any(_is_newer(p, table) for p in made_from)


def _counts(run: Run, path: Path) -> bool:
    """Return whether an inventory is recent enough to update the table.

    The committed table may have been made from a newer inventory on another machine.
    """
    return _is_fresh(path) or _is_newer(path, run.paths.names)


def _is_newer(path: Path, other: Path) -> bool:
    if not path.is_file():
        return False
    return not other.is_file() or path.stat().st_mtime > other.stat().st_mtime


def _old_names(run: Run) -> tuple[Names, tuple[Finding, ...]]:
    """Return the current table, or an empty one and a warning if it is damaged."""
    path = run.paths.names
    if not path.is_file():
        return {}, ()
    try:
        return inventories.parse_names(read_bytes(path), where=run.shown(path)), ()
    except InputError as error:
        return {}, (inventories.as_warning(error),)


def _references(run: Run, lock: Lock) -> References:
    """Return all names in the documents that may belong to other sites."""
    usual = run.upstream.usual_names
    # A page may have two documents, first a notebook and then its Markdown, that mention the same
    # names. Read only the last one.
    paths = [page.files[-1].path for page in lock.pages]
    documents = (read_bytes(run.paths.docs / path) for path in paths)
    return inventories.references_in((data.decode("utf-8", "replace") for data in documents), usual)


def _write(run: Run, table: Names) -> bool:
    """Write the table, or remove it if it is empty; return whether it changed."""
    path = run.paths.names
    if not table:
        is_there = path.is_file()
        remove_files([path])
        return is_there
    is_changed = write_if_changed(path, inventories.format_names(table))
    # An unchanged file is not written. Its new time shows that it is up to date.
    path.touch()
    return is_changed


def _refused(inventory: Inventory, where: str) -> tuple[Finding, ...]:
    """Return a warning about the rejected objects of an inventory, if there are any."""
    count = len(inventory.refused)
    if not count:
        return ()
    first = "; ".join(inventory.refused[:_SHOWN])
    return (Finding.from_table("inventory", where=where, count=count, first=first),)
