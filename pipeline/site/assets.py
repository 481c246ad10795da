"""Files of upstream's that the site publishes as they are: none that a browser would run.

A page of the site shows them, and whoever has their address opens them by themselves: then a page
or a drawing with a script runs it as if it were ours.
"""

from __future__ import annotations

from pathlib import Path, PurePath

from pipeline.adapters import files
from pipeline.adapters.html.drawings import clean_drawing

_PROGRAMS = frozenset(
    (
        ".cjs .hta .htc .htm .html .js .mht .mhtml .mjs .shtml .svgz .swf .wasm .xht .xhtml .xml "
        ".xsl .xslt"
    ).split()
)


def is_program(path: str) -> bool:
    """Return whether a browser that opens a file may run something of it."""
    return PurePath(path).suffix.lower() in _PROGRAMS


def is_drawing(path: str) -> bool:
    """Return whether a file is a drawing, which may have a program in it."""
    return PurePath(path).suffix.lower() == ".svg"


def published(path: Path) -> bytes | Path | None:
    """Return the file as it may be published: cleaned if it is a drawing, None if it may not."""
    if is_program(path.name):
        return None
    if not is_drawing(path.name):
        return path
    data = files.read_bytes(path)
    clean = clean_drawing(data)
    return path if clean == data else clean or None
