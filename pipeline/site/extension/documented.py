"""Names of the API as links to the English docs, also where no inventory says where they are.

Upstream's own lists name what its site has a page or an anchor for (``autosummary``,
``autofunction``): where that is, follows from the list. So the names are those of the very commit
that is shown, and no network is needed. What an inventory knows comes first. Names of other sites
are known by their inventories alone. A name is found under whatever kind of object it is, as
readers do not care for the difference.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext.intersphinx import InventoryAdapter

from pipeline.core.inventories.names import spelled_out
from pipeline.site.extension.noting import Notes
from pipeline.site.extension.tops import english_page

# By page: the address of each name that it lists, relative to the root of the English docs.
_ADDRESSES: Notes[dict[str, str]] = Notes("jz_documented")


def note_page(env: BuildEnvironment, name: str, folder: str) -> None:
    """A name that the English docs have a page for, in ``folder`` beside the page that lists it.

    ``_autosummary`` and ``jax.jit`` → ``_autosummary/jax.jit.html#jax.jit``
    """
    place = posixpath.join(posixpath.dirname(env.docname), folder, name)
    _note(env, name, posixpath.normpath(place), anchor=name)


def note_anchor(env: BuildEnvironment, name: str, anchor: str) -> None:
    """A name that is documented on this very page."""
    _note(env, name, env.docname, anchor=anchor)


def _note(env: BuildEnvironment, name: str, page: str, *, anchor: str) -> None:
    page = english_page(env.config.jz_site, page)
    if not page:
        return  # nobody knows where that is in the English docs
    address = f"{page}.html#{anchor}"
    # Of two lists on a page the first counts.
    _ADDRESSES.by_page(env).setdefault(env.docname, {}).setdefault(name, address)


class Reference:
    """Where names are documented: tables that are made once, when all pages are read."""

    def __init__(self) -> None:
        self._own: dict[str, str] = {}  # names of the English docs
        self._others: dict[str, str] = {}  # those of other sites
        self._by_last: dict[
            str, list[str]
        ] = {}  # the first, by the last of their parts

    def collect(self, app: Sphinx, env: BuildEnvironment) -> None:
        """For Sphinx: make the tables. An inventory goes before the lists of the docs."""
        english_url = env.config.jz_site["english_url"]
        self._own, self._others = {}, {}
        # Sphinx keeps inventories of sites that are configured no more.
        for name, (url, _) in sorted(env.config.jz_site["inventories"].items()):
            table = self._own if url == english_url else self._others
            for object_name, address in _objects(env, name):
                table.setdefault(object_name, address)
        if english_url:
            for object_name, address in _listed(env):
                self._own.setdefault(object_name, f"{english_url}{address}")
        self._by_last = {}
        for object_name in self._own:
            last = object_name.rpartition(".")[2]
            self._by_last.setdefault(last, []).append(object_name)

    def lead(
        self,
        app: Sphinx,
        env: BuildEnvironment,
        node: addnodes.pending_xref,
        words: nodes.TextElement,
    ) -> nodes.reference | None:
        """For Sphinx: a link for a name that is documented elsewhere; None if it is nowhere."""
        if node.get("refdomain") != "py":
            return None
        site = env.config.jz_site
        address = self._address_of(node, usual=site["usual"], package=site["package"])
        if address:
            return nodes.reference("", "", words, internal=False, refuri=address)
        # A module may have a page that is called like it, and nothing that documents it.
        page = node["reftarget"]
        if page in env.found_docs and page != node["refdoc"]:
            address = app.builder.get_relative_uri(node["refdoc"], page)
            return nodes.reference("", "", words, internal=True, refuri=address)
        return None

    def _address_of(
        self, node: addnodes.pending_xref, *, usual: Mapping[str, str], package: str
    ) -> str:
        """Where the name of a reference is documented; empty if it is nowhere.

        First it is what it says, or a name in the module around it: ``map`` among the functions of
        jax.lax is not Python's. Then it is another site's, and at last one that is written short.
        """
        name = node["reftarget"]
        whole = spelled_out(name, usual)
        return (
            self._own.get(name)
            or self._in_module(node, name)
            or self._others.get(name)
            or self._own.get(whole)
            or self._others.get(whole)
            or self._own.get(f"{package}.{whole}")
            or self._page_of_owner(whole)
            or self._only_one_that_ends(node, name)
        )

    def _in_module(self, node: addnodes.pending_xref, name: str) -> str:
        """The address of a name in the module around a reference, if there is one."""
        module = node.get("py:module")
        return self._own.get(f"{module}.{name}", "") if module else ""

    def _only_one_that_ends(self, node: addnodes.pending_xref, name: str) -> str:
        """The address of ``jax.experimental.checkify.check`` for ``checkify.check``.

        A name that is one word must begin with a dot in the docs: that asks Sphinx for the same.
        """
        if "." not in name and not node.get("refspecific"):
            return ""
        names = self._by_last.get(name.rpartition(".")[2], ())
        found = [known for known in names if known.endswith(f".{name}")]
        return self._own[found[0]] if len(found) == 1 else ""

    def _page_of_owner(self, name: str) -> str:
        """The page of the class that a name is in: it tells of what the class has."""
        owner = name.rpartition(".")[0]
        page, _, anchor = self._own.get(owner, "").partition("#")
        return page if anchor == owner else ""


def _objects(env: BuildEnvironment, inventory: str) -> Iterator[tuple[str, str]]:
    """The objects of Python in an inventory, of whatever kind, with their addresses."""
    kinds = InventoryAdapter(env).named_inventory.get(inventory, {})
    for kind in sorted(kinds):
        if kind.startswith("py:"):
            for name, entry in kinds[kind].items():
                yield name, entry.uri


def _listed(env: BuildEnvironment) -> Iterator[tuple[str, str]]:
    """The names that pages list. They come in one order, whichever page was read first."""
    listed = _ADDRESSES.by_page(env)
    for page in sorted(listed):
        yield from listed[page].items()


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect it before intersphinx, which knows nothing of the lists and of modules around."""
    reference = Reference()
    _ADDRESSES.setup(app)
    app.connect("env-updated", reference.collect)
    app.connect("missing-reference", reference.lead, priority=400)
    return {}
