"""Links between pages whose files have other names or places here than upstream.

An executed notebook replaces a MyST page: ``guide.md#part`` is on ``guide.ipynb``. With several
docs folders, paths are resolved within the folder of the page: on a page in ``docs``,
``/img/a.png`` is ``docs/img/a.png``.
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
    """Return the docs folder of a page, with a slash: ``docs/``; empty if there is only one."""
    for folder in site["folders"]:
        if page.startswith(folder):
            return str(folder)
    return ""


def english_page(site: Mapping[str, Any], page: str) -> str:
    """Return the name of a page on upstream's site, without suffix; empty if it is not there.

    Upstream's site is built from the folder with ``conf.py``. Addresses of other pages are unknown.
    """
    top = site["english_folder"]
    return page.removeprefix(top) if page.startswith(top) else ""


def inside_top(env: BuildEnvironment, target: str) -> str:
    """Return the page name that ``/guide`` or ``../guide`` has within the current page's folder.

    As in Sphinx, a path that leads above the folder is resolved from its top.
    """
    top = top_of(env.config.jz_site, env.docname)
    return f"{top}{docname_join(env.docname.removeprefix(top), target)}"


def page_from_top(env: BuildEnvironment, target: str) -> str:
    """Return the page of the current folder that a target refers to; empty if there is none."""
    name = inside_top(env, target)
    return name if name in env.found_docs else ""


class FindFromTop(SphinxTransform):
    """Resolve ``{doc}`/guide``` before references are noted and before MyST resolves its own."""

    default_priority = 299

    def apply(self, **_: Any) -> None:
        """Replace the target of such links by the page of the current folder, if it exists."""
        for link in self.document.findall(addnodes.pending_xref):
            if link.get("refdomain") == "std" and link.get("reftype") == "doc":
                page = page_from_top(self.env, link["reftarget"])
                if page:
                    link["reftarget"] = f"/{page}"


class TocTreeFromTop(TocTree):
    """Sphinx's ``toctree``, with entries resolved in the docs folder of the page."""

    def run(self) -> list[nodes.Node]:
        """Return the toctree. ``/guide`` refers to a page of the folder, if it has one."""
        for number, line in enumerate(self.content):
            self.content[number] = self._from_top(line)
        return list(super().run())

    def _from_top(self, line: str) -> str:
        """Return a line of the toctree, with the folder added to its entry if needed."""
        target = target_of(line)
        if not target.startswith(("/", "../")):
            return line
        inside = inside_top(self.env, target)
        # Entries may have suffixes or be patterns.
        pages = self.env.found_docs
        is_there = posixpath.splitext(inside)[0] in pages or patfilter(pages, inside)
        return line.replace(target, f"/{inside}") if is_there else line


def _patch_paths() -> None:
    """Make Sphinx look up files of a page in the docs folder of the page first."""
    plain = BuildEnvironment.relfn2path

    def path_from_top(
        self: BuildEnvironment, filename: str | Path, docname: str | None = None
    ) -> tuple[str, str]:
        """Return Sphinx's result, with ``/`` as the top of the page's folder if it has the file."""
        top = top_of(self.config.jz_site, docname or self.docname)
        inside = f"/{top}{str(filename).lstrip('/')}"
        is_from_top = str(filename).startswith("/")
        if top and is_from_top and _is_there(self.srcdir, inside):
            return plain(self, inside, docname)
        return plain(self, filename, docname)

    # Only once: tests set up several sites in one process.
    if plain.__name__ != path_from_top.__name__:
        BuildEnvironment.relfn2path = path_from_top  # type: ignore[method-assign]


def _is_there(sources: Path, path: str) -> bool:
    """Return whether a path among the sources leads to a file; ``diagram.*`` matches any suffix."""
    file = Path(sources, path.lstrip("/"))
    return file.is_file() or (file.suffix == ".*" and any(file.parent.glob(file.name)))


class FindPages(SphinxTransform):
    """Resolve links to documents, before MyST reports names that are no files."""

    default_priority = 300

    def apply(self, **_: Any) -> None:
        """Point links to documents to pages, and links to other files to the repository."""
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
            # Relative to the top of the page's docs folder.
            page = page_from_top(self.env, page) or page
        if page in self.env.found_docs:
            # The values that MyST sets for a link to a known document.
            link["refdomain"] = "doc"
            link["reftarget"] = page
            link["reftargetid"] = fragment or None
            return
        # A label, as in [](label), is no file.
        if page:
            names_file = name.startswith("../") or self._is_unpublished(name)
        else:
            names_file = bool(_FILE.search(path)) or self._is_lone(path, link)
        if names_file:
            self._link_to_file(link, name)

    def _resolve_unpublished(self, link: addnodes.pending_xref) -> None:
        """Replace a link to a document that is no page by a link to upstream's file."""
        for suffix in PAGE_SUFFIXES:
            if self._is_unpublished(f"{link['reftarget']}{suffix}"):
                self._link_to_file(link, f"{link['reftarget']}{suffix}")
                return

    def _link_to_file(self, link: addnodes.pending_xref, name: str) -> None:
        """Replace a link by one to a file of upstream's, if the address of files is known."""
        template = self.config.jz_site["file_url"]
        if template:
            address = template.replace("{path}", name)
            link.parent.replace(
                link, nodes.reference("", "", *link.children, refuri=address)
            )

    def _is_unpublished(self, name: str) -> bool:
        """Return whether a file is a document of the docs that is not published as a page."""
        return escape(name) in self.config.jz_site.get("unpublished", ())

    def _name_of(self, path: str, link: addnodes.pending_xref) -> str:
        """Return the file that a link refers to, relative to the top of the docs.

        A link is relative to its page. In a file included from outside of the docs, it is relative
        to that file, unless only the first interpretation leads to a page.
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
        """Return whether a link in a file from outside the docs names a file like ``LICENSE``."""
        return path.isupper() and place_outside(self.env, link) is not None


class NameNumbered(SphinxPostTransform):
    """Show the title of a figure for ``numref``, because figures are not numbered here."""

    default_priority = 5  # before Sphinx's own

    def run(self, **_: Any) -> None:
        """Turn each ``numref`` into a ``ref``, and drop its words if they contain a number."""
        for link in self.document.findall(addnodes.pending_xref):
            if link.get("reftype") == "numref" and not self.config.numfig:
                link["reftype"] = "ref"
                if _NUMBERED.search(link.astext()):
                    link["refexplicit"] = False


def place_outside(env: BuildEnvironment, node: nodes.Element) -> str | None:
    """Return the file that a node was read from, as a path in the repository.

    Return None if the file is in a docs folder.
    """
    around: list[nodes.Element] = [node]
    while around[-1].parent is not None:
        around.append(around[-1].parent)
    # The English of a block was moved, but its node still names the file that it came from.
    copies = [above for above in around if isinstance(above, english)]
    sources = [above.source for above in (*copies, *around) if above.source]
    path = Path(next(iter(sources), ""))
    outside = Path(env.srcdir, OUTSIDE)
    return path.relative_to(outside).as_posix() if outside in path.parents else None


def _page_of(name: str) -> str:
    """Return the page of a document; empty for other files."""
    suffix = posixpath.splitext(name)[1]
    return name.removesuffix(suffix) if suffix in PAGE_SUFFIXES else ""


def setup(app: Sphinx) -> None:
    """Register the resolution of links, and for several docs folders, of paths from their tops."""
    app.add_transform(FindPages)
    app.add_post_transform(NameNumbered)
    if app.config.jz_site["folders"]:
        app.add_directive("toctree", TocTreeFromTop, override=True)
        app.add_transform(FindFromTop)
        _patch_paths()
