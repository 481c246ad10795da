"""inventory: what the English docs document, kept for the site. Without it names of the API are shown as code."""

from __future__ import annotations

from pipeline.adapters.files import write_if_changed
from pipeline.adapters.inventory import fetch_inventory
from pipeline.config import Settings, Upstream
from pipeline.log import Log
from pipeline.paths import Paths


def refresh_inventory(settings: Settings, upstream: Upstream, *, log: Log) -> bool:
    """Fetch the inventory of the upstream's English site, if it has one and can be reached; return whether there is a newer one.

    An older one stays where the network is not there.
    """
    if not upstream.site.english_url:
        return False
    path = Paths(settings.root, upstream.name).inventory
    data = fetch_inventory(upstream.site.english_url)
    if data is None:
        left = "the older one is used" if path.is_file() else "names of the API are shown as code"
        log.detail(f"{upstream.site.english_url}objects.inv cannot be had: {left}")
        return False
    return write_if_changed(path, data)
