"""Cleaner of drawings (SVG) and style sheets, and the decision which files may be published.

If a reader opens a file of the site by its own address, scripts in the file run with the rights of
the site. ``clean_drawing`` removes from a drawing everything that is not allowed. A drawing with
only allowed content is returned unchanged, byte for byte.

``clean_sheet`` limits a style sheet to one part of a page. Upstream's drawings and tables need
their colours. Declarations that fetch something, or that could move an element out of its part of
the page, are removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path, PurePath
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from pipeline.adapters import files
from pipeline.adapters.html.sanitizer import (
    DRAWN,
    STYLES,
    fetches,
    is_safe_address,
    may_be_animated,
)
from pipeline.folders import LFS_POINTER

if TYPE_CHECKING:
    from tinycss2.ast import AtRule, Node, QualifiedRule


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


# Combinators. A selector that begins with one of them would select elements beside the part of the
# page: ``+ p`` would become ``.text + p``.
_BESIDE = ("+", "~")
_DARK = "color: #14181e"
_LIGHT = 0.5  # brightness above which a background counts as light: 0 is black, 1 white


def clean_sheet(css: str, *, inside: str) -> str:
    """Return the allowed rules of a sheet, limited to elements inside the selector ``inside``.

    ``td, th {color: red; position: fixed}`` → ``.text td,.text th{color: red}``
    """
    from tinycss2 import parse_stylesheet

    rules = parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
    return "".join(_rules(rules, inside))


def _rules(rules: Iterable[Node], inside: str) -> Iterator[str]:
    """Yield the allowed rules as text."""
    for rule in rules:
        if rule.type == "qualified-rule":
            text = _rule(rule, inside)
        elif rule.type == "at-rule" and rule.lower_at_keyword == "media":
            text = _media(rule, inside)
        else:
            # ``@import`` and ``@font-face`` would fetch something.
            continue
        # ``<`` could end the style element that the sheet is inserted into.
        if "<" not in text:
            yield text


def _media(rule: AtRule, inside: str) -> str:
    """Return the allowed rules of a media query as text."""
    from tinycss2 import parse_rule_list, serialize

    medium = serialize(rule.prelude)
    if fetches(medium):
        return ""
    rules = parse_rule_list(rule.content or [], skip_comments=True, skip_whitespace=True)
    return f"@media{medium}{{{''.join(_rules(rules, inside))}}}"


def _rule(rule: QualifiedRule, inside: str) -> str:
    """Return a rule as text; empty if none of its declarations is allowed."""
    selectors = ",".join(f"{inside} {selector}" for selector in _selectors(rule.prelude))
    declarations = ";".join(_with_colour(list(_declarations(rule.content))))
    return f"{selectors}{{{declarations}}}" if selectors and declarations else ""


def _with_colour(declarations: list[str]) -> list[str]:
    """Return the declarations; add dark text if they set a light background but no text colour.

    The author assumed black text, but on a dark page text is light.
    """
    names = [declaration.partition(":")[0] for declaration in declarations]
    is_light = any(map(_is_light_ground, declarations))
    return [*declarations, _DARK] if is_light and "color" not in names else declarations


def _is_light_ground(declaration: str) -> bool:
    """Return whether a declaration sets a light background colour."""
    from tinycss2 import parse_component_value_list
    from tinycss2.color3 import RGBA, parse_color

    name, _, value = declaration.partition(":")
    if name not in ("background", "background-color"):
        return False
    colours = map(parse_color, parse_component_value_list(value))
    seen = [colour for colour in colours if isinstance(colour, RGBA)]
    return any(sum(colour[:3]) / 3 * colour.alpha > _LIGHT for colour in seen)


def _selectors(prelude: Sequence[Node]) -> Iterator[str]:
    """Yield the allowed selectors of a rule. ``prelude`` is the list of all its selectors.

    An allowed selector fetches nothing, and selects only elements in the part of the page.
    """
    from tinycss2 import serialize

    # Leave out comments, because a comment before a combinator would hide it from ``startswith``.
    said = (node for node in prelude if node.type != "comment")
    for is_between, nodes in groupby(said, key=_is_comma):
        selector = "" if is_between else serialize(nodes).strip()
        is_beside = selector.startswith(_BESIDE)
        if selector and not (is_beside or "}" in selector or fetches(selector)):
            yield selector


def _is_comma(node: Node) -> bool:
    """Return whether a node is the comma between two selectors of a list."""
    return bool(node == ",")


def _declarations(content: Sequence[Node]) -> Iterator[str]:
    """Yield the allowed declarations."""
    from tinycss2 import parse_declaration_list, serialize

    for declaration in parse_declaration_list(content, skip_comments=True, skip_whitespace=True):
        if declaration.type != "declaration" or declaration.lower_name not in STYLES:
            continue
        value = serialize(declaration.value).strip()
        if not fetches(value):
            yield f"{declaration.lower_name}: {value}"
