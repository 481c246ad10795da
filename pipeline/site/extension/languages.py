"""Pages that are still in English: a small EN where something leads to one.

Entries of the navigation and of lists of contents get it, cards, and links in sentences.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from functools import cache
from html import escape

from docutils import nodes
from sphinx.application import Sphinx

from pipeline.site.extension.nodes import cleaned
from pipeline.site.extension.records import read_facts
from pipeline.site.texts import looks_english, text


def setup(app: Sphinx) -> None:
    """Connect what marks links. Lists of contents are made when a page is written."""
    app.connect("doctree-resolved", mark_links)


def english_pages(app: Sphinx) -> frozenset[str]:
    """The pages of which more than a half waits for a translation."""
    return _english_pages(app)


@cache
def _english_pages(app: Sphinx) -> frozenset[str]:
    """Found out once in a build: every page asks for them."""
    found: set[str] = set()
    for row in read_facts(app, "progress")["pages"]:
        page = row["page"]
        is_english = 2 * row["translated"] < row["words"]
        if not row["words"] and page in app.env.titles:
            # Nothing of it is for translators: a list of changes in English, say.
            title = app.env.titles[page].astext()
            is_english = looks_english(title, app.config.language)
        if is_english:
            found.add(page)
    return frozenset(found)


def mark_html(locale: str) -> str:
    """The mark: what it means is said to who points at it, or hears it."""
    words = escape(text(locale, "in English"))
    return f' <small class="jz-lang" title="{words}">EN</small>'


def mark_of_page(app: Sphinx, page: str) -> str:
    """Return the mark of a page as HTML; empty if the page is translated."""
    return mark_html(app.config.language) if page in english_pages(app) else ""


def mark_links(app: Sphinx, document: nodes.document, page: str) -> None:
    """Mark what leads to a page in English: cards behind their title, other links themselves."""
    if app.builder.format != "html":
        return
    in_cards: set[int] = set()
    for card in list(document.findall(nodes.container)):
        if card.get("design_component") != "card":
            continue
        for link in list(card.findall(nodes.reference)):
            in_cards.add(id(link))
            # The sheet that lies on a card as its link cannot show a mark of its own.
            leaves = "hreflang" in link and "sd-stretched-link" in link["classes"]
            if leaves or _leads_to_english(app, link, page):
                _place_in(card, link).append(_mark(app))
    for link in document.findall(nodes.reference):
        if id(link) not in in_cards and _leads_to_english(app, link, page):
            # Styles put the mark behind it.
            link["hreflang"] = "en"
            link["reftitle"] = text(app.config.language, "in English")


def mark_contents(app: Sphinx, wrapper: nodes.compound, page: str) -> None:
    """Mark the entries of a list of contents, which Sphinx has made of a toctree."""
    for link in list(wrapper.findall(nodes.reference)):
        if _leads_to_english(app, link, page):
            link.append(_mark(app))


def _mark(app: Sphinx) -> cleaned:
    """The mark as a node."""
    return cleaned("", mark_html(app.config.language), format="html")


def _leads_to_english(app: Sphinx, link: nodes.reference, page: str) -> bool:
    """Whether a link on ``page`` leads to a page in English, not to a part of one."""
    address = link.get("refuri", "")
    if not link.get("internal") or not address:
        return False
    place = posixpath.join(posixpath.dirname(page), address.partition("#")[0])
    return posixpath.normpath(place).removesuffix(".html") in english_pages(app)


def _place_in(card: nodes.container, link: nodes.reference) -> nodes.Element:
    """Where a card has its mark: behind its title, or else behind the words of its link."""
    return next(_titles_of(card), link)


def _titles_of(card: nodes.container) -> Iterator[nodes.Element]:
    """The titles of a card: there is one, or none."""
    for node in card.findall(nodes.container):
        if node.get("design_component") == "card-title":
            yield node
