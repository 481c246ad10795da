"""Inline tree of a text: nested values that can be compared.

A translation of reStructuredText is read as it will stand on the page, with the ``\\ `` that its
marks need. Its roles are not looked up, because Sphinx knows many that docutils does not: their
names and targets are kept as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any, NamedTuple
from urllib.parse import unquote

from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

from pipeline.core.document.markdown import parser as markdown
from pipeline.core.document.markdown.blocks import html_tags
from pipeline.core.document.markdown.parser import inline_tokens

# [text][label], and what stands before it if that could be indexed: x[i][j].
_LABEL = re.compile(
    r"""
    (?P<indexed>[A-Za-z0-9_\])])?
    \[(?P<text>(?:`[^`]*`|[^\[\]`])*)\]
    \[(?P<label>(?!\^)[^\[\]\n]*)\]
    """,
    re.VERBOSE,
)
_LONGEST_INDEX = 3  # characters
_TITLED = re.compile(r"(.*\S)\s*<([^<>]*)>", re.DOTALL)
# Roles whose content is no target but text, to be translated like any other.
TEXT_ROLES = frozenset(
    (
        *("abbr", "dfn", "emphasis", "guilabel", "menuselection", "strong"),
        *("sub", "subscript", "sup", "superscript", "title", "title-reference"),
    )
)
_CONTAINERS = {"strong_open": "strong", "em_open": "em", "s_open": "strike"}
_LEAVES = {
    "text": "text",
    "text_special": "escape",
    "code_inline": "code",
    "math_inline": "math",
    "math_inline_double": "math",  # $$x$$ in a line
    "html_inline": "html",
}


class Node(NamedTuple):
    """One thing inside a block. ``value`` is what it shows, or where it leads to.

    Containers are strong, em, strike, link, reference (``[text][label]``), autolink and image. A
    role has one child, what it shows: text if that may be translated, else code. Leaves are text,
    escape (what a backslash or a character reference stands for), code, math, html, footnote and
    break. reStructuredText also has citation, substitution, and the container target.
    """

    type: str
    value: str = ""
    children: tuple[Node, ...] = ()


def walk(
    tree: tuple[Node, ...], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Node]]:
    """Yield every node of a tree, with the types of those around it.

    A container comes before what is in it: ``**用 *词***`` -> () strong, (strong) text,
    (strong) em, (strong, em) text
    """
    for node in tree:
        yield path, node
        if node.children:
            yield from walk(node.children, (*path, node.type))


def markdown_inline_tree(content: str) -> tuple[Node, ...]:
    """Return the inline content of a block: ``用 *词*`` -> ``text("用 "), em(text("词"))``.

    Every label is taken for one that is defined, for the definitions stand elsewhere on the page.
    """
    if "][" not in content:
        return _markdown_nodes(iter(inline_tokens(content)))
    # The target of each label is the label in brackets, by which `_link_type` knows it again.
    references = {}
    for label in _labels_in(content):
        references[normalizeReference(label)] = {"href": f"[{label}]", "title": ""}
    md = markdown.parser()
    tokens: list[Token] = []
    md.inline.parse(content, md, {"references": references}, tokens)
    return _markdown_nodes(iter(tokens))


def _labels_in(content: str) -> Iterator[str]:
    """Yield the labels of ``[text][label]`` and ``[label][]``.

    ``x[i][j]`` has none: that is an array that is indexed. ``JAX[the guide][guide]`` is a link,
    whose label is too long for an index.
    """
    for match in _LABEL.finditer(content):
        if match["indexed"] and len(match["label"]) <= _LONGEST_INDEX:
            continue
        yield match["label"] or match["text"]


def image_tree(content: str) -> tuple[Node, ...] | None:
    """Return the tree of an image's text; None if that would not be within the image.

    The text may end its image too early: ``图](a.png) 词``.
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
    """Return the nodes up to the end of the container that is open, or of all.

    Their tokens, and the one that closes the container, are used up.
    """
    nodes: list[Node] = []
    for token in tokens:
        if token.nesting < 0:
            break
        # Where marks open or close something the parser leaves text tokens without text.
        if token.content or token.type != "text":
            nodes.append(_markdown_node(token, tokens))
    return tuple(nodes)


def _markdown_node(token: Token, rest: Iterator[Token]) -> Node:
    """Return what a token is here.

    If it opens a container, ``rest`` goes on with what is in that, which is used up.
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
            return Node(
                _link_type(token, target), _readable(target), _markdown_nodes(rest)
            )
        case "image":
            # ![图](a.png), whose words are tokens of its own.
            target = str(token.attrs["src"])
            return Node(
                "image", _readable(target), _markdown_nodes(iter(token.children or ()))
            )
        case "myst_role":
            # {func}`f`
            return _markdown_role(str(token.meta["name"]), token.content)
        case "footnote_ref":
            return Node("footnote", f"[^{token.meta['label']}]")
        case "hardbreak":
            return Node("break", "\n")
        case _:
            # A soft break: a line end in the source, which shows as a space.
            return Node("text", " ")


def _link_type(token: Token, target: str) -> str:
    """Return the type of node of a link, by how it was written.

    `markdown_inline_tree` gives the parser the label in brackets as the target of each label.
    """
    if token.markup == "autolink":
        return "autolink"
    if target.startswith("["):
        return "reference"
    return "link"


def _readable(target: str) -> str:
    """Return a target as people write it; the parser encodes what is not ASCII.

    So it is decoded: ``%E6%96%87.md`` -> ``文.md``. But ``a%20b.md`` was encoded by whoever
    wrote it, and stays.
    """
    if "%" not in target:
        return target
    decoded = unquote(target)
    if decoded.isascii():
        return target
    return decoded


def _markdown_role(name: str, content: str) -> Node:
    """Return the node of a role; equal if it looks up the same. A ``~`` only shortens its words.

    ``{ref}`词 <a>``` and ``{ref}`a``` both have the value ``{ref}`a```, but other words.
    """
    if name in TEXT_ROLES:
        return Node("role", f"{{{name}}}", (Node("text", content),))
    if titled := _TITLED.fullmatch(content):
        target, shown = titled[2].removeprefix("~"), Node("text", titled[1])
    else:
        target, shown = content.removeprefix("~"), Node("code", shortened(content))
    return Node("role", f"{{{name}}}`{target}`", (shown,))


def shortened(target: str) -> str:
    """Return what is shown of the target of a role: of ``~jax.numpy.sum`` only ``sum``."""
    if not target.startswith("~"):
        return target
    return target.removeprefix("~").rpartition(".")[2]


# Without any of these docutils takes all for text.
_MAYBE_MARKED = re.compile(r"[\x00\\`*_|:@]")
# Text, or what stood behind a backslash, of which docutils leaves a null character.
_RST_PIECE = re.compile(r"(?P<plain>[^\x00]+)|\x00(?P<escaped>.?)", re.DOTALL)
_ONE_WORD = re.compile(r"\S+")  # what a word in single backquotes is mostly meant to be
_WITH_VARIABLES = frozenset(("file", "samp"))
_RST_VARIABLE = re.compile(r"\{[^{}]*\}")
_RST_EMPHASIS = {"emphasis": "em", "strong": "strong"}


def rst_inline_tree(text: str) -> tuple[Node, ...]:
    """Return the inline content of a block: ``见 `词 <a>`_`` is a text, and a link that has one."""
    if not _MAYBE_MARKED.search(text):
        return (Node("text", text),) if text else ()
    from pipeline.core.document.rst.inline import spaced
    from pipeline.core.document.rst.parser import read_inline

    nodes: list[Node] = []
    for docutils_node in read_inline(spaced(text)):
        nodes += _rst_nodes(docutils_node)
    return tuple(nodes)


def _rst_nodes(node: Any) -> Iterator[Node]:
    """Yield the nodes of one of docutils' nodes.

    That is one node mostly. Text may be several, one for each escape; a target may be none.
    """
    match node.tagname:
        case "#text":
            yield from _rst_texts(str(node))
        case "emphasis" | "strong" as name:
            # *词*, **词**: there can be no other markup within.
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
            # _`词`. One without words belongs to a link with a URL, and is none of its own.
            if node.children:
                yield Node("target", node.rawsource, (Node("code", node.astext()),))
        case "footnote_reference" | "citation_reference" as name:
            # [1]_, [Smith2020]_
            yield Node(name.removesuffix("_reference"), node.rawsource)
        case "substitution_reference":
            yield Node("substitution", f"|{node.astext()}|")
        case _:
            # "problematic": a mark without a partner, which shows.
            yield Node("text", node.astext())


def _rst_texts(text: str) -> Iterator[Node]:
    """Yield text, and the character behind each backslash unless that is a space.

    ``词\\ *甲*\\*`` -> text ``词``, text ``*甲*``, escape ``*``
    """
    for match in _RST_PIECE.finditer(text):
        if match["plain"]:
            yield Node("text", match["plain"])
        elif match["escaped"].strip():
            yield Node("escape", match["escaped"])


def _rst_role(node: Any) -> Node:
    """Return the node of a role; equal if it looks up the same. A ``~`` only shortens its words.

    ``:func:`a.b``` and ``:func:`~a.b``` are the same. One without a name is mostly meant for
    code: `x`. If it is Chinese, it is text like any other.
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
    # Of :samp:`{host}:80` and :file:`{folder}/a.py` readers put something in: that is words.
    if name in _WITH_VARIABLES:
        target = _RST_VARIABLE.sub("{…}", target)
    return Node("role", f":{name}:`{target.removeprefix('~')}`", (shown,))


def _rst_reference(node: Any) -> Node:
    """Return a URL that stands by itself, a link to one, or a name, whatever words show it.

    ``https://a.b`` is an autolink, ```词 <https://a.b>`_`` a link; ``name_`` and ```词 <name_>`_``
    are references to ``name_``, ```词`__`` is one to ``__``.
    """
    children: list[Node] = []
    for child in node.children:
        children += _rst_nodes(child)
    if "refuri" in node:
        has_words = node.rawsource.startswith("`")
        return Node(
            "link" if has_words else "autolink", node["refuri"], tuple(children)
        )
    if "refname" in node:
        return Node("reference", f"{node['refname']}_", tuple(children))
    return Node("reference", "__", tuple(children))  # an anonymous one
