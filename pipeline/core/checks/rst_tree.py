"""The inline tree of a reStructuredText text, as docutils reads it: values as in :mod:`tree`.

A translation is read as it will stand on the page: with the ``\\ `` that its marks need. Roles are
not looked up, for Sphinx knows many that docutils does not; their names and targets are kept as
they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pipeline.core.checks.tree import TEXT_ROLES, Node, shortened

# Without any of these docutils takes all for text.
_MAYBE_MARKED = re.compile(r"[\x00\\`*_|:@]")
_ESCAPE = re.compile(r"\x00(.?)", re.DOTALL)
_CODE = re.compile(r"\S+")  # what a word in single backquotes is mostly meant to be
_EMPHASIS = {"emphasis": "em", "strong": "strong"}


def inline_tree(text: str) -> tuple[Node, ...]:
    """The inline content of a block."""
    if not _MAYBE_MARKED.search(text):
        return (Node("text", text),) if text else ()
    from pipeline.core.rst.inline import spaced
    from pipeline.core.rst.inliner import read_inline

    nodes: list[Node] = []
    for docutils_node in read_inline(spaced(text)):
        nodes += _nodes(docutils_node)
    return tuple(nodes)


def plain_tree(text: str) -> tuple[Node, ...]:
    """The content of an option such as ``:alt:``, in which no mark means anything."""
    return (Node("text", text),)


def _nodes(node: Any) -> Iterator[Node]:
    """What one of docutils' nodes is here."""
    match node.tagname:
        case "#text":
            yield from _texts(str(node))
        case "emphasis" | "strong" as name:
            yield Node(_EMPHASIS[name], "", tuple(_texts(str(node[0]))))
        case "literal":
            yield Node("code", node.astext())
        case "inline":
            yield _role(node)
        case "reference":
            yield _reference(node)
        case "target":
            # Else it belongs to a link with a URL, and is none of its own.
            if node.children:
                yield Node("target", node.rawsource, (Node("code", node.astext()),))
        case "footnote_reference" | "citation_reference" as name:
            yield Node(name.removesuffix("_reference"), node.rawsource)
        case "substitution_reference":
            yield Node("substitution", f"|{node.astext()}|")
        case _:  # "problematic": a mark without a partner, which shows
            yield Node("text", node.astext())


def _texts(text: str) -> Iterator[Node]:
    """Text, and what backslashes stand for: the character behind, or nothing if that is a space."""
    # What docutils leaves of a backslash is a null character. Odd parts stood behind one.
    for number, part in enumerate(_ESCAPE.split(text)):
        is_escaped = number % 2 == 1
        if not part or (is_escaped and part.isspace()):
            continue
        yield Node("escape" if is_escaped else "text", part)


def _role(node: Any) -> Node:
    """A role. Two are the same if they look up the same; a ``~`` only shortens what is shown."""
    name, content, target = node["role"].lower(), node["content"], node["target"]
    if name == "math":
        return Node("math", content)
    # `x` without a name: mostly meant for code, and if it is Chinese, text like any other.
    if not name:
        if content.isascii() and _CODE.fullmatch(content):
            return Node("role", f"`{content}`", (Node("code", content),))
        return Node("role", "`…`", (Node("text", content),))
    if name in TEXT_ROLES:
        return Node("role", f":{name}:", (Node("text", content),))
    words = node.astext()
    shown = Node("text", words)
    if words == target:
        shown = Node("code", shortened(target))
    return Node("role", f":{name}:`{target.removeprefix('~')}`", (shown,))


def _reference(node: Any) -> Node:
    """A URL that stands by itself, a link to one, or a name, whatever words show it."""
    children: list[Node] = []
    for child in node.children:
        children += _nodes(child)
    if "refuri" in node:
        has_words = node.rawsource.startswith("`")
        return Node(
            "link" if has_words else "autolink", node["refuri"], tuple(children)
        )
    if "refname" in node:
        return Node("reference", f"{node['refname']}_", tuple(children))
    return Node("reference", "__", tuple(children))  # an anonymous one
