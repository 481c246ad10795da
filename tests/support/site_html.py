"""Built sites as browsers get them, read without a browser.

The module finds links, anchors, code, and the files that pages load.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml import etree
from lxml.html import document_fromstring
from msgspec import Struct, field

_LINKS = {"a": "href", "link": "href", "object": "data"}
_LINKS |= dict.fromkeys(("img", "script", "iframe", "source", "video"), "src")
_NO_PAGES = frozenset(("_static", "_sources", "_downloads", "_images"))


def _within(*names: str) -> str:
    """Return an XPath condition for what is inside of an element of one of the classes."""
    has = [f"contains(concat(' ', @class, ' '), ' {name} ')" for name in names]
    return f"ancestor::*[{' or '.join(has)}]"


# The top of the home page ("jz-front") is ours.
_BLOCKS = (
    "//*[contains(concat(' ', @class, ' '), ' highlight ')]/pre"
    f"[not({_within('cell_output', 'jz-en', 'jz-front')})]"
)
_CODE = f".//text()[not({_within('linenos')})]"
_VERBATIM = "ancestor::script or ancestor::style or ancestor::pre or ancestor::code"
_PROSE = (
    f"//text()[{_within('bd-article')} and not({_within('math')} or {_VERBATIM} "
    "or ancestor::textarea)]"
)
_LOADED = frozenset(("stylesheet", "icon", "preload", "shortcut icon"))


class Html(Struct, kw_only=True):
    """Contents of an HTML file.

    ``refs`` has pairs of tag and address. ``code`` has the texts of highlighted blocks, except
    outputs and the English.
    """

    ids: list[str] = field(default_factory=list)
    refs: list[tuple[str, str]] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    classes: set[str] = field(default_factory=set)
    prose: list[str] = field(default_factory=list)


def read_html(text: str) -> Html:
    """Return the contents of an HTML file with this text."""
    html = Html()
    page = document_fromstring(text)
    for element in page.iter(etree.Element):
        html.classes.update(element.get("class", "").split())
        name = element.get("name") if element.tag == "a" else None
        html.ids += filter(None, [element.get("id"), name])
        if address := element.get(_LINKS.get(element.tag, "-"), ""):
            html.refs.append((element.tag, address))
            is_linked = element.tag == "link" and element.get("rel") in _LOADED
            if is_linked or element.tag in ("script", "img"):
                html.loads.append(address)
    html.code = ["".join(pre.xpath(_CODE)) for pre in page.xpath(_BLOCKS)]
    html.prose = page.xpath(_PROSE)
    return html


class Site(Struct, frozen=True, dict=True):
    """Built site in ``folder``."""

    folder: Path

    @property
    def name(self) -> str:
        """Return the name of the site's upstream."""
        return self.folder.name

    @cached_property
    def pages(self) -> dict[str, Html]:
        """Return the contents of every page, by path in the site."""
        pages: dict[str, Html] = {}
        for path in sorted(self.folder.rglob("*.html")):
            name = path.relative_to(self.folder)
            if name.parts[0] not in _NO_PAGES:
                pages[name.as_posix()] = read_html(path.read_text(encoding="utf-8"))
        return pages

    def having(self, *names: str, without: str = "") -> Iterator[str]:
        """Yield the pages that have elements with all of the classes ``names``.

        Pages that have an element of the class ``without`` are left out.
        """
        for path, html in self.pages.items():
            if html.classes >= set(names) and without not in html.classes:
                yield path

    def broken_links(self) -> Iterator[str]:
        """Yield ``page: address`` for every link into the site that leads nowhere."""
        anchors = {path: frozenset(html.ids) for path, html in self.pages.items()}
        exists: dict[str, bool] = {}
        for page, html in self.pages.items():
            for _, address in html.refs:
                parts = urlsplit(address)
                if parts.scheme or parts.netloc:
                    continue
                target = resolve(page, parts.path)
                if target not in exists:
                    exists[target] = (self.folder / target).is_file()
                anchor = unquote(parts.fragment)
                is_known = not anchor or anchor in anchors.get(target, {anchor})
                if not exists[target] or not is_known:
                    yield f"{page}: {address}"

    def remote_loads(self) -> Iterator[str]:
        """Yield ``page: address`` for everything that a browser would load from elsewhere."""
        for page, html in self.pages.items():
            for address in html.loads:
                if re.match(r"(?:https?:)?//", address):
                    yield f"{page}: {address}"


def resolve(page: str, address: str) -> str:
    """Return the path in the site of an ``address`` on ``page``."""
    if not address:
        return page
    parts = page.split("/")[:-1]
    for part in unquote(address).split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in (".", ""):
            parts.append(part)
    return "/".join(parts) + ("/index.html" if address.endswith("/") else "")
