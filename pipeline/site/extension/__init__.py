"""Our Sphinx extension: what makes a Sphinx site of translated pages into the site of readers.

Sphinx calls ``setup``. Nothing is loaded before that, so that a test of one part needs no other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Register all parts of the extension."""
    from pipeline.site.extension.registering import register

    return register(app)
