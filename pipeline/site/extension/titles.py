"""Titles in both languages.

A link without words of its own shows the title of what it leads to. Where it stands in English it
shows the English title; the navigation has both. Every page notes its titles when it is read; they
are put in place when pages are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from pipeline.site.extension.languages import mark_of_page
from pipeline.site.extension.mathml import title_math
from pipeline.site.extension.nodes import both_html, english, waiting_english, words_of
from pipeline.site.extension.noting import Notes

# Of each page: its titles as the page shows them, with their English.
_TITLES: Notes[dict[str, str]] = Notes("jz_titles")


def setup(app: Sphinx) -> None:
    """Connect what notes titles and what uses them."""
    originals = Originals()
    # Noting comes before English leaves the shelf where it waits (900).
    app.connect("doctree-read", note_titles, priority=800)
    _TITLES.setup(app)
    app.connect("env-updated", originals.collect)
    app.connect("doctree-resolved", originals.show)
    app.connect("html-page-context", show_titles_around)


def note_titles(app: Sphinx, document: nodes.document) -> None:
    """Remember the titles of a page that are translated."""
    copies = waiting_english(document)
    titles: dict[str, str] = {}
    for title in document.findall(nodes.title):
        if title.get("jz") in copies:
            titles[title.astext()] = words_of(copies[title["jz"]])
    _TITLES.by_page(app.env)[app.env.docname] = titles


def title_html(env: BuildEnvironment, page: str) -> str:
    """Return the title of a page in both languages, as HTML."""
    title = env.titles[page]
    original = _TITLES.by_page(env).get(page, {}).get(title.astext(), "")
    return both_html(_inline_html(title), original)


def _inline_html(title: nodes.Element) -> str:
    """Return a title with its code and formulas: ``The <code …>jit</code> decorator``."""
    pieces: list[str] = []
    for node in title.children:
        words = escape(node.astext())
        if isinstance(node, nodes.raw):
            # Tags around words of the title.
            continue
        if isinstance(node, nodes.literal):
            words = f'<code class="docutils literal notranslate">{words}</code>'
        elif isinstance(node, nodes.math):
            words = title_math(node.astext())
        pieces.append(words)
    return "".join(pieces)


def show_titles_around(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, Any],
    document: nodes.document | None,
) -> None:
    """Name the pages above ``page``, and those before and after it, in both languages."""
    relations: Mapping[str, Sequence[str | None]] = vars(app.builder)["relations"]
    above, before, after = relations.get(page, (None, None, None))
    names: list[str] = []
    while above:
        names.insert(0, above)
        above = relations[above][0] if above in relations else None
    # Sphinx leaves out the topmost one, which is the home page.
    for entry, name in zip(context.get("parents", ()), names[1:], strict=False):
        entry["title"] = title_html(app.env, name)
    # Titles for links of the theme only: Sphinx has them in <link title="…"> as well.
    for key, neighbour in (("prev_title", before), ("next_title", after)):
        if neighbour:
            mark = mark_of_page(app, neighbour)
            context.setdefault(key, f"{title_html(app.env, neighbour)}{mark}")


class Originals:
    """The English titles of the whole site: a table that is made once, when all pages are read."""

    def __init__(self) -> None:
        # By title as it is shown: all English titles that are translated so, on any page.
        self._by_title: dict[str, set[str]] = {}

    def collect(self, app: Sphinx, env: BuildEnvironment) -> None:
        """For Sphinx: make the table."""
        self._by_title = {}
        for titles in _TITLES.by_page(env).values():
            for shown, original in titles.items():
                self._by_title.setdefault(shown, set()).add(original)

    def show(self, app: Sphinx, document: nodes.document, page: str) -> None:
        """Let links in English show English titles: ``即时编译`` → ``Just-in-time compilation``."""
        # A list, since their words are replaced.
        for link in list(_links_in_english(document)):
            known = self._by_title.get(link.astext(), set())
            # Of a title that two headings share the English is not known: it stays.
            if len(known) == 1:
                _say(link, *known)


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
