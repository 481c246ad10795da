"""API reference: names as links, and the tables that list them.

Names that this site does not document lead to the English docs. Upstream's own lists
(``autosummary``, ``autofunction``) define which names its site documents, and where. So links match
the pinned commit and need no network. An inventory takes precedence. A name is found whatever the
kind of its object.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext.intersphinx import InventoryAdapter

from pipeline.core.inventories.names import expand_alias
from pipeline.site.extension.navigation.links import english_page
from pipeline.site.extension.records import Notes
from pipeline.site.texts import text

# Addresses of the names that each page lists, relative to the root of the English docs.
_ADDRESSES: Notes[dict[str, str]] = Notes("jz_documented")


def note_page(env: BuildEnvironment, name: str, folder: str) -> None:
    """Note that a name has a page of its own on the English site, in ``folder`` beside this page.

    ``_autosummary`` and ``jax.jit`` → ``_autosummary/jax.jit.html#jax.jit``
    """
    place = posixpath.join(posixpath.dirname(env.docname), folder, name)
    _note_address(env, name, posixpath.normpath(place), anchor=name)


def note_anchor(env: BuildEnvironment, name: str, anchor: str) -> None:
    """Note that a name is documented on the current page."""
    _note_address(env, name, env.docname, anchor=anchor)


def _note_address(env: BuildEnvironment, name: str, page: str, *, anchor: str) -> None:
    page = english_page(env.config.jz_site, page)
    # A page that upstream's site lacks has no known address there.
    if page:
        # If two lists of a page have the name, the first one wins.
        listed = _ADDRESSES.by_page(env).setdefault(env.docname, {})
        listed.setdefault(name, f"{page}.html#{anchor}")


class Reference:
    """Tables of the addresses of documented names, built when all pages are read."""

    def __init__(self) -> None:
        self._own: dict[str, str] = {}  # names of the English docs
        self._others: dict[str, str] = {}  # names of other sites
        # Names of the English docs, by their last part.
        self._by_last: dict[str, list[str]] = {}

    def collect(self, app: Sphinx, env: BuildEnvironment) -> None:
        """Build the tables. An inventory takes precedence over the lists of the docs."""
        english_url = env.config.jz_site["english_url"]
        self._own, self._others, self._by_last = {}, {}, {}
        # Sphinx also keeps inventories of sites that are no longer configured.
        for name, (url, _) in sorted(env.config.jz_site["inventories"].items()):
            table = self._own if url == english_url else self._others
            for object_name, address in _objects(env, name):
                table.setdefault(object_name, address)
        # Sorted, so that the result does not depend on the order in which pages were read.
        for _, listed in sorted(_ADDRESSES.by_page(env).items()) if english_url else ():
            for object_name, address in listed.items():
                self._own.setdefault(object_name, f"{english_url}{address}")
        for object_name in self._own:
            last = object_name.rpartition(".")[2]
            self._by_last.setdefault(last, []).append(object_name)

    def resolve(
        self,
        app: Sphinx,
        env: BuildEnvironment,
        node: addnodes.pending_xref,
        words: nodes.TextElement,
    ) -> nodes.reference | None:
        """Return a link for a name of the API; None if no site documents it."""
        if node.get("refdomain") != "py":
            return None
        site = env.config.jz_site
        address = self._address_of(node, usual=site["usual"], package=site["package"])
        if address:
            return nodes.reference("", "", words, internal=False, refuri=address)
        # An undocumented module may have a page of the same name.
        page = node["reftarget"]
        if page in env.found_docs and page != node["refdoc"]:
            address = app.builder.get_relative_uri(node["refdoc"], page)
            return nodes.reference("", "", words, internal=True, refuri=address)
        return None

    def _address_of(
        self, node: addnodes.pending_xref, *, usual: Mapping[str, str], package: str
    ) -> str:
        """Return the address at which the name of a reference is documented; empty if unknown.

        The name is tried as written, then in the module around it: ``map`` among the functions of
        jax.lax is not Python's. Other sites follow, and abbreviated names come last.
        """
        name, module = node["reftarget"], node.get("py:module")
        whole = expand_alias(name, usual)
        return (
            self._own.get(name)
            or (self._own.get(f"{module}.{name}") if module else "")
            or self._others.get(name)
            or self._own.get(whole)
            or self._others.get(whole)
            or self._own.get(f"{package}.{whole}")
            or self._page_of_owner(whole)
            or self._only_one_that_ends(node, name)
        )

    def _only_one_that_ends(self, node: addnodes.pending_xref, name: str) -> str:
        """Return the address of the only documented name that ends in ``.name``; otherwise empty.

        ``checkify.check`` finds ``jax.experimental.checkify.check``. As in Sphinx, a name without
        dots is searched for only if it is written with a leading dot.
        """
        if "." not in name and not node.get("refspecific"):
            return ""
        names = self._by_last.get(name.rpartition(".")[2], ())
        found = [known for known in names if known.endswith(f".{name}")]
        return self._own[found[0]] if len(found) == 1 else ""

    def _page_of_owner(self, name: str) -> str:
        """Return the page of the class that a name belongs to: it documents the members."""
        owner = name.rpartition(".")[0]
        page, _, anchor = self._own.get(owner, "").partition("#")
        return page if anchor == owner else ""


def _objects(env: BuildEnvironment, inventory: str) -> Iterator[tuple[str, str]]:
    """Yield name and address of each Python object in an inventory, of any kind."""
    kinds = InventoryAdapter(env).named_inventory.get(inventory, {})
    for kind in sorted(kinds):
        if kind.startswith("py:"):
            for name, entry in kinds[kind].items():
                yield name, entry.uri


def signature_nodes(name: str, signature: str) -> list[nodes.Node]:
    """Return the signature of ``name`` as a paragraph that is not translated; none for ``""``."""
    if not signature:
        return []
    code = nodes.literal("", signature, classes=["jz-described"], translate="no")
    return [nodes.paragraph("", "", code, jz_signature_of=name)]


def table_of(
    env: BuildEnvironment, rows: Sequence[tuple[nodes.Node, Sequence[nodes.Node]]]
) -> nodes.table:
    """Return a table of names. A row has the node that shows the name, and its description."""
    locale = env.config.language
    heads = [_cell(nodes.paragraph("", text(locale, f"api {key}"))) for key in "01"]
    lines = [
        nodes.row("", _cell(shown), nodes.entry("", *described))
        for shown, described in rows
    ]
    columns = [nodes.colspec(colwidth=1), nodes.colspec(colwidth=2)]
    head, body = nodes.thead("", nodes.row("", *heads)), nodes.tbody("", *lines)
    group = nodes.tgroup("", *columns, head, body, cols=2)
    return nodes.table("", group, classes=["jz-api"])


def _cell(content: nodes.Node) -> nodes.entry:
    return nodes.entry("", content)


def setup(app: Sphinx) -> None:
    """Resolve names before intersphinx.

    intersphinx uses neither the lists of the docs nor the module around a name.
    """
    reference = Reference()
    _ADDRESSES.setup(app)
    app.connect("env-updated", reference.collect)
    app.connect("missing-reference", reference.resolve, priority=400)
