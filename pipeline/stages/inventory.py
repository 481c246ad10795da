"""inventory: what the English docs document, kept for the site. Without it names of the API are
shown as code."""

from __future__ import annotations

import time
from pathlib import Path

from pipeline.adapters.files import write_if_changed
from pipeline.run import Run

DAY = 24 * 60 * 60  # seconds; the English docs are built about that often


def refresh_inventory(run: Run) -> bool:
    """Fetch the inventory of the upstream's English site, if it has one and can be reached; return
    whether there is a newer one.

    It is asked for once a day, and not by who pulls the docs from a copy of their own
    (``JAX_DOCS_UPSTREAM``): they may have no network, or want none. An older one stays where it
    cannot be had.
    """
    path, upstream = run.paths.inventory, run.upstream
    if not upstream.site.english_url or upstream.url_replaced or _is_fresh(path):
        return False
    from pipeline.adapters.upstream.inventory import fetch_inventory

    data = fetch_inventory(upstream.site.english_url)
    if data is None:
        left = "the older one is used" if path.is_file() else "names of the API are shown as code"
        run.log.detail(f"{upstream.site.english_url}objects.inv cannot be had: {left}")
        return False
    is_newer = write_if_changed(path, data)
    path.touch()
    return is_newer


def _is_fresh(path: Path) -> bool:
    return path.is_file() and 0 <= time.time() - path.stat().st_mtime < DAY
