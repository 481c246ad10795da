"""Our Sphinx extension: what makes a site of translated pages into the site that readers get.

It runs in a process of Sphinx's. The pipeline tells it of every page in a record (``records``);
nothing else passes between the two but the sources. A module here is for one thing that readers
see; the order in which they come is in the priorities below and of the transforms.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

from pipeline.site.extension import (
    about,
    absent,
    addresses,
    blocks,
    boundary,
    broken,
    cells,
    charts,
    copying,
    described,
    documented,
    exits,
    hiding,
    interface,
    languages,
    lean,
    listing,
    losses,
    mathml,
    nodes,
    policy,
    reach,
    safety,
    search,
    shares,
    sheets,
    stubs,
    surroundings,
    titles,
    tops,
    weight,
    writing,
)
from pipeline.site.extension.anchors import EnglishAnchors
from pipeline.site.extension.formulas import setup_formulas
from pipeline.site.extension.hero import AddHero
from pipeline.site.extension.images import FindImages
from pipeline.site.extension.links import FindPages, NameNumbered
from pipeline.site.extension.listing import ListAllPages
from pipeline.site.extension.navigation import add_navigation, rewrite_navigation
from pipeline.site.extension.offline import StayOffline
from pipeline.site.extension.pages import AddHead, GiveTitle, own_pages
from pipeline.site.extension.placing import place_english

# In the order of their priorities, in which they come.
TRANSFORMS = (
    GiveTitle,
    ListAllPages,
    blocks.MarkBlocks,
    EnglishAnchors,
    FindPages,
    FindImages,
    StayOffline,
    AddHead,
    AddHero,
)


def register(app: Sphinx) -> dict[str, Any]:
    """Register all parts, and say which version of them makes a site of its own."""
    app.add_config_value("jz_site", {}, "env", dict)
    for module in (
        boundary,
        nodes,
        writing,
        safety,
        stubs,
        charts,
        cells,
        copying,
        described,
        documented,
        exits,
        absent,
        addresses,
        tops,
        titles,
        broken,
        hiding,
        interface,
        weight,
        sheets,
        shares,
        search,
        policy,
        reach,
        languages,
        mathml,
        about,
        surroundings,
        lean,
        listing,
        losses,
    ):
        module.setup(app)
    # These change the libraries that Sphinx works with, for this process.
    setup_formulas()
    for transform in TRANSFORMS:
        app.add_transform(transform)
    app.add_post_transform(NameNumbered)
    # After everybody who collects from a page: titles, contents, images.
    app.connect("doctree-read", place_english, priority=900)
    app.connect("html-page-context", add_navigation)
    app.connect("env-updated", rewrite_navigation)
    app.connect("html-collect-pages", own_pages)
    # After the theme's, whose rules it changes.
    app.add_css_file("site.css", priority=900)
    app.add_js_file("site.js", loading_method="defer")
    return {
        "version": "1",
        "env_version": 2,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
