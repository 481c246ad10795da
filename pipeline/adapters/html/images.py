"""Images of a stand-alone page: local files and attachments become data URIs.

So the page is complete in one file. Files outside of the docs folder are never read.
"""

from __future__ import annotations

import base64
import mimetypes
import urllib.parse
from collections.abc import Mapping
from html import escape
from itertools import accumulate
from pathlib import Path

from msgspec import Struct, field

from pipeline.adapters.files import is_inside
from pipeline.adapters.html.sanitizer import TagReader
from pipeline.folders import LFS_POINTER

_ATTACHMENT = "attachment:"
# Elements that show an image, and the attribute with its address.
_SOURCES = {"img": "src", "object": "data"}


class PageFolder(Struct, frozen=True, eq=False):
    """Folder of a page. ``read`` reads files for the page, but only files of the docs folder.

    Two folders are never equal, because each has its own list ``refused``.
    """

    docs: Path  # the docs folder
    inside: str = ""  # path of the page's folder, relative to ``docs``
    # Paths outside of the docs folder that the page tried to read.
    refused: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, docs: Path, page: str) -> PageFolder:
        """Return the folder of a page: for ``guide/jit`` it is ``guide``."""
        return cls(docs, page.rpartition("/")[0])

    def __deepcopy__(self, _: object) -> PageFolder:
        """Return the same object. nbconvert copies its resources, but must not copy ``refused``."""
        return self

    def read(self, name: str) -> bytes | None:
        """Return the content of the file ``name``; None if it does not exist.

        ``name`` is a path as the page writes it. As in Sphinx, a path with a leading slash starts
        at the docs folder. For a file outside of the docs folder, return b"" and add ``name`` to
        ``refused``.
        """
        start = self.docs if name.startswith("/") else self.docs / self.inside
        path = start / name.lstrip("/")
        if not is_inside(path, self.docs):
            self.refused.append(name)
            return b""
        return path.read_bytes() if path.is_file() else None


class Images(Struct, frozen=True, kw_only=True):
    """Sources of the images of a page: its folder, and the attachments of the current cell."""

    folder: PageFolder
    # Name → media type → base64. The base64 may be a list of lines.
    attachments: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def embed_in(self, html: str) -> str:
        """Return ``html`` with its local images replaced by data URIs."""
        return _Embedder(html, self).embedded

    def uri(self, source: str) -> str:
        """Return the data URI of an attachment or a file of the docs, or any other source as is."""
        name = urllib.parse.unquote(source)
        if name.startswith(_ATTACHMENT):
            # The first media type is used; attachments rarely have two.
            for media, payload in self.attachments.get(name.removeprefix(_ATTACHMENT), {}).items():
                return f"data:{media};base64,{''.join(payload)}"
            return source
        # The image is on another site.
        if ":" in name or name.startswith("//"):
            return source
        media = mimetypes.guess_type(name)[0] or ""
        data = self.folder.read(name) if media.startswith("image/") else None
        if data is None or data.startswith(LFS_POINTER):
            return source
        payload = base64.b64encode(data).decode("ascii")
        return f"data:{media};base64,{payload}"


class _Embedder(TagReader):
    """Parser that replaces the image tags in HTML, but not in comments and attribute values."""

    def __init__(self, html: str, images: Images) -> None:
        super().__init__()
        self._html, self._images = html, images
        self._done = 0  # number of characters of ``html`` that are in ``_parts`` already
        self._parts: list[str] = []
        lines = html.split("\n")
        # Offset of the first character of each line.
        self._starts = [0, *accumulate(len(line) + 1 for line in lines)]
        self.feed(html)

    @property
    def embedded(self) -> str:
        """Return the HTML with embedded images."""
        return "".join((*self._parts, self._html[self._done :]))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Embed an image. If an attribute occurs twice, use the first one, as browsers do."""
        attributes = {name: value or "" for name, value in reversed(attrs)}
        source = _SOURCES.get(tag, "")
        if not attributes.get(source):
            return
        attributes[source] = self._images.uri(attributes[source])
        words = (f' {name}="{escape(value)}"' for name, value in attributes.items())
        line, column = self.getpos()
        start = self._starts[line - 1] + column
        self._parts += self._html[self._done : start], f"<{tag}{''.join(words)}>"
        self._done = start + len(self.get_starttag_text() or "")
