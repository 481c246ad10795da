"""Pages that upstream has moved: a small page under the old name leads to the new one."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Mapping
from html import escape

_PAGE = """<!DOCTYPE html>
<html lang="{language}"><head><meta charset="utf-8"><title>{target}</title><link rel="icon" href="data:,">
<meta http-equiv="refresh" content="0; url={target}"><link rel="canonical" href="{target}">
<script>location.replace("{target}" + location.search + location.hash)</script></head>
<body><p><a href="{target}">{target}</a></p></body></html>
"""


def redirect_pages(
    redirects: Mapping[str, str], pages: Collection[str], *, language: str
) -> dict[str, str]:
    """HTML by path, for every old page that is none of ``pages`` any more and leads, in one step or several, to one of them."""
    found: dict[str, str] = {}
    for old in redirects:
        new = _last(old, redirects)
        if old not in pages and new in pages and _is_inside(old):
            target = posixpath.relpath(f"{new}.html", posixpath.dirname(old) or ".")
            found[f"{old}.html"] = _PAGE.format(language=language, target=escape(target))
    return found


def _last(old: str, redirects: Mapping[str, str]) -> str:
    seen: set[str] = set()
    while old in redirects and old not in seen:
        seen.add(old)
        old = redirects[old]
    return old


def _is_inside(path: str) -> bool:
    """Whether a path stays in the site's folder."""
    return (
        bool(path)
        and not path.startswith("/")
        and posixpath.normpath(path) == path
        and not path.startswith("../")
        and path != ".."
    )
