"""Our Sphinx extension: what makes a Sphinx site of translated pages into the site that readers get."""

from __future__ import annotations

import gettext
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docutils import nodes
from jinja2 import FileSystemBytecodeCache
from sphinx import locale
from sphinx.application import Sphinx
from sphinx.util.fileutil import copy_asset

from pipeline.site.extension import blocks, broken, stubs, titles
from pipeline.site.extension import nodes as own_nodes
from pipeline.site.extension.anchors import EnglishAnchors
from pipeline.site.extension.formulas import setup_formulas
from pipeline.site.extension.highlighting import setup_highlighting
from pipeline.site.extension.images import FindImages
from pipeline.site.extension.links import FindPages
from pipeline.site.extension.navigation import add_navigation
from pipeline.site.extension.offline import StayOffline
from pipeline.site.extension.pages import AddHead, GiveTitle, own_pages
from pipeline.site.extension.placing import place_english
from pipeline.site.extension.search import SearchInChinese
from pipeline.site.extension.texts import INTERFACE

TRANSFORMS = (
    GiveTitle,
    blocks.MarkBlocks,
    FindPages,
    EnglishAnchors,
    FindImages,
    StayOffline,
    AddHead,
)
_UNUSED = ("*webpack-macros.html", "**/*.map", "scripts/fontawesome.js*")
_SCRIPTS = {
    "design-tabs.js": "sd-tab-set",
    "clipboard.min.js": "<pre",
    "copybutton.js": "<pre",
}  # by what a page must have for them
_MATHJAX = ("tex-chtml.js", "output/chtml/fonts/woff-v2", "input/tex/extensions")


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_config_value("jz_site", {}, "env", dict)
    own_nodes.setup(app)
    stubs.setup(app)
    titles.setup(app)
    setup_formulas()
    setup_highlighting()
    broken.setup(app)
    app.add_search_language(SearchInChinese)
    for transform in TRANSFORMS:
        app.add_transform(transform)
    app.connect("builder-inited", speak, priority=900)
    app.connect("builder-inited", keep_outputs_inside, priority=900)
    app.connect("builder-inited", keep_compiled_templates, priority=900)
    app.connect("doctree-read", place_english, priority=900)
    app.connect("html-page-context", add_navigation, priority=400)
    app.connect("html-page-context", load_what_is_used)
    app.connect("html-collect-pages", own_pages)
    app.connect("build-finished", copy_mathjax)
    app.connect("build-finished", drop_unused)
    app.add_css_file("site.css", priority=900)
    app.add_js_file("site.js", loading_method="defer")
    return {
        "version": "1",
        "env_version": 2,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }


def load_what_is_used(
    app: Sphinx, page: str, template: str, context: dict[str, Any], document: nodes.document | None
) -> None:
    """Leave out, where a page has nothing for them, scripts that extensions give to every page."""
    body = context.get("body", "")
    unused = [script for script, mark in _SCRIPTS.items() if mark not in body]
    context["script_files"] = [
        file for file in context["script_files"] if not str(file.filename).endswith(tuple(unused))
    ]


class _Interface(gettext.NullTranslations):
    def gettext(self, message: str) -> str:
        return INTERFACE.get(message, message)


def speak(app: Sphinx) -> None:
    """Say in Chinese what Sphinx's and the theme's catalogues leave in English."""
    if app.config.language.startswith("zh"):
        for catalog in locale.translators.values():
            catalog.add_fallback(_Interface())


def keep_outputs_inside(app: Sphinx) -> None:
    """MyST-NB writes images of outputs beside the site, where those of two sites would meet."""
    env: Any = app.env  # MyST-NB adds its configuration to it
    env.mystnb_config = env.mystnb_config.copy(output_folder=str(Path(app.doctreedir, "outputs")))


def keep_compiled_templates(app: Sphinx) -> None:
    """The theme's are as much work to compile as a page is to write."""
    if app.builder.format == "html":
        folder = Path(app.doctreedir, "templates")
        folder.mkdir(parents=True, exist_ok=True)
        app.builder.templates.environment.bytecode_cache = FileSystemBytecodeCache(str(folder))


def copy_mathjax(app: Sphinx, problem: Exception | None) -> None:
    """What formulas need of the package that has MathJax; the whole of it is 24 MB."""
    spec = find_spec("sphinx-mathjax-offline")
    target = Path(app.outdir, "_static", "mathjax")
    if (
        problem is None
        and app.builder.format == "html"
        and spec
        and spec.origin
        and not (target / _MATHJAX[0]).exists()
    ):
        for name in _MATHJAX:
            path = Path(spec.origin).parent / "static" / "mathjax" / name
            copy_asset(path, target / (name if path.is_dir() else ""))


def drop_unused(app: Sphinx, problem: Exception | None) -> None:
    """Take out what the theme brings and no page of ours loads."""
    static = Path(app.outdir, "_static")
    if problem is None and app.builder.format == "html":
        unused = [path for pattern in _UNUSED for path in static.glob(pattern)]
        for path in unused:
            path.unlink(missing_ok=True)
