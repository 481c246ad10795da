"""Which page a site begins with, where its configuration does not say so, or names none of them.

The names of all pages come in, one of them goes out.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

# What docs call the page that they begin with, the likeliest first; whatever the case.
_USUAL = ("index", "intro", "introduction", "readme", "home", "welcome", "overview")


def root_page(
    pages: Sequence[str], configured: str = "", *, tops: Sequence[str] = ("",)
) -> str:
    """The page to begin with: the configured one, one with a usual name, or the outermost.

    ``tops`` are what names begin with in each of several docs folders: of those that have a page
    with a usual name the first counts. ``index`` if there are no pages at all: Sphinx then says so.
    """
    # A part of the docs (``--pages``) may lack the page that they begin with.
    if configured in pages:
        return configured
    return min(pages, key=partial(_rank, tops=tops), default="index")


def _rank(page: str, *, tops: Sequence[str]) -> tuple[bool, int, bool, int, int, str]:
    """What makes a page the likelier one to begin with, as a key to sort by."""
    places = enumerate(tops)
    inside = ((number, top) for number, top in places if page.startswith(top))
    number, top = next(inside, (len(tops), ""))
    *folders, name = page.removeprefix(top).lower().split("/")
    # Files that are kept for themselves: _static/note, .github/contributing
    is_private = any(folder.startswith(("_", ".")) for folder in folders)
    is_unusual = name not in _USUAL
    usual = len(_USUAL) if is_unusual else _USUAL.index(name)
    return is_private, len(folders), is_unusual, number, usual, page
