"""Every upstream of the configuration, one after the other, each in a process of its own.

What one of them takes of memory goes with its process, and one that fails, or dies, stops no other.
Out come rows for one table. ``sync``, ``pull``, ``status`` and ``site`` do it with ``--all``.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from pipeline.adapters.children import Ended, run_in_child
from pipeline.adapters.files import write_if_changed
from pipeline.config import Settings
from pipeline.errors import UNEXPECTED, WORST_FIRST, worst
from pipeline.log import Log
from pipeline.paths import Paths
from pipeline.report.hub import HubRow

# What a run that finds nothing to do needs. It is loaded once, and each child begins with it.
_LOADED = {
    "pull": ("pipeline.commands.pull",),
    "status": ("pipeline.commands.status",),
    "sync": (
        "pipeline.commands.sync",
        "pipeline.stages.execute",
        "pipeline.stages.merge.stage",
        "pipeline.stages.merge.prune",
        "pipeline.stages.publish.stage",
        "pipeline.report.badges",
        "pipeline.report.json",
        "pipeline.report.junit",
        "pipeline.report.text",
        "filelock",
        "jinja2",
    ),
    "site": ("pipeline.commands.sync", "pipeline.site.building"),
}


def run_every(
    names: Sequence[str],
    command: str,
    run: Callable[[Callable[[HubRow], None], str], int],
    log: Log,
) -> list[HubRow]:
    """Run ``command`` on the upstreams called ``names``; return how each ended, in their order.

    ``run`` is called in a child with a function that takes the row, and the name. It returns the
    exit code, having told what there is to tell.
    """
    for module in _LOADED[command]:
        importlib.import_module(module)
    rows = []
    for number, name in enumerate(names, start=1):
        log.note(f"{name} ({number} of {len(names)})")
        rows.append(_row(name, run_in_child(run, name), log))
    return rows


def _row(name: str, ended: Ended, log: Log) -> HubRow:
    """The row of an upstream; one that came to nothing has its exit code."""
    code = ended.code
    if code not in WORST_FIRST:
        # The kernel of the system kills what takes too much memory: nobody else can say so.
        log.warn(f"{name}: its process ended with {code}, perhaps for want of memory")
        code = UNEXPECTED
    if isinstance(ended.handed, HubRow):
        # It may have failed when all was done but the telling.
        return replace(ended.handed, exit_code=worst((ended.handed.exit_code, code)))
    return HubRow(name=name, exit_code=code)


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
