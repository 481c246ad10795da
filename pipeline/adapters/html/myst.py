"""MyST prose to HTML, for reading only: what needs Sphinx (cross references, includes) is shown as plainly as can be."""

from __future__ import annotations

import base64
import mimetypes
import re
import urllib.parse
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

OPTIONS = re.compile(r"\A(?:[ \t]*:[\w-]+:.*(?:\n|\Z))+|\A---\n(?:.*\n)*?---(?:\n|\Z)")
DIRECTIVE = re.compile(r"\{([\w:-]+)\}[ \t]*(.*)")
EXPLICIT = re.compile(r"(.+?)\s*<([^<>]+)>", re.S)
LOCAL_PAGE = re.compile(r"(?!\w+:|//|#)([^#?]+)\.(?:md|ipynb)(#.*)?")
PLAIN_ROLES = frozenset(("ref", "doc", "term", "abbr", "numref"))
ADMONITIONS = frozenset(
    "note warning tip important hint caution attention danger error seealso admonition".split()
)
CODE = frozenset(("code-block", "code", "code-cell", "sourcecode", "testcode"))
HIDDEN = frozenset(("toctree", "tableofcontents", "contents", "include", "raw-cell"))
IMAGE_SOURCE = re.compile(r"""(<img\b[^>]*?\bsrc=["'])([^"']+)""", re.I)
LABELS = {"note": "ⓘ", "tip": "💡", "hint": "💡", "important": "❗", "seealso": "→"}
LABELS |= dict.fromkeys(("warning", "caution", "danger", "attention", "error"), "⚠")


def markdown_html(
    source: str, *, folder: Path, attachments: Mapping[str, Mapping[str, str]] | None = None
) -> str:
    """MyST prose as an HTML fragment; images from ``attachments`` (name → media type → base64) and ``folder`` are embedded."""
    return str(_markdown().render(source, {"folder": folder, "attachments": attachments or {}}))


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.amsmath import amsmath_plugin
    from mdit_py_plugins.anchors import anchors_plugin
    from mdit_py_plugins.colon_fence import colon_fence_plugin
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.dollarmath import dollarmath_plugin
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.front_matter import front_matter_plugin
    from mdit_py_plugins.myst_blocks import myst_block_plugin
    from mdit_py_plugins.myst_role import myst_role_plugin
    from mdit_py_plugins.tasklists import tasklists_plugin

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.use(dollarmath_plugin, renderer=_math, double_inline=True).use(
        amsmath_plugin, renderer=_math
    )
    begin = next(rule.fn for rule in parser.block.ruler.__rules__ if rule.name == "amsmath")
    parser.block.ruler.at(
        "amsmath", begin, {"alt": []}
    )  # a line of a formula that begins with \\begin ends no paragraph
    for plugin in (
        front_matter_plugin,
        myst_block_plugin,
        myst_role_plugin,
        colon_fence_plugin,
        deflist_plugin,
        footnote_plugin,
        tasklists_plugin,
    ):
        parser.use(plugin)
    parser.use(anchors_plugin, max_level=4)
    for name, rule in RULES.items():
        parser.add_render_rule(name, rule)
    return parser


def _math(source: str, options: Mapping[str, Any] | None = None) -> str:
    from latex2mathml.converter import convert

    try:
        return str(
            convert(
                source, display="block" if options is None or options["display_mode"] else "inline"
            )
        )
    except Exception:  # noqa: BLE001 - it has no common base; the source still tells the reader something
        return f"<code>{escape(source)}</code>"


def _role(_: Any, tokens: Sequence[Token], index: int, *__: Any) -> str:
    """`{role}`text <target>`` shows its text: as code for API names, as prose for references."""
    name, content = tokens[index].meta["name"], tokens[index].content
    explicit = EXPLICIT.fullmatch(content)
    if name == "math":
        return _math(content, {"display_mode": False})
    if name == "doc" and not content.startswith("/"):
        target, text = (explicit[2], explicit[1]) if explicit else (content, content)
        return f'<a href="{escape(target)}.html">{escape(text)}</a>'
    text = explicit[1] if explicit else content
    if name in PLAIN_ROLES:
        return escape(text)
    return f"<code>{escape(text.rpartition('.')[2] if text.startswith('~') else text)}</code>"


def _target(_: Any, tokens: Sequence[Token], index: int, *__: Any) -> str:
    return f'<a id="{escape(tokens[index].content)}"></a>'


def _nothing(*_: Any) -> str:
    return ""


def _fence(_: Any, tokens: Sequence[Token], index: int, __: Any, env: Any) -> str:
    info = tokens[index].info.strip()
    directive = DIRECTIVE.match(info)
    if directive is None:
        return _code(tokens[index].content, info.split(" ")[0])
    return _directive(directive[1], directive[2].strip(), tokens[index].content, env)


def _directive(name: str, argument: str, content: str, env: Any) -> str:
    body = OPTIONS.sub("", content, count=1)
    if name in HIDDEN:
        return ""
    if name in CODE:
        return _code(body, argument or "python")
    if name == "math":
        return _math(f"{argument}\n{body}".strip())
    inner = str(_markdown().render(body, env))
    if name in ("figure", "image"):
        return f'<figure><img src="{escape(_embedded(argument, env))}" alt=""><figcaption>{inner}</figcaption></figure>'
    title = _markdown().renderInline(argument, env) if argument else ""
    kind = name if name in ADMONITIONS else "plain-directive"
    heading = (
        title
        if name == "admonition" or kind == "plain-directive"
        else f"{LABELS.get(name, name.capitalize())} {title}"
    )
    return f'<div class="admonition {kind}"><p class="title">{heading}</p>{inner}</div>'


LABELS = {
    "note": "ⓘ",
    "tip": "💡",
    "hint": "💡",
    "warning": "⚠",
    "caution": "⚠",
    "danger": "⚠",
    "attention": "⚠",
    "important": "❗",
    "seealso": "→",
}


def _code(source: str, language: str) -> str:
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
    token.attrSet("src", _embedded(str(token.attrGet("src") or ""), env))
    return str(renderer.image(tokens, index, options, env))


def _link(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    target = str(tokens[index].attrGet("href") or "")
    page = LOCAL_PAGE.fullmatch(target)
    if page is not None:
        tokens[index].attrSet("href", f"{page[1]}.html{page[2] or ''}")
    is_empty = tokens[index + 1].type == "link_close"  # MyST shows the title of what it leads to
    return str(renderer.renderToken(tokens, index, options, env)) + (
        escape(target) if is_empty else ""
    )


def _raw(_: Any, tokens: Sequence[Token], index: int, __: Any, env: Any) -> str:
    return embed_images(tokens[index].content, env)


def embed_images(html: str, env: Mapping[str, Any]) -> str:
    """``html`` with data URIs for its local images; ``env`` has the folder of the page and its attachments."""
    return IMAGE_SOURCE.sub(lambda match: f"{match[1]}{escape(_embedded(match[2], env))}", html)


def _embedded(source: str, env: Mapping[str, Any]) -> str:
    """``source`` as a data URI if it is an attachment or a file of the docs; else as it is."""
    name = urllib.parse.unquote(source)
    if name.startswith("attachment:"):
        for media, payload in env["attachments"].get(name.removeprefix("attachment:"), {}).items():
            return f"data:{media};base64,{''.join(payload)}"
        return source
    media = mimetypes.guess_type(name)[0] or ""
    path = env["folder"] / name
    if ":" in name or name.startswith("/") or not media.startswith("image/") or not path.is_file():
        return source
    return f"data:{media};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"


RULES = {
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
}
