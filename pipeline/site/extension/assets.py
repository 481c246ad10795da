"""Scripts, fonts and style sheets of a site: only those that its pages use, in few files.

The style sheets of the theme and the extensions are joined into one file, because a browser shows
nothing until it has loaded all style sheets. ``site/styles`` removes unused rules from this file
later. A page links only the scripts that it needs. Of the MathJax package (24 MB), only the files
for formulas are copied.
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
from pipeline.site.extension.records import Context, on_page

# Files of the theme that our pages never load.
_UNUSED = (
    "**/*webpack-macros.html",
    "**/*.map",
    "**/scripts/fontawesome.js*",
    # Translations of the theme's words. Only the build uses them.
    "**/locales",
)
# Files of Sphinx's own search.
_OF_SEARCH = (
    "searchtools.js",
    "language_data.js",
    "sphinx_highlight.js",
    "translations.js",
)
# Scripts that extensions add to every page. Each has a text: only pages with this text need the
# script.
_SCRIPTS = {
    "design-tabs.js": "sd-tab-set",
    "clipboard.min.js": "<pre",
    "copybutton.js": "<pre",
    # The start tag of a formula that MathML cannot express, so that MathJax must render it.
    "formulas.js": 'class="math notranslate',
    "mathjax/tex-chtml.js": 'class="math notranslate',
}
# Scripts that no page needs. The first marks the words of a search, but our own search does this,
# too. The second has messages that our pages do not show. It also evaluates a string as code, which
# the security policy of the pages forbids.
_NEEDLESS = ("sphinx_highlight.js", "translations.js")
# Files and folders of the MathJax package, and the folders below ``mathjax`` that they go to.
_MATHJAX = {
    "tex-chtml.js": "",
    "output/chtml/fonts/woff-v2": "output/chtml/fonts/woff-v2",
    "input/tex/extensions": "input/tex/extensions",
    "ui/safe.js": "ui",
}
SHEET = "styles/all.css"  # in the folder of static files
# Parts of the joined style sheet, in the order in which Sphinx would link them. Style sheets of
# other extensions and of single pages remain separate files, linked after the joined one.
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
# Imports and relative addresses in a style sheet.
_RELATIVE = re.compile(
    r"@import\s+(?:url\(\s*)?[\"']?(?![a-z]+:|/)(?P<sheet>[^\"'();]+\.css)[\"']?\s*\)?\s*;"
    r"|(?P<before>url\(\s*[\"']?)(?![a-z]+:|[/#])(?P<file>[^\"')]+)"
)
_CHARSET = re.compile(r"@charset\s+[^;]+;")


def load_what_is_used(app: Sphinx, page: str, context: Context) -> None:
    """Remove scripts that a page does not need, and defer the others.

    A page without ``<pre`` gets neither copy buttons nor the script that creates them.
    """
    body = context.get("body", "")
    unused = [script for script, mark in _SCRIPTS.items() if mark not in body]
    # Make a new list, because pages may share the old one.
    context["script_files"] = [
        file
        for file in context["script_files"]
        if not str(file.filename).endswith((*unused, *_NEEDLESS))
    ]
    for file in context["script_files"]:
        # Deferred scripts run in their order, after the page is parsed.
        if file.filename and not file.attributes.keys() & {"async", "defer"}:
            file.attributes["defer"] = "defer"


def link_one_sheet(app: Sphinx, page: str, context: Context) -> None:
    """Link the joined style sheet on a page, and remove the links to its parts."""
    context["jz_sheet"] = f"_static/{SHEET}"
    context["jz_sheet_version"] = _sheet_version(Path(app.outdir, "_static"))
    # Make a new list, because pages may share the old one.
    context["css_files"] = [
        file
        for file in context["css_files"]
        if not any(fnmatch(file.filename, f"_static/{part}") for part in _SHEETS)
    ]


@lru_cache(maxsize=1)
def _sheet_version(static: Path) -> str:
    """Return a digest of the joined style sheet, for its address.

    If the style sheet changes, its address changes. So browsers take no outdated style sheet from
    their cache. All parts of the style sheet except MyST-NB's exist before Sphinx writes the first
    page.
    """
    return sha256(one_sheet(static).encode()).hexdigest()[:8]


def one_sheet(static: Path) -> str:
    """Return the joined style sheet, made from its parts in the folder of static files."""
    # All parts are UTF-8, and only the first line may declare it.
    sheets = (_read_sheet(path, static) for path in _sheet_files(static))
    return '@charset "utf-8";\n' + "\n".join(sheets)


def _sheet_files(static: Path) -> Iterator[Path]:
    """Yield the files of the parts, in order."""
    for pattern in _SHEETS:
        yield from sorted(static.glob(pattern))


def _read_sheet(path: Path, static: Path) -> str:
    """Return a style sheet with imports inlined, and with addresses relative to the joined sheet.

    ``url(icons.svg)`` in ``site.css`` → ``url(../icons.svg)``
    """
    css = _CHARSET.sub("", path.read_text(encoding="utf-8"))
    return _RELATIVE.sub(partial(_moved, path.parent, static), css)


def _moved(folder: Path, static: Path, match: re.Match[str]) -> str:
    """Return the text that replaces an import or an address in a style sheet in ``folder``."""
    if match["sheet"]:
        return _read_sheet(folder / match["sheet"], static)
    path = relpath(folder / match["file"], (static / SHEET).parent)
    return match["before"] + path.replace("\\", "/")


def prepare_builder(app: Sphinx) -> None:
    """Store images of outputs and compiled templates in the folder of doctrees."""
    # Otherwise MyST-NB would write the images to a folder beside the site, and two sites would
    # share this folder.
    env: Any = app.env  # MyST-NB adds its configuration to it
    env.mystnb_config = env.mystnb_config.copy(output_folder=str(Path(app.doctreedir, "outputs")))
    # Store compiled templates: compiling those of the theme takes as long as writing a page.
    folder = Path(app.doctreedir, "templates")
    folder.mkdir(parents=True, exist_ok=True)
    cache = FileSystemBytecodeCache(str(folder))
    app.builder.templates.environment.bytecode_cache = cache


def finish_assets(app: Sphinx, problem: Exception | None) -> None:
    """Write the joined style sheet, copy MathJax, and remove files that no page loads."""
    if problem is not None:
        return
    static = Path(app.outdir, "_static")
    # The files of MathJax that we use have 2 MB. Copy them to the pinned site only; sites of other
    # releases use that copy.
    if not app.config.jz_site["pinned"]:
        _copy_mathjax(static / "mathjax")
    write_one_sheet(static)
    files.remove_files([static / name for name in _OF_SEARCH])


def write_one_sheet(static: Path) -> None:
    """Write the joined style sheet and remove its parts."""
    files.write_if_changed(static / SHEET, one_sheet(static).encode())
    files.remove_files([*_sheet_files(static), static / "basic.css"])


def _copy_mathjax(target: Path) -> None:
    """Copy MathJax to ``target``, unless it is there already or not installed."""
    package = find_spec("sphinx-mathjax-offline")
    # If the package is not installed, formulas that MathML cannot express are shown as source.
    if (target / "ui" / "safe.js").exists() or package is None or not package.origin:
        return
    source = Path(package.origin).parent / "static" / "mathjax"
    for name, folder in _MATHJAX.items():
        copy_asset(source / name, target / folder)


def setup(app: Sphinx) -> None:
    """Connect the linking and writing of assets."""
    # Sphinx does not copy static files that match these patterns.
    html.DOTFILES = Matcher(("**/.*", *_UNUSED))  # type: ignore[attr-defined]
    app.connect("builder-inited", prepare_builder, priority=900)
    on_page(app, load_what_is_used)
    # After the theme, which adds its own style sheet to every page.
    on_page(app, link_one_sheet, priority=900)
    # After MyST-NB, which writes its style sheet at the end of the build.
    app.connect("build-finished", finish_assets, priority=900)
    # Sphinx would add these scripts only if MathJax rendered all formulas.
    app.add_js_file("formulas.js", priority=400)
    app.add_js_file("mathjax/tex-chtml.js", defer="defer")
