"""Pages that upstream has moved: a small page under the old name leads to the new one.

Old and new names come in, as upstream's own site has them; HTML by path goes out. No name may lead
out of the site's folder, and none may take the place of a page that is there.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Mapping
from html import escape

# Every way to the new page: for scripts (they keep #anchors), without scripts, for search engines.
_PAGE = """<!DOCTYPE html>
<html lang="{language}"><head><meta charset="utf-8"><title>{target}</title><link rel="icon" href="data:,">
<meta http-equiv="refresh" content="0; url={target}"><link rel="canonical" href="{target}">
<script>location.replace("{target}" + location.search + location.hash)</script></head>
<body><p><a href="{target}">{target}</a></p></body></html>
"""  # noqa: E501 - a line here is a line of the page


def redirect_pages(
    redirects: Mapping[str, str], pages: Collection[str], *, language: str
) -> dict[str, str]:
    """HTML by path, for every old page that leads to one of ``pages``, in one step or several.

    A page that is there again is no old page, whatever ``redirects`` says.
    """
    html_by_path: dict[str, str] = {}
    moved = {old: end_of(old, redirects) for old in redirects if old not in pages}
    for old, new in moved.items():
        if new in pages and _is_inside(old):
            target = posixpath.relpath(f"{new}.html", posixpath.dirname(old) or ".")
            html_by_path[f"{old}.html"] = _PAGE.format(
                language=language, target=escape(target)
            )
    return html_by_path


def end_of(page: str, redirects: Mapping[str, str]) -> str:
    """Where the redirects lead from a page; of those that go in a circle, some page in it."""
    seen: set[str] = set()
    while page in redirects and page not in seen:
        seen.add(page)
        page = redirects[page]
    return page


def _is_inside(path: str) -> bool:
    """Whether a path stays in the site's folder: upstream's configuration is not ours to trust.

    ``old/guide`` does; ``../guide``, ``/guide`` and ``..`` do not.
    """
    # "a//b", "a/./b" and "": such a path is not the one that it looks like.
    if posixpath.normpath(path) != path:
        return False
    return path.partition("/")[0] not in ("", "..")
