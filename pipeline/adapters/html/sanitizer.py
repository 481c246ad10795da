"""Sanitizer for all foreign markup that readers see: on the site, in previews and in reports.

The markup is upstream's HTML, outputs of code, or HTML of other renderers. nh3 parses it as
browsers do, keeps only elements and attributes on an allow-list (``allowed.toml``), and serializes
the result. The output is well-formed, runs nothing, and fetches nothing from other sites.
"""

from __future__ import annotations

import mimetypes
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from html import escape
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from pipeline.limits import HTML_DEPTH
from pipeline.tables import read_table

if TYPE_CHECKING:
    import nh3
    from bs4 import BeautifulSoup, Tag


class TagReader(HTMLParser):
    """Python's HTML parser, changed to accept ``<![x[``, which browsers read as a comment."""

    def parse_marked_section(self, i: int, report: int = 1) -> int:
        """Return the end of the section that begins at ``i``, or -1 if it has no end."""
        del report
        return self.rawdata.find(">", i) + 1 or -1


FRAME = "jz-frame"  # class of a link that replaces a film or frame
# Elements that are invisible without content.
_BOXES = ("center", "div", "figure", "p", "section")
_INLINE = "span"
# An empty element with an id, which a script may find and fill.
_WAITING = re.compile(
    r"<(canvas|div|figure|p|section|span|svg)\b[^>]*?\sid\s*=\s*[\"']?(?P<id>[^\"'\s>]+)[^>]*>"
    r"\s*</\1\s*>",
    re.IGNORECASE,
)


def waiting_ids(html: str) -> list[str]:
    """Return the ids of empty elements, which a script may fill.

    ``<div id="plot" style="height:9em"></div>`` → ``["plot"]``
    """
    return [match["id"] for match in _WAITING.finditer(html)]


def without_placeholders(html: str) -> str:
    """Return sanitized ``html`` without the space that empty boxes reserve.

    A box that contains only links in place of frames counts as empty. The id of an empty box stays,
    because other links may lead to it:
    ``<div id="plot" style="height:9em"></div>`` → ``<span id="plot"></span>``
    """
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(html, "html.parser")
    # The empty boxes so far. The key is their id(), because Beautiful Soup compares elements by
    # their content.
    bare: dict[int, Tag] = {}
    # Look at inner boxes first: a box with only empty boxes is empty.
    for box in reversed(soup.find_all(_BOXES)):
        held: list[Any] = [part for part in box.children if not _is_blank(part)]
        if not all(_is_frame(part) or id(part) in bare for part in held):
            continue
        box.attrs = {"id": box["id"]} if box.get("id") else {}
        bare[id(box)] = box
        if all(part.name == _INLINE for part in held):
            box.name = _INLINE
    for box in bare.values():
        if box.name == _INLINE and not box.attrs:
            box.unwrap()
    return soup.decode(formatter="minimal")


def _is_blank(part: Any) -> bool:
    """Return whether a child node is white space."""
    return not part.name and not str(part).strip()


def _is_frame(part: Any) -> bool:
    """Return whether a child node is a link that replaces a film or frame."""
    return part.name == "a" and FRAME in part.get("class", ())


_TABLES: dict[str, dict[str, str]] = read_table(__name__, "allowed")
_ELEMENTS = {name: words.split() for name, words in _TABLES["elements"].items()}
_ATTRIBUTES = {name: words.split() for name, words in _TABLES["attributes"].items()}
_ON_SOME = {element: set(words.split()) for element, words in _TABLES["attributes-of"].items()}
# Elements of drawings, and the CSS properties that any element may have.
DRAWN = _ELEMENTS["drawing"]
STYLES = set(_TABLES["properties"]["style"].split())
_MATHML = _ELEMENTS["mathml"]
_FRAMES = _ELEMENTS["frame"]
_WITH_CONTENT = {"noscript", "script", "style", "template"}
_NOTICED = frozenset(_ELEMENTS["noticed"])
_RESERVING = frozenset(_ELEMENTS["reserving"])
_MOVED = frozenset(_ATTRIBUTES["animated"])
# Allowed schemes of links.
_SCHEMES = {"data", "ftp", "http", "https", "irc", "mailto", "tel"}
# Attributes with an address that a browser fetches without a click.
_FETCHED = frozenset(
    (element, name) for element in ("img", "source", *_FRAMES) for name in ("src", "data")
)
_IN_PAGE = frozenset((element, name) for element in DRAWN for name in ("href", "xlink:href"))
_IGNORED_IN_ADDRESS = re.compile(r"[\x00-\x20]+")
_ELSEWHERE = re.compile(r"(?:(?P<scheme>[a-z][a-z0-9+.-]*):|//)", re.IGNORECASE)
_IMAGE_DATA = re.compile(r"data:image/[a-z0-9.+-]+[;,]", re.IGNORECASE)
# Parts of a style or an SVG attribute that fetch something, and CSS escapes, which may hide such
# parts.
# ``url(#part)`` is allowed, because it refers to the page itself.
_FETCHING_STYLE = re.compile(r"url\((?!\s*[\"']?#)|image-set|\\|@", re.IGNORECASE)
# Patterns for sanitized markup, in which attribute values contain no "<" or ">".
_EMBEDDED = re.compile(rf"<(?P<name>img|source|{'|'.join(_FRAMES)})\b[^>]*>")
_SOURCE = re.compile(r' src="([^"]*)"')
_PRE = re.compile(r"<pre\b[^>]*>\n")
_TAG = re.compile(r"<(/?)(?!(?:br|col|hr|img|input|wbr)\b)([a-z][^\s/>]*)")
# A character that UTF-8 cannot encode; JSON can contain it as "\\ud800".
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# The address of an embedded film. It only works in a frame, so a link needs the address of the
# film's page instead.
_FILM = re.compile(r"(?:https?:)?//www\.youtube(?:-nocookie)?\.com/embed/([\w-]+).*", re.IGNORECASE)
# Maximum number of passes of ``_clean``. Markup that the last pass still changes is shown as text.
_PASSES = 8
_PLACEHOLDER = "jz-hole"


class Sanitized(Struct, frozen=True, kw_only=True):
    """Markup that is safe to show, and the names of removed elements and attributes."""

    html: str
    # Removed elements ("<script>"), and removed attributes of other elements ("onclick"), sorted.
    lost: tuple[str, ...]
    # The name ("script") of each removed element whose content readers could have seen.
    noticeable_losses: tuple[str, ...] = ()


def sanitize(html: str, *, ours: str = "") -> Sanitized:
    """Return the allowed part of ``html``, as browsers parse it.

    ``<b onclick="f()">x</b><script>f()</script>`` → ``<b>x</b>``, lost ``("<script>", "onclick")``.
    Remote images, films and frames become links. ``ours`` is the name of an additional attribute
    that is allowed.
    """
    if "<" not in html:
        return Sanitized(html=html, lost=())
    return _rebuilt(html, ours=ours)


def sanitize_around(pieces: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return sanitized ``pieces`` of HTML, and the names of removed elements and attributes.

    The caller inserts safe content between the pieces: ``["<details>", "</details>"]`` are the tags
    around a paragraph. The pieces are sanitized together, so one piece may open an element that
    another one closes. At the end all elements are closed. If a piece opens an element that may not
    have other content, such as ``<select>``, each piece is sanitized alone.
    """
    placeholder = _unused_name(pieces)
    joined = pieces[0]
    for number, piece in enumerate(pieces[1:], 1):
        joined += f'<{placeholder} n="{number}"></{placeholder}>{piece}'
    rebuilt = _rebuilt(joined, placeholder=placeholder)
    parts = re.split(rf'<{placeholder} n="(\d+)"></{placeholder}>', rebuilt.html)
    numbers = [str(number) for number in range(1, len(pieces))]
    if parts[1::2] != numbers:
        alone = [sanitize(piece).html for piece in pieces]
        return alone, _lost(_TagCounter(joined), _TagCounter("".join(alone)))
    return parts[::2], rebuilt.lost


def is_safe_address(address: str) -> bool:
    """Return whether an address is relative, has an allowed scheme, or is image data.

    ``javascript:f()`` is not safe.
    """
    plain = _plain(address)
    elsewhere = _ELSEWHERE.match(plain)
    if elsewhere is None or not elsewhere["scheme"]:
        return True
    scheme = elsewhere["scheme"].lower()
    return bool(_IMAGE_DATA.match(plain)) if scheme == "data" else scheme in _SCHEMES


def _unused_name(pieces: Sequence[str]) -> str:
    """Return a name for the placeholder element between the pieces; no piece contains the name."""
    name = _PLACEHOLDER
    while any(name in piece.lower() for piece in pieces):
        name += "-x"
    return name


def _rebuilt(html: str, *, placeholder: str = _PLACEHOLDER, ours: str = "") -> Sanitized:
    """Return the allowed part of ``html``, with links in place of remote content."""
    allowed = _clean(html, _cleaner(placeholder, ours, with_frames=True))
    linked, missing = _with_links(allowed)
    lost, noticeable_losses = _tags(missing), missing
    if allowed != html:  # counting takes longer than everything else
        before, after = _TagCounter(html), _TagCounter(allowed)
        gone = (before.elements - after.elements).elements()
        noticeable_losses = (
            *sorted(name for name in gone if name in _NOTICED),
            *missing,
        )
        lost = tuple(sorted({*_lost(before, after), *lost}))
    if linked is not allowed or not _RESERVING.isdisjoint(noticeable_losses):
        linked = _clean(without_placeholders(linked), _cleaner(placeholder, ours))
    return Sanitized(html=linked, lost=lost, noticeable_losses=noticeable_losses)


def _clean(html: str, cleaner: nh3.Cleaner) -> str:
    """Return the allowed part of ``html``, serialized so that browsers parse it to the same tree.

    One pass is not enough, because removing an element may change how the rest is parsed:
    ``<p><select><p>`` is one paragraph, but without ``<select>`` it is two.
    """
    html = _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", html)
    if _is_too_deep(html):
        return escape(html)
    for _ in range(_PASSES):
        # Browsers skip the first newline in ``<pre>``, so double it.
        cleaned = _PRE.sub(r"\g<0>\n", cleaner.clean(html))
        if cleaned == html:
            return html
        html = cleaned
    return escape(html)


def _is_too_deep(html: str) -> bool:
    """Return whether elements are nested so deeply that parsing would take minutes."""
    if html.count("<") <= HTML_DEPTH:
        return False
    opened: Counter[str] = Counter()
    depth = 0
    for end, name in _TAG.findall(html.lower()):
        change = 1
        if end:
            change = -1 if opened[name] else 0
        opened[name] += change
        depth += change
        if depth > HTML_DEPTH:
            return True
    return False


@lru_cache(maxsize=8)
def _cleaner(placeholder: str, ours: str, *, with_frames: bool = False) -> nh3.Cleaner:
    """Return an nh3 cleaner.

    The cleaner also allows the element ``placeholder`` and the attribute ``ours``. With
    ``with_frames`` it also keeps films and frames, which ``_with_links`` replaces later.
    """
    import nh3

    frames = (*_FRAMES, "source") if with_frames else ()
    mathml = {element: set(_ATTRIBUTES["mathml"]) for element in _MATHML}
    svg = {element: set(_ATTRIBUTES["drawing"]) for element in DRAWN}
    return nh3.Cleaner(
        tags={*_ELEMENTS["text"], *_MATHML, *DRAWN, *frames, placeholder},
        clean_content_tags=_WITH_CONTENT.union(() if with_frames else _FRAMES),
        attributes={
            "*": {*_ATTRIBUTES["all"], *filter(None, [ours])},
            **mathml,
            **svg,
            **_ON_SOME,
            **{element: {"src", "data"} for element in frames},
            placeholder: {"n"},
        },
        tag_attribute_values={"input": {"type": {"checkbox"}}},
        # There is no server for forms, so checkboxes are disabled.
        set_tag_attribute_values={"input": {"disabled": ""}},
        attribute_filter=_filter_attribute,
        filter_style_properties=STYLES,
        url_schemes=_SCHEMES,
        link_rel=None,
    )


def _filter_attribute(element: str, name: str, value: str) -> str | None:
    """Return the value of a listed attribute; None if it is unsafe and must be removed."""
    if (element, name) in _FETCHED:
        return value
    if (element, name) in _IN_PAGE:
        return value if value.lstrip().startswith("#") else None
    if name in ("href", "cite"):
        return None if _plain(value).lower().startswith("data:") else value
    if name.lower() == "attributename" and not may_be_animated(value):
        return None
    if "(" in value or "\\" in value or "@" in value:
        is_style = name == "style" or element in DRAWN or element in _MATHML
        return None if is_style and fetches(value) else value
    return value


def may_be_animated(attribute: str) -> bool:
    """Return whether an animation in a drawing may change an attribute."""
    return attribute.strip().lower() in _MOVED


def fetches(style: str) -> bool:
    """Return whether a style, or an attribute of a drawing, may fetch something."""
    return bool(_FETCHING_STYLE.search(style))


def _plain(address: str) -> str:
    """Return an address as browsers read it: without white space, and with forward slashes."""
    return _IGNORED_IN_ADDRESS.sub("", address).replace("\\", "/")


def _with_links(html: str) -> tuple[str, tuple[str, ...]]:
    """Return ``html`` with links instead of remote content, and the names of removed elements.

    ``<img src="https://a.org/b.png" alt="B">`` → ``<a class="jz-remote" href="…">B</a>``. The link
    of a film or frame also has the class ``jz-frame``. An element that has neither a web address
    nor a description is removed.
    """
    # Most pages have only images of the site and need no second parser.
    if not any(map(_is_elsewhere, _EMBEDDED.finditer(html))):
        return html, ()
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(html, "html.parser")
    missing: list[str] = []
    for source in soup.find_all("source"):
        # A film may have its address in a child element.
        if source.parent is not None and source.parent.name in _FRAMES:
            source.parent.attrs.setdefault("src", str(source.get("src", "")))
        source.unwrap()
    for element in soup.find_all(["img", *_FRAMES]):
        if element.parent is None:  # an element around it has been replaced
            continue
        address = _plain(str(element.get("src") or element.get("data") or ""))
        if _is_of_site(address) and _is_image(element.name, address):
            element.name = "img"
            element.attrs = {**element.attrs, "src": address}
            element.clear()
        elif not _replace_by_link(element, address, soup):
            missing.append(element.name)
    return soup.decode(formatter="minimal"), tuple(missing)


def _is_image(element: str, address: str) -> bool:
    """Return whether an element shows an image, like ``<object data="plot.svg">``."""
    media = mimetypes.guess_type(address)[0] or ""
    return element == "img" or media.startswith("image/")


def _is_elsewhere(tag: re.Match[str]) -> bool:
    """Return whether the tag of an image, film or frame must be replaced."""
    source = _SOURCE.search(tag[0])
    return tag["name"] != "img" or not source or not _is_of_site(_plain(source[1]))


def _is_of_site(address: str) -> bool:
    """Return whether the address of an image is a file of the site, or inline data."""
    is_elsewhere = bool(_ELSEWHERE.match(address)) and not _IMAGE_DATA.match(address)
    return bool(address) and not is_elsewhere


def _replace_by_link(element: Tag, address: str, soup: BeautifulSoup) -> bool:
    """Replace an element by a link to ``address``; return whether anything is in its place now.

    If the element is inside a link, or ``address`` is no web address, the element's description
    replaces it.
    """
    description = str(element.get("alt") or element.get("title") or "")
    words = description or address
    if not re.match(r"(?:https?:)?//", address, re.IGNORECASE):
        element.replace_with(description)
        return bool(description)
    around = element.find_parent("a")
    if around:
        # Inside a link with other words, an image without a description is simply removed.
        has_words = around.get_text(strip=True)
        element.replace_with(description if has_words else words)
    else:
        kind = "jz-remote" if element.name == "img" else f"jz-remote {FRAME}"
        address = _FILM.sub(r"https://www.youtube.com/watch?v=\1", address)
        link = soup.new_tag("a", attrs={"class": kind, "href": address})
        link.string = words
        element.replace_with(link)
    return True


class _TagCounter(TagReader):
    """Parser that counts the elements of a piece of HTML, and their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: Counter[str] = Counter()
        self.attributes: Counter[tuple[str, str]] = Counter()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Count an element, unless it is our placeholder."""
        if tag.startswith(_PLACEHOLDER):
            return
        self.elements[tag] += 1
        self.attributes.update((tag, name) for name, _ in attrs)


def _lost(before: _TagCounter, after: _TagCounter) -> tuple[str, ...]:
    """Return the names of elements and attributes that occur less often in ``after``.

    Attributes of removed elements are not listed.
    """
    elements = before.elements - after.elements
    attributes = before.attributes - after.attributes
    names = {name for element, name in attributes if element not in elements}
    return (*_tags(elements), *sorted(names))


def _tags(elements: Iterable[str]) -> tuple[str, ...]:
    """Return the tags of elements, sorted and each once: ``<b>``."""
    return tuple(f"<{element}>" for element in sorted(set(elements)))
