"""Links between pages whose files have other names or folders here than in upstream's repository.

An executed MyST page becomes a notebook: a link to ``guide.md#part`` leads to ``guide.ipynb``. If a
project has several docs folders, one site has all of them. There, ``/img/a.png`` on a page in the
folder ``docs`` means ``docs/img/a.png``.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from glob import escape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.directives.other import TocTree
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import docname_join
from sphinx.util.matching import patfilter

from pipeline.core.document.contents import target_of
from pipeline.core.pin.lock import PAGE_SUFFIXES
from pipeline.folders import OUTSIDE
from pipeline.site.extension.nodes import english

_NUMBERED = re.compile(r"%s|\{(number|name)\}")
_FILE = re.compile(r"/?[\w.-]+\.\w{1,5}\Z")


def top_of(site: Mapping[str, Any], page: str) -> str:
    """Return the docs folder of a page, with a final slash: ``docs/``.

    Return an empty string if the project has only one docs folder.
    """
    for folder in site["folders"]:
        if page.startswith(folder):
            return str(folder)
    return ""


def english_page(site: Mapping[str, Any], page: str) -> str:
    """Return the name of a page on upstream's site, without suffix; empty if it is not there.

    Upstream's site is built from one docs folder, which has ``conf.py``. For pages of other
    folders, the address is unknown.
    """
    top = site["english_folder"]
    return page.removeprefix(top) if page.startswith(top) else ""


def inside_top(env: BuildEnvironment, target: str) -> str:
    """Return the page name for ``/guide`` or ``../guide`` in the docs folder of the current page.

    As in Sphinx, a path cannot leave the docs folder: extra ``../`` are ignored.
    """
    top = top_of(env.config.jz_site, env.docname)
    return f"{top}{docname_join(env.docname.removeprefix(top), target)}"


def page_from_top(env: BuildEnvironment, target: str) -> str:
    """Return the page of the current docs folder that a target means; empty if there is none."""
    name = inside_top(env, target)
    return name if name in env.found_docs else ""


class FindFromTop(SphinxTransform):
    """Transform that resolves "{doc}`/guide`" in the docs folder of the page.

    This transform runs before MyST resolves links of this kind.
    """

    default_priority = 299

    def apply(self, **_: Any) -> None:
        """Replace the targets of these links by pages of the docs folder, if such pages exist."""
        for link in self.document.findall(addnodes.pending_xref):
            if link.get("refdomain") == "std" and link.get("reftype") == "doc":
                page = page_from_top(self.env, link["reftarget"])
                if page:
                    link["reftarget"] = f"/{page}"


class TocTreeFromTop(TocTree):
    """Sphinx's ``toctree``, with entries resolved in the docs folder of the page."""

    def run(self) -> list[nodes.Node]:
        """Return the toctree. ``/guide`` means a page of the docs folder, if the folder has it."""
        for number, line in enumerate(self.content):
            self.content[number] = self._from_top(line)
        return list(super().run())

    def _from_top(self, line: str) -> str:
        """Return a line of the toctree, with its entry resolved: ``/guide`` → ``/docs/guide``."""
        target = target_of(line)
        if not target.startswith(("/", "../")):
            return line
        inside = inside_top(self.env, target)
        # An entry may have a suffix (guide.md) or be a pattern (guides/*).
        pages = self.env.found_docs
        is_there = posixpath.splitext(inside)[0] in pages or patfilter(pages, inside)
        return line.replace(target, f"/{inside}") if is_there else line


class FindPages(SphinxTransform):
    """Transform that resolves links to documents, before MyST warns about missing files."""

    default_priority = 300

    def apply(self, **_: Any) -> None:
        """Point links to pages of this site, or to files in upstream's repository."""
        for link in list(self.document.findall(addnodes.pending_xref)):
            if link.get("reftype") != "myst":
                continue
            # MyST has already resolved links with a domain.
            if not link.get("refdomain"):
                self._resolve(link)
            elif link["refdomain"] == "doc":
                self._resolve_unpublished(link)

    def _resolve(self, link: addnodes.pending_xref) -> None:
        """Resolve a link to a document or a file; other links are left to MyST.

        ``../guide.md#part`` → the page ``guide``, at ``part``; ``setup.py`` → upstream's file.
        """
        path, _, fragment = link["reftarget"].partition("#")
        # Addresses may be percent-encoded: my%20page.md
        name = self._name_of(unquote(path), link)
        page = _page_of(name)
        if path.startswith("/"):
            # A leading slash means the docs folder of the page.
            page = page_from_top(self.env, page) or page
        if page in self.env.found_docs:
            # The values that MyST sets for a link to a known document.
            link["refdomain"] = "doc"
            link["reftarget"] = page
            link["reftargetid"] = fragment or None
            return
        # The target may also be a label, as in [](label). MyST resolves labels later.
        if page:
            names_file = name.startswith("../") or self._is_unpublished(name)
        else:
            names_file = bool(_FILE.search(path)) or self._is_lone(path, link)
        if names_file:
            self._link_to_file(link, name)

    def _resolve_unpublished(self, link: addnodes.pending_xref) -> None:
        """Replace a link to an unpublished document by a link to upstream's file."""
        for suffix in PAGE_SUFFIXES:
            if self._is_unpublished(f"{link['reftarget']}{suffix}"):
                self._link_to_file(link, f"{link['reftarget']}{suffix}")
                return

    def _link_to_file(self, link: addnodes.pending_xref, name: str) -> None:
        """Replace a link by one to upstream's file, if the address of files is configured."""
        template = self.config.jz_site["file_url"]
        if template:
            address = template.replace("{path}", name)
            link.parent.replace(link, nodes.reference("", "", *link.children, refuri=address))

    def _is_unpublished(self, name: str) -> bool:
        """Return whether upstream's docs have this document, but do not publish it as a page."""
        return escape(name) in self.config.jz_site.get("unpublished", ())

    def _name_of(self, path: str, link: addnodes.pending_xref) -> str:
        """Return the file that a link refers to, relative to the root of the docs.

        The path of a link is relative to the page. A link in a file that is included from outside
        the docs is an exception: if no page has this path, the path is relative to the included
        file.
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
        """Return whether a link to a file like ``LICENSE`` is in a file from outside the docs."""
        return path.isupper() and place_outside(self.env, link) is not None


class NameNumbered(SphinxPostTransform):
    """Transform that turns ``numref`` into the title of a figure: we do not number figures."""

    default_priority = 5  # before Sphinx's own

    def run(self, **_: Any) -> None:
        """Turn each ``numref`` into a ``ref``. Words with a number (``Fig. %s``) are dropped."""
        for link in self.document.findall(addnodes.pending_xref):
            if link.get("reftype") == "numref" and not self.config.numfig:
                link["reftype"] = "ref"
                if _NUMBERED.search(link.astext()):
                    link["refexplicit"] = False


def place_outside(env: BuildEnvironment, node: nodes.Element) -> str | None:
    """Return the file outside the docs that a node was read from, as a path in the repository.

    Return None if the node was read from a file in a docs folder.
    """
    around: list[nodes.Element] = [node]
    while around[-1].parent is not None:
        around.append(around[-1].parent)
    # The English of a block is at the end of the page now, so its ancestors name another file. The
    # ``english`` node still names the right one, and comes first.
    copies = [above for above in around if isinstance(above, english)]
    sources = [above.source for above in (*copies, *around) if above.source]
    path = Path(next(iter(sources), ""))
    outside = Path(env.srcdir, OUTSIDE)
    return path.relative_to(outside).as_posix() if outside in path.parents else None


def _page_of(name: str) -> str:
    """Return the page of a document: ``guide.md`` → ``guide``; empty for other files."""
    suffix = posixpath.splitext(name)[1]
    return name.removesuffix(suffix) if suffix in PAGE_SUFFIXES else ""


def setup(app: Sphinx) -> None:
    """Register the transforms. With several docs folders, resolve pages within each folder, too."""
    app.add_transform(FindPages)
    app.add_post_transform(NameNumbered)
    if app.config.jz_site["folders"]:
        app.add_directive("toctree", TocTreeFromTop, override=True)
        app.add_transform(FindFromTop)
