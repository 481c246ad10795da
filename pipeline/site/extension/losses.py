"""What a page has lost because it would run in a browser: counted for the line under its title.

Only what a reader would miss counts: what draws, asks or answers. A style or a handler does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from pipeline.site.extension.noting import Notes

_MISSED = frozenset(
    f"<{element}>"
    for element in (
        "applet button canvas embed form frame iframe object script select textarea"
    ).split()
)
# In how many places of a page something is missed.
_LOSSES: Notes[int] = Notes("jz_losses")


def setup(app: Sphinx) -> None:
    """Keep the counts with what Sphinx remembers."""
    _LOSSES.setup(app)


def note_losses(
    env: BuildEnvironment, html: Sequence[str], lost: Iterable[str]
) -> None:
    """Count the pieces of HTML of the page that is being read in which a reader misses something.

    ``lost`` names what all of them have lost: ``<script>``, ``onclick``.
    """
    missed = [element.rstrip(">") for element in _MISSED.intersection(lost)]
    counts = _LOSSES.by_page(env)
    for piece in html:
        if any(element in piece.lower() for element in missed):
            counts[env.docname] = counts.get(env.docname, 0) + 1


def losses_of(env: BuildEnvironment) -> int:
    """Return in how many places of the page that is being read something is missed."""
    return _LOSSES.by_page(env).get(env.docname, 0)
