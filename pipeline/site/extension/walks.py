"""How docutils looks for nodes, in less time: a page is looked through about sixty times.

What is found is the same, in the same order, and found as late: a caller may change the page while
it looks. Who asks for what is beside or above a node is answered by docutils itself.

A third of it looks for kinds of nodes that hardly a page has. As long as this process has not made
one of a rare kind, no page is looked through for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.domains import c, cpp

Condition = type[nodes.Node] | Callable[[nodes.Node], bool] | None
_find_as_docutils = nodes.Node.findall
_RARE: tuple[type[nodes.Element], ...] = (
    nodes.block_quote,
    nodes.citation,
    nodes.citation_reference,
    nodes.docinfo,
    nodes.doctest_block,
    nodes.footnote,
    nodes.problematic,
    nodes.substitution_reference,
    nodes.system_message,
    nodes.transition,
    addnodes.desc_signature,
    addnodes.download_reference,
    addnodes.glossary,
    addnodes.highlightlang,
    addnodes.index,
    addnodes.only,
    c.AliasNode,
    cpp.AliasNode,
)
_unseen: set[type] = set()  # rare kinds of which there has been no node so far


def setup_walks() -> None:
    """Let all who look for nodes use it, in this process."""
    nodes.Node.findall = _findall  # type: ignore[assignment,method-assign]
    for kind in _RARE:
        _watch(kind)


def _watch(kind: type[nodes.Element]) -> None:
    """Note when the first node of a rare kind is made, or read from a file.

    A copy is of a node that was.
    """
    _unseen.add(kind)
    kind.__new__ = _make  # type: ignore[assignment,method-assign]


def _make(kind: type[nodes.Element], *_: Any, **__: Any) -> nodes.Element:
    """Make a node, as Python does: it is one of its kind, and of all that its kind is one of."""
    _unseen.difference_update(kind.__mro__)
    return object.__new__(kind)


def _findall(
    self: nodes.Node, condition: Condition = None, *flags: bool, **options: bool
) -> Iterator[Any]:
    """The nodes from ``self`` downward for which ``condition`` holds, or that are one."""
    if flags or options:
        return _find_as_docutils(self, condition, *flags, **options)
    if isinstance(condition, type):
        return _all_of(self, condition)
    # Whatever stands in a page is one.
    found: Iterator[nodes.Node] = _all_of(self, object)
    return found if condition is None else filter(condition, found)


def _all_of(top: nodes.Node, kind: type) -> Iterator[nodes.Node]:
    """The nodes of a kind, the upper ones first, without a call for each that is looked at."""
    if kind in _unseen:
        return
    if isinstance(top, kind):
        yield top
    # The rest of the children of each node that is above the one that we are at.
    rests = [iter(top.children)]
    while rests:
        for child in rests[-1]:
            if isinstance(child, kind):
                yield child
            if child.children:
                rests.append(iter(child.children))
                break
        else:
            rests.pop()
