"""No page asks another machine for anything, and nothing of upstream's runs in a browser.

HTML of others is sanitized when a page is read: what a browser would fetch becomes a link, what
would run goes. A link that one follows may lead anywhere. ``safety`` looks at what is made later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.transforms import SphinxTransform

from pipeline.adapters import files
from pipeline.adapters.html.placeholders import FRAME, waiting_ids
from pipeline.adapters.html.sanitizer import is_safe_address, sanitize, sanitize_around
from pipeline.adapters.html.sheets import clean_sheet
from pipeline.site.assets import is_drawing, is_program, published
from pipeline.site.extension.fragments import may_be_parted
from pipeline.site.extension.losses import note_losses
from pipeline.site.extension.nodes import (
    cleaned,
    english,
    is_html,
    is_linked,
    replace_by_words,
)
from pipeline.site.extension.stubs import elsewhere
from pipeline.site.texts import text

_REMOTE = re.compile(r"(?:https?:)?//")
# Services that open a notebook from elsewhere, and links to them around an image.
_SERVICES = {"colab": "Colab", "kaggle": "Kaggle", "mybinder": "Binder"}
_LAUNCHER = re.compile(
    r"https?://(?:(colab)\.research\.google\.com|(?:www\.)?(kaggle)\.com|(mybinder)\.org)/"
)
_LAUNCH_TAG = re.compile(rf'<a\b[^>]*? href="{_LAUNCHER.pattern}[^>]*', re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")
# The corner of a table: it heads nothing, and readers by ear would wait for its words.
_EMPTY_HEADER = re.compile(r"<th\b([^>]*)>(\s*)</th>")
# A script that stands in the page: it calls what others bring, and draws.
_SCRIPT_HERE = re.compile(r"<script\b(?![^>]*\bsrc=)", re.IGNORECASE)
# A page or program in a frame of its own, and what may come of it.
_FRAME_HERE = re.compile(r"<(?:embed|iframe|object)\b", re.IGNORECASE)
_FRAME_SHOWN = re.compile(rf"<img\b|{FRAME}", re.IGNORECASE)
_SHOWN = re.compile(r"<(?:hr|img|input|math|svg)\b", re.IGNORECASE)
_FRAME_LINK = re.compile(rf'<a class="jz-remote {FRAME}".*?</a>', re.DOTALL)
# A drawing in a frame of its own, where its script would run.
_FRAMED_DRAWING = re.compile(
    r"<(?P<tag>embed|iframe|object)\b[^>]*?\b(?:data|src)=[\"']?(?P<path>[^\"'\s>]+\.svg)\b[^>]*>"
    r"(?:.*?</(?P=tag)\s*>)?",
    re.IGNORECASE | re.DOTALL,
)
_SCRIPT = "<script></script>"
_STYLE = re.compile(r"<style\b[^>]*>(.*?)</style", re.IGNORECASE | re.DOTALL)
_SHEET = re.compile(r"<link\b[^>]*?\bhref=[\"']?([^\"'\s>]+)", re.IGNORECASE)
# Where sheets of others count.
_TEXT_OF_PAGE = ".bd-article"


class StayOffline(SphinxTransform):
    """Comes before Sphinx looks for the files of images."""

    default_priority = 400

    def apply(self, **_: Any) -> None:
        """Replace remote images, and what HTML would fetch or run."""
        # Lists, since what is found changes the page.
        links = list(self.document.findall(nodes.reference))
        for link in links:
            self._name_badge(link)
        for image in list(self.document.findall(nodes.image)):
            address = image.get("uri", "")
            if _REMOTE.match(address):
                _replace_image(image)
            elif not (is_safe_address(address) and self._is_picture(address)):
                words = image.get("alt") or address
                replace_by_words(image, nodes.inline("", words))
        for link in links:
            if not is_safe_address(link.get("refuri", "")):
                # The words stay.
                link.replace_self(link.children)
        pieces = filter(is_html, self.document.findall(nodes.raw))
        for parent in dict.fromkeys(raw.parent for raw in pieces):
            self._clean_pieces(parent)
        for node in self.document.findall(nodes.Element):
            # An icon of sphinx-design is written as it is.
            if isinstance(node.get("svg"), str):
                node["svg"] = sanitize(node["svg"]).html

    def _is_picture(self, address: str) -> bool:
        """Return whether the file of an image may be published; clean a drawing of an output.

        Other drawings were cleaned when they came among the sources.
        """
        if address.startswith("data:") or not (
            is_program(address) or is_drawing(address)
        ):
            return True
        if is_program(address):
            return False
        path = Path(self.env.relfn2path(address)[1]).resolve()
        if not path.is_relative_to(Path(self.env.doctreedir).resolve()):
            return True
        drawing = published(path)
        if isinstance(drawing, bytes):
            files.write_if_changed(path, drawing)
        return drawing is not None

    def _clean_pieces(self, parent: nodes.Element) -> None:
        """Sanitize the HTML in an element: all its pieces as one, with what stands between.

        What a script would have drawn is a link away.
        """
        pieces = list(_pieces_of_html(parent))
        html = [
            _FRAMED_DRAWING.sub(self._script_of_drawing, piece.astext())
            for piece in pieces
        ]
        # What nothing closes is closed behind all that stands there, as browsers do.
        (*clean, end), lost = sanitize_around([*html, ""])
        if end:
            parent += cleaned("", end, format="html")
        # The English of a block has lost what the block has.
        is_copy = isinstance(parent, english)
        unboxed: list[str] = []
        for piece, before, after in zip(pieces, html, clean, strict=True):
            sheet = clean_sheet(self._sheets_of(before), inside=_TEXT_OF_PAGE)
            style = cleaned("", f"<style>{sheet}</style>", format="html")
            labelled = self._with_labels(_EMPTY_HEADER.sub(r"<td\1>\2</td>", after))
            shown = cleaned("", labelled, **piece.attributes)
            # In the place where the picture would have been.
            box = [] if is_copy else self._box_of_picture(parent, before, after)
            unboxed += [] if box else [before]
            parent.replace(piece, [*([style] if sheet else []), shown, *box])
        if not is_copy:
            note_losses(self.env, unboxed, lost)

    def _name_badge(self, link: nodes.reference) -> None:
        """Let the image in a link that starts upstream's notebook be called by what it does."""
        service = _service(link.get("refuri", ""))
        images = list(link.findall(nodes.image))
        if service and images:
            locale = self.config.language
            link["hreflang"], link["reftitle"] = "en", text(locale, "english")
            for image in images:
                image["alt"] = text(locale, "launch english").format(service=service)

    def _script_of_drawing(self, match: re.Match[str]) -> str:
        """Return a script in the place of a drawing that one makes; another stays as it is."""
        path = Path(self.env.relfn2path(match["path"])[1])
        if not path.is_relative_to(self.env.srcdir):
            return match[0]
        # Among the sources it has lost its script.
        docs = Path(self.config.jz_site["docs"])
        original = docs / path.relative_to(self.env.srcdir)
        is_there = original.is_file()
        has_script = is_there and b"<script" in original.read_bytes().lower()
        return _SCRIPT if has_script else match[0]

    def _with_labels(self, html: str) -> str:
        """Return clean HTML with words before links to frames, and marks of English notebooks."""
        label = escape(text(self.config.language, "frame"))
        html = _FRAME_LINK.sub(rf'<span class="jz-box">{label}\g<0></span>', html)
        title = escape(text(self.config.language, "english"))
        return _LAUNCH_TAG.sub(rf'\g<0> hreflang="en" title="{title}"', html)

    def _box_of_picture(
        self, parent: nodes.Element, before: str, after: str
    ) -> list[nodes.Node]:
        """Return what stands in the place of a picture that a script draws; nothing without one.

        Where all is shown that a script would find, it only answers readers.
        """
        waiting = waiting_ids(before)
        is_empty = not (_SHOWN.search(after) or _TAG.sub("", after).strip())
        has_script = _SCRIPT_HERE.search(before) and (waiting or is_empty)
        has_frame = _FRAME_HERE.search(before) and not _FRAME_SHOWN.search(after)
        if not (has_script or has_frame):
            return []
        anchor = waiting[0] if waiting else _section_id(parent)
        words = text(self.config.language, "this drawing")
        return elsewhere(self.env, "drawing", anchor, words)

    def _sheets_of(self, html: str) -> str:
        """Return the style sheets in a piece of HTML, and those among the docs that it loads."""
        sheets = [style[1] for style in _STYLE.finditer(html)]
        top = Path(self.env.srcdir).resolve()
        for link in _SHEET.finditer(html):
            path = Path(self.env.relfn2path(link[1].partition("?")[0])[1]).resolve()
            if path.suffix == ".css" and path.is_relative_to(top) and path.is_file():
                self.env.note_dependency(str(path))
                sheets.append(path.read_text(encoding="utf-8", errors="replace"))
        return "\n".join(sheets)


def _pieces_of_html(parent: nodes.Element) -> Iterator[nodes.raw]:
    """Yield the pieces of HTML in an element.

    Pieces are joined before where no element of another kind may come between them: those of a
    drawing (``<svg>``, ``<path/>``, ``</svg>``), or of a table around its cells.
    """
    before = ""
    for is_raw, children in groupby(list(parent.children), _is_html_node):
        run: list[Any] = []
        for piece in list(children) if is_raw else ():
            if run and may_be_parted(before):
                yield _joined(run)
                run = []
            run.append(piece)
            before += piece.astext()
        if run:
            yield _joined(run)


def _is_html_node(node: nodes.Node) -> bool:
    """Return whether a node is a piece of HTML."""
    return isinstance(node, nodes.raw) and is_html(node)


def _joined(run: Sequence[nodes.raw]) -> nodes.raw:
    """Put a piece with the text of all in the place of the first, and return it.

    It is no block any more: the English of one of them would stand for all. One alone stays one.
    """
    first, *others = run
    if not others:
        return first
    whole = nodes.raw("", "".join(raw.astext() for raw in run), format="html")
    first.parent.replace(first, whole)
    for raw in others:
        raw.parent.remove(raw)
    return whole


def _service(address: str) -> str:
    """Return the name of the service that an address starts a notebook in; empty without one."""
    launcher = _LAUNCHER.match(address)
    return _SERVICES[launcher[launcher.lastindex or 1].lower()] if launcher else ""


def _section_id(node: Any) -> str:
    """Return the anchor of the section around a node; empty at the top of a page."""
    while node is not None and not isinstance(node, nodes.section):
        node = node.parent
    anchors: list[str] = node["ids"] if node else []
    # Names that somebody has written stand first.
    return anchors[-1] if anchors else ""


def _replace_image(image: nodes.image) -> None:
    """Put a link in the place of an image, or words where there is a link already."""
    # An image without words of its own is called by its file.
    words = image.get("alt") or image["uri"].rpartition("/")[2] or image["uri"]
    # A link in a link leads to one of the two only.
    if is_linked(image):
        replace_by_words(image, nodes.inline("", words))
        return
    link = nodes.reference("", words, refuri=image["uri"], classes=["jz-remote"])
    replace_by_words(image, link)
