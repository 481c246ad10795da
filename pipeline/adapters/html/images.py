"""Images in a page: local files and attachments become data URIs, so that one file is enough."""

from __future__ import annotations

import base64
import mimetypes
import re
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

_IMAGE_SOURCE = re.compile(r"""(<img\b[^>]*?\bsrc=["'])([^"']+)""", re.IGNORECASE)
_ATTACHMENT = "attachment:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Images:
    """Where the images of a page are: its folder, and what the cell itself brings along."""

    folder: Path
    # Name → media type → base64, which may be cut into lines.
    attachments: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def embed_in(self, html: str) -> str:
        """``html`` with data URIs for its local images."""

        def embedded(image: re.Match[str]) -> str:
            before, source = image.groups()
            return f"{before}{escape(self.uri(source))}"

        return _IMAGE_SOURCE.sub(embedded, html)

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
        # On another machine, or outside of the docs.
        if ":" in name or name.startswith("/"):
            return source
        media = mimetypes.guess_type(name)[0] or ""
        path = self.folder / name
        if not media.startswith("image/") or not path.is_file():
            return source
        payload = base64.b64encode(path.read_bytes()).decode("ascii")
        return f"data:{media};base64,{payload}"
