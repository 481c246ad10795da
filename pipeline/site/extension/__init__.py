"""Sphinx extension that makes a Sphinx site of translated pages into the site that readers get.

It runs in Sphinx's own process. The sources and the records of the pages (``records``) are all that
it gets from the pipeline. A room holds what one reader's question needs: ``content`` (what a page
shows), ``bilingual`` (two languages side by side), ``navigation`` (ways to other pages). What
concerns a page as a whole, or the site, lies beside the rooms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Register every part. Nothing is imported before, so a test of one part needs no other."""
    from pipeline.site.extension import (
        assets,
        fallback,
        head,
        nodes,
        own_pages,
        safety,
        search,
        speed,
        theme,
    )
    from pipeline.site.extension.bilingual import blocks, headings, placement, writer
    from pipeline.site.extension.content import cells, figures, files, reference, stubs
    from pipeline.site.extension.navigation import (
        english_links,
        links,
        sidebar,
        toctree,
    )

    app.add_config_value("jz_site", {}, "env", dict)
    # Handlers of one event and priority run in this order: ``headings`` compares the words of
    # links before ``english_links`` adds marks to them.
    for part in (
        *(files, nodes, writer, safety, stubs, cells, figures, reference),
        *(blocks, headings, placement, head, fallback, links, english_links),
        *(toctree, sidebar, theme, assets, search, own_pages, speed),
    ):
        part.setup(app)
    # After the theme's, whose rules it changes.
    app.add_css_file("site.css", priority=900)
    app.add_js_file("site.js", loading_method="defer")
    return {
        "version": "1",
        "env_version": 2,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
