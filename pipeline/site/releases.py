"""Releases of the docs on one site, and the pages that they share.

The pinned release is the main one. Other releases are "beside the pin": each has a site in a folder
of its own. A page that is equal in such a release and in the pinned one is built only for the
pinned site. The other site links to it, and the page names the other release.

Pages are compared by the digests in the locks, so both builds come to the same result.
"""

from __future__ import annotations

from os.path import basename, relpath, splitext
from pathlib import Path
from typing import Any

from pipeline.adapters import files
from pipeline.core.pin.lock import PAGE_SUFFIXES, Lock, is_reference, parse_lock
from pipeline.paths import Paths
from pipeline.site.configuration import first_page
from pipeline.site.plan import Site


def releases_of(site: Site) -> list[dict[str, Any]]:
    """Return a row for each release of the docs, the pinned one first; none for a single release.

    In a row, ``folder`` is the relative address of the release's site, seen from this site.
    ``shared`` lists the release's pages that are equal in the pinned release. Releases that have
    not been pulled yet are left out.
    """
    rows: list[dict[str, Any]] = []
    pinned: Lock | None = None
    for release in site.settings.releases_of(site.upstream.name):
        lock = site.lock
        if release.name != site.upstream.name:
            path = Paths(site.settings.root, release.name).lock
            if not path.is_file():
                continue
            lock = parse_lock(files.read_bytes(path), where=str(path))
        is_this = release.name == site.upstream.name
        shared: list[str] = []
        if not release.is_beside:
            pinned = lock
        elif pinned and (is_this or not site.upstream.is_beside):
            shared = _shared_pages(site, pinned, lock)
        folder = relpath(site.target_of(release), site.target)
        row = {
            "name": f"{site.upstream.package} {release.version}".strip(),
            "version": release.version,
            "url": release.site.url,
            "folder": "" if folder == "." else f"{Path(folder).as_posix()}/",
            "is_this": is_this,
            "is_stable": not release.is_beside,
            "pages": [
                page.name
                for page in lock.pages
                if release.selects(page.name) and page.name not in lock.unpublished
            ],
            "shared": shared,
        }
        rows.append(row)
    return rows if len(rows) > 1 else []


def _shared_pages(site: Site, pinned: Lock, lock: Lock) -> list[str]:
    """Return the pages that are equal in the pinned release and in the release of ``lock``.

    ``site`` is the site of one of these two releases. A page is equal if its documents, the
    documents that it includes, and the files that it names are equal. The first page is never
    shared. In a build of the release beside the pin, a page that the pinned site lacks is not
    shared, either.
    """
    changed = {file.path for file in {*pinned.files} ^ {*lock.files}}
    names = [
        basename(path).encode()
        for path in changed
        if not path.endswith(PAGE_SUFFIXES) and not is_reference(path)
    ]
    differing = {splitext(path)[0] for path in changed}
    for part in (*pinned.included, *lock.included):
        if part.page in differing:
            differing.update(part.within)
    differing |= {first_page(site), *lock.unpublished}
    pinned_site = site.target_of(site.settings.upstream(site.paths.upstream))
    shared: list[str] = []
    for page in lock.pages:
        if page.name in differing:
            continue
        if site.upstream.is_beside and not (pinned_site / f"{page.name}.html").is_file():
            continue
        text = b"".join(files.read_bytes(site.paths.docs / file.path) for file in page.files)
        if not any(name in text for name in names):
            shared.append(page.name)
    return shared
