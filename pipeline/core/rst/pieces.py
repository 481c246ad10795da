"""What acts in a piece of reStructuredText: where its links, references and roles lead."""

from __future__ import annotations

import re
from collections import defaultdict

from docutils import nodes

from pipeline.core.rst.inliner import read_inline

ANONYMOUS, NUMBERED = "anonymous references", "numbered footnotes"
BY_NUMBER = (ANONYMOUS, NUMBERED)  # told apart by their order alone
# Roles that say how their words look: the words may be translated.
_LOOKS = frozenset(
    "abbr abbreviation ab ac acronym code command dfn emphasis guilabel kbd literal math "
    "menuselection samp strong sub subscript sup superscript t title title-reference".split()
)
# Sphinx' roles whose words may be ``title <target>``. Of any other role the whole text has to
# stay: it may be raw HTML.
_TITLED = re.compile(
    r"""
    (?:external(?:\+[\w.-]+)?:)?
    (?:(?:py|c|cpp|js|rst|std):)?
    (?: any | attr | class | const | data | doc | download | envvar | eq | exc | file | func
      | keyword | meth | mod | numref | obj | option | pep | ref | rfc | term | type | var )
    """,
    re.VERBOSE,
)


def pieces_of(text: str) -> dict[str, list[str]]:
    """What acts in ``text``, by its name for people: each as the place where it leads, in order."""
    found: dict[str, list[str]] = defaultdict(list)
    for top in read_inline(text):
        for node in top.findall():
            if piece := _piece(node):
                name, target = piece
                found[name].append(target)
    return dict(found)


def _piece(node: nodes.Node) -> tuple[str, str] | None:
    match node:
        case nodes.inline():
            return _role(node)
        case nodes.reference():
            return _reference(node)
        case nodes.footnote_reference() if "refname" in node:
            return "footnote", node["refname"]
        case nodes.footnote_reference():
            return NUMBERED, "*" if node["auto"] == "*" else "#"
        case nodes.citation_reference():
            return "citation", node["refname"]
        case nodes.substitution_reference():
            return "substitution", f"|{node.astext()}|"
        case nodes.target() if "refuri" not in node and "refname" not in node:
            return "target", "_`…`"
    return None


def _role(node: nodes.inline) -> tuple[str, str]:
    role = node["role"]
    if not role:
        return "interpreted text", "`…`"
    if role in _LOOKS:
        return "role", f":{role}:"
    # "~" and "!" only say how much of the name is shown.
    target = node["target"].lstrip("~!") if _TITLED.fullmatch(role) else node["content"]
    return "role", f":{role}:`{target}`"


def _reference(node: nodes.reference) -> tuple[str, str]:
    if "refuri" in node:
        return "link target", node["refuri"]
    if "refname" in node:
        return "reference", node["refname"]
    return ANONYMOUS, node.astext()
