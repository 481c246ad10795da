"""The page that leads to the sites of several upstreams: one file that loads nothing.

What each site says of itself comes in, HTML goes out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from pipeline.core.progress import whole_percent

_PAGE = """<!DOCTYPE html>
<html lang="{language}"><head><meta charset="utf-8"><title>{title}</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>:root {{ color-scheme: light dark }} body {{ font: 1.1rem/1.8 system-ui, sans-serif; max-width: 44rem; margin: 10vh auto; padding: 0 1.2rem }} li {{ margin: .6rem 0 }} small {{ display: block; opacity: .75 }}</style></head>
<body><main><h1>{title}</h1><ul>
{rows}</ul></main></body></html>
"""  # noqa: E501 - a line here is a line of the page
_ROW = '<li><a href="{href}/index.html">{title}</a><small>{facts}</small></li>\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteOf:
    """One of the sites: its folder, its title, and what its ``progress.json`` says."""

    name: str
    title: str
    progress: Mapping[str, Any]


def front_page(sites: Sequence[SiteOf], *, locale: str) -> str:
    """The page, in Chinese where that is what the sites are in, else in English."""
    is_chinese = locale.startswith("zh")
    rows = [
        _ROW.format(
            href=escape(site.name),
            title=escape(site.title),
            facts=escape(_facts(site.progress, is_chinese=is_chinese)),
        )
        for site in sites
    ]
    return _PAGE.format(
        language=escape(locale.replace("_", "-")),
        title="文档" if is_chinese else "Documentation",
        rows="".join(rows),
    )


def _facts(progress: Mapping[str, Any], *, is_chinese: bool) -> str:
    """What is translated, and how much of it: ``Lamps 1.2.0 · 已译 64 %``."""
    percent = whole_percent(int(progress["translated"]), int(progress["words"]))
    if percent is None:  # docs without a word to translate
        percent = 100
    done = f"已译 {percent} %" if is_chinese else f"{percent} % translated"
    title, release = str(progress["title"]), str(progress["release"])
    return f"{title} {release}".strip() + f" · {done}"
