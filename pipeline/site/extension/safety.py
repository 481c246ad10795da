"""Guard against active content (scripts) and remote content (images from other sites) in pages.

The transform ``SanitizePage`` sanitizes HTML from upstream and translators when Sphinx reads a
page. Remote content becomes a link. Active content is removed and counted. The mix-in
``SafeElements`` of Sphinx's translator does the same with nodes that directives and extensions
create later. Links may lead to any site, because readers choose to follow them.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util._files import DownloadFiles

from pipeline.adapters import files
from pipeline.adapters.html.drawings import (
    clean_sheet,
    is_drawing,
    is_program,
    published,
)
from pipeline.adapters.html.sanitizer import (
    FRAME,
    is_safe_address,
    sanitize,
    sanitize_around,
    waiting_ids,
)
from pipeline.site.extension.bilingual.writer import BlockAttributes, may_be_parted
from pipeline.site.extension.content.stubs import elsewhere
from pipeline.site.extension.nodes import (
    english,
    is_html,
    is_linked,
    replace_by_words,
    sanitized_html,
    write_html,
)
from pipeline.site.extension.records import Notes
from pipeline.site.texts import text

# Elements whose loss readers notice, because they are visible or take input.
_NOTICEABLE = frozenset(
    f"<{element}>"
    for element in (
        "applet button canvas embed form frame iframe object script select textarea"
    ).split()
)
# Number of places on each page where content was removed.
_LOSSES: Notes[int] = Notes("jz_losses")
_REMOTE = re.compile(r"(?:https?:)?//")
# Services that open a notebook from GitHub, and the addresses of such services.
_SERVICES = {"colab": "Colab", "kaggle": "Kaggle", "mybinder": "Binder"}
_LAUNCHER = re.compile(
    r"https?://(?:(colab)\.research\.google\.com|(?:www\.)?(kaggle)\.com|(mybinder)\.org)/"
)
_LAUNCH_TAG = re.compile(rf'<a\b[^>]*? href="{_LAUNCHER.pattern}[^>]*', re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")
# An empty header cell, as in the corner of a table. It becomes a normal cell, because screen
# readers would announce it as a heading.
_EMPTY_HEADER = re.compile(r"<th\b([^>]*)>(\s*)</th>")
# An inline script, which may draw a picture. A script with ``src`` only loads a library.
_SCRIPT_HERE = re.compile(r"<script\b(?![^>]*\bsrc=)", re.IGNORECASE)
# An embedded page or program, and the elements that may replace it.
_FRAME_HERE = re.compile(r"<(?:embed|iframe|object)\b", re.IGNORECASE)
_FRAME_SHOWN = re.compile(rf"<img\b|{FRAME}", re.IGNORECASE)
_SHOWN = re.compile(r"<(?:hr|img|input|math|svg)\b", re.IGNORECASE)
_FRAME_LINK = re.compile(rf'<a class="jz-remote {FRAME}".*?</a>', re.DOTALL)
# An SVG drawing in a frame. Browsers run the scripts of a framed drawing.
_FRAMED_DRAWING = re.compile(
    r"<(?P<tag>embed|iframe|object)\b[^>]*?\b(?:data|src)=[\"']?(?P<path>[^\"'\s>]+\.svg)\b[^>]*>"
    r"(?:.*?</(?P=tag)\s*>)?",
    re.IGNORECASE | re.DOTALL,
)
_SCRIPT = "<script></script>"
_STYLE = re.compile(r"<style\b[^>]*>(.*?)</style", re.IGNORECASE | re.DOTALL)
_SHEET = re.compile(r"<link\b[^>]*?\bhref=[\"']?([^\"'\s>]+)", re.IGNORECASE)
# Foreign style sheets apply only inside this element.
_TEXT_OF_PAGE = ".bd-article"
_NAME = re.compile(r"(?!on)[a-z][a-z0-9:_-]*", re.IGNORECASE)
_ADDRESS_ATTRIBUTES = frozenset(
    "action background cite data formaction href poster src srcset xlink:href".split()
)
_FLASH = "application/x-shockwave-flash"
# Characters that could end an attribute. docutils does not escape the address of a film, so a film
# with such an address is not shown.
_NOT_IN_LINK = re.compile(r"[\"<>]")
# Attributes of ``<meta>`` that change nothing; ``suffix`` and ``empty`` are arguments of docutils.
_OF_META = frozenset(("content", "empty", "lang", "name", "property", "suffix"))


def note_losses(env: BuildEnvironment, html: Sequence[str], lost: Iterable[str]) -> None:
    """Count the pieces of HTML of the current page that lost an element that readers notice.

    ``html`` are the pieces before sanitizing. ``lost`` are the names of all elements and attributes
    that the sanitizer removed from them: ``<iframe>``, ``onclick``.
    """
    missed = [element.rstrip(">") for element in _NOTICEABLE.intersection(lost)]
    counts = _LOSSES.by_page(env)
    for piece in html:
        if any(element in piece.lower() for element in missed):
            counts[env.docname] = counts.get(env.docname, 0) + 1


def losses_of(env: BuildEnvironment) -> int:
    """Return the number of places on the current page where content was removed."""
    return _LOSSES.by_page(env).get(env.docname, 0)


class SanitizePage(SphinxTransform):
    """Transform that sanitizes a page, before Sphinx collects the files of images."""

    default_priority = 400

    def apply(self, **_: Any) -> None:
        """Replace remote images and unsafe links, and sanitize HTML."""
        # Loop over lists, because the loops change the document.
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
                # Remove the unsafe link, but keep its words.
                link.replace_self(link.children)
        pieces = filter(is_html, self.document.findall(nodes.raw))
        for parent in dict.fromkeys(raw.parent for raw in pieces):
            self._clean_pieces(parent)
        for node in self.document.findall(nodes.Element):
            # sphinx-design writes this attribute to the page as it is.
            if isinstance(node.get("svg"), str):
                node["svg"] = sanitize(node["svg"]).html

    def _is_picture(self, address: str) -> bool:
        """Return whether the file of an image may be published.

        If the file is an SVG drawing from an output of code, sanitize the file. Other drawings were
        sanitized when the pipeline copied them to the sources.
        """
        if is_program(address) and not address.startswith("data:"):
            return False
        if address.startswith("data:") or not is_drawing(address):
            return True
        path = Path(self.env.relfn2path(address)[1]).resolve()
        if not path.is_relative_to(Path(self.env.doctreedir).resolve()):
            return True
        drawing = published(path)
        if isinstance(drawing, bytes):
            files.write_if_changed(path, drawing)
        return drawing is not None

    def _clean_pieces(self, parent: nodes.Element) -> None:
        """Sanitize all pieces of HTML in an element as one text.

        One piece may begin an element that another one ends: ``<details>`` and ``</details>``. A
        picture that a script would have drawn is replaced by a link to the English page.
        """
        pieces = list(_pieces_of_html(parent))
        html = [_FRAMED_DRAWING.sub(self._script_of_drawing, piece.astext()) for piece in pieces]
        # The last, empty piece gets the end tags of elements that are not closed.
        (*clean, end), lost = sanitize_around([*html, ""])
        if end:
            parent += sanitized_html("", end, format="html")
        # Do not count losses in the English of a block: they are those of the block, which are
        # counted.
        is_copy = isinstance(parent, english)
        unboxed: list[str] = []
        for piece, before, after in zip(pieces, html, clean, strict=True):
            sheet = clean_sheet(self._sheets_of(before), inside=_TEXT_OF_PAGE)
            style = sanitized_html("", f"<style>{sheet}</style>", format="html")
            labelled = self._with_labels(_EMPTY_HEADER.sub(r"<td\1>\2</td>", after))
            shown = sanitized_html("", labelled, **piece.attributes)
            # The box with the link is where the picture would have been.
            box = [] if is_copy else self._box_of_picture(parent, before, after)
            unboxed += [] if box else [before]
            parent.replace(piece, [*([style] if sheet else []), shown, *box])
        if not is_copy:
            note_losses(self.env, unboxed, lost)

    def _name_badge(self, link: nodes.reference) -> None:
        """Give a badge like "Open in Colab" a text that says: this opens the English notebook."""
        launcher = _LAUNCHER.match(link.get("refuri", ""))
        images = list(link.findall(nodes.image))
        if launcher and images:
            locale = self.config.language
            service = _SERVICES[launcher[launcher.lastindex or 1].lower()]
            link["hreflang"], link["reftitle"] = "en", text(locale, "english")
            for image in images:
                image["alt"] = text(locale, "launch english").format(service=service)

    def _script_of_drawing(self, match: re.Match[str]) -> str:
        """Replace a framed drawing that contains a script by an empty script element.

        ``_box_of_picture`` then treats it as a picture that a script would have drawn. Return other
        drawings unchanged.
        """
        path = Path(self.env.relfn2path(match["path"])[1])
        if not path.is_relative_to(self.env.srcdir):
            return match[0]
        # Read upstream's file, because the copy in the folder of sources is sanitized already.
        docs = Path(self.config.jz_site["docs"])
        original = docs / path.relative_to(self.env.srcdir)
        is_there = original.is_file()
        has_script = is_there and b"<script" in original.read_bytes().lower()
        return _SCRIPT if has_script else match[0]

    def _with_labels(self, html: str) -> str:
        """Return clean HTML with a label before each link that replaces a frame.

        Links that open upstream's English notebook in a service (such as Colab) get a tooltip that
        says so.
        """
        label = escape(text(self.config.language, "frame"))
        html = _FRAME_LINK.sub(rf'<span class="jz-box">{label}\g<0></span>', html)
        title = escape(text(self.config.language, "english"))
        return _LAUNCH_TAG.sub(rf'\g<0> hreflang="en" title="{title}"', html)

    def _box_of_picture(self, parent: nodes.Element, before: str, after: str) -> list[nodes.Node]:
        """Return a box with a link in place of a picture that a script would draw; empty if none.

        ``before`` and ``after`` are the HTML before and after sanitizing. There was a picture if a
        frame was removed and nothing replaces it. There probably was a picture if an inline script
        was removed, and if either an empty element waits for the picture or nothing visible is
        left.
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
        """Return the CSS of a piece of HTML: inline style sheets, and local files that it links."""
        sheets = [style[1] for style in _STYLE.finditer(html)]
        top = Path(self.env.srcdir).resolve()
        for link in _SHEET.finditer(html):
            path = Path(self.env.relfn2path(link[1].partition("?")[0])[1]).resolve()
            if path.suffix == ".css" and path.is_relative_to(top) and path.is_file():
                self.env.note_dependency(str(path))
                sheets.append(path.read_text(encoding="utf-8", errors="replace"))
        return "\n".join(sheets)


def _pieces_of_html(parent: nodes.Element) -> Iterator[nodes.raw]:
    """Yield the pieces of HTML in an element, each as one node.

    Adjacent nodes are joined if no other element may be between them. Examples are the parts of a
    drawing (``<svg>``, ``<path/>``, ``</svg>``), and the parts of a table outside its cells.
    """
    before = ""
    for is_raw, children in groupby(list(parent.children), is_html):
        run: list[Any] = []
        for piece in list(children) if is_raw else ():
            if run and may_be_parted(before):
                yield _joined(run)
                run = []
            run.append(piece)
            before += piece.astext()
        if run:
            yield _joined(run)


def _joined(run: Sequence[nodes.raw]) -> nodes.raw:
    """Replace several nodes by one with the text of all, and return it.

    The new node is no block: as a block, it would show the English of one node for all of them. A
    single node is returned unchanged.
    """
    first, *others = run
    if not others:
        return first
    whole = nodes.raw("", "".join(raw.astext() for raw in run), format="html")
    first.parent.replace(first, whole)
    for raw in others:
        raw.parent.remove(raw)
    return whole


def _section_id(node: Any) -> str:
    """Return the anchor of the section around a node; empty at the top of a page."""
    while node is not None and not isinstance(node, nodes.section):
        node = node.parent
    anchors: list[str] = node["ids"] if node else []
    # Authors may write ids of their own, which come first. The last id is derived from the title.
    return anchors[-1] if anchors else ""


def _replace_image(image: nodes.image) -> None:
    """Replace a remote image by a link to it, or by words if the image is inside a link already."""
    # An image without alternative text is named after its file.
    words = image.get("alt") or image["uri"].rpartition("/")[2] or image["uri"]
    if is_linked(image):
        replace_by_words(image, nodes.inline("", words))
        return
    link = nodes.reference("", words, refuri=image["uri"], classes=["jz-remote"])
    replace_by_words(image, link)


class SafeElements(BlockAttributes):
    """Translator mix-in that writes no active elements or attributes."""

    body: list[str]

    def starttag(self, node: Any, tagname: str, *args: Any, **attributes: Any) -> str:
        """Return a start tag without event handlers and without unsafe addresses."""
        if tagname.lower() == "meta" and not _OF_META.issuperset(attributes):
            # ``http-equiv`` could redirect readers to another site.
            return ""
        harmless = {name: value for name, value in attributes.items() if _is_harmless(name, value)}
        return super().starttag(node, tagname, *args, **harmless)

    def visit_raw(self, node: nodes.raw) -> None:
        """Write raw HTML. Sanitize it first, unless ``SanitizePage`` has done so."""
        if not isinstance(node, sanitized_html):
            write_html(node, sanitize(node.astext()).html)
        super().visit_raw(node)

    def visit_image(self, node: nodes.image) -> None:
        """Write an image or a film. For unsafe files, write only the alternative text.

        docutils would embed drawings unchanged (``:loading: embed``), and would not escape the
        alternative text of films.
        """
        node.attributes.pop("loading", None)
        address = node["uri"]
        kind = mimetypes.guess_type(address)[0] or ""
        is_film = kind.startswith("video/")
        words = escape(node.get("alt", address))
        is_live = kind == _FLASH or (is_film and _NOT_IN_LINK.search(address))
        if is_live or not is_safe_address(address):
            self.body.append(words)
            raise nodes.SkipNode
        if is_film:
            node["alt"] = words
        super().visit_image(node)  # type: ignore[misc]


def _is_harmless(name: str, value: Any) -> bool:
    """Return whether an attribute cannot make a browser run anything."""
    if not _NAME.fullmatch(name):
        return False
    return name.lower() not in _ADDRESS_ATTRIBUTES or is_safe_address(str(value))


_add_download: Any = DownloadFiles.add_file


def _add_file(self: Any, docname: str, filename: Any) -> Any:
    """Return the file name of a download.

    A file that browsers would run gets the suffix ``.txt``: ``demo.html.txt``.
    """
    name = _add_download(self, docname, filename)
    if not is_program(str(name)):
        return name
    plain = name.with_name(f"{name.name}.txt")
    pages, _ = self[Path(filename)]
    self[Path(filename)] = (pages, plain)
    return plain


def mix_in(app: Sphinx) -> None:
    """Add the mix-in to the translator of the builder."""
    known = app.registry.translators.get("html")
    base = known or app.builder.default_translator_class
    translator = type("SafeTranslator", (SafeElements, base), {})
    app.set_translator("html", translator, override=True)


def setup(app: Sphinx) -> None:
    """Install both guards: the transform, and the mix-in for the builder's translator."""
    _LOSSES.setup(app)
    DownloadFiles.add_file = _add_file  # type: ignore[method-assign]
    app.add_transform(SanitizePage)
    # Before the theme derives its own translator.
    app.connect("builder-inited", mix_in, priority=100)
