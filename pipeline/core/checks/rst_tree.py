"""The inline tree of a reStructuredText text, as docutils reads it: the nested values of :mod:`tree`.

A translation is read as it will stand on the page: with the ``\\ `` that its marks need. Roles are not looked up, for Sphinx knows
many that docutils does not; their names and targets are kept as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pipeline.core.checks.tree import TEXT_ROLES, Node

_MAYBE_MARKED = re.compile(r"[\x00\\`*_|:@]")  # without any of these docutils takes all for text
_ESCAPE = re.compile(r"\x00(.?)", re.DOTALL)
_CODE = re.compile(r"\S+")  # what a word in single backquotes is mostly meant to be


def inline_tree(text: str) -> tuple[Node, ...]:
    """The inline content of a block."""
    if not _MAYBE_MARKED.search(text):
        return (Node("text", text),) if text else ()
    from pipeline.core.rst.inline import spaced
    from pipeline.core.rst.inliner import read_inline

    return tuple(node for one in read_inline(spaced(text)) for node in _nodes(one))


def plain_tree(text: str) -> tuple[Node, ...]:
    """The content of an option such as ``:alt:``, in which no mark means anything."""
    return (Node("text", text),)


def _nodes(node: Any) -> Iterator[Node]:
    """What one of docutils' nodes is here. The target that belongs to a link with a URL is none of its own."""
    match node.tagname:
        case "#text":
            yield from _texts(str(node))
        case "emphasis" | "strong":
            yield Node(
                "em" if node.tagname == "emphasis" else "strong", "", tuple(_texts(str(node[0])))
            )
        case "literal":
            yield Node("code", node.astext())
        case "inline":
            yield _role(node)
        case "reference":
            yield _reference(node)
        case "target":
            if node.children:
                yield Node("target", node.rawsource, (Node("code", node.astext()),))
        case "footnote_reference":
            yield Node("footnote", node.rawsource)
        case "citation_reference":
            yield Node("citation", node.rawsource)
        case "substitution_reference":
            yield Node("substitution", f"|{node.astext()}|")
        case _:  # "problematic": a mark without a partner, which shows
            yield Node("text", node.astext())


def _texts(text: str) -> Iterator[Node]:
    """Text, and what backslashes stand for: nothing before white space, else the character behind."""
    for number, part in enumerate(_ESCAPE.split(text)):
        if part and not (number % 2 and part.isspace()):
            yield Node("escape" if number % 2 else "text", part)


def _role(node: Any) -> Node:
    """Two roles are the same if they look up the same; a ``~`` only shortens what is shown."""
    name, content, shown, target = (
        node["role"].lower(),
        node["content"],
        node.astext(),
        node["target"],
    )
    if name == "math":
        return Node("math", content)
    if not name and content.isascii() and _CODE.fullmatch(content):
        return Node("role", f"`{content}`", (Node("code", content),))
    if not name or name in TEXT_ROLES:
        return Node("role", f":{name}:" if name else "`…`", (Node("text", content),))
    short = target.removeprefix("~")
    if shown == target:
        return Node(
            "role",
            f":{name}:`{short}`",
            (Node("code", shown if short == target else short.rpartition(".")[2]),),
        )
    return Node("role", f":{name}:`{short}`", (Node("text", shown),))


def _reference(node: Any) -> Node:
    """A URL that stands by itself, a link to one, or a name: the same name whatever words show it."""
    children = tuple(shown for child in node.children for shown in _nodes(child))
    if "refuri" in node:
        kind = "link" if node.rawsource.startswith("`") else "autolink"
        return Node(kind, node["refuri"], children)
    return Node("reference", f"{node['refname']}_" if "refname" in node else "__", children)
