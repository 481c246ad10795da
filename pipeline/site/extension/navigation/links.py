"""Links from page to page, where files are named or placed otherwise than upstream.

An executed notebook replaces a MyST one: ``guide.md#part`` is on ``guide.ipynb``. In docs of
several folders, each is the top of its own pages: ``/img/a.png`` lies in ``docs`` if the page does.
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


def top_of(site: Mapping[str, Any], page: str) -> str:
    """The folder that a page lies in, with a slash: ``docs/``; empty where there is only one."""
    for folder in site["folders"]:
        if page.startswith(folder):
            return str(folder)
    return ""


def english_page(site: Mapping[str, Any], page: str) -> str:
    """What a page is called on upstream's own site, without suffix; empty if it is not there.

    That is made of the folder with the ``conf.py``: nobody can say where pages of others are.
    """
    top = site["english_folder"]
    if not page.startswith(top):
        return ""
    return page.removeprefix(top)


def inside_top(env: BuildEnvironment, target: str) -> str:
    """What ``/guide`` or ``../guide`` means on the page that is being read, within its folder.

    Sphinx leaves no folder: what leads above it begins there.
    """
    top = top_of(env.config.jz_site, env.docname)
    return f"{top}{docname_join(env.docname.removeprefix(top), target)}"


def page_from_top(env: BuildEnvironment, target: str) -> str:
    """The page of its own folder that a target means; empty if there is none."""
    name = inside_top(env, target)
    return name if name in env.found_docs else ""


class FindFromTop(SphinxTransform):
    """Comes before the links of a page are noted, and those of MyST looked at."""

    default_priority = 299

    def apply(self, **_: Any) -> None:
        """Let ``{doc}`/guide``` lead to the page of the folder that it stands in."""
        for link in self.document.findall(addnodes.pending_xref):
            if link.get("refdomain") == "std" and link.get("reftype") == "doc":
                page = page_from_top(self.env, link["reftarget"])
                if page:
                    link["reftarget"] = f"/{page}"


class TocTreeFromTop(TocTree):
    """As Sphinx's, with entries that begin at the folder of the page."""

    def run(self) -> list[nodes.Node]:
        """``/guide`` and ``Words </guide>`` are pages of the folder, if it has them."""
        for number, line in enumerate(self.content):
            self.content[number] = self._from_top(line)
        return list(super().run())

    def _from_top(self, line: str) -> str:
        """A line of the list, with the folder in it if its entry begins there."""
        target = target_of(line)
        if not target.startswith(("/", "../")):
            return line
        inside = inside_top(self.env, target)
        # Entries may have suffixes, or be patterns.
        pages = self.env.found_docs
        is_there = posixpath.splitext(inside)[0] in pages or patfilter(pages, inside)
        return line.replace(target, f"/{inside}") if is_there else line


def _patch_paths() -> None:
    """Let files that a page names be looked for in its folder first."""
    plain = BuildEnvironment.relfn2path

    def path_from_top(
        self: BuildEnvironment, filename: str | Path, docname: str | None = None
    ) -> tuple[str, str]:
        """As Sphinx's, where ``/`` is the top of the page's own folder if the file is there."""
        top = top_of(self.config.jz_site, docname or self.docname)
        inside = f"/{top}{str(filename).lstrip('/')}"
        is_from_top = str(filename).startswith("/")
        if top and is_from_top and _is_there(self.srcdir, inside):
            return plain(self, inside, docname)
        return plain(self, filename, docname)

    # Once: the tests set up more than one site in a process.
    if plain.__name__ != path_from_top.__name__:
        BuildEnvironment.relfn2path = path_from_top  # type: ignore[method-assign]


def _is_there(sources: Path, path: str) -> bool:
    """Whether a path from the top of the sources leads to a file; ``diagram.*`` is any of them."""
    file = Path(sources, path.lstrip("/"))
    return file.is_file() or (file.suffix == ".*" and any(file.parent.glob(file.name)))


_NUMBERED = re.compile(r"%s|\{(number|name)\}")
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
                if _NUMBERED.search(link.astext()):
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


def setup(app: Sphinx) -> None:
    """Register this part of the extension."""
    app.add_transform(FindPages)
    app.add_post_transform(NameNumbered)
    # Docs in one folder need nothing more.
    if not app.config.jz_site["folders"]:
        return
    app.add_directive("toctree", TocTreeFromTop, override=True)
    app.add_transform(FindFromTop)
    _patch_paths()
