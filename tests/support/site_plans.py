"""Plans of sites that are not built, for tests of what a site is made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from report_results import LOCK

from pipeline.config.settings import Settings, SitePolicy, Upstream
from pipeline.site.plan import Site

UPSTREAM = Upstream(name="demo", url="https://example.org/docs", package="JAX", version="0.10.2")


def site_at(root: Path, *, locale: str = "zh_CN", **fields: Any) -> Site:
    """Return the plan of a site without pages, except for these ``fields``."""
    settings = Settings(root=root, locales=(locale,), upstreams={"demo": UPSTREAM})
    given = {"policy": SitePolicy(), "lock": LOCK, "pages": (), **fields}
    return Site(settings=settings, upstream=UPSTREAM, locale=locale, **given)
