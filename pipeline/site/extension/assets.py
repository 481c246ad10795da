"""Scripts, fonts and style sheets of a site: nothing that its pages do not use, in few files.

All style sheets are joined into one, because a browser paints nothing before it has each of them.
Scripts are linked only where a page has something for them.
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

from docutils import nodes
from jinja2 import FileSystemBytecodeCache
from sphinx.application import Sphinx
from sphinx.builders import html
from sphinx.util.fileutil import copy_asset
from sphinx.util.matching import Matcher

from pipeline.adapters import files

# What the theme brings and no page of ours loads.
_UNUSED = (
    "**/*webpack-macros.html",
    "**/*.map",
    "**/scripts/fontawesome.js*",
    # What the theme says in other languages: its templates have said it.
    "**/locales",
)
# What Sphinx makes for its own search, and its marks of what was found.
_OF_SEARCH = (
    "searchtools.js",
    "language_data.js",
    "sphinx_highlight.js",
    "translations.js",
)
# Scripts that extensions give to every page, by what a page must have for them.
_SCRIPTS = {
    "design-tabs.js": "sd-tab-set",
    "clipboard.min.js": "<pre",
    "copybutton.js": "<pre",
    # Formulas that MathML has nothing for.
    "formulas.js": 'class="math notranslate',
    "mathjax/tex-chtml.js": 'class="math notranslate',
}
# The one marks what was looked for, beside the text as well, which is our search's. The other says
# in Chinese what no page of ours shows, and makes code of a string, which a page may not do.
_NEEDLESS = ("sphinx_highlight.js", "translations.js")
# What formulas need of MathJax; the whole of it is 24 MB.
# By name in the package: the folder below ours that the file, or what the folder holds, goes to.
_MATHJAX = {
    "tex-chtml.js": "",
    "output/chtml/fonts/woff-v2": "output/chtml/fonts/woff-v2",
    "input/tex/extensions": "input/tex/extensions",
    "ui/safe.js": "ui",
}


def load_what_is_used(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, Any],
    document: nodes.document | None,
) -> None:
    """Leave out the scripts for which a page has nothing, and let no other hold up the page.

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


def keep_outputs_inside(app: Sphinx) -> None:
    """MyST-NB writes images of outputs beside the site, where those of two sites would meet."""
    env: Any = app.env  # MyST-NB adds its configuration to it
    env.mystnb_config = env.mystnb_config.copy(
        output_folder=str(Path(app.doctreedir, "outputs"))
    )


def keep_compiled_templates(app: Sphinx) -> None:
    """The theme's are as much work to compile as a page is to write."""
    if app.builder.format == "html":
        folder = Path(app.doctreedir, "templates")
        folder.mkdir(parents=True, exist_ok=True)
        app.builder.templates.environment.bytecode_cache = FileSystemBytecodeCache(
            str(folder)
        )


def copy_mathjax(app: Sphinx, problem: Exception | None) -> None:
    """Copy what formulas need, unless it is there: to ``_static/mathjax`` of the site."""
    target = Path(app.outdir, "_static", "mathjax")
    # Once there it stays: finish prunes no scripts.
    if not _is_whole_site(app, problem) or (target / "ui" / "safe.js").exists():
        return
    package = find_spec("sphinx-mathjax-offline")
    # Without the package formulas are shown as they were written.
    if package is None or not package.origin:
        return
    source = Path(package.origin).parent / "static" / "mathjax"
    for name, folder in _MATHJAX.items():
        copy_asset(source / name, target / folder)


def drop_search(app: Sphinx, problem: Exception | None) -> None:
    """Take out the scripts of Sphinx's own search: pages have ours."""
    if _is_whole_site(app, problem):
        static = Path(app.outdir, "_static")
        files.remove_files([static / name for name in _OF_SEARCH])


def _is_whole_site(app: Sphinx, problem: Exception | None) -> bool:
    """Whether Sphinx has made HTML, and came to the end of it without a ``problem``."""
    return problem is None and app.builder.format == "html"


SHEET = "styles/all.css"  # in the folder of static files
# The parts, in the order in which they came. Sheets of other extensions, and those of single
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
# What a sheet takes from a place that goes by its own. Addresses with a scheme, or from a server's
# root, lead to the same place from anywhere.
_RELATIVE = re.compile(
    r"@import\s+(?:url\(\s*)?[\"']?(?![a-z]+:|/)(?P<sheet>[^\"'();]+\.css)[\"']?\s*\)?\s*;"
    r"|(?P<before>url\(\s*[\"']?)(?![a-z]+:|[/#])(?P<file>[^\"')]+)"
)
_CHARSET = re.compile(r"@charset\s+[^;]+;")


def link_one_sheet(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, Any],
    document: nodes.document | None,
) -> None:
    """Give templates the sheet, and take its parts out of what they load."""
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
    """A name for what the sheet is made of, so that no browser keeps an old one.

    The files are there before the first page is written, all but MyST-NB's.
    """
    return sha256(one_sheet(static).encode()).hexdigest()[:8]


def write_one_sheet(app: Sphinx, problem: Exception | None) -> None:
    """Write it, and remove its parts."""
    if problem is not None or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    Path(static, SHEET).write_text(one_sheet(static), encoding="utf-8")
    parts = [*_sheet_files(static), static / "basic.css"]
    for path in parts:
        path.unlink(missing_ok=True)


def one_sheet(static: Path) -> str:
    """All parts that are in the folder of static files, as one sheet."""
    # Where an encoding is stated it is this one, and only the first line may state it.
    sheets = (_read_sheet(path, static) for path in _sheet_files(static))
    return '@charset "utf-8";\n' + "\n".join(sheets)


def _sheet_files(static: Path) -> Iterator[Path]:
    """The files of the parts, in order."""
    for pattern in _SHEETS:
        yield from sorted(static.glob(pattern))


def _read_sheet(path: Path, static: Path) -> str:
    """A sheet as it stands in ours: with what it imports, and addresses that still lead there.

    ``url(icons.svg)`` in ``site.css`` → ``url(../icons.svg)``
    """
    css = _CHARSET.sub("", path.read_text(encoding="utf-8"))
    return _RELATIVE.sub(partial(_from_ours, path.parent, static), css)


def _from_ours(folder: Path, static: Path, match: re.Match[str]) -> str:
    """What a sheet in ``folder`` imports, or an address in it as our sheet has to say it."""
    if match["sheet"]:
        return _read_sheet(folder / match["sheet"], static)
    path = relpath(folder / match["file"], (static / SHEET).parent)
    return match["before"] + path.replace("\\", "/")


def setup(app: Sphinx) -> None:
    """Register this part of the extension."""
    # What the builder copies none of.
    html.DOTFILES = Matcher(("**/.*", *_UNUSED))  # type: ignore[attr-defined]
    app.connect("builder-inited", keep_outputs_inside, priority=900)
    app.connect("builder-inited", keep_compiled_templates, priority=900)
    app.connect("html-page-context", load_what_is_used)
    # Sphinx loads MathJax only where it is the one that sets all formulas.
    app.add_js_file("formulas.js", priority=400)
    app.add_js_file("mathjax/tex-chtml.js", defer="defer")
    app.connect("build-finished", copy_mathjax)
    app.connect("build-finished", drop_search)
    # After the theme, which gives its own sheet to every page.
    app.connect("html-page-context", link_one_sheet, priority=900)
    # After MyST-NB, which writes its sheet when all is done.
    app.connect("build-finished", write_one_sheet, priority=900)
