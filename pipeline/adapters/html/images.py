"""Images in a page: local files and attachments become data URIs, so that one file is enough."""

from __future__ import annotations

import base64
import mimetypes
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import accumulate
from pathlib import Path

from pipeline.adapters.files import is_inside
from pipeline.adapters.html.sanitizer import TagReader

_ATTACHMENT = "attachment:"
_SOURCES = {"img": "src", "object": "data"}  # where elements name an image


@dataclass(frozen=True, slots=True)
class PageFolder:
    """The folder of a page, from which nothing outside of the docs folder can be opened."""

    docs: Path
    inside: str = ""  # the folder of the page, from ``docs``
    # Paths that lead out of the docs folder; each page has a list of its own.
    refused: list[str] = field(default_factory=list, compare=False)

    @classmethod
    def of(cls, docs: Path, page: str) -> PageFolder:
        """Return the folder of a page: that of ``guide/jit`` is ``guide``."""
        return cls(docs, page.rpartition("/")[0])

    def __deepcopy__(self, _: object) -> PageFolder:
        """Return the folder itself: nbconvert copies all that it is handed."""
        return self

    def read(self, name: str) -> bytes | None:
        """Return the content of the file that the page calls ``name``; None if there is none.

        Of a file outside of the docs folder it is empty. A name that begins with a slash counts
        from the docs folder, as Sphinx has it.
        """
        start = self.docs if name.startswith("/") else self.docs / self.inside
        path = start / name.lstrip("/")
        if not is_inside(path, self.docs):
            self.refused.append(name)
            return b""
        return path.read_bytes() if path.is_file() else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Images:
    """Where the images of a page are: its folder, and what the cell itself brings along."""

    folder: PageFolder
    # Name → media type → base64, which may be cut into lines.
    attachments: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def embed_in(self, html: str) -> str:
        """Return ``html`` with data URIs for its local images."""
        parts: list[str] = []
        end = 0
        for tag in _ImageTags(html).tags:
            name = _SOURCES[tag.element]
            source = tag.attributes.get(name)
            if not source:
                continue
            embedded = {**tag.attributes, name: self.uri(source)}
            words = (f' {name}="{escape(value)}"' for name, value in embedded.items())
            parts += html[end : tag.start], f"<{tag.element}{''.join(words)}>"
            end = tag.end
        return "".join((*parts, html[end:]))

    def uri(self, source: str) -> str:
        """``source`` as a data URI if it is an attachment or a file of the docs; else as it is."""
        name = urllib.parse.unquote(source)
        if name.startswith(_ATTACHMENT):
            # The first media type will do: an attachment hardly ever has two.
            for media, payload in self.attachments.get(
                name.removeprefix(_ATTACHMENT), {}
            ).items():
                return f"data:{media};base64,{''.join(payload)}"
            return source
        # On another machine.
        if ":" in name or name.startswith("//"):
            return source
        media = mimetypes.guess_type(name)[0] or ""
        data = self.folder.read(name) if media.startswith("image/") else None
        if data is None:
            return source
        payload = base64.b64encode(data).decode("ascii")
        return f"data:{media};base64,{payload}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _ImageTag:
    """The tag of an image in HTML: from where to where it goes, and what it says."""

    element: str
    start: int
    end: int
    attributes: Mapping[str, str]


class _ImageTags(TagReader):
    """Finds the tags of images, where a browser finds any: not in comments, nor in values."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[_ImageTag] = []
        lines = html.split("\n")
        # The first character of each line.
        self._starts = [0, *accumulate(len(line) + 1 for line in lines)]
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the tag of an image; of two attributes of a name the first one counts."""
        if tag not in _SOURCES:
            return
        line, column = self.getpos()
        start = self._starts[line - 1] + column
        end = start + len(self.get_starttag_text() or "")
        attributes = {name: value or "" for name, value in reversed(attrs)}
        image = _ImageTag(element=tag, start=start, end=end, attributes=attributes)
        self.tags.append(image)
