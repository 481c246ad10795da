"""Sphinx extension that turns a plain Sphinx site of translated pages into the published site.

The extension runs in Sphinx's own process. From the pipeline it gets only the sources and the
records (see ``records``). ``content`` has figures, code and other content of a page, ``bilingual``
the two languages side by side, ``navigation`` the links between pages. Modules that concern a whole
page or the whole site are directly in this folder. Code that runs before or after Sphinx does not
belong here.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# Sphinx calls handlers of the same event and priority in this order. ``headings`` compares the
# words of links with titles, so it must run before ``english_links`` adds marks to the words.
_PARTS = """
content.files nodes safety content.stubs content.cells content.figures
content.reference bilingual.block_matcher bilingual.headings bilingual.placement head fallback
navigation.links navigation.english_links navigation.toctree navigation.sidebar theme assets search
own_pages shared speed
"""


def setup(app: Sphinx) -> dict[str, Any]:
    """Register all parts of the extension.

    The parts are imported here, so that a test of one part does not load the others.
    """
    app.add_config_value("jz_site", {}, "env", dict)
    for part in _PARTS.split():
        import_module(f"{__name__}.{part}").setup(app)
    # ``site.css`` overrides rules of the theme's style sheet, so it is loaded later.
    app.add_css_file("site.css", priority=900)
    app.add_js_file("site.js", loading_method="defer")
    return {
        "version": "1",
        "env_version": 2,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
