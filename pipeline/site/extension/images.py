"""Images of pages: those that a notebook carries with it, and those that are missing."""

from __future__ import annotations

import base64
import hashlib
import json
import mimetypes
import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from docutils import nodes
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

from pipeline.site.extension.nodes import write_html
from pipeline.site.extension.texts import text

ATTACHMENT = "attachment:"
_CELL = 10000  # MyST-NB counts lines of a notebook from there, cell by cell
_IN_HTML = re.compile(r"(?<=src=[\"'])attachment:([^\"']+)")
_ADDRESS = re.compile(r"[a-zA-Z][\w+.-]*:|//")
logger = logging.getLogger(__name__)


class FindImages(SphinxTransform):
    """Comes before Sphinx looks for the files."""

    default_priority = 390

    def apply(self, **_: Any) -> None:
        """Make files of attachments, and words of what is not there."""
        for image in list(self.document.findall(nodes.image)):
            uri = image.get("uri", "")
            if uri.startswith(ATTACHMENT):
                image["uri"] = uri = (
                    self._attachment(unquote(uri.removeprefix(ATTACHMENT)), image) or uri
                )
            if uri.startswith(ATTACHMENT) or (
                uri and not _ADDRESS.match(uri) and not self._is_there(uri)
            ):
                self._say_missing(image, uri)
        for raw in self.document.findall(nodes.raw):
            if ATTACHMENT in raw.astext():
                write_html(
                    raw,
                    _IN_HTML.sub(
                        lambda match: self._inline(unquote(match[1])) or match[0], raw.astext()
                    ),
                )

    def _is_there(self, uri: str) -> bool:
        path = Path(self.env.relfn2path(unquote(uri), self.env.docname)[1])
        return path.is_file() or (uri.endswith(".*") and any(path.parent.glob(path.name)))

    def _attachment(self, name: str, image: nodes.image) -> str:
        """The file of an attachment, as images name files; empty if no cell has it."""
        line = next(
            (
                node.line
                for node in (image, image.parent, image.parent.parent)
                if getattr(node, "line", None)
            ),
            0,
        )
        media, data = self._find(name, (line or 0) // _CELL - 1)
        if not data:
            return ""
        folder = Path(self.app.doctreedir, "outputs")
        suffix = mimetypes.guess_extension(media) or Path(name).suffix
        path = folder / f"{hashlib.sha256(data).hexdigest()}{suffix}"
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return "/" + os.path.relpath(path, self.env.srcdir).replace(os.sep, "/")

    def _inline(self, name: str) -> str:
        media, data = self._find(name, -1)
        return f"data:{media};base64,{base64.b64encode(data).decode('ascii')}" if data else ""

    def _find(self, name: str, cell: int) -> tuple[str, bytes]:
        """Media type and content of an attachment: of its own cell, else of any that has one of the name."""
        path = Path(self.env.doc2path(self.env.docname))
        if path.suffix != ".ipynb":
            return "", b""
        found = _attachments(str(path), path.stat().st_mtime_ns)
        key = next((key for key in ((cell, name), *found) if key in found and key[1] == name), None)
        return found[key] if key else ("", b"")

    def _say_missing(self, image: nodes.image, uri: str) -> None:
        logger.warning("image file is missing: %s", uri, location=image, type="jz", subtype="image")
        words = text(self.config.language, "missing image") + (image.get("alt") or uri)
        note = nodes.inline("", words, classes=["jz-missing"])
        inside = isinstance(image.parent, nodes.TextElement)
        image.parent.replace(image, note if inside else nodes.paragraph("", "", note))


@lru_cache(maxsize=2)
def _attachments(path: str, _: int) -> dict[tuple[int, str], tuple[str, bytes]]:
    """All attachments of a notebook, by cell and name."""
    cells = json.loads(Path(path).read_bytes()).get("cells", [])
    return {
        (number, name): (media, base64.b64decode("".join(payload)))
        for number, cell in enumerate(cells)
        for name, bundle in (cell.get("attachments") or {}).items()
        for media, payload in bundle.items()
    }
