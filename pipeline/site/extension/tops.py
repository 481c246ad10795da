"""Docs of several folders: each is the top of its own pages, as it is for upstream's Sphinx.

There ``/img/a.png`` lies in ``docs`` if the page does, and ``guide.html`` is the page that is
``docs/guide`` here. Where docs lie in one folder, everything is as Sphinx has it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.directives.other import TocTree
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util import docname_join
from sphinx.util.matching import patfilter

from pipeline.core.document.contents import target_of


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


def setup(app: Sphinx) -> None:
    """Use these where docs lie in several folders; others need nothing of it."""
    if not app.config.jz_site["folders"]:
        return
    app.add_directive("toctree", TocTreeFromTop, override=True)
    app.add_transform(FindFromTop)
    _patch_paths()
