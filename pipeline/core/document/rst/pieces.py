"""What acts in a piece of reStructuredText: where its links, references and roles lead."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable

from docutils import nodes

from pipeline.core.document import roles
from pipeline.core.document.formulas import canonical_math
from pipeline.core.document.rst.inliner import read_inline

ANONYMOUS, NUMBERED = "anonymous references", "numbered footnotes"
BY_NUMBER = (ANONYMOUS, NUMBERED)  # told apart by their order alone
# What some role may make more of than words.
_NO_WORDS = re.compile(r"[<>&$\\{}\x00]")


def pieces_of(text: str) -> dict[str, list[str]]:
    """What acts in ``text``, by its name for people: each as the place where it leads, in order.

    ``"`Here <a.html>`_ and [1]_"`` has ``{"link target": ["a.html"], "footnote": ["1"]}``.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for top in read_inline(text):
        for node in top.findall(nodes.Element):
            piece = _piece(node)
            if piece:
                name, target = piece
                found[name].append(target)
    return dict(found)


def _piece(node: nodes.Element) -> tuple[str, str] | None:
    """The name and the place of what a node does; None if it only says how words look."""
    reader = _READERS.get(node.tagname)
    if reader is None:
        return None  # emphasis, a literal
    return reader(node)


def _footnote(node: nodes.Element) -> tuple[str, str]:
    """A footnote mark: ``[1]_`` or ``[#name]_`` by its name, ``[#]_`` and ``[*]_`` by their order.

    docutils numbers the latter: the first one on the page leads to the first such footnote.
    """
    if "refname" in node:
        return "footnote", node["refname"]
    return NUMBERED, "*" if node["auto"] == "*" else "#"


def _citation(node: nodes.Element) -> tuple[str, str]:
    """``[Name]_`` by its name."""
    return "citation", node["refname"]


def _substitution(node: nodes.Element) -> tuple[str, str]:
    """``|name|`` as it is written."""
    return "substitution", f"|{node.astext()}|"


def _target(node: nodes.Element) -> tuple[str, str] | None:
    r"""A target in a line, ``_`words```, whatever its words are.

    The one that a link with an address defines for its own words acts no more than the link.
    """
    if "refuri" in node or "refname" in node:
        return None
    return "target", "_`…`"


def _role(node: nodes.Element) -> tuple[str, str]:
    """A role by its name and by what of its text has to stay; a formula by itself.

    :strong:`words`          :strong:`…`
    :func:`words <~a.b>`     :func:`a.b`
    :math:`a + b`            a+b
    `words`                  `…`
    """
    role, content = node["role"], node["content"]
    if role.lower() == roles.MATH:
        return "formula", canonical_math(content)
    fixed = ""
    # The page may say what role it is that has no name: one of formulas, or of raw HTML.
    if role or _NO_WORDS.search(content):
        fixed = roles.fixed_part(role, content, node["target"])
    if not role:
        return "interpreted text", f"`{fixed or '…'}`"
    return "role", f":{role}:`{fixed or '…'}`"


def _reference(node: nodes.Element) -> tuple[str, str]:
    """A link by where it leads, a reference by its name, ```words`__`` by its order."""
    if "refuri" in node:
        return "link target", node["refuri"]
    if "refname" in node:
        return "reference", node["refname"]
    return ANONYMOUS, node.astext()


def _problem(node: nodes.Element) -> tuple[str, str]:
    """A mark that docutils cannot make sense of: ``**`` without its end.

    It is shown in red, and a substitution that holds it is not defined.
    """
    return "mark without its end", node.astext()


# By the names that docutils gives its nodes. What is missing here does nothing.
_READERS: dict[str, Callable[[nodes.Element], tuple[str, str] | None]] = {
    "inline": _role,
    "reference": _reference,
    "footnote_reference": _footnote,
    "citation_reference": _citation,
    "substitution_reference": _substitution,
    "target": _target,
    "problematic": _problem,
}
