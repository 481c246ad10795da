"""Notebooks and MyST pages to stand-alone HTML: nbconvert for cells and outputs, markdown-it for prose.

Nothing is fetched when a page is read: images are embedded, formulas become MathML, code is coloured by
Pygments, and nbconvert's scripts are left out (its `basic` template has none). What needs a script is shown as text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pipeline.adapters.html.myst import markdown_html

CSS = """
:root{color-scheme:light dark;--line:#8884;--soft:#8881;--accent:#5e4db2}
body{font:16px/1.7 system-ui,"Noto Sans CJK SC","PingFang SC","Microsoft YaHei",sans-serif;
max-width:52rem;margin:auto;padding:1rem 1.25rem 5rem}
a{color:var(--accent)}h1,h2,h3{line-height:1.3}
img,svg{max-width:100%;height:auto}table{border-collapse:collapse;margin:1em 0;display:block;overflow-x:auto}
td,th{border:1px solid var(--line);padding:.3em .7em;text-align:left}
pre{overflow-x:auto;padding:.7em .9em;background:var(--soft);border-radius:6px;font-size:.86em;line-height:1.5;margin:.5em 0}
code{font-family:ui-monospace,"SF Mono",Consolas,monospace;font-size:.9em}pre code{font-size:1em}
.output{border-left:3px solid var(--line);padding-left:.8em}.output pre{background:none}
.output_error pre,.output_stderr pre{background:#f001}
.ansi-bold{font-weight:bold}.ansi-red-fg,.ansi-red-intense-fg{color:#cf222e}.ansi-green-fg,.ansi-green-intense-fg{color:#1a7f37}
.ansi-yellow-fg,.ansi-yellow-intense-fg{color:#9a6700}.ansi-blue-fg,.ansi-blue-intense-fg{color:#0969da}
.ansi-magenta-fg,.ansi-magenta-intense-fg{color:#8250df}.ansi-cyan-fg,.ansi-cyan-intense-fg{color:#1b7c83}
.prompt{display:none}.code_cell{margin:1em 0}math[display=block]{overflow-x:auto;margin:1em 0}
.admonition,blockquote{border-left:4px solid var(--accent);background:var(--soft);margin:1em 0;padding:.3em 1em;border-radius:4px}
.admonition.warning,.admonition.caution,.admonition.danger{border-color:#d9822b}.admonition>.title{font-weight:600;margin:.3em 0}
.state{font-size:.86em;opacity:.85;border-bottom:1px solid var(--line);padding-bottom:.6em}
.passed{color:#1a7f37}.partial{color:#0a5c7a}.failed{color:#cf222e;font-weight:600}.skipped,.plain{opacity:.7}
.bar{background:var(--soft);border-radius:4px;min-width:6rem;height:.6em;display:inline-block;overflow:hidden;vertical-align:middle}
.bar>i{display:block;height:100%;background:var(--accent)}
.number{text-align:right;font-variant-numeric:tabular-nums}
"""

PAGE = """<!DOCTYPE html>
<html lang="{{ language }}">
<head><meta charset="utf-8"><meta name="source-digest" content="{{ digest }}">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{{ title }}</title>
<style>{{ css }}</style></head>
<body><p class="state"><a href="{{ index }}">↑</a> <span class="{{ status }}">{{ state }}</span></p>
<main>{{ body }}</main></body></html>
"""

INDEX = """<!DOCTYPE html>
<html lang="{{ language }}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{{ title }}</title>
<style>{{ css }}body{max-width:76rem}table{display:table;width:100%}</style></head>
<body><h1>{{ title }}</h1><p>{{ summary }}</p>
<table><thead><tr><th>page<th>translated<th class="number">fuzzy<th class="number">untranslated<th>execution</tr></thead><tbody>
{% for row in rows %}<tr>
<td>{% if row.link %}<a href="{{ row.link }}">{{ row.title }}</a>{% else %}{{ row.title }}{% endif %}<br><small>{{ row.page }}</small>
<td>{% if row.percent is not none %}<span class="bar"><i style="width:{{ row.percent }}%"></i></span> {{ row.percent }} %{% endif %}
<td class="number">{{ row.fuzzy }}<td class="number">{{ row.untranslated }}<td class="{{ row.status }}">{{ row.state }}</tr>
{% endfor %}</tbody></table></body></html>
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One page in the index. ``percent`` is None for a page without messages, ``link`` empty if it is not rendered."""

    page: str
    title: str
    link: str
    percent: int | None
    fuzzy: int
    untranslated: int
    status: str
    state: str


def page_html(
    notebook: Mapping[str, Any], *, language: str, folder: Path, head: Mapping[str, str]
) -> str:
    """A whole page. Local images are looked up in ``folder``; ``head`` has title, state, status, digest and index (a link)."""
    import nbformat
    from nbformat.v4.rwbase import rejoin_lines

    exporter = _exporter()
    node = rejoin_lines(nbformat.from_dict(dict(notebook)))  # type: ignore[no-untyped-call]
    body, _ = exporter.from_notebook_node(node, resources={"metadata": {"path": str(folder)}})
    css = CSS + _pygments_css()
    return str(_template(PAGE).render(body=_safe(body), css=_safe(css), language=language, **head))


def index_html(rows: Sequence[Row], *, language: str, title: str, summary: str) -> str:
    """The table of all pages."""
    return str(
        _template(INDEX).render(
            rows=rows, css=_safe(CSS), language=language, title=title, summary=summary
        )
    )


def _template(text: str) -> Any:
    from jinja2 import Environment

    return Environment(autoescape=True).from_string(text)


def _safe(text: str) -> Any:
    from markupsafe import Markup

    return Markup(text)  # noqa: S704 - made by nbconvert and by the constants above


@cache
def _pygments_css() -> str:
    from pygments.formatters import HtmlFormatter

    light: str = HtmlFormatter(style="friendly").get_style_defs(".highlight")  # type: ignore[no-untyped-call]
    dark: str = HtmlFormatter(style="github-dark").get_style_defs(".highlight")  # type: ignore[no-untyped-call]
    return f"{light}\n@media(prefers-color-scheme:dark){{{dark}}}\n.highlight{{background:none}}"


@cache
def _exporter() -> Any:
    import jinja2
    from nbconvert import HTMLExporter

    @jinja2.pass_context
    def prose(context: Any, source: str) -> str:
        attachments = (context.get("cell") or {}).get("attachments", {})
        folder = Path(context["resources"]["metadata"]["path"])
        return markdown_html(source, folder=folder, attachments=attachments)

    exporter = HTMLExporter(template_name="basic")  # type: ignore[no-untyped-call]
    exporter.log.setLevel("ERROR")
    exporter.register_filter("markdown2html", prose)  # type: ignore[no-untyped-call]
    return exporter
