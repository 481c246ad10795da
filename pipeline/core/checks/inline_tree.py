r"""Inline tree of a text: nested nodes for the markup inside a block.

Trees are plain values, so the trees of a text and of its translation can be compared. For example,
``用 *词*`` becomes ``text("用 "), em(text("词"))``.

On the page, the pipeline separates reST marks from Chinese by ``\ ``. Here, a reST text is parsed
with the same separators. Roles are not resolved, because docutils lacks many roles of Sphinx. The
tree keeps their names and targets as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any, NamedTuple
from urllib.parse import unquote

from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

from pipeline.core.checks.masked import read_pattern
from pipeline.core.document.atoms import TEXT_ROLES
from pipeline.core.document.markdown import parser as markdown
from pipeline.core.document.markdown.parser import html_tags, inline_tokens

# [text][label]. The first group is the character before "[text]". It may be the end of the name of
# an indexed array: x[i][j].
_LABEL = re.compile(read_pattern("label"), re.VERBOSE)
_LONGEST_INDEX = 3  # characters; a longer label is not the index of an array
_TITLED = re.compile(r"(.*\S)\s*<([^<>]*)>", re.DOTALL)
_CONTAINERS = {"strong_open": "strong", "em_open": "em", "s_open": "strike"}
_LEAVES = {
    "text": "text",
    "text_special": "escape",
    "code_inline": "code",
    "math_inline": "math",
    "math_inline_double": "math",  # $$x$$ inside a line
    "html_inline": "html",
}


class Node(NamedTuple):
    """An element inside a block; ``value`` is its visible text or its target.

    The types are:

    - containers: strong, em, strike, link, reference (``[text][label]``), autolink, image, and
      target (reST)
    - leaves: text, code, math, html, footnote, break, citation and substitution (reST), and escape
      (the character that a backslash escape or a character reference means)
    - role: its only child is its visible content. The child is a text if it may be translated,
      otherwise code.
    """

    type: str
    value: str = ""
    children: tuple[Node, ...] = ()


def walk(
    tree: tuple[Node, ...], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Node]]:
    """Yield each node of a tree, with the types of its ancestors before it. Parents come first.

    ``**用 *词***`` -> () strong, (strong) text, (strong) em, (strong, em) text
    """
    for node in tree:
        yield path, node
        if node.children:
            yield from walk(node.children, (*path, node.type))


def markdown_inline_tree(content: str) -> tuple[Node, ...]:
    """Return the inline tree of Markdown: ``用 *词*`` -> ``text("用 "), em(text("词"))``.

    Assume that each label in ``[text][label]`` is defined, because the definitions are elsewhere on
    the page.
    """
    if "][" not in content:
        return _markdown_nodes(iter(inline_tokens(content)))
    # The parser turns a reference into a link. A target in brackets lets `_link_type`
    # tell such a link from others.
    references = {}
    for label in _labels_in(content):
        references[normalizeReference(label)] = {"href": f"[{label}]", "title": ""}
    md = markdown.parser()
    tokens: list[Token] = []
    md.inline.parse(content, md, {"references": references}, tokens)
    return _markdown_nodes(iter(tokens))


def _labels_in(content: str) -> Iterator[str]:
    """Yield the labels of ``[text][label]`` and ``[label][]``.

    Skip ``x[i][j]``, an indexed array. ``JAX[the guide][guide]`` is a link, because its label is
    too long for an index.
    """
    for match in _LABEL.finditer(content):
        if match["indexed"] and len(match["label"]) <= _LONGEST_INDEX:
            continue
        yield match["label"] or match["text"]


def image_tree(content: str) -> tuple[Node, ...] | None:
    """Return the tree of an image's text.

    Return None if the text would close the image too early: ``图](a.png) 词``.
    """
    tree = markdown_inline_tree(f"![{content}](x)")
    if len(tree) == 1 and tree[0].type == "image":
        return tree[0].children
    return None


def html_tree(text: str) -> tuple[Node, ...]:
    """Return the tags and texts of raw HTML: ``<b>&lt;`` is a tag and the text ``<``."""
    nodes: list[Node] = []
    at = 0
    for tag in html_tags(text):
        start = text.index(tag, at)
        nodes.append(Node("text", unescape(text[at:start])))
        nodes.append(Node("html", tag))
        at = start + len(tag)
    nodes.append(Node("text", unescape(text[at:])))
    return tuple(node for node in nodes if node.value)


def _markdown_nodes(tokens: Iterator[Token]) -> tuple[Node, ...]:
    """Return the nodes up to the closing token of the current container, or to the last token.

    Advance the iterator past the closing token.
    """
    nodes: list[Node] = []
    for token in tokens:
        if token.nesting < 0:
            break
        # Skip the empty text tokens that the parser leaves beside marks.
        if token.content or token.type != "text":
            nodes.append(_markdown_node(token, tokens))
    return tuple(nodes)


def _markdown_node(token: Token, rest: Iterator[Token]) -> Node:
    """Return the node of a token.

    If the token opens a container, consume its content from ``rest``.
    """
    name = token.type
    if leaf := _LEAVES.get(name):
        return Node(leaf, token.content)
    if container := _CONTAINERS.get(name):
        return Node(container, "", _markdown_nodes(rest))
    match name:
        case "link_open":
            # [词](a.md), [词][label], <https://a.b>
            target = str(token.attrs["href"])
            return Node(_link_type(token, target), _readable(target), _markdown_nodes(rest))
        case "image":
            # ![图](a.png): the token of an image contains the tokens of its text.
            target = str(token.attrs["src"])
            return Node("image", _readable(target), _markdown_nodes(iter(token.children or ())))
        case "myst_role":
            # {func}`f`
            return _markdown_role(str(token.meta["name"]), token.content)
        case "footnote_ref":
            return Node("footnote", f"[^{token.meta['label']}]")
        case "hardbreak":
            return Node("break", "\n")
        case _:
            # A soft break: a line end in the source that a browser shows as a space.
            return Node("text", " ")


def _link_type(token: Token, target: str) -> str:
    """Return the node type of a link: autolink, reference or link.

    `markdown_inline_tree` gives each reference its label in brackets as the target.
    """
    if token.markup == "autolink":
        return "autolink"
    if target.startswith("["):
        return "reference"
    return "link"


def _readable(target: str) -> str:
    """Return a target without the percent-encoding that the parser adds.

    The parser encodes non-ASCII characters: ``%E6%96%87.md`` -> ``文.md``. If decoding gives only
    ASCII characters, as for ``a%20b.md``, the author wrote the encoding, so keep it.
    """
    if "%" not in target:
        return target
    decoded = unquote(target)
    if decoded.isascii():
        return target
    return decoded


def _markdown_role(name: str, content: str) -> Node:
    """Return the node of a role.

    The value does not contain the title of the role, so that a title can be translated or added.
    "{ref}`词 <a>`" and "{ref}`a`" both have the value "{ref}`a`", but different children. The "~"
    before a target only shortens the visible text, so the value omits it.
    """
    if name in TEXT_ROLES:
        return Node("role", f"{{{name}}}", (Node("text", content),))
    if titled := _TITLED.fullmatch(content):
        target, shown = titled[2].removeprefix("~"), Node("text", titled[1])
    else:
        target, shown = content.removeprefix("~"), Node("code", shortened(content))
    return Node("role", f"{{{name}}}`{target}`", (shown,))


def shortened(target: str) -> str:
    """Return the visible text for a role's target: ``~jax.numpy.sum`` -> ``sum``."""
    if not target.startswith("~"):
        return target
    return target.removeprefix("~").rpartition(".")[2]


# A text without any of these characters has no reST markup.
_MAYBE_MARKED = re.compile(r"[\x00\\`*_|:@]")
# Plain text, or an escaped character. docutils replaces the backslash of an escape by a
# null character.
_RST_PIECE = re.compile(r"(?P<plain>[^\x00]+)|\x00(?P<escaped>.?)", re.DOTALL)
# Single backquotes around one word usually mean code.
_ONE_WORD = re.compile(r"\S+")
# Roles whose content may have {variables}.
_WITH_VARIABLES = frozenset(("file", "samp"))
_RST_VARIABLE = re.compile(r"\{[^{}]*\}")
_RST_EMPHASIS = {"emphasis": "em", "strong": "strong"}


def rst_inline_tree(text: str) -> tuple[Node, ...]:
    """Return the inline tree of reST: "见 `词 <a>`_" -> ``text("见 "), link(text("词"))``."""
    if not _MAYBE_MARKED.search(text):
        return (Node("text", text),) if text else ()
    from pipeline.core.document.rst.inline import spaced
    from pipeline.core.document.rst.parser import read_inline

    nodes: list[Node] = []
    for docutils_node in read_inline(spaced(text)):
        nodes += _rst_nodes(docutils_node)
    return tuple(nodes)


def _rst_nodes(node: Any) -> Iterator[Node]:
    """Yield the nodes for one docutils node.

    Most docutils nodes give one node. A text with escapes gives several, and the hidden target of a
    link gives none.
    """
    match node.tagname:
        case "#text":
            yield from _rst_texts(str(node))
        case "emphasis" | "strong" as name:
            # *词*, **词**. The only child is a text, because reST does not nest markup.
            yield Node(_RST_EMPHASIS[name], "", tuple(_rst_texts(str(node[0]))))
        case "literal":
            # ``f``
            yield Node("code", node.astext())
        case "inline":
            # :func:`f`, :math:`x`, `f`
            yield _rst_role(node)
        case "reference":
            yield _rst_reference(node)
        case "target":
            # _`词`. Skip a target without words: docutils adds it beside a link to a URL.
            if node.children:
                yield Node("target", node.rawsource, (Node("code", node.astext()),))
        case "footnote_reference" | "citation_reference" as name:
            # [1]_, [Smith2020]_
            yield Node(name.removesuffix("_reference"), node.rawsource)
        case "substitution_reference":
            yield Node("substitution", f"|{node.astext()}|")
        case _:
            # "problematic": a mark without a partner, which is visible on the page.
            yield Node("text", node.astext())


def _rst_texts(text: str) -> Iterator[Node]:
    r"""Yield the pieces of plain text, and the escaped characters except spaces.

    ``词\ 甲\*`` -> text ``词``, text ``甲``, escape ``*``
    """
    for match in _RST_PIECE.finditer(text):
        if match["plain"]:
            yield Node("text", match["plain"])
        elif match["escaped"].strip():
            yield Node("escape", match["escaped"])


def _rst_role(node: Any) -> Node:
    """Return the node of a role.

    The value does not contain the title of the role or a "~", so ":func:`a.b`" and ":func:`~a.b`"
    have equal values. Single backquotes without a role name usually mark code, as
    in `x`. If they contain Chinese or several words, the content counts as text.
    """
    name, content, target = node["role"].lower(), node["content"], node["target"]
    if name == "math":
        return Node("math", content)
    if not name:
        if content.isascii() and _ONE_WORD.fullmatch(content):
            return Node("role", f"`{content}`", (Node("code", content),))
        return Node("role", "`…`", (Node("text", content),))
    if name in TEXT_ROLES:
        return Node("role", f":{name}:", (Node("text", content),))
    words = node.astext()
    shown = Node("text", words)
    if words == target:
        shown = Node("code", shortened(target))
    # The words in the braces of :samp:`{host}:80` and :file:`{folder}/a.py` may be
    # translated, because readers replace them by their own values.
    if name in _WITH_VARIABLES:
        target = _RST_VARIABLE.sub("{…}", target)
    return Node("role", f":{name}:`{target.removeprefix('~')}`", (shown,))


def _rst_reference(node: Any) -> Node:
    """Return the node of a bare URL, of a link to a URL, or of a reference to a name.

    - "https://a.b" is an autolink.
    - "`词 <https://a.b>`_" is a link.
    - "name_" and "`词 <name_>`_" are references with the value "name_".
    - "`词`__" is a reference with the value "__".
    """
    children: list[Node] = []
    for child in node.children:
        children += _rst_nodes(child)
    if "refuri" in node:
        has_words = node.rawsource.startswith("`")
        return Node("link" if has_words else "autolink", node["refuri"], tuple(children))
    if "refname" in node:
        return Node("reference", f"{node['refname']}_", tuple(children))
    return Node("reference", "__", tuple(children))  # anonymous
