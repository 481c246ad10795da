"""``site --all``: the page that leads to the sites of all upstreams."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pipeline.adapters.files import write_if_changed
from pipeline.config import Settings
from pipeline.paths import Paths


def write_front_page(settings: Settings, locales: Sequence[str]) -> Path | None:
    """Write the page that leads to the sites of all upstreams; None if there is none of them."""
    from pipeline.site.front import SiteOf, front_page

    sites = []
    for upstream in settings.upstreams.values():
        paths = Paths(settings.root, upstream.name)
        # What a site's build writes last: without it there is no site, or half of one.
        record = paths.site / "progress.json"
        if record.is_file():
            title = upstream.site.title or upstream.name
            progress = json.loads(record.read_bytes())
            sites.append(SiteOf(name=upstream.name, title=title, progress=progress))
    if not sites:
        return None
    page = Paths(settings.root, "").sites / "index.html"
    write_if_changed(page, front_page(sites, locale=locales[0]).encode("utf-8"))
    return page
