"""Drawings (SVG) and other files of others, as they may be published.

Whoever has the address of a file opens it by itself: then a page or a drawing with a script runs it
as if it were ours. A drawing that contains only what is allowed stays as it is, byte for byte;
otherwise its tree is cleaned and written.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePath
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from pipeline.adapters import files
from pipeline.adapters.html.sanitizer import DRAWN, fetches, is_moved, is_safe_address

_SVG = "{http://www.w3.org/2000/svg}"
_XLINK = "{http://www.w3.org/1999/xlink}"
_XML = "{http://www.w3.org/XML/1998/namespace}"
_STYLE = f"{_SVG}style"
_ELEMENTS = frozenset(f"{_SVG}{name}" for name in (*DRAWN, "a", "image", "switch"))
_ADDRESSES = ("href", f"{_XLINK}href")
# Those of others have an address that is a part of the drawing.
_LEADING = frozenset((f"{_SVG}a", f"{_SVG}image"))
_HANDLER = re.compile("on", re.IGNORECASE)
# Fonts, mostly. What a sheet says besides goes with them only if it fetches, too.
_IMPORT = re.compile(r"@import\b(?:\"[^\"]*\"|'[^']*'|[^;{}\"'])*;", re.IGNORECASE)
_FETCHING_SHEET = re.compile(r"url\((?!\s*[\"']?#)|@import|image-set|\\", re.IGNORECASE)


class _Builder(ElementTree.TreeBuilder):
    """Builds a tree, and notes what of the text is not in it but would be read by a browser."""

    def __init__(self) -> None:
        super().__init__()
        self.has_more = False

    def pi(self, target: str, text: str | None = None) -> None:  # type: ignore[override]
        """Note an instruction: ``<?xml-stylesheet …?>``."""
        self.has_more = True

    def doctype(self, name: str, public: str, system: str) -> None:
        """Note declarations, which may hold elements."""
        self.has_more = True


def clean_drawing(data: bytes) -> bytes:
    """Return a drawing that runs and fetches nothing; empty bytes if it is none."""
    builder = _Builder()
    try:
        # expat fetches nothing, and bounds what entities grow to.
        parser = ElementTree.XMLParser(target=builder)  # noqa: S314
        root = ElementTree.fromstring(data, parser)  # noqa: S314
    # Also of an encoding that nobody knows.
    except (ElementTree.ParseError, LookupError, ValueError):
        return b""
    if root.tag != f"{_SVG}svg":
        return b""
    if not (_clean(root) or builder.has_more):
        return data
    ElementTree.register_namespace("", _SVG.strip("{}"))
    ElementTree.register_namespace("xlink", _XLINK.strip("{}"))
    return ElementTree.tostring(root)


def _clean(root: Element) -> bool:
    """Take out of a tree what is not allowed, and return whether anything was."""
    has_changed = False
    for element in list(root.iter()):
        if element.tag == _STYLE and _IMPORT.search(element.text or ""):
            element.text = _IMPORT.sub("", element.text or "")
            has_changed = True
        for child in list(element):
            if not _is_allowed(child):
                element.remove(child)
                has_changed = True
        for name, value in list(element.items()):
            if not _is_harmless(element.tag, name, value):
                del element.attrib[name]
                has_changed = True
    return has_changed


def _is_allowed(element: Element) -> bool:
    """Return whether an element draws, or says something, and fetches nothing."""
    if element.tag == _STYLE:
        return not _FETCHING_SHEET.search(_IMPORT.sub("", element.text or ""))
    return element.tag in _ELEMENTS


def _is_harmless(element: str, name: str, value: str) -> bool:
    """Return whether an attribute runs and fetches nothing. Of other programs there are many."""
    if name in _ADDRESSES:
        if value.lstrip().startswith("#"):
            return True
        return element in _LEADING and _leads(element, value)
    if name.lower() == "attributename":
        return is_moved(value)
    if name.startswith("{") and not name.startswith((_XLINK, _XML)):
        return False
    return not (_HANDLER.match(name) or name == f"{_XML}base" or fetches(value))


def _leads(element: str, address: str) -> bool:
    """Return whether an address is that of a link, or an image that stands in it."""
    is_image = address.lstrip().lower().startswith("data:")
    return is_safe_address(address) and is_image == (element == f"{_SVG}image")


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
