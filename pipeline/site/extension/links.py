"""Links from page to page, where the page is another file than upstream's.

An executed notebook stands in the place of a MyST one: ``guide.md#part`` is on ``guide.ipynb``.
"""

from __future__ import annotations

import posixpath
import re
from glob import escape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from docutils import nodes
from sphinx import addnodes
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform

from pipeline.core.pin.lock import PAGE_SUFFIXES
from pipeline.folders import OUTSIDE
from pipeline.site.extension.nodes import english
from pipeline.site.extension.tops import page_from_top

_NUMBER = re.compile(r"%s|\{(number|name)\}")
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
            elif link.get("reftype") == "myst" and link["refdomain"] == "doc":
                self._lead_to_unpublished(link)

    def _lead(self, link: addnodes.pending_xref) -> None:
        """Let one link lead where its document is; what is no document stays with MyST.

        ``../guide.md#part`` → the page ``guide``, at ``part``; ``setup.py`` → upstream's file.
        """
        path, _, fragment = link["reftarget"].partition("#")
        # They may be quoted: my%20page.md
        name = self._name_of(unquote(path), link)
        page = _page_of(name)
        if path.startswith("/"):
            # From the top of the folder that the page lies in.
            page = page_from_top(self.env, page) or page
        if page in self.env.found_docs:
            # What MyST itself makes of a link to a document that it knows.
            link["refdomain"] = "doc"
            link["reftarget"] = page
            link["reftargetid"] = fragment or None
            return
        # The name of a label, as in [](label), is no file.
        names_file = (
            name.startswith("../") or self._is_unpublished(name)
            if page
            else _FILE.search(path) or self._is_lone(path, link)
        )
        if names_file:
            self._lead_to_file(link, name)

    def _lead_to_unpublished(self, link: addnodes.pending_xref) -> None:
        """Let a link to a document that is no page lead to upstream's file."""
        for suffix in PAGE_SUFFIXES:
            if self._is_unpublished(f"{link['reftarget']}{suffix}"):
                self._lead_to_file(link, f"{link['reftarget']}{suffix}")
                return

    def _lead_to_file(self, link: addnodes.pending_xref, name: str) -> None:
        """Let a link lead to a file of upstream's, if it is known where these are shown."""
        template = self.config.jz_site["file_url"]
        if template:
            address = template.replace("{path}", name)
            link.parent.replace(
                link, nodes.reference("", "", *link.children, refuri=address)
            )

    def _is_unpublished(self, name: str) -> bool:
        """Return whether a file is a document of the docs, and no page."""
        return escape(name) in self.config.jz_site.get("unpublished", ())

    def _name_of(self, path: str, link: addnodes.pending_xref) -> str:
        """Return the file that a link names, from the top of the docs.

        A link counts from its page; in a file that the page includes from outside of the docs, from
        where that lies, unless only the page leads to a page.
        """
        folder = posixpath.dirname(self.env.docname)
        name = posixpath.normpath(posixpath.join(folder, path))
        place = place_outside(self.env, link)
        if place is None or _page_of(name) in self.env.found_docs:
            return name
        root = self.config.jz_site["docs_root"]
        target = posixpath.join("/", posixpath.dirname(place), path)
        return posixpath.relpath(target, posixpath.join("/", root))

    def _is_lone(self, path: str, link: addnodes.pending_xref) -> bool:
        """Return whether a link in a file from outside of the docs names one like ``LICENSE``."""
        return path.isupper() and place_outside(self.env, link) is not None


class NameNumbered(SphinxPostTransform):
    """Figures have no numbers here: ``numref`` leads to one by its title. Before Sphinx's own."""

    default_priority = 5

    def run(self, **_: Any) -> None:
        """Let each such link be one of ``ref``; words with a number in them give way to it."""
        for link in self.document.findall(addnodes.pending_xref):
            if link.get("reftype") == "numref" and not self.config.numfig:
                link["reftype"] = "ref"
                if _NUMBER.search(link.astext()):
                    link["refexplicit"] = False


def place_outside(env: BuildEnvironment, node: nodes.Element) -> str | None:
    """Return where the file lies in the repository that a node was read from.

    None unless it lies outside of the docs folders.
    """
    around: list[nodes.Element] = [node]
    while around[-1].parent is not None:
        around.append(around[-1].parent)
    # The English of a block is made later, and stands elsewhere.
    copies = [above for above in around if isinstance(above, english)]
    sources = [above.source for above in (*copies, *around) if above.source]
    path = Path(next(iter(sources), ""))
    outside = Path(env.srcdir, OUTSIDE)
    return path.relative_to(outside).as_posix() if outside in path.parents else None


def _page_of(name: str) -> str:
    """Return the page that a document makes; empty for a file that is none."""
    suffix = posixpath.splitext(name)[1]
    return name.removesuffix(suffix) if suffix in PAGE_SUFFIXES else ""
