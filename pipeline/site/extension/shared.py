"""Pages that the site of another release shares with the pinned site, where they are built.

The pinned site shows the pinned release; it is built first. The sites of other releases are in
folders below it. If a page of another release equals that of the pinned release, only the pinned
site has it, and the other site links to it. Sphinx's data of such pages (titles, contents, labels,
anchors) are copied from the pinned site, so that the navigation and all links are complete.
"""

from __future__ import annotations

import pickle
from collections.abc import Set
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment


def take_over(app: Sphinx, env: BuildEnvironment, pages: list[str]) -> None:
    """Copy Sphinx's data of shared pages from the pinned site, and remove them from ``pages``.

    ``pages`` are the pages that Sphinx is about to read.
    """
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
    """HTML builder that writes all pages except shared ones, which it links to the pinned site."""

    def get_target_uri(self, docname: str, typ: str | None = None) -> str:
        """Return the address of a page, relative to the root of this site."""
        site = self.config.jz_site
        folder = site["pinned"] if docname in site["shared"] else ""
        return f"{folder}{super().get_target_uri(docname, typ)}"

    def write_documents(self, docnames: Set[str]) -> None:
        """Write the pages in ``docnames`` that are not shared."""
        own = docnames - frozenset(self.config.jz_site["shared"])
        if own:
            super().write_documents(own)


def setup(app: Sphinx) -> None:
    """Copy the data of shared pages before Sphinx reads other pages."""
    app.connect("env-before-read-docs", take_over)
