"""Links from page to page, where the page is another file than upstream's: an executed notebook in place of a MyST one."""

from __future__ import annotations

import posixpath
import re
from typing import Any
from urllib.parse import unquote

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

_SUFFIXES = (".md", ".ipynb", ".rst")
_FILE = re.compile(r"/?[\w.-]+\.\w{1,5}\Z")


class FindPages(SphinxTransform):
    """Comes before MyST gives up on what is no file."""

    default_priority = 300

    def apply(self, **_: Any) -> None:
        """Let each link that names a document lead to the page, and one to a file that was not pulled to upstream's repository."""
        for link in list(self.document.findall(addnodes.pending_xref)):
            if link.get("reftype") == "myst" and not link.get("refdomain"):
                self._lead(link)

    def _lead(self, link: addnodes.pending_xref) -> None:
        path, _, fragment = link["reftarget"].partition("#")
        name = posixpath.normpath(
            posixpath.join(posixpath.dirname(self.env.docname), unquote(path))
        )
        page = next(
            (name.removesuffix(suffix) for suffix in _SUFFIXES if name.endswith(suffix)), ""
        )
        if page in self.env.found_docs:
            link["refdomain"], link["reftarget"], link["reftargetid"] = (
                "doc",
                page,
                fragment or None,
            )
        elif (
            path
            and not page
            and _FILE.search(path)
            and (template := self.config.jz_site["file_url"])
        ):
            link.parent.replace(
                link,
                nodes.reference("", "", *link.children, refuri=template.replace("{path}", name)),
            )
