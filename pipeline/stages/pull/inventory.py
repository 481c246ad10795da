"""The list of what the English docs document, kept for the site beside what is pulled.

Without it names lead to their reference only where the docs list them themselves; nothing else is
missing. So nothing here is an error: the site is made with an older list, or with none.
"""

from __future__ import annotations

import time
from pathlib import Path

from pipeline.adapters.files import write_if_changed
from pipeline.run import Run

DAY = 24 * 60 * 60  # seconds; the English docs are built about that often


def refresh_inventory(run: Run) -> bool:
    """Fetch the inventory of the upstream's English site; return whether there is a newer one.

    It is asked for once a day, and not by who pulls the docs from a copy of their own
    (``JAX_DOCS_UPSTREAM``): they may have no network, or want none. An older one stays where it
    cannot be had.
    """
    path, site = run.paths.inventory, run.upstream.site.english_url
    if not site or run.upstream.url_replaced or _is_fresh(path):
        return False
    from pipeline.adapters.upstream.inventory import fetch_inventory

    data = fetch_inventory(site)
    if data is None:
        instead = (
            "the older one is used"
            if path.is_file()
            else "only names that the docs list themselves are links"
        )
        run.log.detail(f"{site}objects.inv cannot be had: {instead}")
        return False
    is_newer = write_if_changed(path, data)
    # Also an equal one counts from now on: else it would be asked for with every run.
    path.touch()
    return is_newer


def _is_fresh(path: Path) -> bool:
    # A file from the future, by a clock that was wrong, would stay fresh for as long.
    return path.is_file() and 0 <= time.time() - path.stat().st_mtime < DAY
