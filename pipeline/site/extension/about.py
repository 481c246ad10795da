"""What a page says of itself to search engines, and to who shows a link to it.

Its description is the beginning of its text; its address is whole if the site knows its own.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from markupsafe import escape
from sphinx.application import Sphinx

from pipeline.site.texts import spoken

# What is words, or an address, to templates: ours and the theme's write some of it as it is.
_WORDS = (
    *("docstitle", "project", "shorttitle", "copyright", "release", "version"),
    *("jz_canonical", "jz_description", "jz_english", "jz_english_page"),
    *("jz_repository", "jz_card"),
)
LONGEST = 150  # letters: search engines show no more


def setup(app: Sphinx) -> None:
    """Connect it; after the theme's own context."""
    app.connect("html-page-context", describe, priority=600)
    # Last of all, when everybody has put words there.
    app.connect("html-page-context", escape_words, priority=990)


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
    context["jz_card"] = f"{url}_static/card.png" if _has_card(app) else ""


def _has_card(app: Sphinx) -> bool:
    """Return whether the picture of a link fits the site: its words are Chinese, about JAX."""
    is_of_jax = app.config.jz_site["package"] == "jax"
    return is_of_jax and spoken(app.config.language) == "zh"


def escape_words(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, Any],
    document: nodes.document | None,
) -> None:
    """Let no words of the configuration be markup; those that are escaped stay as they are."""
    for name in _WORDS:
        context[name] = escape(context.get(name) or "")


def description(document: nodes.document) -> str:
    """The first sentences of a page that are prose, cut where they are long."""
    for paragraph in document.findall(nodes.paragraph):
        # Links alone are badges, or a way on.
        said = [part for part in paragraph.children if part.astext().strip()]
        has_words = not all(isinstance(part, nodes.reference) for part in said)
        is_prose = has_words and isinstance(paragraph.parent, nodes.section)
        words = " ".join(paragraph.astext().split())
        if is_prose and len(words) > 15:
            return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"
    return ""
