"""Contents for docs that have none: all pages, in the order of their names.

Only Sphinx's own docs have toctrees. Where the page that a site begins with has none, the
navigation would be empty, and no reader would find the other pages. Of several docs folders the
toctrees of one may not lead into another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform


class ListAllPages(SphinxTransform):
    """Hidden toctrees on the first page of the site, one for each folder."""

    default_priority = 4  # when there is a title, and before blocks are looked for

    def apply(self, **_: Any) -> None:
        """A page that is not the first stays as it is.

        One that lists others gets the docs folders that nothing leads to.
        """
        root = self.config.root_doc
        if self.env.docname != root:
            return
        if self.document.next_node(addnodes.toctree):
            for folder, pages in self.config.jz_site["unlisted"].items():
                self._list(folder, pages)
            return
        for folder, others in groupby(other_pages(self.env.found_docs, root), _folder):
            self._list(folder, list(others))

    def _list(self, folder: str, pages: Sequence[str]) -> None:
        """Put a hidden toctree on the page."""
        tree = addnodes.toctree(
            parent=self.env.docname,
            entries=[(None, page) for page in pages],
            maxdepth=-1,
            caption=folder.replace("_", " ").replace("-", " ") or None,
            # Sphinx reads the page again when there are other pages.
            glob=True,
            hidden=True,
            includehidden=False,
            numbered=0,
            titlesonly=False,
        )
        tree["includefiles"] = [page for _, page in tree["entries"]]
        self.document += nodes.compound("", tree, classes=["toctree-wrapper"])


def other_pages(pages: Iterable[str], root: str) -> list[str]:
    """All pages but the first: those of the outermost folder, then folder by folder."""
    return sorted(
        (page for page in pages if page != root), key=lambda page: (_folder(page), page)
    )


def _folder(page: str) -> str:
    """The outermost folder of a page; empty if it lies in none."""
    return page.partition("/")[0] if "/" in page else ""
