"""What acts in a piece of reStructuredText: where its links, references and roles lead."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable

from docutils import nodes

from pipeline.core.rst.inliner import read_inline

ANONYMOUS, NUMBERED = "anonymous references", "numbered footnotes"
BY_NUMBER = (ANONYMOUS, NUMBERED)  # told apart by their order alone
# Roles that say how their words look: the words may be translated.
_LOOKS = frozenset(
    "abbr abbreviation ab ac acronym code command dfn emphasis guilabel kbd literal math "
    "menuselection samp strong sub subscript sup superscript t title title-reference".split()
)
# Sphinx' roles whose words may be ``title <target>``.
_TITLED = re.compile(
    r"""
    (?:external(?:\+[\w.-]+)?:)?
    (?: (?:py|c|cpp|js|rst|std):[\w-]+
      | any | attr | class | const | data | deco | doc | download | enum | enumerator | envvar | eq
      | exc | file | func | keyword | macro | member | meth | mod | numref | obj | option | pep
      | ref | rfc | struct | term | token | type | union | var )
    """,
    re.VERBOSE,
)
# Of any other role the whole text has to stay, for it may be raw HTML. But words that cannot be
# part of a tag are a title, as those of Sphinx' extlinks: ":source:`the patch <Lib/a.py>`".
_PLAIN_TITLE = re.compile(
    r"(?P<title>[^<>&=\"'\\\x00]+?)\s*<(?P<target>[^<>]*)>", re.DOTALL
)
_VARIABLE = re.compile(r"\{[^{}]*\}")  # of :file:`{folder}/a.py`


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
    """A role by its name, and by what it leads to or holds if its words may not change.

    :strong:`words`          :strong:
    :func:`words <~a.b>`     :func:`a.b`
    :file:`{folder}/a.py`    :file:`{…}/a.py`
    :patch:`words <a/b>`     :patch:`… <a/b>`
    :raw-html:`<b>`          :raw-html:`<b>`
    """
    role = node["role"]
    if not role:
        return "interpreted text", "`…`"
    if role in _LOOKS:
        return "role", f":{role}:"
    content = node["content"]
    if _TITLED.fullmatch(role):
        # "~" and "!" only say how much of the name is shown.
        content = _VARIABLE.sub("{…}", node["target"].lstrip("~!"))
    elif titled := _PLAIN_TITLE.fullmatch(content):
        content = f"… <{titled['target']}>"
    return "role", f":{role}:`{content}`"


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
