"""Reference of the API: names as links to the English docs, with signatures and first lines.

Upstream's own lists (``autosummary``, ``autofunction``) say which names its site documents and
where. So links match the commit that is shown and need no network; an inventory comes first.
Signatures come from the installed release, and are kept for the next build.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext.intersphinx import InventoryAdapter

from pipeline.adapters.installed import CHILD, describe, is_of_index
from pipeline.adapters.memo import Memo, digest_of
from pipeline.core.inventories.names import spelled_out
from pipeline.site.extension.content.figures import title_math
from pipeline.site.extension.navigation.links import english_page
from pipeline.site.extension.records import Notes
from pipeline.site.texts import text

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


_DESCRIBED: Notes[list[str]] = Notes("jz_described")
_FOUND = "jz_descriptions"  # of Sphinx's environment: by name
_SUBJECT = "names"
_MATH_ROLE = re.compile(r":math:`([^`]+)`")
Described = dict[str, tuple[str, str]]


class words_about(nodes.Invisible, nodes.Element):  # noqa: N801 - docutils names nodes so
    """What is said of the object ``name``; known when the page is written.

    It stands in a cell of a table, or ``alone``. A kind of docutils' is called ``description``.
    """

    def astext(self) -> str:
        """No word: it is English, and titles and the search of the site are not."""
        return ""


def are_of_package(env: BuildEnvironment, names: Sequence[str]) -> bool:
    """Whether some of the names are of the package that the docs are of."""
    package = env.config.jz_site["package"]
    return bool(package) and any(name.startswith(f"{package}.") for name in names)


def note_of_lack(env: BuildEnvironment) -> list[nodes.Node]:
    """Once a page: why nothing is said of the names on it."""
    if env.temp_data.get("jz_lack"):
        return []
    env.temp_data["jz_lack"] = True
    words = text(env.config.language, "not described")
    release = env.config.jz_site["release"]
    return [nodes.paragraph("", words.format(release), classes=["jz-elsewhere"])]


def described_alone(env: BuildEnvironment, name: str) -> list[nodes.Node]:
    """What is said of a name that is in no table; nothing if nothing can be."""
    if not env.config.jz_site["is_described"] or not are_of_package(env, [name]):
        return []
    _DESCRIBED.by_page(env).setdefault(env.docname, []).append(name)
    return [words_about(name=name, alone=True)]


def table(env: BuildEnvironment, rows: Sequence[tuple[str, nodes.Node]]) -> nodes.table:
    """A table of names: each by its full name, and as it is to be shown."""
    package = f"{env.config.jz_site['package']}."
    noted = _DESCRIBED.by_page(env).setdefault(env.docname, [])
    # Nothing else is imported for the sake of a name on a page.
    noted += [name for name, _ in rows if name.startswith(package)]
    locale = env.config.language
    heads = [_cell(nodes.paragraph("", text(locale, f"api {key}"))) for key in "01"]
    lines = []
    for name, shown in rows:
        lines.append(nodes.row("", _cell(shown), _cell(words_about(name=name))))
    columns = [nodes.colspec(colwidth=1), nodes.colspec(colwidth=2)]
    group = nodes.tgroup(
        "",
        *columns,
        nodes.thead("", nodes.row("", *heads)),
        nodes.tbody("", *lines),
        cols=2,
    )
    return nodes.table("", group, classes=["jz-api"])


def _cell(content: nodes.Node) -> nodes.entry:
    return nodes.entry("", content)


def find_out(app: Sphinx, env: BuildEnvironment) -> Iterator[str]:
    """For Sphinx: the pages on which something else is said than in the last build."""
    names = sorted({name for page in _DESCRIBED.by_page(env).values() for name in page})
    before: Described = env.__dict__.get(_FOUND, {})
    found = _described(app, names) if names else {}
    env.__dict__[_FOUND] = found
    for page, listed in sorted(_DESCRIBED.by_page(env).items()):
        if any(found.get(name) != before.get(name) for name in listed):
            yield page


def lines_shown(env: BuildEnvironment, document: nodes.document) -> list[str]:
    """Return the first lines of docstrings that a page shows. They are English."""
    found: Described = env.__dict__.get(_FOUND, {})
    names = [node["name"] for node in document.findall(words_about)]
    return [found[name][1] for name in names if name in found and found[name][1]]


def signature_of(env: BuildEnvironment, name: str) -> str:
    """Return the signature of a name as pages show it; empty if there is none."""
    found: Described = env.__dict__.get(_FOUND, {})
    return found.get(name, ("", ""))[0]


def _described(app: Sphinx, names: Sequence[str]) -> Described:
    """What is said of names.

    Asked for again only if they are others, not of the same release, or of a package that may be
    edited.
    """
    is_kept = is_of_index(app.config.jz_site["package"])
    memo = Memo(Path(app.config.jz_site["cache"], "described.json"), Described)
    # What asks decides what is told, too.
    key = digest_of(app.config.jz_site["version"], CHILD.read_bytes(), *names)
    found = memo.recall(_SUBJECT, key) if is_kept else None
    if found is None:
        found = dict(describe(names))
        # If nothing could be had the next build asks again.
        if found and is_kept:
            memo.keep(_SUBJECT, key, found)
            memo.save()
    return found


def _visit_words(self: Any, node: words_about) -> None:
    """``<code>(x, axis=None)</code><p>The first line.</p>``, both in English.

    The search has the names, and not what is said of them: that is not the site's.
    """
    found: Described = self.builder.env.__dict__.get(_FOUND, {})
    signature, line = found.get(node["name"], ("", ""))
    if node.get("alone"):
        self.body.append('<div class="jz-alone">')
    if signature:
        self.body.append(
            f'<code class="jz-described" lang="en">{escape(signature)}</code>'
        )
    if line:
        html = with_formulas(line)
        self.body.append(f'<p class="jz-described" lang="en">{html}</p>')


def with_formulas(line: str) -> str:
    """A line as HTML, with its formulas set: ``The square, :math:`x^2```."""
    # Formulas stand at odd places.
    parts = _MATH_ROLE.split(line)
    html = [
        title_math(part) if at % 2 else escape(part) for at, part in enumerate(parts)
    ]
    return "".join(html)


def _depart_words(self: Any, node: words_about) -> None:
    """Nothing stands behind it in a cell."""
    if node.get("alone"):
        self.body.append("</div>\n")


def setup(app: Sphinx) -> None:
    """Register this part of the extension."""
    reference = Reference()
    _ADDRESSES.setup(app)
    app.connect("env-updated", reference.collect)
    app.connect("missing-reference", reference.lead, priority=400)
    _DESCRIBED.setup(app)
    app.add_node(words_about, html=(_visit_words, _depart_words))
    app.connect("env-updated", lambda app, env: list(find_out(app, env)))
