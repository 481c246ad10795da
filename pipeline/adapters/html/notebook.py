"""Notebooks to stand-alone HTML: nbconvert renders cells and outputs, ``myst`` renders prose.

The pages fetch nothing: images are embedded, formulas become MathML, Pygments colours the code.
Cells, outputs and whole pages pass the sanitizer, which removes content that needs a script. A note
on the page counts the removed elements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from pipeline.adapters.html.images import PageFolder
from pipeline.adapters.html.myst import markdown_html
from pipeline.adapters.html.sanitizer import Sanitized, sanitize

_WIDGET = "application/vnd.jupyter.widget-view+json"
TEMPLATES = Path(__file__).with_name("templates")


def page_html(body: Sanitized, *, language: str, head: Mapping[str, str]) -> str:
    """Return a whole page around ``body``, with a note about elements that were removed from it.

    ``head`` has plain texts for the head of the page: title, state, status, digest, index (a link),
    and ``left_out``, the format string of the note: ``{} elements left out: ``.
    """
    return _render(
        "page.html.j2",
        body=_safe(body.html),
        missing=Counter(body.noticeable_losses),
        css=_safe(page_css()),
        language=language,
        **head,
    )


def notebook_html(notebook: Mapping[str, Any], *, folder: PageFolder) -> Sanitized:
    """Return the cells of a notebook as sanitized HTML, with images of ``folder`` embedded."""
    import nbformat
    from nbformat.v4.rwbase import rejoin_lines

    exporter = _exporter()
    # Notebooks may store text as a list of lines; nbconvert expects a string.
    node = rejoin_lines(nbformat.from_dict(dict(notebook)))  # type: ignore[no-untyped-call]
    node["metadata"].pop("widgets", None)
    _name_lexer(node["metadata"])
    outputs = [output for cell in node["cells"] for output in cell.get("outputs", ())]
    noticeable_losses = [name for output in outputs for name in _sanitize(output)]
    resources = {
        "metadata": {},
        "folder": folder,
        "noticeable_losses": noticeable_losses,
    }
    body, details = exporter.from_notebook_node(node, resources=resources)
    page = sanitize(body)
    return replace(page, noticeable_losses=(*details["noticeable_losses"], *page.noticeable_losses))


def _name_lexer(metadata: dict[str, Any]) -> None:
    """Replace IPython's lexer in ``metadata`` by Python's if IPython is not installed.

    Most notebooks name IPython's lexer. nbconvert would fall back to Python's, but also print a
    warning to stderr.
    """
    language = metadata.get("language_info", {})
    if not isinstance(language, dict) or _has_ipython():
        return
    # This is how nbconvert chooses the lexer; the last value is its default.
    lexer = language.get("pygments_lexer", language.get("name")) or "ipython3"
    if lexer in ("ipython2", "ipython3"):
        metadata["language_info"] = {
            "name": "python",
            **language,
            "pygments_lexer": "python3",
        }


@cache
def _has_ipython() -> bool:
    return find_spec("IPython") is not None


def _sanitize(output: dict[str, Any]) -> tuple[str, ...]:
    """Sanitize the HTML of an output in place; return the names of removed visible elements.

    Each output is sanitized separately, so that an unclosed element does not affect other outputs.
    Widgets need scripts, so the page shows their text instead.
    """
    data = output.get("data", {})
    is_widget = data.pop(_WIDGET, None) is not None
    if is_widget and not data:
        data["text/html"] = ""
        return ("widget",)
    html = data.get("text/html")
    if not isinstance(html, str):
        return ()
    sanitized = sanitize(html)
    data["text/html"] = sanitized.html
    # The metadata may ask nbconvert for a separate frame, which sanitized HTML does not need.
    output.get("metadata", {}).pop("text/html", None)
    return sanitized.noticeable_losses


def load() -> None:
    """Load the exporter in advance, because importing nbconvert is slow."""
    _exporter()


def page_css() -> str:
    """Return the style sheet of a page."""
    return _css() + _pygments_css()


def index_html(
    rows: Sequence[Mapping[str, object]], *, language: str, title: str, summary: str
) -> str:
    """Return the HTML page with the table of all pages; ``index.html.j2`` has the keys of a row."""
    css = _safe(_css())
    return _render(
        "index.html.j2",
        rows=rows,
        css=css,
        language=language,
        title=title,
        summary=summary,
    )


def _render(template: str, **values: Any) -> str:
    return str(_templates().get_template(template).render(**values))


@cache
def _templates() -> Any:
    from jinja2 import Environment, FileSystemLoader

    return Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True)


@cache
def _css() -> str:
    return (TEMPLATES / "page.css").read_text("utf-8")


def _safe(text: str) -> Any:
    """Return ``text`` marked as HTML, so that templates do not escape it."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704 - our own style sheets, or sanitized HTML


@cache
def _pygments_css() -> str:
    from pygments.formatters import HtmlFormatter

    styles = []
    for style in ("friendly", "github-dark"):
        formatter = HtmlFormatter(style=style)
        styles.append(formatter.get_style_defs(".highlight"))  # type: ignore[no-untyped-call]
    light, dark = styles
    return f"{light}\n@media(prefers-color-scheme:dark){{{dark}}}\n.highlight{{background:none}}"


@cache
def _exporter() -> Any:
    import jinja2
    from nbconvert import HTMLExporter

    @jinja2.pass_context
    def prose(context: Any, source: str) -> str:
        attachments = (context.get("cell") or {}).get("attachments", {})
        folder: PageFolder = context["resources"]["folder"]
        html = markdown_html(source, folder=folder, attachments=attachments)
        return clean(context, html)

    @jinja2.pass_context
    def clean(context: Any, html: str) -> str:
        sanitized = sanitize(html)
        context["resources"]["noticeable_losses"] += sanitized.noticeable_losses
        return sanitized.html

    exporter = HTMLExporter(template_name="basic")  # type: ignore[no-untyped-call]
    # nbconvert warns about images without alternative text. Upstream has many such images.
    exporter.log.setLevel("ERROR")
    exporter.register_filter("markdown2html", prose)  # type: ignore[no-untyped-call]
    # nbconvert applies this filter to raw cells and highlighted code.
    exporter.register_filter("clean_html", clean)  # type: ignore[no-untyped-call]
    return exporter
