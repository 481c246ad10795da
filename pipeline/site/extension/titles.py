"""Titles in both languages: a link that shows the title of what it leads to shows the English one where it stands in English."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from pipeline.site.extension.nodes import english


def setup(app: Sphinx) -> None:
    """Connect what notes titles and what uses them. Noting comes before English leaves the shelf where it waits."""
    app.connect("doctree-read", note_titles, priority=800)
    app.connect("env-purge-doc", forget_titles)
    app.connect("env-merge-info", merge_titles)
    app.connect("doctree-resolved", show_english_titles)


def _known(env: BuildEnvironment) -> dict[str, dict[str, str]]:
    """By page: titles as the page shows them, and in English."""
    found: dict[str, dict[str, str]] = env.__dict__.setdefault("jz_titles", {})
    return found


def note_titles(app: Sphinx, document: nodes.document) -> None:
    """Remember the titles of a page that are translated."""
    originals = {
        node["jz"]: "".join(child.astext() for child in node.children)
        for node in document.findall(english)
    }
    titles = (title for title in document.findall(nodes.title) if title.get("jz") in originals)
    _known(app.env)[app.env.docname] = {title.astext(): originals[title["jz"]] for title in titles}


def forget_titles(app: Sphinx, env: BuildEnvironment, page: str) -> None:
    """The page is read anew, or gone."""
    _known(env).pop(page, None)


def merge_titles(
    app: Sphinx, env: BuildEnvironment, pages: Collection[str], other: BuildEnvironment
) -> None:
    """What another process has read."""
    _known(env).update({page: titles for page, titles in _known(other).items() if page in pages})


def show_english_titles(app: Sphinx, document: nodes.document, page: str) -> None:
    """Of a title that two headings share the English is not known: it stays."""
    links = [
        link
        for copy in document.findall(english)
        for link in copy.findall(nodes.reference)
        if link.get("internal")
    ]
    if not links:
        return
    originals: dict[str, set[str]] = {}
    for titles in _known(app.env).values():
        for shown, original in titles.items():
            originals.setdefault(shown, set()).add(original)
    for link in links:
        found = originals.get(link.astext(), set())
        if len(found) == 1:
            _say(link, *found)


def _say(link: nodes.reference, words: str) -> None:
    box: Any = link
    while len(box.children) == 1 and not isinstance(box.children[0], nodes.Text):
        box = box.children[0]
    box.children = []
    box += nodes.Text(words)
