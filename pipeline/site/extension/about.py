"""What a page says of itself to search engines, and to who shows a link to it.

Its description is the beginning of its text; its address is whole if the site knows its own.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

LONGEST = 150  # letters: search engines show no more


def setup(app: Sphinx) -> None:
    """Connect it; after the theme's own context."""
    app.connect("html-page-context", describe, priority=600)


def describe(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, Any],
    document: nodes.document | None,
) -> None:
    """Give templates the description and the address of a page."""
    url = app.config.jz_site["url"]
    words = description(document) if document else ""
    context["jz_description"] = (
        words or app.config.jz_site["hero"] or app.config.project
    )
    context["jz_canonical"] = f"{url}{page}.html" if url else ""
    context["jz_url"] = url


def description(document: nodes.document) -> str:
    """The first sentences of a page that are prose, cut where they are long."""
    for paragraph in document.findall(nodes.paragraph):
        is_prose = isinstance(paragraph.parent, nodes.section)
        words = " ".join(paragraph.astext().split())
        if is_prose and len(words) > 15:
            return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"
    return ""
