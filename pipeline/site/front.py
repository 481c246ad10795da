"""The page that leads to the sites of several upstreams: one file that loads nothing.

What each site says of itself comes in, HTML goes out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.core.results import whole_percent
from pipeline.site.templating import template
from pipeline.site.texts import words


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteOf:
    """One of the sites: its folder, its title, and what its ``progress.json`` says."""

    name: str
    title: str
    progress: Mapping[str, Any]


def front_page(sites: Sequence[SiteOf], *, locale: str) -> str:
    """Return the page that leads to sites in one language."""
    said = words(locale, "front")
    rows = [
        {
            "name": site.name,
            "title": site.title,
            "facts": _facts(site.progress, said["translated"]),
        }
        for site in sites
    ]
    page = template("front.html.j2").render(
        language=locale.replace("_", "-"),
        title=said["title"],
        sites=rows,
    )
    return f"{page}\n"


def _facts(progress: Mapping[str, Any], translated: str) -> str:
    """Return what is translated, and how much of it: ``Lamps 1.2.0 · 64 % translated``."""
    percent = whole_percent(int(progress["translated"]), int(progress["words"]))
    if percent is None:  # docs without a word to translate
        percent = 100
    title, release = str(progress["title"]), str(progress["release"])
    return f"{title} {release}".strip() + f" · {translated.format(percent)}"
