"""Which page a site begins with, where its configuration does not say so, or names none of them.

The names of all pages come in, one of them goes out.
"""

from __future__ import annotations

from collections.abc import Sequence

# What docs call the page that they begin with, the likeliest first; whatever the case.
_USUAL = ("index", "intro", "introduction", "readme", "home", "welcome", "overview")


def root_page(pages: Sequence[str], configured: str = "") -> str:
    """The page to begin with: the configured one, one with a usual name, or the outermost.

    ``index`` if there are no pages at all: Sphinx then says so.
    """
    # A part of the docs (``--pages``) may lack the page that they begin with.
    if configured in pages:
        return configured
    return min(pages, key=_rank, default="index")


def _rank(page: str) -> tuple[bool, int, int, str]:
    """What makes a page the likelier one to begin with, as a key to sort by."""
    folders, name = page.split("/")[:-1], page.rpartition("/")[2].lower()
    # Files that are kept for themselves: _static/note, .github/contributing
    is_private = any(folder.startswith(("_", ".")) for folder in folders)
    usual = _USUAL.index(name) if name in _USUAL else len(_USUAL)
    return is_private, len(folders), usual, page
