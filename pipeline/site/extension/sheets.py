"""One style sheet for all pages, made of those that the theme and its extensions bring.

A browser paints nothing before it has every sheet of a page: eight of them, and one that another
imports, are as many questions to a distant host. What the sheets say stays, in their order; what
no page uses of it goes when the site is whole (``pipeline.site.styles``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import lru_cache, partial
from hashlib import sha256
from os.path import relpath
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

SHEET = "styles/all.css"  # in the folder of static files
# The parts, in the order in which they came. Sheets of other extensions, and those of single
# pages, keep links of their own, behind it.
_PARTS = (
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
_TAKEN = re.compile(
    r"@import\s+(?:url\(\s*)?[\"']?(?![a-z]+:|/)(?P<sheet>[^\"'();]+\.css)[\"']?\s*\)?\s*;"
    r"|(?P<before>url\(\s*[\"']?)(?![a-z]+:|[/#])(?P<file>[^\"')]+)"
)
_CHARSET = re.compile(r"@charset\s+[^;]+;")


def setup(app: Sphinx) -> None:
    """Connect it."""
    # After the theme, which gives its own sheet to every page.
    app.connect("html-page-context", link_one_sheet, priority=900)
    # After MyST-NB, which writes its sheet when all is done.
    app.connect("build-finished", write_one_sheet, priority=900)


def link_one_sheet(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, Any],
    document: nodes.document | None,
) -> None:
    """Give templates the sheet, and take its parts out of what they load."""
    context["jz_sheet"] = f"_static/{SHEET}"
    context["jz_sheet_version"] = _version(Path(app.outdir, "_static"))
    # Not in place: other pages may have the same list.
    context["css_files"] = [
        file
        for file in context["css_files"]
        if not any(fnmatch(file.filename, f"_static/{part}") for part in _PARTS)
    ]


@lru_cache(maxsize=1)
def _version(static: Path) -> str:
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
    parts = [*_parts(static), static / "basic.css"]
    for path in parts:
        path.unlink(missing_ok=True)


def one_sheet(static: Path) -> str:
    """All parts that are in the folder of static files, as one sheet."""
    # Where an encoding is stated it is this one, and only the first line may state it.
    sheets = (_read(path, static) for path in _parts(static))
    return '@charset "utf-8";\n' + "\n".join(sheets)


def _parts(static: Path) -> Iterator[Path]:
    """The files of the parts, in order."""
    for pattern in _PARTS:
        yield from sorted(static.glob(pattern))


def _read(path: Path, static: Path) -> str:
    """A sheet as it stands in ours: with what it imports, and addresses that still lead there.

    ``url(icons.svg)`` in ``site.css`` → ``url(../icons.svg)``
    """
    css = _CHARSET.sub("", path.read_text(encoding="utf-8"))
    return _TAKEN.sub(partial(_from_ours, path.parent, static), css)


def _from_ours(folder: Path, static: Path, match: re.Match[str]) -> str:
    """What a sheet in ``folder`` imports, or an address in it as our sheet has to say it."""
    if match["sheet"]:
        return _read(folder / match["sheet"], static)
    path = relpath(folder / match["file"], (static / SHEET).parent)
    return match["before"] + path.replace("\\", "/")
