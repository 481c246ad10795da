"""Pages that the site of a release shares with the pinned site: they are neither read nor written.

What Sphinx knows of them (titles, contents, labels, anchors) is taken over from the pinned site,
which was built before. So navigation and links are complete, and lead to the pages there.
"""

from __future__ import annotations

import pickle
from collections.abc import Set
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment


def take_over(app: Sphinx, env: BuildEnvironment, pages: list[str]) -> None:
    """Take what is known of shared pages from the pinned site; leave the others in ``pages``."""
    shared = frozenset(app.config.jz_site["shared"])
    if not shared:
        return
    file = Path(app.config.jz_site["pinned_doctrees"], "environment.pickle")
    pinned = pickle.loads(file.read_bytes())  # noqa: S301 - our own build has written it
    for page in shared:
        app.events.emit("env-purge-doc", env, page)
        env.clear_doc(page)
    env.merge_info_from(shared, pinned, app)
    pages[:] = [page for page in pages if page not in shared]


class OwnPagesBuilder(StandaloneHTMLBuilder):
    """HTML builder that writes the pages of this site, and links to the pinned site for others."""

    def get_target_uri(self, docname: str, typ: str | None = None) -> str:
        """Return the address of a page, relative to the site."""
        site = self.config.jz_site
        folder = site["pinned"] if docname in site["shared"] else ""
        return f"{folder}{super().get_target_uri(docname, typ)}"

    def write_documents(self, docnames: Set[str]) -> None:
        """Write the pages that are on this site."""
        own = docnames - frozenset(self.config.jz_site["shared"])
        if own:
            super().write_documents(own)


def setup(app: Sphinx) -> None:
    """Take over shared pages before others are read."""
    app.connect("env-before-read-docs", take_over)
