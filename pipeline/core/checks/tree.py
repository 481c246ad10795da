"""The inline tree of a text: nested values that can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple
from urllib.parse import unquote

from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

from pipeline.core.myst import split as markdown
from pipeline.core.myst.inline import inline_tokens

_LABEL = re.compile(r"(?P<index>[A-Za-z0-9_\])])?\[((?:`[^`]*`|[^\[\]`])*)\]\[((?!\^)[^\[\]\n]*)\]")
_INDEX = 3  # characters; `x[i][j]` is no link
_TITLED = re.compile(r"(.*\S)\s*<([^<>]*)>", re.DOTALL)
# Roles whose content is no target but text, to be translated like any other.
TEXT_ROLES = frozenset(
    "abbr emphasis guilabel menuselection strong sub subscript sup superscript title title-reference".split()
)
_CONTAINERS = {"strong_open": "strong", "em_open": "em", "s_open": "strike"}
_LEAVES = {
    "text": "text",
    "text_special": "escape",
    "code_inline": "code",
    "math_inline": "math",
    "html_inline": "html",
}


class Node(NamedTuple):
    """One thing inside a block. ``value`` is what it shows, or where it leads to.

    Containers: strong, em, strike, link, reference (``[text][label]``), autolink, image; a role has as its only child what it shows:
    text if that may be translated, else code. Leaves: text, escape (what a backslash or a character reference stands for),
    code, math, html, footnote, break; of reStructuredText also citation, substitution, and the container target.
    """

    type: str
    value: str = ""
    children: tuple[Node, ...] = ()


def walk(
    tree: tuple[Node, ...], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Node]]:
    """Every node of a tree, with the types of those around it."""
    for node in tree:
        yield path, node
        if node.children:
            yield from walk(node.children, (*path, node.type))


def inline_tree(content: str) -> tuple[Node, ...]:
    """The inline content of a block. Every label is taken for one that is defined: the definitions stand elsewhere on the page."""
    if "][" not in content:
        return _nodes(iter(inline_tokens(content)))
    references = {
        normalizeReference(label): {"href": f"[{label}]", "title": ""} for label in _labels(content)
    }
    md = markdown.parser()
    tokens: list[Token] = []
    md.inline.parse(content, md, {"references": references}, tokens)
    return _nodes(iter(tokens))


def _labels(content: str) -> Iterator[str]:
    """The labels of ``[text][label]`` and ``[label][]``."""
    for index, words, label in _LABEL.findall(content):
        if not index or len(label) > _INDEX:
            yield label or words


def image_tree(content: str) -> tuple[Node, ...] | None:
    """The tree of an image's text; None if that would not be within the image."""
    tree = inline_tree(f"![{content}](x)")
    return tree[0].children if len(tree) == 1 and tree[0].type == "image" else None


def html_tree(text: str) -> tuple[Node, ...]:
    """The tags and texts of raw HTML."""
    nodes: list[Node] = []
    at = 0
    for tag in markdown.html_tags(text):
        start = text.index(tag, at)
        nodes += [Node("text", unescape(text[at:start])), Node("html", tag)]
        at = start + len(tag)
    nodes.append(Node("text", unescape(text[at:])))
    return tuple(node for node in nodes if node.value)


def _nodes(tokens: Iterator[Token]) -> tuple[Node, ...]:
    """The nodes up to the end of the container that is open."""
    nodes: list[Node] = []
    for token in tokens:
        if token.nesting < 0:
            break
        if token.content or token.type != "text":
            nodes.append(_node(token, tokens))
    return tuple(nodes)


def _node(token: Token, rest: Iterator[Token]) -> Node:
    name = token.type
    if leaf := _LEAVES.get(name):
        return Node(leaf, token.content)
    if container := _CONTAINERS.get(name):
        return Node(container, "", _nodes(rest))
    if name == "link_open":
        target = str(token.attrs["href"])
        kind = (
            "autolink"
            if token.markup == "autolink"
            else "reference"
            if target.startswith("[")
            else "link"
        )
        return Node(kind, _readable(target), _nodes(rest))
    if name == "image":
        return Node("image", _readable(str(token.attrs["src"])), _nodes(iter(token.children or ())))
    if name == "myst_role":
        return _role(str(token.meta["name"]), token.content)
    if name == "footnote_ref":
        return Node("footnote", f"[^{token.meta['label']}]")
    return Node("break", "\n") if name == "hardbreak" else Node("text", " ")


def _readable(target: str) -> str:
    """A target as people write it; the parser encodes what is not ASCII."""
    return target if "%" not in target or unquote(target).isascii() else unquote(target)


def _role(name: str, content: str) -> Node:
    """Two roles are the same if they look up the same; a ``~`` only shortens what is shown."""
    if name in TEXT_ROLES:
        return Node("role", f"{{{name}}}", (Node("text", content),))
    if titled := _TITLED.fullmatch(content):
        return Node(
            "role", f"{{{name}}}`{titled[2].removeprefix('~')}`", (Node("text", titled[1]),)
        )
    target = content.removeprefix("~")
    return Node(
        "role",
        f"{{{name}}}`{target}`",
        (Node("code", content if target == content else target.rpartition(".")[2]),),
    )
