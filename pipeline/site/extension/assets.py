"""Scripts, fonts and style sheets of a site: nothing that its pages do not use, in few files.

All style sheets of the theme and its extensions are joined into one, because a browser paints
nothing before it has each of them. ``pipeline.site.styles`` removes from it what no page uses.
Scripts are linked only where a page has something for them. MathJax comes from a package with all
of it, 24 MB; only what formulas need is copied.
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

# What the theme brings and no page of ours loads.
_UNUSED = (
    "**/*webpack-macros.html",
    "**/*.map",
    "**/scripts/fontawesome.js*",
    # The theme's words in other languages: its templates contain them already.
    "**/locales",
)
# What Sphinx makes for its own search, and its marks of what was found.
_OF_SEARCH = (
    "searchtools.js",
    "language_data.js",
    "sphinx_highlight.js",
    "translations.js",
)
# Scripts that extensions add to every page, by what a page must have for them.
_SCRIPTS = {
    "design-tabs.js": "sd-tab-set",
    "clipboard.min.js": "<pre",
    "copybutton.js": "<pre",
    # Formulas that MathML has nothing for.
    "formulas.js": 'class="math notranslate',
    "mathjax/tex-chtml.js": 'class="math notranslate',
}
# The first marks search words, as our search does. The second has messages that no page of ours
# shows, and makes code of a string, which the policy forbids.
_NEEDLESS = ("sphinx_highlight.js", "translations.js")
# By name in MathJax's package: the folder below ours that the file or content is copied to.
_MATHJAX = {
    "tex-chtml.js": "",
    "output/chtml/fonts/woff-v2": "output/chtml/fonts/woff-v2",
    "input/tex/extensions": "input/tex/extensions",
    "ui/safe.js": "ui",
}
SHEET = "styles/all.css"  # in the folder of static files
# Its parts, in the order in which they were linked. Sheets of other extensions, and those of single
# pages, keep links of their own, behind it.
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
# Imports and relative addresses in a sheet. Addresses with a scheme, or from a server's root, lead
# to the same place from anywhere.
_RELATIVE = re.compile(
    r"@import\s+(?:url\(\s*)?[\"']?(?![a-z]+:|/)(?P<sheet>[^\"'();]+\.css)[\"']?\s*\)?\s*;"
    r"|(?P<before>url\(\s*[\"']?)(?![a-z]+:|[/#])(?P<file>[^\"')]+)"
)
_CHARSET = re.compile(r"@charset\s+[^;]+;")


def load_what_is_used(
    app: Sphinx, page: str, _: str, context: Context, __: object
) -> None:
    """Leave out scripts for which a page has nothing, and let no other delay the page.

    A page without ``<pre`` gets no button to copy code, nor the script that would make one.
    """
    body = context.get("body", "")
    unused = [script for script, mark in _SCRIPTS.items() if mark not in body]
    # Not in place: other pages may have the same list.
    context["script_files"] = [
        file
        for file in context["script_files"]
        if not str(file.filename).endswith((*unused, *_NEEDLESS))
    ]
    for file in context["script_files"]:
        # They still run in their order, when the page has been read.
        if file.filename and not file.attributes.keys() & {"async", "defer"}:
            file.attributes["defer"] = "defer"


def link_one_sheet(
    app: Sphinx, page: str, _: str, context: Context, __: object
) -> None:
    """Give templates the sheet, and remove its parts from what they link."""
    context["jz_sheet"] = f"_static/{SHEET}"
    context["jz_sheet_version"] = _sheet_version(Path(app.outdir, "_static"))
    # Not in place: other pages may have the same list.
    context["css_files"] = [
        file
        for file in context["css_files"]
        if not any(fnmatch(file.filename, f"_static/{part}") for part in _SHEETS)
    ]


@lru_cache(maxsize=1)
def _sheet_version(static: Path) -> str:
    """Return a digest of the sheet's parts, so that no browser keeps an old sheet.

    The parts exist before the first page is written, all but MyST-NB's.
    """
    return sha256(one_sheet(static).encode()).hexdigest()[:8]


def one_sheet(static: Path) -> str:
    """Return all parts in the folder of static files as one sheet."""
    # All parts have this encoding, and only the first line may declare it.
    sheets = (_read_sheet(path, static) for path in _sheet_files(static))
    return '@charset "utf-8";\n' + "\n".join(sheets)


def _sheet_files(static: Path) -> Iterator[Path]:
    """Yield the files of the parts, in order."""
    for pattern in _SHEETS:
        yield from sorted(static.glob(pattern))


def _read_sheet(path: Path, static: Path) -> str:
    """Return a sheet with what it imports, and with addresses that fit its new place.

    ``url(icons.svg)`` in ``site.css`` → ``url(../icons.svg)``
    """
    css = _CHARSET.sub("", path.read_text(encoding="utf-8"))
    return _RELATIVE.sub(partial(_moved, path.parent, static), css)


def _moved(folder: Path, static: Path, match: re.Match[str]) -> str:
    """Return what a sheet in ``folder`` imports, or an address in it as our sheet needs it."""
    if match["sheet"]:
        return _read_sheet(folder / match["sheet"], static)
    path = relpath(folder / match["file"], (static / SHEET).parent)
    return match["before"] + path.replace("\\", "/")


def prepare_builder(app: Sphinx) -> None:
    """Keep images of outputs and compiled templates below the doctrees."""
    # MyST-NB would write images beside the site, where those of two sites would meet.
    env: Any = app.env  # MyST-NB adds its configuration to it
    env.mystnb_config = env.mystnb_config.copy(
        output_folder=str(Path(app.doctreedir, "outputs"))
    )
    # The theme's templates are as much work to compile as a page is to write.
    if app.builder.format == "html":
        folder = Path(app.doctreedir, "templates")
        folder.mkdir(parents=True, exist_ok=True)
        cache = FileSystemBytecodeCache(str(folder))
        app.builder.templates.environment.bytecode_cache = cache


def finish_assets(app: Sphinx, problem: Exception | None) -> None:
    """Write the one sheet, copy MathJax, and remove what pages do not load."""
    if problem is not None or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    _copy_mathjax(static / "mathjax")
    write_one_sheet(static)
    files.remove_files([static / name for name in _OF_SEARCH])


def write_one_sheet(static: Path) -> None:
    """Write the sheet, and remove its parts."""
    Path(static, SHEET).write_text(one_sheet(static), encoding="utf-8")
    for path in [*_sheet_files(static), static / "basic.css"]:
        path.unlink(missing_ok=True)


def _copy_mathjax(target: Path) -> None:
    """Copy what formulas need to ``_static/mathjax``, unless it is there."""
    package = find_spec("sphinx-mathjax-offline")
    # Without the package formulas are shown as they were written.
    if (target / "ui" / "safe.js").exists() or package is None or not package.origin:
        return
    source = Path(package.origin).parent / "static" / "mathjax"
    for name, folder in _MATHJAX.items():
        copy_asset(source / name, target / folder)


def setup(app: Sphinx) -> None:
    """Link and write assets."""
    # The builder copies no file that matches.
    html.DOTFILES = Matcher(("**/.*", *_UNUSED))  # type: ignore[attr-defined]
    app.connect("builder-inited", prepare_builder, priority=900)
    app.connect("html-page-context", load_what_is_used)
    # After the theme, which gives its own sheet to every page.
    app.connect("html-page-context", link_one_sheet, priority=900)
    # After MyST-NB, which writes its sheet when all is done.
    app.connect("build-finished", finish_assets, priority=900)
    # Sphinx loads MathJax only where it is the one that sets all formulas.
    app.add_js_file("formulas.js", priority=400)
    app.add_js_file("mathjax/tex-chtml.js", defer="defer")
