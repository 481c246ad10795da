"""Links to English text: on upstream's own site, and on untranslated pages of this site.

Upstream's pages often link to their own published site. If this site has the page and the anchor,
the link leads here instead: ``https://docs.jax.dev/en/latest/faq.html#jit`` → ``faq.html#jit``.
Otherwise the link gets the mark EN. Links, cards and entries of tables of contents also get the
mark if they lead to an untranslated page of this site.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape, unescape
from typing import Any
from urllib.parse import unquote, urlsplit

from docutils import nodes
from msgspec import Struct
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from pipeline.site.extension.nodes import (
    boxes_in,
    is_card_title,
    is_html,
    sanitized_html,
    write_html,
)
from pipeline.site.extension.records import Notes, pages_to_write, read_facts
from pipeline.site.texts import looks_english, text


class Anchors(Struct, frozen=True):
    """Anchors of a page of this site. ``are_all``: upstream's page has no anchors besides these."""

    names: frozenset[str]
    are_all: bool


class Place(Struct, frozen=True):
    """A page of this site and an anchor on it; an empty anchor means the top of the page."""

    page: str
    anchor: str = ""


# Anchors of each page.
_ANCHORS: Notes[Anchors] = Notes("jz_anchors")
_ID = re.compile(r"<[^>]*\s(?:id|name)=\"([^\"]+)\"")
_LINK = re.compile(r"(<a\b[^>]*?\shref=)\"([^\"]*)\"")


def is_english(site: Mapping[str, Any], address: str) -> bool:
    """Return whether an address leads to upstream's own site, in any version of its docs."""
    path, english = _path_in_english(site, address), site["english"]
    if not path:
        return False
    return path == english["root"] or f"{path}/".startswith(english["base"])


def local_place(env: BuildEnvironment, address: str) -> Place | None:
    """Return the place on this site that corresponds to an address of upstream's site, or None.

    ``https://docs.jax.dev/en/stable/faq.html#jit`` → the page ``faq`` at ``jit``.
    """
    site = env.config.jz_site
    page = _page_at(site, _path_in_english(site, address))
    if page not in env.found_docs:
        page = site["moved"].get(page, page)
    anchors = _ANCHORS.by_page(env).get(page)
    if anchors is None:
        return None
    anchor = unquote(urlsplit(address).fragment)
    # Also try the anchor in its present form: in old links it may be "Sharp-Bits" for "sharp-bits".
    for name in (anchor, nodes.make_id(anchor)):
        if name in anchors.names:
            return Place(page, name)
    # Our page lacks the anchor. If it has all anchors of upstream's page, the link is broken on
    # upstream's site, too. In this case, our link leads to the top of the page.
    return Place(page) if anchors.are_all or not anchor else None


def _path_in_english(site: Mapping[str, Any], address: str) -> str:
    """Return the path of an address on one of upstream's hosts; empty for other hosts."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    is_there = parts.netloc.lower() in site["english"]["hosts"]
    if not is_there or parts.scheme not in ("", "http", "https"):
        return ""
    return unquote(parts.path) or "/"


def _page_at(site: Mapping[str, Any], path: str) -> str:
    """Return the name of our page for a path on upstream's host, or an empty string.

    ``/en/latest/jep/`` → ``jep/index``. The root of the host, ``/``, is the first page of the
    newest docs. The string is empty if the path belongs to another version.
    """
    for prefix in site["english"]["paths"]:
        if path in (site["english"]["root"], prefix.rstrip("/")):
            path = prefix
        if path.startswith(prefix):
            name = path.removeprefix(prefix)
            name = f"{name}index" if name.endswith("/") or not name else name
            return f"{site['english_folder']}{name.removesuffix('.html')}"
    return ""


def redirect_links(app: Sphinx, tree: nodes.Element, page: str) -> None:
    """Make links to upstream's site in ``tree`` lead to this site, or mark them as English."""
    site = app.config.jz_site
    if not site["english"]["hosts"]:
        return
    for link in tree.findall(nodes.reference):
        if is_english(site, link.get("refuri", "")):
            _lead_link(app, link, page)
    for raw in filter(is_html, list(tree.findall(nodes.raw))):
        # ``jz_english`` is English that ``bilingual.writer`` will insert into this fragment of
        # HTML.
        if "jz_english" in raw:
            raw["jz_english"] = _lead_html(app, raw["jz_english"], page)
        html = _lead_html(app, raw.astext(), page)
        if html != raw.astext():
            write_html(raw, html)


def _lead_link(app: Sphinx, link: nodes.reference, page: str) -> None:
    """Make one link to upstream's site lead to this site, or mark it as English."""
    address = None if link.get("jz_away") else _address_here(app, link["refuri"], page)
    if address is None:
        link["hreflang"] = "en"
        link["reftitle"] = text(app.config.language, "leads to english")
        return
    link["refuri"], link["internal"] = address, True
    # Drop intersphinx's title, "(in jax v0.10)".
    link.attributes.pop("reftitle", None)
    link["classes"] = [name for name in link["classes"] if name != "external"]


def _lead_html(app: Sphinx, html: str, page: str) -> str:
    """Return HTML in which links to upstream's site lead to this site, or are marked as English."""

    def lead(match: re.Match[str]) -> str:
        before, address = match[1], unescape(match[2])
        if not is_english(app.config.jz_site, address):
            return match[0]
        here = _address_here(app, address, page)
        if here is None:
            title = escape(text(app.config.language, "leads to english"))
            return f'{match[0]} hreflang="en" title="{title}"'
        return f'{before}"{escape(here)}"'

    return _LINK.sub(lead, html)


def _address_here(app: Sphinx, address: str, page: str) -> str | None:
    """Return the relative address on this site for an address of upstream's site, or None."""
    place = local_place(app.env, address)
    if place is None:
        return None
    anchor = f"#{place.anchor}" if place.anchor else ""
    if place.page == page:
        return anchor or "#"
    return f"{app.builder.get_relative_uri(page, place.page)}{anchor}"


def note_anchors(app: Sphinx, document: nodes.document) -> None:
    """Store the anchors of the page that Sphinx has read."""
    # Leave out our own anchors, which have this prefix: they change with the translations.
    names = {name for name in _ids_in(document) if not name.startswith("jz-")}
    anchors = Anchors(frozenset(names), are_all=not boxes_in(document))
    _ANCHORS.by_page(app.env)[app.env.docname] = anchors


def _ids_in(document: nodes.document) -> Iterator[str]:
    """Yield the ids of a page, including those in its HTML."""
    for node in document.findall(nodes.Element):
        yield from node.get("ids", ())
        if isinstance(node, nodes.raw):
            yield from map(unescape, _ID.findall(node.astext()))


def rewrite_links(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Return the pages to write again: all pages if any anchor has changed since the last build."""
    return pages_to_write(env, "jz_known_anchors", dict(_ANCHORS.by_page(env)))


@cache
def english_pages(app: Sphinx) -> frozenset[str]:
    """Return the pages that are mostly English: fewer than half of their words are translated."""
    found: set[str] = set()
    for row in read_facts(app, "progress")["pages"]:
        page = row["page"]
        is_english = 2 * row["translated"] < row["words"]
        if not row["words"] and page in app.env.titles:
            # A page without messages, such as a change log, counts as English if its title does.
            title = app.env.titles[page].astext()
            is_english = looks_english(title, app.config.language)
        if is_english:
            found.add(page)
    return frozenset(found)


def mark_html(locale: str) -> str:
    """Return the mark EN as HTML. Its tooltip explains it."""
    words = escape(text(locale, "in English"))
    return f' <small class="jz-lang" title="{words}">EN</small>'


def mark_of_page(app: Sphinx, page: str) -> str:
    """Return the mark EN for a page that is mostly English, as HTML; empty for other pages."""
    return mark_html(app.config.language) if page in english_pages(app) else ""


def mark_links(app: Sphinx, document: nodes.document, page: str) -> None:
    """Mark links to English pages. In a card, the mark follows the title of the card."""
    in_cards: set[int] = set()
    for card in list(document.findall(nodes.container)):
        if card.get("design_component") != "card":
            continue
        for link in list(card.findall(nodes.reference)):
            in_cards.add(id(link))
            # sphinx-design can stretch a link over its whole card. Such a link is invisible, so it
            # cannot show a mark.
            leaves = "hreflang" in link and "sd-stretched-link" in link["classes"]
            if leaves or _leads_to_english(app, link, page):
                # In a card without a title, the mark follows the words of the link.
                title: Any = next(card.findall(is_card_title), link)
                title.append(_mark_node(app))
    for link in document.findall(nodes.reference):
        if id(link) not in in_cards and _leads_to_english(app, link, page):
            # The style sheet shows the mark EN after such links.
            link["hreflang"] = "en"
            link["reftitle"] = text(app.config.language, "in English")


def mark_contents(app: Sphinx, wrapper: nodes.compound, page: str) -> None:
    """Mark the entries of a table of contents, which Sphinx creates when a page is written."""
    for link in list(wrapper.findall(nodes.reference)):
        if _leads_to_english(app, link, page):
            link.append(_mark_node(app))


def _mark_node(app: Sphinx) -> sanitized_html:
    """Return the mark EN as a node."""
    return sanitized_html("", mark_html(app.config.language), format="html")


def _leads_to_english(app: Sphinx, link: nodes.reference, page: str) -> bool:
    """Return whether a link leads to a page of this site that is mostly English."""
    address = link.get("refuri", "")
    if not link.get("internal") or not address:
        return False
    place = posixpath.join(posixpath.dirname(page), address.partition("#")[0])
    # The site of another release shares pages with the main site (see ``shared``). Links to such
    # pages begin with the path to that site.
    name = posixpath.normpath(place).removeprefix(app.config.jz_site["pinned"])
    return name.removesuffix(".html") in english_pages(app)


def setup(app: Sphinx) -> None:
    """Store anchors after all other handlers, and mark links when Sphinx has resolved them."""
    _ANCHORS.setup(app)
    app.connect("doctree-read", note_anchors, priority=950)
    app.connect("env-updated", rewrite_links)
    # ``redirect_links`` runs first: only links that still lead to English get a mark.
    app.connect("doctree-resolved", redirect_links, priority=400)
    app.connect("doctree-resolved", mark_links)
