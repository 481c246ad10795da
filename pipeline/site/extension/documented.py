"""Names of the API as links to the English docs, also where no inventory says where they are.

Upstream's own lists name what its site has a page or an anchor for (``autosummary``,
``autofunction``): where that is, follows from the list. So the names are those of the very commit
that is shown, and no network is needed. What an inventory knows comes first; there a name is found
under whatever kind of object it is, as readers do not care for the difference.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext.intersphinx import InventoryAdapter

from pipeline.site.extension.noting import Notes

# By page: the address of each name that it lists, relative to the root of the English docs.
_ADDRESSES: Notes[dict[str, str]] = Notes("jz_documented")


def note_page(env: BuildEnvironment, name: str, folder: str) -> None:
    """A name that the English docs have a page for, in ``folder`` beside the page that lists it.

    ``_autosummary`` and ``jax.jit`` → ``_autosummary/jax.jit.html#jax.jit``
    """
    place = posixpath.join(posixpath.dirname(env.docname), folder, name)
    _note(env, name, f"{posixpath.normpath(place)}.html#{name}")


def note_anchor(env: BuildEnvironment, name: str, anchor: str) -> None:
    """A name that is documented on this very page."""
    _note(env, name, f"{env.docname}.html#{anchor}")


def _note(env: BuildEnvironment, name: str, address: str) -> None:
    # Of two lists on a page the first counts.
    _ADDRESSES.by_page(env).setdefault(env.docname, {}).setdefault(name, address)


def lead(
    app: Sphinx,
    env: BuildEnvironment,
    node: addnodes.pending_xref,
    words: nodes.TextElement,
) -> nodes.reference | None:
    """For Sphinx: a link for a name that nobody else could find. None if it is not known here."""
    # Sphinx keeps inventories of docs that have no English site any more.
    if node.get("refdomain") != "py" or not env.config.jz_site["english_url"]:
        return None
    address = _address_of(env, node)
    if not address:
        return None
    return nodes.reference("", "", words, internal=False, refuri=address)


def _address_of(env: BuildEnvironment, node: addnodes.pending_xref) -> str:
    """Where the name of a reference is documented; empty if it is nowhere."""
    for name in _names(node):
        address = _in_inventory(env, name) or _in_lists(env, name)
        if address:
            return address
    # A class has a page, which tells of what it has.
    owner = node["reftarget"].rpartition(".")[0]
    page, _, anchor = _in_lists(env, owner).partition("#")
    return page if anchor == owner else ""


def _names(node: addnodes.pending_xref) -> Iterator[str]:
    """What a reference may mean: its whole name, or one in the module around it."""
    target = node["reftarget"]
    yield target
    module = node.get("py:module")
    if module:
        yield f"{module}.{target}"


def _in_inventory(env: BuildEnvironment, name: str) -> str:
    """The address of an object of any kind, by an inventory; empty if none has it."""
    for kind, objects in InventoryAdapter(env).main_inventory.items():
        if kind.startswith("py:") and name in objects:
            return objects[name].uri
    return ""


def _in_lists(env: BuildEnvironment, name: str) -> str:
    """The address of a name, by the first page that lists it; empty if none does."""
    listed = _ADDRESSES.by_page(env)
    # In one order, whichever page was read first.
    for page in sorted(listed):
        if name in listed[page]:
            return f"{env.config.jz_site['english_url']}{listed[page][name]}"
    return ""


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect it behind Sphinx's own, which asks inventories first."""
    _ADDRESSES.setup(app)
    app.connect("missing-reference", lead, priority=600)
    return {}
