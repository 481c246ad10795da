"""What stands around the text of a page: templates in places of the theme, and its own headings.

The theme tries every template on every page to see what is empty, and parses HTML for the headings
each time that one asks for them. What is empty can be told, and the headings are marked as they
are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

# Where the configuration has templates, and the theme would try them.
PLACES = ("sidebars", "theme_article_header_start", "theme_article_header_end")
BESIDE = "theme_secondary_sidebar_items"
# The lists and links of a page's headings, as Sphinx writes them.
_MARK = re.compile(r'<ul>|</ul>|<li>|<a class="reference internal"')
_LIST = "nav section-nav flex-column"


def setup(app: Sphinx) -> None:
    """Connect it: before the theme tries templates, and when it has."""
    app.connect("html-page-context", withhold, priority=450)
    app.connect("html-page-context", give_back, priority=700)


def withhold(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, Any],
    document: nodes.document | None,
) -> None:
    """Let the theme have no templates to try."""
    context["jz_places"] = {place: context.pop(place, []) for place in PLACES}
    context.pop(BESIDE, None)


def give_back(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, Any],
    document: nodes.document | None,
) -> None:
    """Give templates their places, but those that have nothing to say here."""
    levels = int(context["theme_show_toc_level"])
    headings = headings_of(context.get("toc", ""), open_levels=levels)
    context["generate_toc_html"] = lambda: headings
    context["secondary_sidebar_items"] = ["page-toc.html"] if headings else []
    is_said = {
        "jz-breadcrumbs.html": page != app.config.root_doc,
        "jz-links.html": context["jz_english_page"] or context["jz_repository"],
    }
    for place, templates in context.pop("jz_places").items():
        context[place] = [name for name in templates if is_said.get(name, True)]


def headings_of(toc: str, *, open_levels: int) -> str:
    """The headings of a page as HTML, with the theme's classes; empty if there is but the title.

    ``toc`` is what Sphinx makes of them: lists in lists, of which the title is the only entry of
    the first. So many levels below it are open.
    """
    level = 0
    entries = Counter[int]()
    html: list[str] = []
    below_title = slice(0, 0)  # of html
    for words, mark in _marks_in(toc):
        html.append(words)
        if mark == "</ul>":
            html.append(mark)
            level -= 1
            if level == 1:
                below_title = slice(below_title.start, len(html))
        elif mark == "<ul>":
            level += 1
            if level == 2 and not entries[2]:
                below_title = slice(len(html), 0)
            is_open = "pst-show_toc_level " if level <= open_levels + 1 else ""
            html.append(f'<ul class="{is_open}{_LIST}">')
        elif mark == "<li>":
            entries[level] += 1
            html.append(f'<li class="toc-h{level} nav-item toc-entry">')
        elif mark:
            html.append('<a class="reference internal nav-link"')
    if entries[1] != 1:
        return "".join(html)
    return "".join(html[below_title]) if entries[2] else ""


def _marks_in(toc: str) -> Iterator[tuple[str, str]]:
    """What stands before each mark, and the mark; at last what is left, and no mark."""
    start = 0
    for mark in _MARK.finditer(toc):
        yield toc[start : mark.start()], mark[0]
        start = mark.end()
    yield toc[start:], ""
