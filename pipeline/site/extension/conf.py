"""Configuration of Sphinx. The build copies this file to the folder of the sources.

Values that differ between sites come from ``site.json`` in the same folder. Values of single pages
are in ``_jz/pages/<page>.json``: if a value here changes, Sphinx builds all pages again.
"""

from __future__ import annotations

import json
from importlib.metadata import version as version_of
from pathlib import Path

import pipeline.site
from pipeline.site.extension.speed import skip_unused_imports

HERE = Path(__file__).resolve().parent
SITE = json.loads((HERE / "site.json").read_text(encoding="utf-8"))
skip_unused_imports(beside_others=bool(SITE["extensions"]))

PACKAGE = Path(pipeline.site.__file__).parent
project = SITE["title"]
language = SITE["locale"]
root_doc = SITE["root"]
jz_site = SITE
version = release = SITE["version"]
# ``SITE["extensions"]`` are extensions of upstream's docs. Ours comes last, because it replaces
# some of their directives.
extensions = [
    "myst_nb",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx.ext.mathjax",
    "sphinx.ext.intersphinx",
    *SITE["extensions"],
    "pipeline.site.extension",
]
exclude_patterns = [
    *("_jz", "_static", "**/_static", "site.json", "conf.py"),
    # Documents that upstream excludes, and documents that are only included in pages.
    *SITE["unpublished"],
]
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb", ".ipynb": "myst-nb"}
templates_path = [str(PACKAGE / "templates")]
# The code has been executed already; its outputs are in the notebooks.
nb_execution_mode = "off"
nb_merge_streams = True
# Placeholders: ``content.cells`` replaces them by words when a page is written.
nb_code_prompt_show = nb_code_prompt_hide = "{type}"
# Scripts for widgets would be fetched from a CDN, so widgets are shown as text.
nb_ipywidgets_js: dict[str, dict[str, str]] = {}
nb_render_markdown_format = "myst"
myst_enable_extensions = [
    "amsmath",
    "colon_fence",
    "deflist",
    "dollarmath",
    "strikethrough",
    "tasklist",
    # GitHub's "> [!NOTE]", which many docs use in any dialect.
    "alert",
    # Attributes ({: .class}) are a part of the Markdown dialects other than MyST.
    *([] if SITE["dialect"] == "myst" else ["attrs_inline", "attrs_block"]),
    *SITE["myst_extensions"],
]
if SITE["substitutions"] is not None:
    myst_enable_extensions.append("substitution")
    myst_substitutions = SITE["substitutions"]
# As in upstream's conf.py, because links to headings depend on this value.
myst_heading_anchors = 3
suppress_warnings = [
    # MyST warns that it supports strikethrough only in HTML. We write only HTML.
    "myst.strikethrough",
    # Upstream's pages skip levels of headings, and we do not change headings.
    "myst.header",
    # Pages that no toctree lists are published, too.
    "toc.not_included",
    # Code blocks may contain invalid code: tracebacks, or shell commands in Python cells.
    "misc.highlighting_failure",
]
myst_dmath_double_inline = True
# The inventories are local files, so Sphinx needs no network.
intersphinx_mapping = {name: (url, file) for name, (url, file) in SITE["inventories"].items()}
intersphinx_cache_limit = -1

# Settings of sphinx-copybutton: the copied code must run, so prompts are removed.
globals().update(SITE["copying"])

html_theme = "sphinx_book_theme"
# Part of the addresses of the theme's scripts. So browsers load the scripts of a new version.
html_context = {"jz_theme_version": version_of("pydata-sphinx-theme")}
html_title = SITE["title"]
html_favicon = str(PACKAGE / "static" / "icon.svg")
html_static_path = [
    *([str(HERE / "_static")] if (HERE / "_static").is_dir() else []),
    str(PACKAGE / "static"),
]
# Pages offer notebooks as downloads, so Sphinx need not publish the sources of pages.
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_last_updated_fmt = None
# Sphinx shall not make indexes of documented objects.
html_use_index = False
html_domain_indices = False
html_show_copyright = False
html_permalinks_icon = "#"
html_sidebars = {
    "**": [
        "jz-logo.html",
        *(["jz-releases.html"] if SITE["releases"] else []),
        "search-button-field.html",
        "jz-nav.html",
    ]
}
html_theme_options = {
    # Lists of templates, ours and the theme's.
    "article_header_start": ["toggle-primary-sidebar.html", "jz-breadcrumbs.html"],
    "article_header_end": [
        "jz-toggle.html",
        "jz-links.html",
        "article-header-buttons.html",
    ],
    "show_toc_level": 2,
    "navbar_persistent": [],
    "navbar_end": [],
    "primary_sidebar_end": [],
    "footer_content_items": ["jz-footer.html"],
    "use_download_button": False,
    "use_fullscreen_button": False,
    "navigation_with_keys": False,
    "show_navbar_depth": 1,
    "home_page_in_toc": True,
}
html_math_renderer = "mathml"
# Our formulas.js configures MathJax. MyST would write its own configuration into every page.
myst_update_mathjax = False
