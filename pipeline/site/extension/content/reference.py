"""API reference: links from names of Python objects, and tables that list such names.

A name that this site does not document leads to the English docs: ``tour.walk`` →
``https://example.org/en/_autosummary/tour.walk.html#tour.walk``. The address comes from the
inventory of the English docs, if there is one. Otherwise the address is derived from the directives
of the docs themselves (``autosummary``, ``autofunction``). Such links match the pinned commit and
need no network. The role does not matter: ``:func:`` finds a class, too.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext.intersphinx import InventoryAdapter
from sphinx.transforms import SphinxTransform

from pipeline.core.inventories import expand_alias
from pipeline.site.extension.bilingual.headings import pages_above, title_html
from pipeline.site.extension.navigation.links import english_page
from pipeline.site.extension.records import Context, Notes, on_page
from pipeline.site.texts import text

# Addresses of the names that each page lists, relative to the root of the English docs.
_ADDRESSES: Notes[dict[str, str]] = Notes("jz_documented")
# Pages of the objects that each page lists.
_LISTED: Notes[list[str]] = Notes("jz_listed")


def note_page(env: BuildEnvironment, name: str, folder: str) -> None:
    """Store the address of a name that has a page of its own on the English site.

    The page is in ``folder``, beside the current page: ``_autosummary`` and ``jax.jit`` →
    ``_autosummary/jax.jit.html#jax.jit``
    """
    place = posixpath.join(posixpath.dirname(env.docname), folder, name)
    page = posixpath.normpath(place)
    _LISTED.by_page(env).setdefault(env.docname, []).append(page)
    _note_address(env, name, page, anchor=name)


def note_anchor(env: BuildEnvironment, name: str, anchor: str) -> None:
    """Store the address of a name that the current page documents at ``anchor``."""
    _note_address(env, name, env.docname, anchor=anchor)


def _note_address(env: BuildEnvironment, name: str, page: str, *, anchor: str) -> None:
    """Store the address of a name on the English site, unless that site lacks the page."""
    page = english_page(env.config.jz_site, page)
    # ``page`` is empty if upstream's site lacks the page.
    if page:
        # If a page lists a name twice, the first address wins.
        listed = _ADDRESSES.by_page(env).setdefault(env.docname, {})
        listed.setdefault(name, f"{page}.html#{anchor}")


class Reference:
    """Addresses of all documented names, and the resolver of links to them."""

    def __init__(self) -> None:
        self._own: dict[str, str] = {}  # names of the English docs
        self._others: dict[str, str] = {}  # names of other sites
        # Names of the English docs, by their last part: "jit" → ["jax.jit"].
        self._by_last: dict[str, list[str]] = {}
        self._listings: dict[str, str] = {}  # page of an object → page that lists it

    def collect(self, app: Sphinx, env: BuildEnvironment) -> None:
        """Build the tables, once all pages are read.

        Addresses in inventories take precedence over addresses from the docs' own directives.
        """
        english_url = env.config.jz_site["english_url"]
        self._own, self._others, self._by_last = {}, {}, {}
        # Read only the configured inventories: Sphinx also keeps those of sites that are no longer
        # configured.
        for name, (url, _) in sorted(env.config.jz_site["inventories"].items()):
            table = self._own if url == english_url else self._others
            for object_name, address in _objects(env, name):
                table.setdefault(object_name, address)
        # Sort, so that the result does not depend on the order in which pages were read.
        for _, listed in sorted(_ADDRESSES.by_page(env).items()) if english_url else ():
            for object_name, address in listed.items():
                self._own.setdefault(object_name, f"{english_url}{address}")
        for object_name in self._own:
            last = object_name.rpartition(".")[2]
            self._by_last.setdefault(last, []).append(object_name)
        self._listings = {}
        for listing, pages in sorted(_LISTED.by_page(env).items()):
            for page in pages:
                self._listings.setdefault(page, listing)

    def show_listing(self, app: Sphinx, page: str, context: Context) -> None:
        """Show, at the top of an object's page, a link to the page that lists the object.

        Links to the parents of the listing page come first. The sidebar marks that page, which it
        finds as ``jz_listing``. Pages of objects are in no table of contents, so Sphinx itself
        knows no parents of them.
        """
        listing = self._listings.get(page)
        if not listing or context.get("parents"):
            return
        context["jz_listing"] = listing
        context["parents"] = [
            {"link": context["pathto"](name), "title": title_html(app.env, name)}
            for name in (*pages_above(app, listing), listing)
            if name != app.config.root_doc
        ]

    def resolve(
        self,
        app: Sphinx,
        env: BuildEnvironment,
        node: addnodes.pending_xref,
        words: nodes.TextElement,
    ) -> nodes.reference | None:
        """Return a link for a Python name, as Sphinx's event ``missing-reference`` expects.

        Return None if no site documents the name.
        """
        if node.get("refdomain") != "py":
            return None
        site = env.config.jz_site
        address = self._address_of(node, usual=site["usual"], package=site["package"])
        if address:
            return nodes.reference("", "", words, internal=False, refuri=address)
        # If no site documents the name, it may be a module that has a page of the same name.
        page = node["reftarget"]
        if page in env.found_docs and page != node["refdoc"]:
            address = app.builder.get_relative_uri(node["refdoc"], page)
            return nodes.reference("", "", words, internal=True, refuri=address)
        return None

    def _address_of(
        self, node: addnodes.pending_xref, *, usual: Mapping[str, str], package: str
    ) -> str:
        """Return the address at which the name of a reference is documented; empty if unknown.

        The English docs come first: the name as written, then the name within the current module.
        So ``map`` on the page of ``jax.lax`` means ``jax.lax.map``, not Python's ``map``. Names of
        other sites follow. Abbreviated names come last: ``jnp.sin`` for ``jax.numpy.sin``.
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
        """Return the address of the only documented name that ends in ``.name``.

        ``checkify.check`` finds ``jax.experimental.checkify.check``. Return an empty string if
        several names match, or none. As in Sphinx, a name without dots is searched for only if it
        is written with a leading dot: ":func:`.jit`".
        """
        if "." not in name and not node.get("refspecific"):
            return ""
        names = self._by_last.get(name.rpartition(".")[2], ())
        found = [known for known in names if known.endswith(f".{name}")]
        return self._own[found[0]] if len(found) == 1 else ""

    def _page_of_owner(self, name: str) -> str:
        """Return the page of the class that contains a name; empty if the class has no page.

        ``jax.Array.at`` → the page of ``jax.Array``, which documents its members.
        """
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
    """Return a paragraph with the signature of ``name``; no nodes if the signature is empty.

    Browsers that translate pages leave the paragraph unchanged.
    """
    if not signature:
        return []
    code = nodes.literal("", signature, classes=["jz-described"], translate="no")
    return [nodes.paragraph("", "", code, jz_signature_of=name)]


def table_of(
    env: BuildEnvironment, rows: Sequence[tuple[nodes.Node, Sequence[nodes.Node]]]
) -> nodes.table:
    """Return a table of names. A row is a node with the name, and the nodes that describe it."""
    locale = env.config.language
    heads = [_cell(nodes.paragraph("", text(locale, f"api {key}"))) for key in "01"]
    lines = [nodes.row("", _cell(shown), nodes.entry("", *described)) for shown, described in rows]
    columns = [nodes.colspec(colwidth=1), nodes.colspec(colwidth=2)]
    head, body = nodes.thead("", nodes.row("", *heads)), nodes.tbody("", *lines)
    group = nodes.tgroup("", *columns, head, body, cols=2)
    return nodes.table("", group, classes=["jz-api"])


class FieldDashes(SphinxTransform):
    """Transform that writes the dash between a parameter and its description: " -- " → " – ".

    Sphinx writes two hyphens. It replaces them by a dash only in languages for which it also
    replaces straight quotation marks, such as English.
    """

    default_priority = 400

    def apply(self, **_: Any) -> None:
        """Replace the dashes of all fields."""
        for field in self.document.findall(nodes.field_body):
            for words in list(field.findall(nodes.Text)):
                if words == " -- ":
                    words.parent.replace(words, nodes.Text(" – "))


def _cell(content: nodes.Node) -> nodes.entry:
    return nodes.entry("", content)


def setup(app: Sphinx) -> None:
    """Resolve names before intersphinx does (priority 400 precedes 500).

    intersphinx knows only inventories, and does not try a name within the current module.
    """
    reference = Reference()
    app.add_transform(FieldDashes)
    _ADDRESSES.setup(app)
    _LISTED.setup(app)
    app.connect("env-updated", reference.collect)
    app.connect("missing-reference", reference.resolve, priority=400)
    on_page(app, reference.show_listing)
