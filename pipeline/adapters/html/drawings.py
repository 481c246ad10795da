"""Cleaner of drawings (SVG), and the decision which foreign files may be published.

If a reader opens a file of the site by its own address, scripts in the file run with the rights of
the site. ``clean_drawing`` removes from a drawing everything that is not allowed. A drawing with
only allowed content is returned unchanged, byte for byte.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path, PurePath
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from pipeline.adapters import files
from pipeline.adapters.html.sanitizer import (
    DRAWN,
    fetches,
    is_safe_address,
    may_be_animated,
)
from pipeline.folders import LFS_POINTER

_SVG = "{http://www.w3.org/2000/svg}"
_XLINK = "{http://www.w3.org/1999/xlink}"
_XML = "{http://www.w3.org/XML/1998/namespace}"
_STYLE = f"{_SVG}style"
_ELEMENTS = frozenset(f"{_SVG}{name}" for name in (*DRAWN, "a", "image", "switch"))
_ADDRESSES = ("href", f"{_XLINK}href")
# Elements that may have an address outside of the drawing. Other elements may only refer to parts
# of the drawing.
_LEADING = frozenset((f"{_SVG}a", f"{_SVG}image"))
_HANDLER = re.compile("on", re.IGNORECASE)
# Imports of style sheets, mostly of fonts. They are removed from a sheet. If the rest of the sheet
# still fetches something, the whole sheet is removed.
_IMPORT = re.compile(r"@import\b(?:\"[^\"]*\"|'[^']*'|[^;{}\"'])*;", re.IGNORECASE)
_FETCHING_SHEET = re.compile(r"url\((?!\s*[\"']?#)|@import|image-set|\\", re.IGNORECASE)


class _Builder(ElementTree.TreeBuilder):
    """Tree builder that notices content which browsers read, but which is missing in the tree."""

    def __init__(self) -> None:
        super().__init__()
        self.has_more = False

    def pi(self, target: str, text: str | None = None) -> None:  # type: ignore[override]
        """Notice a processing instruction: ``<?xml-stylesheet …?>``."""
        self.has_more = True

    def doctype(self, name: str, public: str, system: str) -> None:
        """Notice a document type, because its entities may contain elements."""
        self.has_more = True


def clean_drawing(data: bytes) -> bytes:
    """Return a drawing that runs and fetches nothing; b"" if ``data`` is not an SVG drawing."""
    builder = _Builder()
    try:
        # expat fetches nothing, and it limits the expansion of entities.
        parser = ElementTree.XMLParser(target=builder)  # noqa: S314
        root = ElementTree.fromstring(data, parser)  # noqa: S314
    # LookupError: the file declares an unknown encoding.
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
    """Remove everything that is not allowed from a tree; return whether anything was removed."""
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
    """Return whether an element may stay: it is listed, or a style sheet that fetches nothing."""
    if element.tag == _STYLE:
        return not _FETCHING_SHEET.search(_IMPORT.sub("", element.text or ""))
    return element.tag in _ELEMENTS


def _is_harmless(element: str, name: str, value: str) -> bool:
    """Return whether an attribute of ``element`` runs and fetches nothing.

    Attributes in unknown namespaces are not harmless; drawing programs add many of these.
    """
    if name in _ADDRESSES:
        if value.lstrip().startswith("#"):
            return True
        return element in _LEADING and _leads(element, value)
    if name.lower() == "attributename":
        return may_be_animated(value)
    if name.startswith("{") and not name.startswith((_XLINK, _XML)):
        return False
    return not (_HANDLER.match(name) or name == f"{_XML}base" or fetches(value))


def _leads(element: str, address: str) -> bool:
    """Return whether the address of an element is safe.

    The address of an image must be inline data, and the address of a link must not be.
    """
    is_image = address.lstrip().lower().startswith("data:")
    return is_safe_address(address) and is_image == (element == f"{_SVG}image")


_PROGRAMS = frozenset(
    (
        ".cjs .hta .htc .htm .html .js .mht .mhtml .mjs .shtml .svgz .swf .wasm .xht .xhtml .xml "
        ".xsl .xslt"
    ).split()
)


def is_program(path: str) -> bool:
    """Return whether a browser may run code in the file when somebody opens it."""
    return PurePath(path).suffix.lower() in _PROGRAMS


def is_drawing(path: str) -> bool:
    """Return whether a file is an SVG drawing, which may contain scripts."""
    return PurePath(path).suffix.lower() == ".svg"


def is_lfs_pointer(path: Path) -> bool:
    """Return whether a file is a pointer of Git LFS, which stores the content elsewhere.

    Return False for a file that cannot be read.
    """
    with suppress(OSError), path.open("rb") as file:
        return file.read(len(LFS_POINTER)) == LFS_POINTER
    return False


def published(path: Path) -> bytes | Path | None:
    """Return the content to publish for a file.

    This is ``path`` itself, the bytes of a cleaned drawing, or None if the file may not be
    published.
    """
    if is_program(path.name) or is_lfs_pointer(path):
        return None
    if not is_drawing(path.name):
        return path
    data = files.read_bytes(path)
    clean = clean_drawing(data)
    return path if clean == data else clean or None
