"""Figures: images, Mermaid charts and formulas.

Images that are embedded in a page become files. A missing image is replaced by a line of text.
Mermaid charts are drawn when Sphinx reads the page, so readers need no script; the source of a
chart is shown below it. Formulas become MathML. MathJax, a large script, is loaded only on pages
with formulas that could not be converted.
"""

from __future__ import annotations

import base64
import hashlib
import json
import mimetypes
import os
import re
from collections.abc import Callable, Mapping
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
from sphinx.util.images import parse_data_uri
from sphinx.util.math import get_node_equation_number

from pipeline.adapters import files
from pipeline.adapters.charts import draw_chart
from pipeline.adapters.html.formulas import formula_mathml
from pipeline.errors import InputError
from pipeline.site.extension.content.files import has_file, in_repository, is_file
from pipeline.site.extension.nodes import (
    Stub,
    is_html,
    own_html,
    replace_by_words,
    write_html,
)
from pipeline.site.extension.records import warn
from pipeline.site.texts import text

# A formula without dollar signs, as in some notebooks: \begin{align} … \end{align}
_ENVIRONMENT = re.compile(
    r"\\begin\{(align|alignat|eqnarray|equation|flalign|gather|multline)(\*?)\}"
    r".*?\\end\{\1\2\}",
    re.DOTALL,
)
_CHART_TITLE = re.compile(r"^\s*(?:accTitle\s*:|title\b:?)\s*(\S.*?)\s*$", re.MULTILINE)
ATTACHMENT = "attachment:"
_INLINE = "data:"
# Maximum number of characters of a data URI that stays in the page. A longer URI becomes a file,
# because it would delay the page.
_LONGEST_INLINE = 4096
_CELL = 10000  # MyST-NB gives line k of the n-th cell the number n × 10000 + k
_IN_HTML = re.compile(r"(?<=src=[\"'])attachment:([^\"']+)")
_LONE_IMAGE = re.compile(r"\s*<img\b[^<>]*>\s*", re.IGNORECASE)
_IMAGE = re.compile(r"<img\b(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>", re.IGNORECASE)
_ALT = re.compile(r"\salt(?=[\s=/>])", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"\b(alt|src)=\"([^\"]*)\"", re.IGNORECASE)
_SCHEME = re.compile(r"[a-zA-Z][\w+.-]*:|//")


def _amsmath(md: MarkdownIt, *, renderer: Callable[[str], str] | None = None) -> None:
    """Load MyST's plugin for LaTeX environments, but let no environment interrupt a paragraph.

    Otherwise a line that starts with ``\\begin`` would break a formula between dollar signs.
    """
    amsmath_plugin(md, renderer=renderer)
    begin = next(rule.fn for rule in md.block.ruler.__rules__ if rule.name == "amsmath")
    # ``alt`` lists the blocks that the rule may interrupt.
    md.block.ruler.at("amsmath", begin, {"alt": []})
    md.inline.ruler.before("escape", "amsmath", _parse_in_paragraph)


def _parse_in_paragraph(state: StateInline, silent: bool) -> bool:
    """Parse an environment within a paragraph as a display formula; a rule of markdown-it."""
    match = _ENVIRONMENT.match(state.src, state.pos)
    if match is None:
        return False
    if not silent:
        token = state.push("amsmath", "math", 0)
        token.content, token.map = match[0], [0, 0]
        # "*" means a formula without number. MyST would give a numbered formula another label in
        # every build.
        token.meta = {"environment": match[1], "numbered": "*"}
    state.pos = match.end()
    return True


def _visit_math(self: Any, node: nodes.math) -> None:
    """Write ``<span class="math jz-mathml"><math>…</math></span>``, or the source for MathJax."""
    html = formula_mathml(node.astext(), is_block=False)
    if not html:
        html_visit_math(self, node)
    self.body.append(self.starttag(node, "span", "", CLASS="math jz-mathml"))
    self.body.append(f"{html}</span>")
    raise nodes.SkipNode


def _visit_block(self: Any, node: nodes.math_block) -> None:
    """Write ``<div class="math jz-mathml">`` with the formula's number, or MathJax's source."""
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
    """Wrap a formula of several lines in an ``aligned`` environment, as Sphinx does for MathJax.

    A blank line or ``\\\\`` ends a line of the formula. A formula that has an environment already
    is not wrapped.
    """
    lines = [line.strip() for line in latex.split("\n\n") if line.strip()]
    text = r" \\ ".join(lines)
    if r"\\" in text and r"\begin" not in text:
        return rf"\begin{{aligned}}{text}\end{{aligned}}"
    return text


def title_math(latex: str) -> str:
    """Return HTML for a formula in a title: MathML, or its source if it cannot be converted.

    Titles appear on other pages, which may not load MathJax.
    """
    html = formula_mathml(latex, is_block=False) or escape(latex)
    return f'<span class="math jz-mathml">{html}</span>'


class MermaidChart(Stub):
    """``mermaid``: a chart, given in the directive or in a file."""

    def run(self) -> list[nodes.Node]:
        """Return the drawings and the source; for a missing file, a link to the repository."""
        source = "\n".join(self.content)
        path = "".join(self.arguments[:1])
        if path and not source:
            if not has_file(self.env, path):
                return in_repository(self.env, path)
            file = Path(self.env.relfn2path(path)[1])
            self.env.note_dependency(str(file))
            source = file.read_text(encoding="utf-8", errors="replace")
        try:
            chart = draw_chart(source)
        except InputError as error:
            raise self.error(str(error)) from error
        drawings = {"": chart.light}
        if chart.dark:
            drawings = {"only-light": chart.light, "only-dark": chart.dark}
        locale = self.config.language
        name, label = (escape(text(locale, key)) for key in ("chart", "chart source"))
        images = [
            self._image(source, drawing, chart.width, shown) for shown, drawing in drawings.items()
        ]
        # A wide chart scrolls; ``tabindex`` makes that possible by keyboard.
        begin = f'<div class="jz-chart" tabindex="0" role="group" aria-label="{name}">'
        fold = f'<details class="jz-chart-source"><summary>{label}</summary>'
        return [
            own_html(html=begin),
            *images,
            own_html(html="</div>"),
            *self._caption(),
            own_html(html=fold),
            nodes.literal_block(source, source, language="text"),
            own_html(html="</details>"),
        ]

    def _image(self, source: str, drawing: bytes, width: int, shown: str) -> nodes.image:
        """Return a drawing as an image node with inline data, which later becomes a file.

        ``shown`` is the theme's class for images of light or dark pages; empty for both.
        """
        title = _CHART_TITLE.search(source)
        words = text(self.config.language, "chart")
        if title:
            words = f"{title[1]} ({words})"
        return nodes.image(
            uri=f"data:image/svg+xml;base64,{base64.b64encode(drawing).decode()}",
            alt=self.options.get("alt") or words,
            width=f"{width}px",
            # Without this class, Sphinx would link an image with a width to its file. In the file,
            # the drawing has no background.
            classes=["no-scaled-link", *shown.split()],
        )

    def _caption(self) -> list[nodes.Node]:
        """Return the caption of a chart, if it has one."""
        words = self.options.get("caption")
        if not words:
            return []
        made, messages = self.state.inline_text(words, self.lineno)
        return [nodes.paragraph("", "", *made, classes=["caption-text"]), *messages]


class FindImages(SphinxTransform):
    """Transform that turns embedded images into files, before Sphinx collects image files."""

    default_priority = 390

    def apply(self, **_: Any) -> None:
        """Point each image of the page to its file; replace missing images by text."""
        for image in list(self.document.findall(nodes.image)):
            self._resolve(image)
        for raw in list(self.document.findall(nodes.raw)):
            held = self._image_in(raw.astext())
            if held is not None:
                raw.replace_self(held)
            else:
                self._mend_html(raw)

    def _image_in(self, html: str) -> nodes.image | None:
        """Return an image node if the HTML is a single large inline image; None otherwise."""
        tag = _LONE_IMAGE.fullmatch(html)
        if tag is None or len(tag[0]) <= _LONGEST_INLINE:
            return None
        attributes = {name.lower(): unescape(value) for name, value in _ATTRIBUTE.findall(tag[0])}
        file = self._file_of_inline(attributes.get("src", ""))
        return nodes.image(uri=file, alt=attributes.get("alt", "")) if file else None

    def _mend_html(self, raw: nodes.raw) -> None:
        """Replace ``<img src="attachment:…">`` by a data URI, and add a missing ``alt``."""
        if ATTACHMENT in raw.astext():
            write_html(raw, _IN_HTML.sub(self._inlined, raw.astext()))
        if is_html(raw) and "<img" in raw.astext().lower():
            write_html(raw, _IMAGE.sub(_with_alt, raw.astext()))

    def _resolve(self, image: nodes.image) -> None:
        """Point an image to its file, or replace it by text if the file is missing."""
        uri = image.get("uri", "")
        if uri.startswith(ATTACHMENT):
            name = unquote(uri.removeprefix(ATTACHMENT))
            image["uri"] = uri = self._file_of_attachment(name, image) or uri
        elif uri.startswith(_INLINE) and len(uri) > _LONGEST_INLINE:
            image["uri"] = uri = self._file_of_inline(uri) or uri
        # An image without an address, ![](), is upstream's mistake: it gets no warning.
        if uri and not self._is_there(uri):
            warn("image", image, "image file is missing: %s", uri)
            words = text(self.config.language, "missing image")
            words += image.get("alt") or uri
            replace_by_words(image, nodes.inline("", words, classes=["jz-missing"]))

    def _is_there(self, uri: str) -> bool:
        """Return whether a browser would find the image."""
        if uri.startswith(ATTACHMENT):
            return False  # no cell has the attachment
        if _SCHEME.match(uri):
            return True  # ``safety`` checks remote images
        return is_file(Path(self.env.relfn2path(unquote(uri), self.env.docname)[1]))

    def _file_of_attachment(self, name: str, image: nodes.image) -> str:
        """Write an attachment to a file and return its name; empty if no cell has the attachment.

        ``plot.png`` → ``/../doctrees/outputs/6f3c….png``
        """
        media, data = self._find(name, _line_of(image) // _CELL - 1)
        if not data:
            return ""
        suffix = mimetypes.guess_extension(media) or Path(name).suffix
        return self._write(data, suffix)

    def _file_of_inline(self, uri: str) -> str:
        """Write the image of a data URI to a file and return its name; empty for other data.

        ``data:image/png;base64,iVBORw0…`` → ``/../doctrees/outputs/6f3c….png``
        """
        try:
            image = parse_data_uri(uri)
        except ValueError:
            return ""  # invalid: a browser cannot decode it either
        suffix = mimetypes.guess_extension(image.mimetype) if image else None
        return self._write(image.data, suffix) if image and suffix else ""

    def _write(self, data: bytes, suffix: str) -> str:
        """Write ``data`` to a file and return its path, in the form that image nodes expect."""
        # MyST-NB writes the images of outputs to this folder. Sphinx copies the images in use.
        folder = Path(self.app.doctreedir, "outputs")
        # The name is a digest of the data, so attachments of the same name do not clash.
        path = folder / f"{hashlib.sha256(data).hexdigest()}{suffix}"
        # A lost or truncated file is made again by the next build.
        files.write_if_changed(path, data, flush=False)
        # Sphinx resolves a path with a leading slash from the root of the sources.
        return "/" + os.path.relpath(path, self.env.srcdir).replace(os.sep, "/")

    def _inlined(self, match: re.Match[str]) -> str:
        """Return the data URI for a matched attachment, or the match if no cell has it.

        ``attachment:plot.png`` → ``data:image/png;base64,iVBORw0…``
        """
        media, data = self._find(unquote(match[1]), -1)
        if not data:
            return match[0]
        return f"data:{media};base64,{base64.b64encode(data).decode('ascii')}"

    def _find(self, name: str, cell: int) -> tuple[str, bytes]:
        """Return media type and data of an attachment; both are empty if no cell has it.

        Several cells may have an attachment of this name. Take that of ``cell`` (counted from 0);
        if it has none, take that of the first cell that has one.
        """
        path = Path(self.env.doc2path(self.env.docname))
        if path.suffix != ".ipynb":
            return "", b""
        attachments = _attachments(str(path), path.stat().st_mtime_ns)
        by_cell = attachments.get(name, {})
        first = next(iter(by_cell.values()), ("", b""))
        return by_cell.get(cell, first)


def _with_alt(tag: re.Match[str]) -> str:
    """Add an empty ``alt`` to an image without one, so that screen readers skip it."""
    if _ALT.search(tag[0]):
        return tag[0]
    # ``alt`` without ``=""``: the tag may itself be in a quoted attribute, srcdoc="<img …>".
    return f"{tag[0][:4]} alt{tag[0][4:]}"


def _line_of(image: nodes.image) -> int:
    """Return the line of an image, or of the nearest ancestor that has one; otherwise 0."""
    for node in (image, image.parent, image.parent.parent):
        if line := getattr(node, "line", None):
            return int(line)
    return 0


@lru_cache(maxsize=2)
def _attachments(path: str, _: int) -> Mapping[str, Mapping[int, tuple[str, bytes]]]:
    """Return (media type, data) of all attachments, by name and by cell number from 0.

    The second argument, the file's modification time, is only a key of the cache. So a changed
    notebook is read again.
    """
    attachments: dict[str, dict[int, tuple[str, bytes]]] = {}
    for number, cell in enumerate(json.loads(Path(path).read_bytes()).get("cells", [])):
        for name, bundle in (cell.get("attachments") or {}).items():
            for media, payload in bundle.items():
                # nbformat allows a string or a list of strings.
                data = base64.b64decode("".join(payload))
                attachments.setdefault(name, {})[number] = (media, data)
    return attachments


def setup(app: Sphinx) -> None:
    """Register images, charts and formulas. Our ``mermaid`` replaces that of other extensions."""
    mdit.amsmath_plugin = _amsmath  # type: ignore[attr-defined]  # imported by name there
    app.add_transform(FindImages)
    app.add_directive("mermaid", MermaidChart, override=True)
    # For formulas that need MathJax, the other renderers write the delimiters that it expects.
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(_visit_math, None),
        block_renderers=(_visit_block, None),
    )
