"""Images of pages: those that a notebook carries with it become files, those that are missing
become words.
"""

from __future__ import annotations

import base64
import hashlib
import json
import mimetypes
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from docutils import nodes
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.images import parse_data_uri

from pipeline.site.extension.nodes import is_html, replace_by_words, write_html
from pipeline.site.texts import text

ATTACHMENT = "attachment:"
_INLINE = "data:"
# Characters of a data URI that stays in the page. Readers would wait for the text if it was larger.
_LONGEST_INLINE = 4096
_CELL = 10000  # MyST-NB counts lines of a notebook from there, cell by cell
_IN_HTML = re.compile(r"(?<=src=[\"'])attachment:([^\"']+)")
_LONE_IMAGE = re.compile(r"\s*<img\b[^<>]*>\s*", re.IGNORECASE)
_IMAGE = re.compile(r"<img\b(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>", re.IGNORECASE)
_ALT = re.compile(r"\salt(?=[\s=/>])", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"\b(alt|src)=\"([^\"]*)\"", re.IGNORECASE)
_ADDRESS = re.compile(r"[a-zA-Z][\w+.-]*:|//")
logger = logging.getLogger(__name__)


def _with_alt(tag: re.Match[str]) -> str:
    """An image of which nothing is said is passed over by who hears the page, not spelled out."""
    if _ALT.search(tag[0]):
        return tag[0]
    # No value is an empty one, and no quotation mark ends what the tag may stand in: srcdoc="…".
    return f"{tag[0][:4]} alt{tag[0][4:]}"


class FindImages(SphinxTransform):
    """Comes before Sphinx looks for the files."""

    default_priority = 390

    def apply(self, **_: Any) -> None:
        """Make files of attachments, and words of what is not there."""
        for image in list(self.document.findall(nodes.image)):
            self._look_for(image)
        for raw in list(self.document.findall(nodes.raw)):
            held = self._image_in(raw.astext())
            if held is not None:
                raw.replace_self(held)
            else:
                self._mend(raw)

    def _image_in(self, html: str) -> nodes.image | None:
        """HTML that is an image and nothing else, and holds it, as an image with a file."""
        tag = _LONE_IMAGE.fullmatch(html)
        if tag is None or len(tag[0]) <= _LONGEST_INLINE:
            return None
        attributes = {
            name.lower(): unescape(value) for name, value in _ATTRIBUTE.findall(tag[0])
        }
        file = self._file_of_inline(attributes.get("src", ""))
        if not file:
            return None
        return nodes.image(uri=file, alt=attributes.get("alt", ""))

    def _mend(self, raw: nodes.raw) -> None:
        """Let HTML show attachments, ``<img src="attachment:…">``, and say what images are of."""
        if ATTACHMENT in raw.astext():
            write_html(raw, _IN_HTML.sub(self._inlined, raw.astext()))
        if is_html(raw) and "<img" in raw.astext().lower():
            write_html(raw, _IMAGE.sub(_with_alt, raw.astext()))

    def _look_for(self, image: nodes.image) -> None:
        """Let an image show its file, or let words say that there is none."""
        uri = image.get("uri", "")
        if uri.startswith(ATTACHMENT):
            name = unquote(uri.removeprefix(ATTACHMENT))
            image["uri"] = uri = self._file_of(name, image) or uri
        elif uri.startswith(_INLINE) and len(uri) > _LONGEST_INLINE:
            image["uri"] = uri = self._file_of_inline(uri) or uri
        # An image of nothing, ![](), is upstream's to mend.
        if uri and not self._is_there(uri):
            self._say_missing(image, uri)

    def _is_there(self, uri: str) -> bool:
        """Whether a browser would find what an image is of."""
        if uri.startswith(ATTACHMENT):
            return False  # no cell has it
        if _ADDRESS.match(uri):
            return True  # ``offline`` looks at those
        path = Path(self.env.relfn2path(unquote(uri), self.env.docname)[1])
        # diagram.* stands for whatever format the builder likes best.
        return path.is_file() or (
            uri.endswith(".*") and any(path.parent.glob(path.name))
        )

    def _file_of(self, name: str, image: nodes.image) -> str:
        """A file with an attachment, as images name files; empty if no cell has it.

        ``plot.png`` → ``/../doctrees/outputs/6f3c….png``
        """
        attachment = self._find(name, _line_of(image) // _CELL - 1)
        if attachment is None or not attachment.data:
            return ""
        suffix = mimetypes.guess_extension(attachment.media) or Path(name).suffix
        return self._written(attachment.data, suffix)

    def _file_of_inline(self, uri: str) -> str:
        """A file with the image that a data URI holds; empty if it holds none that is known.

        ``data:image/png;base64,iVBORw0…`` → ``/../doctrees/outputs/6f3c….png``
        """
        try:
            image = parse_data_uri(uri)
        except ValueError:
            return ""  # a browser cannot read it either
        suffix = mimetypes.guess_extension(image.mimetype) if image else None
        if image is None or suffix is None:
            return ""
        return self._written(image.data, suffix)

    def _written(self, data: bytes, suffix: str) -> str:
        """A file with ``data``, as images name files."""
        # Beside the images of outputs; Sphinx copies from there what a page shows.
        folder = Path(self.app.doctreedir, "outputs")
        # The name goes by the content, so that two cells with one name do not meet.
        path = folder / f"{hashlib.sha256(data).hexdigest()}{suffix}"
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        # To Sphinx a path that begins so is one from the top of the sources.
        return "/" + os.path.relpath(path, self.env.srcdir).replace(os.sep, "/")

    def _inlined(self, match: re.Match[str]) -> str:
        """An attachment that HTML shows, as a data URI; as it was if no cell has it.

        ``attachment:plot.png`` → ``data:image/png;base64,iVBORw0…``
        """
        attachment = self._find(unquote(match[1]), -1)
        if attachment is None or not attachment.data:
            return match[0]
        payload = base64.b64encode(attachment.data).decode("ascii")
        return f"data:{attachment.media};base64,{payload}"

    def _find(self, name: str, cell: int) -> Attachment | None:
        """The attachment of a name: that of the cell, else the first in the notebook."""
        path = Path(self.env.doc2path(self.env.docname))
        if path.suffix != ".ipynb":
            return None
        attachments = _attachments(str(path), path.stat().st_mtime_ns)
        by_cell = attachments.get(name, {})
        first = next(iter(by_cell.values()), None)
        return by_cell.get(cell, first)

    def _say_missing(self, image: nodes.image, uri: str) -> None:
        """Put words in the place of an image."""
        logger.warning(
            "image file is missing: %s", uri, location=image, type="jz", subtype="image"
        )
        words = text(self.config.language, "missing image") + (image.get("alt") or uri)
        note = nodes.inline("", words, classes=["jz-missing"])
        replace_by_words(image, note)


@dataclass(frozen=True, slots=True)
class Attachment:
    """An image that a cell of a notebook carries."""

    media: str  # "image/png"
    data: bytes


def _line_of(image: nodes.image) -> int:
    """The line of an image, or of the first node around it that has one; 0 if none has."""
    for node in (image, image.parent, image.parent.parent):
        if line := getattr(node, "line", None):
            return int(line)
    return 0


@lru_cache(maxsize=2)
def _attachments(path: str, _: int) -> Mapping[str, Mapping[int, Attachment]]:
    """All attachments of a notebook, by name and number of the cell, from 0.

    The second argument is the file's time: a notebook that was written anew is read again.
    """
    attachments: dict[str, dict[int, Attachment]] = {}
    for number, cell in enumerate(json.loads(Path(path).read_bytes()).get("cells", [])):
        for name, bundle in (cell.get("attachments") or {}).items():
            for media, payload in bundle.items():
                # The format allows a list of lines too.
                data = base64.b64decode("".join(payload))
                by_cell = attachments.setdefault(name, {})
                by_cell[number] = Attachment(media, data)
    return attachments
