"""Links into upstream's own site: they stay on this one where it has the page and the anchor.

Addresses in upstream's text lead there, and names of the API. What only the English site has is
a link to English, and marked so; so are pages of other versions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape, unescape
from typing import Any
from urllib.parse import unquote, urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from pipeline.site.extension.nodes import is_html, write_html
from pipeline.site.extension.noting import Notes
from pipeline.site.redirects import end_of
from pipeline.site.texts import text


@dataclass(frozen=True, slots=True)
class Anchors:
    """What addresses may lead to on a page; ``are_all`` unless upstream's page has more."""

    names: frozenset[str]
    are_all: bool


@dataclass(frozen=True, slots=True)
class Place:
    """A page, and an anchor on it; an empty anchor is its top."""

    page: str
    anchor: str = ""


# By page: what an address may lead to on it.
_ANCHORS: Notes[Anchors] = Notes("jz_anchors")
_KNOWN = "jz_known_anchors"  # of Sphinx's environment: those of the last build
_ID = re.compile(r"<[^>]*\s(?:id|name)=\"([^\"]+)\"")
_LINK = re.compile(r"(<a\b[^>]*?\shref=)\"([^\"]*)\"")


def is_english(site: Mapping[str, Any], address: str) -> bool:
    """Return whether an address leads into upstream's own site, to whatever version."""
    path, english = _path_in_english(site, address), site["english"]
    if not path:
        return False
    return path == english["root"] or f"{path}/".startswith(english["base"])


def place_here(env: BuildEnvironment, address: str) -> Place | None:
    """Return where this site has what an address of upstream's site leads to; None if nowhere.

    ``https://docs.jax.dev/en/stable/faq.html#jit`` → the page ``faq`` at ``jit``.
    """
    site = env.config.jz_site
    page = _page_at(site, _path_in_english(site, address))
    if page not in env.found_docs:
        page = end_of(page, site["moved"])
    anchors = _ANCHORS.by_page(env).get(page)
    if anchors is None:
        return None
    anchor = unquote(urlsplit(address).fragment)
    # Sites of old called their anchors as headings are: Sharp-Bits.
    for name in (anchor, nodes.make_id(anchor)):
        if name in anchors.names:
            return Place(page, name)
    # A page that lacks nothing shows that upstream's has no such anchor either.
    return Place(page) if anchors.are_all or not anchor else None


def _path_in_english(site: Mapping[str, Any], address: str) -> str:
    """Return the path of an address on a host of upstream's; empty on others."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    is_there = parts.netloc.lower() in site["english"]["hosts"]
    if not is_there or parts.scheme not in ("", "http", "https"):
        return ""
    return unquote(parts.path) or "/"


def _page_at(site: Mapping[str, Any], path: str) -> str:
    """Return the page that a path is of, as it is called here; empty if it is of another version.

    ``/en/latest/jep/`` → ``jep/index``. The root of the host leads to the newest docs.
    """
    for prefix in site["english"]["paths"]:
        if path in (site["english"]["root"], prefix.rstrip("/")):
            path = prefix
        if path.startswith(prefix):
            name = path.removeprefix(prefix)
            name = f"{name}index" if name.endswith("/") or not name else name
            return f"{site['english_folder']}{name.removesuffix('.html')}"
    return ""


def lead_home(app: Sphinx, tree: nodes.Element, page: str) -> None:
    """Let the links in ``tree`` lead to pages of this site; mark those that lead to English."""
    site = app.config.jz_site
    if app.builder.format != "html" or not site["english"]["hosts"]:
        return
    for link in tree.findall(nodes.reference):
        if is_english(site, link.get("refuri", "")):
            _lead(app, link, page)
    for raw in filter(is_html, list(tree.findall(nodes.raw))):
        if "jz_english" in raw:
            raw["jz_english"] = _led(app, raw["jz_english"], page)
        html = _led(app, raw.astext(), page)
        if html != raw.astext():
            write_html(raw, html)


def _lead(app: Sphinx, link: nodes.reference, page: str) -> None:
    """Let one link into upstream's site lead to a page here, or mark it."""
    address = None if link.get("jz_away") else _address_here(app, link["refuri"], page)
    if address is None:
        link["hreflang"] = "en"
        link["reftitle"] = text(app.config.language, "leads to english")
        return
    link["refuri"], link["internal"] = address, True
    # The inventory's: "(in jax v0.10)".
    link.attributes.pop("reftitle", None)
    link["classes"] = [name for name in link["classes"] if name != "external"]


def _led(app: Sphinx, html: str, page: str) -> str:
    """Return HTML of a page with links that lead here, or are marked."""

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
    """Return how ``page`` leads to what an English address is of; None if that is not here."""
    place = place_here(app.env, address)
    if place is None:
        return None
    anchor = f"#{place.anchor}" if place.anchor else ""
    if place.page == page:
        return anchor or "#"
    return f"{app.builder.get_relative_uri(page, place.page)}{anchor}"


def note_anchors(app: Sphinx, document: nodes.document) -> None:
    """Note what addresses may lead to on the page that was read."""
    # Places of blocks are not upstream's, and come and go with translations.
    names = {name for name in _ids_in(document) if not name.startswith("jz-")}
    lacks = any(
        "jz-elsewhere" in paragraph["classes"]
        for paragraph in document.findall(nodes.paragraph)
    )
    anchors = Anchors(frozenset(names), are_all=not lacks)
    _ANCHORS.by_page(app.env)[app.env.docname] = anchors


def _ids_in(document: nodes.document) -> Iterator[str]:
    """Yield the ids of a page, those in its HTML as well."""
    for node in document.findall(nodes.Element):
        yield from node.get("ids", ())
        if isinstance(node, nodes.raw):
            yield from map(unescape, _ID.findall(node.astext()))


def rewrite_links(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """For Sphinx: all pages, if there are other anchors than in the last build."""
    before = env.__dict__.get(_KNOWN)
    now = dict(_ANCHORS.by_page(env))
    env.__dict__[_KNOWN] = now
    return sorted(env.found_docs) if before not in (None, now) else []


def setup(app: Sphinx) -> None:
    """Note anchors when all else has a page, and lead links when names have found theirs.

    Cards are marked by where they lead, so links come before them.
    """
    _ANCHORS.setup(app)
    app.connect("doctree-read", note_anchors, priority=950)
    app.connect("env-updated", rewrite_links)
    app.connect("doctree-resolved", lead_home, priority=400)
