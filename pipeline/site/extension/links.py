"""Links from page to page, where the page is another file than upstream's.

An executed notebook stands in the place of a MyST one: ``guide.md#part`` is on ``guide.ipynb``.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any
from urllib.parse import unquote

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

from pipeline.core.pin.lock import PAGE_SUFFIXES
from pipeline.site.extension.tops import page_from_top

_FILE = re.compile(r"/?[\w.-]+\.\w{1,5}\Z")


class FindPages(SphinxTransform):
    """Comes before MyST gives up on what is no file."""

    default_priority = 300

    def apply(self, **_: Any) -> None:
        """Let each link that names a document lead to the page.

        One to a file that was not pulled leads to upstream's repository.
        """
        for link in list(self.document.findall(addnodes.pending_xref)):
            # Where one with a domain leads MyST has found out already.
            if link.get("reftype") == "myst" and not link.get("refdomain"):
                self._lead(link)

    def _lead(self, link: addnodes.pending_xref) -> None:
        """Let one link lead where its document is; what is no document stays with MyST.

        ``../guide.md#part`` → the page ``guide``, at ``part``; ``setup.py`` → upstream's file.
        """
        path, _, fragment = link["reftarget"].partition("#")
        folder = posixpath.dirname(self.env.docname)
        # Links are relative to the page, and may be quoted: my%20page.md
        name = posixpath.normpath(posixpath.join(folder, unquote(path)))
        suffix = posixpath.splitext(name)[1]
        page = name.removesuffix(suffix) if suffix in PAGE_SUFFIXES else ""
        if path.startswith("/"):
            # From the top of the folder that the page lies in.
            page = page_from_top(self.env, page) or page
        if page in self.env.found_docs:
            # What MyST itself makes of a link to a document that it knows.
            link["refdomain"] = "doc"
            link["reftarget"] = page
            link["reftargetid"] = fragment or None
            return
        template = self.config.jz_site["file_url"]
        # The name of a label, as in [](label), is no file.
        names_file = not page and _FILE.search(path)
        if template and names_file:
            address = template.replace("{path}", name)
            link.parent.replace(
                link, nodes.reference("", "", *link.children, refuri=address)
            )
