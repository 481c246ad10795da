"""Titles in both languages.

A link without words of its own shows the title of what it leads to. Where it stands in English it
shows the English title. Every page notes its titles when it is read; they are put in place when
pages are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from pipeline.site.extension.anchors import english_titles
from pipeline.site.extension.nodes import english
from pipeline.site.extension.noting import Notes

# Of each page: its titles as the page shows them, with their English.
_TITLES: Notes[dict[str, str]] = Notes("jz_titles")


def setup(app: Sphinx) -> None:
    """Connect what notes titles and what uses them."""
    # Noting comes before English leaves the shelf where it waits (900).
    app.connect("doctree-read", note_titles, priority=800)
    _TITLES.setup(app)
    app.connect("doctree-resolved", show_english_titles)


def note_titles(app: Sphinx, document: nodes.document) -> None:
    """Remember the titles of a page that are translated."""
    originals = english_titles(document)
    titles: dict[str, str] = {}
    for title in document.findall(nodes.title):
        if title.get("jz") in originals:
            titles[title.astext()] = originals[title["jz"]]
    _TITLES.by_page(app.env)[app.env.docname] = titles


def show_english_titles(app: Sphinx, document: nodes.document, page: str) -> None:
    """Let links in English show English titles: ``即时编译`` → ``Just-in-time compilation``."""
    # Pages without any are most: nothing is put together for them.
    links = list(_links_in_english(document))
    if not links:
        return
    originals = _originals(_TITLES.by_page(app.env).values())
    for link in links:
        known = originals.get(link.astext(), set())
        # Of a title that two headings share the English is not known: it stays.
        if len(known) == 1:
            _say(link, *known)


def _originals(titles_of_pages: Iterable[Mapping[str, str]]) -> dict[str, set[str]]:
    """By title as it is shown: all English titles that are translated so, on any page."""
    originals: dict[str, set[str]] = {}
    for titles in titles_of_pages:
        for shown, original in titles.items():
            originals.setdefault(shown, set()).add(original)
    return originals


def _links_in_english(document: nodes.document) -> Iterator[nodes.reference]:
    """The links to places on the site that stand in the English of blocks.

    A link that leads out of the site shows the words that upstream gave it.
    """
    for copy in document.findall(english):
        for link in copy.findall(nodes.reference):
            if link.get("internal"):
                yield link


def _say(link: nodes.reference, words: str) -> None:
    """Let a link show other words, in the boxes that its words stand in."""
    box: Any = link
    # Sphinx puts the words of such a link into <span> or <code>.
    while len(box.children) == 1 and not isinstance(box.children[0], nodes.Text):
        box = box.children[0]
    box.children = []
    box += nodes.Text(words)
