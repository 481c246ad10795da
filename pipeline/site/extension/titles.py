"""Titles in both languages.

A link without words of its own shows the title of what it leads to. Where it stands in English it
shows the English title. Every page notes its titles when it is read; they are put in place when
pages are written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from pipeline.site.extension.anchors import english_titles
from pipeline.site.extension.nodes import english


def setup(app: Sphinx) -> None:
    """Connect what notes titles and what uses them."""
    # Noting comes before English leaves the shelf where it waits (900).
    app.connect("doctree-read", note_titles, priority=800)
    app.connect("env-purge-doc", forget_titles)
    app.connect("env-merge-info", merge_titles)
    app.connect("doctree-resolved", show_english_titles)


def _known(env: BuildEnvironment) -> dict[str, dict[str, str]]:
    """By page: titles as the page shows them, and in English."""
    known: dict[str, dict[str, str]] = env.__dict__.setdefault("jz_titles", {})
    return known


def note_titles(app: Sphinx, document: nodes.document) -> None:
    """Remember the titles of a page that are translated."""
    originals = english_titles(document)
    titles: dict[str, str] = {}
    for title in document.findall(nodes.title):
        if title.get("jz") in originals:
            titles[title.astext()] = originals[title["jz"]]
    _known(app.env)[app.env.docname] = titles


def forget_titles(app: Sphinx, env: BuildEnvironment, page: str) -> None:
    """The page is read anew, or gone."""
    _known(env).pop(page, None)


def merge_titles(
    app: Sphinx, env: BuildEnvironment, pages: Collection[str], other: BuildEnvironment
) -> None:
    """What another process has read."""
    for page, titles in _known(other).items():
        if page in pages:
            _known(env)[page] = titles


def show_english_titles(app: Sphinx, document: nodes.document, page: str) -> None:
    """Let links in English show English titles."""
    # Pages without any are most: nothing is put together for them.
    links = list(_links_in_english(document))
    if not links:
        return
    originals: dict[str, set[str]] = {}
    for titles in _known(app.env).values():
        for shown, original in titles.items():
            originals.setdefault(shown, set()).add(original)
    for link in links:
        known = originals.get(link.astext(), set())
        # Of a title that two headings share the English is not known: it stays.
        if len(known) == 1:
            _say(link, *known)


def _links_in_english(document: nodes.document) -> Iterator[nodes.reference]:
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
