"""Figures: images, Mermaid charts and formulas.

Images that a notebook carries become files; missing ones become words. Charts are drawn when a page
is read. Formulas become MathML; MathJax is loaded only for those that are not understood.
"""

from __future__ import annotations

import base64
import hashlib
import json
import mimetypes
import os
import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape, unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from docutils import nodes
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.amsmath import amsmath_plugin
from myst_parser.parsers import mdit
from sphinx.application import Sphinx
from sphinx.ext.mathjax import html_visit_displaymath, html_visit_math
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.images import parse_data_uri
from sphinx.util.math import get_node_equation_number

from pipeline.adapters.charts import draw_chart
from pipeline.adapters.html.formulas import formula_mathml
from pipeline.errors import InputError
from pipeline.site.extension.content.files import has_file, in_repository
from pipeline.site.extension.nodes import (
    Stub,
    fixed,
    is_html,
    replace_by_words,
    write_html,
)
from pipeline.site.texts import text

_ENVIRONMENT = re.compile(
    r"\\begin\{(align|alignat|eqnarray|equation|flalign|gather|multline)(\*?)\}"
    r".*?\\end\{\1\2\}",
    re.DOTALL,
)


def _amsmath(md: MarkdownIt, *, renderer: Callable[[str], str] | None = None) -> None:
    """The plugin, but no formula ends a paragraph.

    A line of another formula, between dollar signs, may begin with ``\\begin`` as well.
    """
    amsmath_plugin(md, renderer=renderer)
    begin = next(rule.fn for rule in md.block.ruler.__rules__ if rule.name == "amsmath")
    # ``alt`` has the blocks that it ends.
    md.block.ruler.at("amsmath", begin, {"alt": []})
    md.inline.ruler.before("escape", "amsmath", _in_paragraph)


def _in_paragraph(state: StateInline, silent: bool) -> bool:
    """A formula within a paragraph: the same token as one that is a block."""
    match = _ENVIRONMENT.match(state.src, state.pos)
    if match is None:
        return False
    if not silent:
        token = state.push("amsmath", "math", 0)
        token.content, token.map = match[0], [0, 0]
        # A number would want a label, of which MyST makes another one with each build.
        token.meta = {"environment": match[1], "numbered": "*"}
    state.pos = match.end()
    return True


def _visit_math(self: Any, node: nodes.math) -> None:
    """``<span class="math jz-mathml"><math>…</math></span>``."""
    html = formula_mathml(node.astext(), is_block=False)
    if not html:
        html_visit_math(self, node)
    self.body.append(self.starttag(node, "span", "", CLASS="math jz-mathml"))
    self.body.append(f"{html}</span>")
    raise nodes.SkipNode


def _visit_block(self: Any, node: nodes.math_block) -> None:
    """``<div class="math jz-mathml">``, with the number of the formula if it has one."""
    html = formula_mathml(_on_lines(node.astext()), is_block=True)
    if not html:
        html_visit_displaymath(self, node)
    self.body.append(self.starttag(node, "div", CLASS="math jz-mathml"))
    if node["number"]:
        number = get_node_equation_number(self, node)
        self.body.append(f'<span class="eqno">({number})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append(f"{html}</div>\n")
    raise nodes.SkipNode


def _on_lines(latex: str) -> str:
    """A formula whose lines an environment sets below each other, as Sphinx has it for MathJax.

    A blank line is the end of a line, as ``\\\\`` is; what has an environment needs no other.
    """
    lines = [line.strip() for line in latex.split("\n\n") if line.strip()]
    text = r" \\ ".join(lines)
    if r"\\" in text and r"\begin" not in text:
        return rf"\begin{{aligned}}{text}\end{{aligned}}"
    return text


def title_math(latex: str) -> str:
    """A formula in a title, which is on every page: no script is loaded for it."""
    html = formula_mathml(latex, is_block=False) or escape(latex)
    return f'<span class="math jz-mathml">{html}</span>'


_CHART_TITLE = re.compile(r"^\s*(?:accTitle\s*:|title\b:?)\s*(\S.*?)\s*$", re.MULTILINE)


class MermaidChart(Stub):
    """``mermaid``: a chart, which stands in the directive or in a file."""

    def run(self) -> list[nodes.Node]:
        """Return the drawings and the text; a link to a file that was not pulled."""
        source = "\n".join(self.content)
        path = "".join(self.arguments[:1])
        if path and not source:
            if not has_file(self.env, path):
                return in_repository(self.env, path)
            source = self._text_of(path)
        try:
            chart = draw_chart(source)
        except InputError as error:
            raise self.error(str(error)) from error
        drawings = {"": chart.light}
        if chart.dark:
            drawings = {"only-light": chart.light, "only-dark": chart.dark}
        locale = self.config.language
        name, label = (escape(text(locale, key)) for key in ("chart", "chart source"))
        return [
            # Where it is wider than the page it scrolls, also by keys.
            fixed(
                html=f'<div class="jz-chart" tabindex="0" role="group" aria-label="{name}">'
            ),
            *(
                self._image(source, drawing, chart.width, shown)
                for shown, drawing in drawings.items()
            ),
            fixed(html="</div>"),
            *self._caption(),
            fixed(html=f'<details class="jz-chart-source"><summary>{label}</summary>'),
            nodes.literal_block(source, source, language="text"),
            fixed(html="</details>"),
        ]

    def _text_of(self, path: str) -> str:
        """Return the text of a file among the docs, with which the page changes."""
        file = Path(self.env.relfn2path(path)[1])
        self.env.note_dependency(str(file))
        return file.read_text(encoding="utf-8", errors="replace")

    def _image(
        self, source: str, drawing: bytes, width: int, shown: str
    ) -> nodes.image:
        """Return a drawing as an image; it becomes a file like those in notebooks.

        ``shown`` is the theme's class for images of light or dark pages; empty for both.
        """
        title = _CHART_TITLE.search(source)
        words = text(self.config.language, "chart")
        if title:
            words = f"{title[1]} ({words})"
        return nodes.image(
            uri=f"data:image/svg+xml;base64,{b64encode(drawing).decode()}",
            alt=self.options.get("alt") or words,
            width=f"{width}px",
            # Sphinx would make a link of an image with a width, to a drawing without a ground.
            classes=["no-scaled-link", *shown.split()],
        )

    def _caption(self) -> list[nodes.Node]:
        """Return the words below a chart, if it has any."""
        words = self.options.get("caption")
        if not words:
            return []
        made, messages = self.state.inline_text(words, self.lineno)
        return [nodes.paragraph("", "", *made, classes=["caption-text"]), *messages]


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
_SCHEME = re.compile(r"[a-zA-Z][\w+.-]*:|//")
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
        if _SCHEME.match(uri):
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


def setup(app: Sphinx) -> None:
    """Register this part of the extension."""
    mdit.amsmath_plugin = _amsmath  # type: ignore[attr-defined]  # it is imported there
    app.add_transform(FindImages)
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(_visit_math, None),
        block_renderers=(_visit_block, None),
    )
    app.add_directive("mermaid", MermaidChart, override=True)
