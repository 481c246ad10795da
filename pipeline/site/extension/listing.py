"""Contents for docs that have none: all pages, in the order of their names.

Only Sphinx's own docs have toctrees. Where the page that a site begins with has none, the
navigation would be empty, and no reader would find the other pages.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform


class ListAllPages(SphinxTransform):
    """Hidden toctrees on the first page of the site, one for each folder."""

    default_priority = 4  # when there is a title, and before blocks are looked for

    def apply(self, **_: Any) -> None:
        """A page that lists others, and one that is not the first, stays as it is."""
        root = self.config.root_doc
        if self.env.docname != root or self.document.next_node(addnodes.toctree):
            return
        for folder, pages in groupby(other_pages(self.env.found_docs, root), _folder):
            tree = addnodes.toctree(
                parent=root,
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
