"""MyST prose to HTML, for previews.

``markdown_html`` takes MyST and returns an HTML fragment that needs no other file. Constructs that
need Sphinx (cross references, includes) are shown in a simple form.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from html import escape
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from pipeline.adapters.html.formulas import formula_mathml
from pipeline.adapters.html.images import Images, PageFolder
from pipeline.limits import DIRECTIVES
from pipeline.tables import read_table

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# Options of a directive: lines like ":name: value", or YAML between lines of "---".
_OPTIONS = re.compile(r"\A(?:[ \t]*:[\w-]+:.*(?:\n|\Z))+|\A---\n(?:.*\n)*?---(?:\n|\Z)")
_OPTION = re.compile(r"^[ \t]*:([\w-]+):[ \t]*(.+)", re.MULTILINE)
_DIRECTIVE = re.compile(r"\{([\w:-]+)\}[ \t]*(.*)")  # "{note} A title"
_TITLE_AND_TARGET = re.compile(r"(.+?)\s*<([^<>]+)>", re.DOTALL)  # "a title <target>"
# "other.md#part".
_LOCAL_PAGE = re.compile(r"(?!\w+:|//|#)([^#?]+)\.(?:md|ipynb)(#.*)?")

_SHOWN = read_table(__name__, "previews")["markdown"]
_SYMBOLS: Mapping[str, str] = _SHOWN.pop("symbols")


def markdown_html(
    source: str,
    *,
    folder: PageFolder,
    attachments: Mapping[str, Mapping[str, str]] | None = None,
) -> str:
    """Return MyST prose as an HTML fragment.

    Images from ``attachments`` (name → media type → base64) and ``folder`` are embedded.
    """
    images = Images(folder=folder, attachments=attachments or {})
    return str(_markdown().render(source, {"images": images}))


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.amsmath import amsmath_plugin
    from mdit_py_plugins.anchors import anchors_plugin
    from mdit_py_plugins.attrs import attrs_plugin
    from mdit_py_plugins.colon_fence import colon_fence_plugin
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.dollarmath import dollarmath_plugin
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.front_matter import front_matter_plugin
    from mdit_py_plugins.myst_blocks import myst_block_plugin
    from mdit_py_plugins.myst_role import myst_role_plugin
    from mdit_py_plugins.tasklists import tasklists_plugin

    from pipeline.adapters.html.attributes import ALLOWED, attributes_plugin

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.use(dollarmath_plugin, renderer=_math, double_inline=True)
    parser.use(amsmath_plugin, renderer=_math)
    # ``alt`` lists blocks that this rule may interrupt. With an empty list, a line that starts with
    # "\begin" does not end a paragraph.
    begin = next(rule.fn for rule in parser.block.ruler.__rules__ if rule.name == "amsmath")
    parser.block.ruler.at("amsmath", begin, {"alt": []})
    for plugin in (
        front_matter_plugin,
        myst_block_plugin,
        myst_role_plugin,
        colon_fence_plugin,
        deflist_plugin,
        footnote_plugin,
        tasklists_plugin,
        attributes_plugin,
    ):
        parser.use(plugin)
    parser.use(attrs_plugin, spans=True, allowed=tuple(ALLOWED))
    parser.options["alerts"] = True  # GitHub's: "> [!NOTE]"
    parser.use(anchors_plugin, max_level=4)
    for name, rule in _RULES.items():
        parser.add_render_rule(name, rule)
    return parser


def _math(source: str, options: Mapping[str, Any] | None = None) -> str:
    is_block = options is None or options["display_mode"]
    # A formula that cannot be converted is shown as source.
    return formula_mathml(source, is_block=is_block) or f"<code>{escape(source)}</code>"


def _role(_: Any, tokens: Sequence[Token], index: int, *__: Any) -> str:
    """Return the HTML of a role: the text of a reference as prose, a name of the API as code."""
    name, content = tokens[index].meta["name"], tokens[index].content
    if name == "math":
        return _math(content, {"display_mode": False})
    parts = _TITLE_AND_TARGET.fullmatch(content)
    title, target = parts.groups() if parts else (content, content)
    if name == "doc" and not content.startswith("/"):
        return f'<a href="{escape(target)}.html">{escape(title)}</a>'
    if name in _SHOWN["prose"].split():
        return escape(title)
    if title.startswith("~"):  # "~jax.numpy.dot" is shown as "dot"
        title = title.rpartition(".")[2]
    return f"<code>{escape(title)}</code>"


def _target(_: Any, tokens: Sequence[Token], index: int, *__: Any) -> str:
    return f'<a id="{escape(tokens[index].content)}"></a>'


def _nothing(*_: Any) -> str:
    return ""


def _fence(_: Any, tokens: Sequence[Token], index: int, __: Any, env: Any) -> str:
    info, content = tokens[index].info.strip(), tokens[index].content
    directive = _DIRECTIVE.match(info)
    if directive is None:
        return _code(content, language=info.split(" ")[0])
    name, argument = directive.groups()
    return _directive(name, argument.strip(), content=content, env=env)


def _directive(name: str, argument: str, *, content: str, env: Any) -> str:
    body = _OPTIONS.sub("", content, count=1)
    if name in _SHOWN["hidden"].split():
        return ""
    if name in _SHOWN["code"].split():
        return _code(body, language=argument or "python")
    if name == "mermaid":
        return _code(body, language="text")
    if name == "math":
        return _math(f"{argument}\n{body}".strip())
    depth = env.get("depth", 0)
    if depth >= DIRECTIVES:  # ``split`` reports directives that are nested too deeply
        return _code(content, language="text")
    # Show the prose in any other directive, whatever Sphinx would do with the directive.
    env = {**env, "depth": depth + 1}
    if name == "glossary":
        inner = _glossary(body, env)
    elif name == "csv-table":
        inner = _csv_table(body, dict(_OPTION.findall(content.removesuffix(body))), env)
    else:
        inner = str(_markdown().render(body, env))
    if name in ("figure", "image"):
        source = escape(env["images"].uri(argument))
        return f'<figure><img src="{source}" alt=""><figcaption>{inner}</figcaption></figure>'
    title = _markdown().renderInline(argument, env) if argument else ""
    kind = name if name in _SHOWN["admonitions"].split() else "plain-directive"
    # These two kinds have no symbol, only the title that the page gives.
    if kind not in ("plain-directive", "admonition"):
        title = f"{_SYMBOLS.get(name, name.capitalize())} {title}"
    return f'<div class="admonition {kind}"><p class="title">{title}</p>{inner}</div>'


def _glossary(body: str, env: Any) -> str:
    """Return the terms and definitions of a glossary."""
    html = ""
    for entry in re.split(r"\n(?=\S)", body):  # at lines that are not indented
        term, _, definition = entry.partition("\n")
        if term.startswith(".."):
            continue  # a comment
        html += f"<dt>{_markdown().renderInline(term, env)}</dt>"
        if definition.strip():
            html += f"<dd>{_markdown().render(dedent(definition), env)}</dd>"
    return f"<dl>{html}</dl>"


def _csv_table(body: str, options: Mapping[str, str], env: Any) -> str:
    """Return the table that a directive's ``body`` and its ``options`` have as CSV."""
    delimiter = options.get("delim", ",")
    delimiter = {"tab": "\t", "space": " "}.get(delimiter, delimiter[:1])
    lines = [options.get("header", ""), *body.split("\n")]
    try:
        rows = list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True))
    except (csv.Error, TypeError, ValueError):  # the delimiter, or a field, is invalid
        return _code(body, language="text")
    html = ""
    for row in rows:
        cells = [_markdown().renderInline(cell, env) for cell in row]
        html += f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>" * any(row)
    return f"<table>{html}</table>"


def _code(source: str, *, language: str) -> str:
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import TextLexer, get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        lexer = TextLexer()
    return str(highlight(source, lexer, HtmlFormatter()))


def _image(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    token.attrSet("src", env["images"].uri(str(token.attrGet("src") or "")))
    return str(renderer.image(tokens, index, options, env))


def _link(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    target = str(tokens[index].attrGet("href") or "")
    page = _LOCAL_PAGE.fullmatch(target)
    if page is not None:
        name, part = page.groups(default="")
        tokens[index].attrSet("href", f"{name}.html{part}")
    html = str(renderer.renderToken(tokens, index, options, env))
    if tokens[index + 1].type == "link_close":
        # The link has no text. MyST would show the title of its target; show the address instead.
        html += escape(target)
    return html


def _raw(_: Any, tokens: Sequence[Token], index: int, __: Any, env: Any) -> str:
    return str(env["images"].embed_in(tokens[index].content))


def _alert(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """Return the start tag of an alert ("> [!NOTE]"), styled like the admonition of that name."""
    kind = tokens[index].info.lower()
    tokens[index].attrSet("class", f"admonition {kind}")
    # The next tokens are the start of the title and its text.
    tokens[index + 1].attrSet("class", "title")
    for word in tokens[index + 2].children or ():
        word.content = _SYMBOLS[kind]
    return str(renderer.renderToken(tokens, index, options, env))


_RULES: Mapping[str, Callable[..., str]] = {
    "myst_role": _role,
    "myst_target": _target,
    "myst_block_break": _nothing,
    "myst_line_comment": _nothing,
    "front_matter": _nothing,
    "fence": _fence,
    "colon_fence": _fence,
    "html_block": _raw,
    "html_inline": _raw,
    "image": _image,
    "link_open": _link,
    "alert_open": _alert,
}
