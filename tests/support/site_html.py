"""Built sites as browsers get them, read without a browser.

The module finds links, anchors, code, and the files that pages load.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()
)
_VERBATIM = frozenset(("script", "style", "pre", "code", "textarea"))
_LINKS = {
    "a": "href",
    "link": "href",
    "img": "src",
    "script": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "object": "data",
}
_NO_PAGES = frozenset(("_static", "_sources", "_downloads", "_images"))
_LOADED = frozenset(("stylesheet", "icon", "preload", "shortcut icon"))


@dataclass(kw_only=True)
class Html:
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


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.html = Html()
        self._open: list[tuple[str, frozenset[str]]] = []
        self._code: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = {name: value or "" for name, value in attrs}
        classes = frozenset(own.get("class", "").split())
        self.html.classes |= classes
        if "id" in own:
            self.html.ids.append(own["id"])
        if tag == "a" and "name" in own:
            self.html.ids.append(own["name"])
        if address := own.get(_LINKS.get(tag, ""), ""):
            self.html.refs.append((tag, address))
            if tag in ("script", "img") or (
                tag == "link" and own.get("rel") in _LOADED
            ):
                self.html.loads.append(address)
        if tag == "pre" and self._is_code():
            self._code = []
        if tag not in _VOID:
            self._open.append((tag, classes))

    def handle_endtag(self, tag: str) -> None:
        at = max(
            (number for number, (name, _) in enumerate(self._open) if name == tag),
            default=None,
        )
        if at is not None:  # or it closes nothing
            del self._open[at:]
        if tag == "pre" and self._code is not None:
            self.html.code.append("".join(self._code))
            self._code = None

    def handle_data(self, data: str) -> None:
        if self._code is not None:
            if not any("linenos" in classes for _, classes in self._open):
                self._code.append(data)
        elif (
            self._within("bd-article")
            and not self._within("math")
            and not any(tag in _VERBATIM for tag, _ in self._open)
        ):
            self.html.prose.append(data)

    def _within(self, name: str) -> bool:
        return any(name in classes for _, classes in self._open)

    def _is_code(self) -> bool:
        return (
            bool(self._open)
            and "highlight" in self._open[-1][1]
            and not self._within("cell_output")
            and not self._within("jz-en")
            # The top of the home page is ours.
            and not self._within("jz-front")
        )


def read_html(text: str) -> Html:
    """Return the contents of an HTML file with this text."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.html


@dataclass(frozen=True)
class Site:
    """Built site in ``folder``."""

    folder: Path

    @property
    def name(self) -> str:
        """Return the name of the site's upstream."""
        return self.folder.name

    @cached_property
    def pages(self) -> dict[str, Html]:
        """Return the contents of every page, by path in the site."""
        files = (
            path
            for path in sorted(self.folder.rglob("*.html"))
            if path.relative_to(self.folder).parts[0] not in _NO_PAGES
        )
        return {
            path.relative_to(self.folder).as_posix(): read_html(
                path.read_text(encoding="utf-8")
            )
            for path in files
        }

    def having(self, *names: str, without: str = "") -> Iterator[str]:
        """Yield the pages that have elements with all of the classes ``names``.

        Pages that have an element of the class ``without`` are left out.
        """
        return (
            path
            for path, html in self.pages.items()
            if html.classes >= set(names) and without not in html.classes
        )

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
                if not exists[target] or (
                    anchor and target in anchors and anchor not in anchors[target]
                ):
                    yield f"{page}: {address}"

    def remote_loads(self) -> Iterator[str]:
        """Yield ``page: address`` for everything that a browser would load from elsewhere."""
        for page, html in self.pages.items():
            yield from (
                f"{page}: {address}"
                for address in html.loads
                if re.match(r"(?:https?:)?//", address)
            )


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
