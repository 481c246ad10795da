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
# Text, or what stood behind a backslash, of which docutils leaves a null character.
_PIECE = re.compile(r"(?P<plain>[^\x00]+)|\x00(?P<escaped>.?)", re.DOTALL)
_CODE = re.compile(r"\S+")  # what a word in single backquotes is mostly meant to be
_WITH_VARIABLES = frozenset(("file", "samp"))
_VARIABLE = re.compile(r"\{[^{}]*\}")
_EMPHASIS = {"emphasis": "em", "strong": "strong"}


def inline_tree(text: str) -> tuple[Node, ...]:
    """The inline content of a block: ``见 `词 <a>`_`` is a text, and a link that has one."""
    if not _MAYBE_MARKED.search(text):
        return (Node("text", text),) if text else ()
    from pipeline.core.document.rst.inline import spaced
    from pipeline.core.document.rst.parser import read_inline

    nodes: list[Node] = []
    for docutils_node in read_inline(spaced(text)):
        nodes += _nodes(docutils_node)
    return tuple(nodes)


def plain_tree(text: str) -> tuple[Node, ...]:
    """The content of an option such as ``:alt:``, in which no mark means anything."""
    return (Node("text", text),)


def _nodes(node: Any) -> Iterator[Node]:
    """What one of docutils' nodes is here.

    That is one node mostly. Text may be several, one for each escape; a target may be none.
    """
    match node.tagname:
        case "#text":
            yield from _texts(str(node))
        case "emphasis" | "strong" as name:
            # *词*, **词**: there can be no other markup within.
            yield Node(_EMPHASIS[name], "", tuple(_texts(str(node[0]))))
        case "literal":
            # ``f``
            yield Node("code", node.astext())
        case "inline":
            # :func:`f`, :math:`x`, `f`
            yield _role(node)
        case "reference":
            yield _reference(node)
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


def _texts(text: str) -> Iterator[Node]:
    """Text, and what backslashes stand for: the character behind, or nothing if that is a space.

    ``词\\ *甲*\\*`` -> text ``词``, text ``*甲*``, escape ``*``
    """
    for match in _PIECE.finditer(text):
        if match["plain"]:
            yield Node("text", match["plain"])
        elif match["escaped"].strip():
            yield Node("escape", match["escaped"])


def _role(node: Any) -> Node:
    """A role. Two are the same if they look up the same; a ``~`` only shortens what is shown.

    ``:func:`a.b``` and ``:func:`~a.b``` are the same. One without a name is mostly meant for
    code: `x`. If it is Chinese, it is text like any other.
    """
    name, content, target = node["role"].lower(), node["content"], node["target"]
    if name == "math":
        return Node("math", content)
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
    # Of :samp:`{host}:80` and :file:`{folder}/a.py` readers put something in: that is words.
    if name in _WITH_VARIABLES:
        target = _VARIABLE.sub("{…}", target)
    return Node("role", f":{name}:`{target.removeprefix('~')}`", (shown,))


def _reference(node: Any) -> Node:
    """A URL that stands by itself, a link to one, or a name, whatever words show it.

    ``https://a.b`` is an autolink, ```词 <https://a.b>`_`` a link; ``name_`` and ```词 <name_>`_``
    are references to ``name_``, ```词`__`` is one to ``__``.
    """
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
