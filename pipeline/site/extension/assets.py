"""Scripts, fonts and style sheets of a site: only what its pages use, in few files.

The style sheets of the theme and its extensions are joined into one, because a browser paints
nothing until it has loaded all of them. ``pipeline.site.styles`` removes unused rules from it.
Scripts are linked only on pages that need them. The MathJax package has 24 MB; only what formulas
need is copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import lru_cache, partial
from hashlib import sha256
from importlib.util import find_spec
from os.path import relpath
from pathlib import Path
from typing import Any

from jinja2 import FileSystemBytecodeCache
from sphinx.application import Sphinx
from sphinx.builders import html
from sphinx.util.fileutil import copy_asset
from sphinx.util.matching import Matcher

from pipeline.adapters import files
from pipeline.site.extension.records import Context

# Files of the theme that our pages never load.
_UNUSED = (
    "**/*webpack-macros.html",
    "**/*.map",
    "**/scripts/fontawesome.js*",
    # Translations of the theme: its templates have been rendered with them already.
    "**/locales",
)
# Files of Sphinx's own search.
_OF_SEARCH = (
    "searchtools.js",
    "language_data.js",
    "sphinx_highlight.js",
    "translations.js",
)
# Scripts that extensions add to every page, with the text that a page needing them contains.
_SCRIPTS = {
    "design-tabs.js": "sd-tab-set",
    "clipboard.min.js": "<pre",
    "copybutton.js": "<pre",
    # Formulas that MathML cannot express.
    "formulas.js": 'class="math notranslate',
    "mathjax/tex-chtml.js": 'class="math notranslate',
}
# The first marks search words, as our own search does. The second has messages that our pages do
# not show, and it evaluates a string as code, which the policy forbids.
_NEEDLESS = ("sphinx_highlight.js", "translations.js")
# Files of MathJax's package, with their folder below ours.
_MATHJAX = {
    "tex-chtml.js": "",
    "output/chtml/fonts/woff-v2": "output/chtml/fonts/woff-v2",
    "input/tex/extensions": "input/tex/extensions",
    "ui/safe.js": "ui",
}
SHEET = "styles/all.css"  # in the folder of static files
# Parts of the sheet, in the order in which they were linked. Sheets of other extensions and of
# single pages stay separate and are linked after it.
_SHEETS = (
    "styles/theme.css",
    "styles/pydata-sphinx-theme.css",
    "pygments.css",
    "styles/sphinx-book-theme.css",
    "mystnb.*.css",
    "copybutton.css",
    "sphinx-design.min.css",
    "words.css",
    "site.css",
)
# Imports and relative addresses in a sheet. Absolute addresses need no change.
_RELATIVE = re.compile(
    r"@import\s+(?:url\(\s*)?[\"']?(?![a-z]+:|/)(?P<sheet>[^\"'();]+\.css)[\"']?\s*\)?\s*;"
    r"|(?P<before>url\(\s*[\"']?)(?![a-z]+:|[/#])(?P<file>[^\"')]+)"
)
_CHARSET = re.compile(r"@charset\s+[^;]+;")


def load_what_is_used(
    app: Sphinx, page: str, _: str, context: Context, __: object
) -> None:
    """Remove scripts that a page does not need, and defer the others.

    A page without ``<pre`` gets neither copy buttons nor the script that creates them.
    """
    body = context.get("body", "")
    unused = [script for script, mark in _SCRIPTS.items() if mark not in body]
    # A new list, because pages may share the old one.
    context["script_files"] = [
        file
        for file in context["script_files"]
        if not str(file.filename).endswith((*unused, *_NEEDLESS))
    ]
    for file in context["script_files"]:
        # Deferred scripts run in their order, after the page is parsed.
        if file.filename and not file.attributes.keys() & {"async", "defer"}:
            file.attributes["defer"] = "defer"


def link_one_sheet(
    app: Sphinx, page: str, _: str, context: Context, __: object
) -> None:
    """Provide templates with the joined sheet, and remove its parts from the linked sheets."""
    context["jz_sheet"] = f"_static/{SHEET}"
    context["jz_sheet_version"] = _sheet_version(Path(app.outdir, "_static"))
    # A new list, because pages may share the old one.
    context["css_files"] = [
        file
        for file in context["css_files"]
        if not any(fnmatch(file.filename, f"_static/{part}") for part in _SHEETS)
    ]


@lru_cache(maxsize=1)
def _sheet_version(static: Path) -> str:
    """Return a digest of the sheet's parts, so that browsers do not use an outdated sheet.

    All parts except MyST-NB's exist before the first page is written.
    """
    return sha256(one_sheet(static).encode()).hexdigest()[:8]


def one_sheet(static: Path) -> str:
    """Return the joined sheet, made from its parts in the folder of static files."""
    # All parts are UTF-8, and only the first line may declare it.
    sheets = (_read_sheet(path, static) for path in _sheet_files(static))
    return '@charset "utf-8";\n' + "\n".join(sheets)


def _sheet_files(static: Path) -> Iterator[Path]:
    """Yield the files of the parts, in order."""
    for pattern in _SHEETS:
        yield from sorted(static.glob(pattern))


def _read_sheet(path: Path, static: Path) -> str:
    """Return a sheet with its imports inlined and its addresses relative to the joined sheet.

    ``url(icons.svg)`` in ``site.css`` → ``url(../icons.svg)``
    """
    css = _CHARSET.sub("", path.read_text(encoding="utf-8"))
    return _RELATIVE.sub(partial(_moved, path.parent, static), css)


def _moved(folder: Path, static: Path, match: re.Match[str]) -> str:
    """Return the replacement of an import or address in a sheet of ``folder``."""
    if match["sheet"]:
        return _read_sheet(folder / match["sheet"], static)
    path = relpath(folder / match["file"], (static / SHEET).parent)
    return match["before"] + path.replace("\\", "/")


def prepare_builder(app: Sphinx) -> None:
    """Keep images of outputs and compiled templates below the doctrees."""
    # MyST-NB would write the images beside the site, where two sites would share the folder.
    env: Any = app.env  # MyST-NB adds its configuration to it
    env.mystnb_config = env.mystnb_config.copy(
        output_folder=str(Path(app.doctreedir, "outputs"))
    )
    # Compiling the theme's templates takes as long as writing a page.
    if app.builder.format == "html":
        folder = Path(app.doctreedir, "templates")
        folder.mkdir(parents=True, exist_ok=True)
        cache = FileSystemBytecodeCache(str(folder))
        app.builder.templates.environment.bytecode_cache = cache


def finish_assets(app: Sphinx, problem: Exception | None) -> None:
    """Write the joined sheet, copy MathJax, and remove files that no page loads."""
    if problem is not None or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    # 2 MB that a release beside the pin loads from the pinned site.
    if not app.config.jz_site["pinned"]:
        _copy_mathjax(static / "mathjax")
    write_one_sheet(static)
    files.remove_files([static / name for name in _OF_SEARCH])


def write_one_sheet(static: Path) -> None:
    """Write the joined sheet and remove its parts."""
    files.write_if_changed(static / SHEET, one_sheet(static).encode())
    files.remove_files([*_sheet_files(static), static / "basic.css"])


def _copy_mathjax(target: Path) -> None:
    """Copy MathJax to ``_static/mathjax``, unless it is there or not installed."""
    package = find_spec("sphinx-mathjax-offline")
    # Without the package, formulas that MathML cannot express are shown as source.
    if (target / "ui" / "safe.js").exists() or package is None or not package.origin:
        return
    source = Path(package.origin).parent / "static" / "mathjax"
    for name, folder in _MATHJAX.items():
        copy_asset(source / name, target / folder)


def setup(app: Sphinx) -> None:
    """Connect the linking and writing of assets."""
    # The builder does not copy files that match.
    html.DOTFILES = Matcher(("**/.*", *_UNUSED))  # type: ignore[attr-defined]
    app.connect("builder-inited", prepare_builder, priority=900)
    app.connect("html-page-context", load_what_is_used)
    # After the theme, which adds its own sheet to every page.
    app.connect("html-page-context", link_one_sheet, priority=900)
    # After MyST-NB, which writes its sheet at the end of the build.
    app.connect("build-finished", finish_assets, priority=900)
    # Sphinx would load MathJax only as the renderer of all formulas.
    app.add_js_file("formulas.js", priority=400)
    app.add_js_file("mathjax/tex-chtml.js", defer="defer")
