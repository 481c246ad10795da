"""Active markup in reStructuredText: what docutils makes more of than words.

That is links, references and roles. A translation may bring in none that its English does not
have. Marks that only their order tells apart have to stay in their order.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from docutils import nodes

from pipeline.core.document import atoms
from pipeline.core.document.atoms import added_formulas, canonical_math
from pipeline.core.document.guard import Refusal, change_refusal, find_written
from pipeline.core.document.rst.inline import spaced
from pipeline.core.document.rst.parser import read_inline

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
    if role.lower() == atoms.MATH:
        return "formula", canonical_math(content)
    fixed = ""
    # The page may say what role it is that has no name: one of formulas, or of raw HTML.
    if role or _NO_WORDS.search(content):
        fixed = atoms.fixed_part(role, content, node["target"])
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


# Without any of these docutils finds nothing but words.
_ACTIVE = re.compile(r"[`*_|\[:@\\]")
# Another field, ``:name:``, or brackets of any language: ``[a]``, ``<![CDATA[``, ``]]>``, ``<b>``.
_FIELD_MARK = re.compile(
    r"^:[^:\s][^:]*:(?=\s|$)|<!\[?\w*|</?[A-Za-z]|\]\]>|\[[^\[\]]*\]_?"
)
# What becomes active in a browser wherever it stands.
_ACTIVE_AS_WRITTEN = ("scheme", "math macro")
_BY_ORDER = "Keep each of them, in the order of the English: nothing else says what they belong to."
_HINTS = {
    "interpreted text": "Code stands between two backquotes on either side (``code``)."
}


def inline_refusal(msgid: str, line: str) -> Refusal | None:
    """Whether docutils finds anything active that the English has not.

    Both are texts of a whole message. What the English has may go missing or stand there twice,
    unless only its order tells what it belongs to:

        "Read the guide_."  "阅读 guide_ 。"          None
        "Read the guide_."  "阅读 `指南 <u>`_ 。"     adds link target “u”
        "See [#]_."         "参见。"                   has 0 numbered footnotes
    """
    # Neither has a mark: spare docutils a text of words only.
    if not _ACTIVE.search(msgid + line):
        return None
    theirs = pieces_of(msgid)
    # A translation gets separators before it is put in place; so does the English here, because
    # it may have marks that docutils does not recognise for want of one.
    meant = pieces_of(spaced(msgid))
    ours = pieces_of(spaced(line))
    return _new_refusal(theirs, meant, ours) or _numbered_refusal(theirs, ours)


def field_refusal(msgid: str, line: str) -> Refusal | None:
    """Whether the words of a directive's argument or option have marks that the English has not.

    Some fields reach more than readers: a class of CSS is made from the title of an admonition.
    """
    known = frozenset(_FIELD_MARK.findall(msgid))
    return _added("mark", _FIELD_MARK.findall(line), known)


def written_refusal(msgid: str, line: str) -> Refusal | None:
    """What becomes active in a browser wherever it stands: the same as in Markdown.

    ``"javascript:alert(1)"`` is refused even where docutils takes it for words.
    """
    for name in _ACTIVE_AS_WRITTEN:
        known = frozenset(find_written(name, msgid))
        refused = _added(name, find_written(name, line), known)
        if refused:
            return refused
    return _added("formula", added_formulas(msgid, line), ())


def _new_refusal(
    theirs: Mapping[str, list[str]],
    meant: Mapping[str, list[str]],
    ours: Mapping[str, list[str]],
) -> Refusal | None:
    """Whether ``ours`` has pieces that lead where neither reading of the English does."""
    for name, pieces in ours.items():
        if name in BY_NUMBER:
            continue  # their words are translated: only their order can be compared
        known = {*theirs.get(name, ()), *meant.get(name, ())}
        refused = _added(name, pieces, known)
        if refused:
            return refused
    return None


def _numbered_refusal(
    theirs: Mapping[str, list[str]], ours: Mapping[str, list[str]]
) -> Refusal | None:
    """The same for what only its order tells apart: ```words`__`` and ``[#]_``."""
    for name in BY_NUMBER:
        refused = _order_refusal(name, theirs.get(name, []), ours.get(name, []))
        if refused:
            return refused
    return None


def _order_refusal(name: str, before: list[str], after: list[str]) -> Refusal | None:
    """Whether marks that are told apart by their order alone are others, or in another order.

    ``["#", "*"]`` may not become ``["*", "#"]``; ``["here"]`` may become ``["这里"]``.
    """
    if len(before) != len(after):
        return Refusal(
            "G104",
            f"has {len(after)} {name} where the English has {len(before)}",
            _BY_ORDER,
        )
    # Other words are no other order: anonymous references have their words translated.
    if before != after and sorted(before) == sorted(after):
        return Refusal("G104", f"has its {name} in another order", _BY_ORDER)
    return None


def _added(name: str, pieces: Iterable[str], known: Collection[str]) -> Refusal | None:
    """The refusal of those pieces that are not known, each named once; None if all are.

    ``name`` is what they are for people: "adds link target “u”; adds link target “v”".
    """
    added = [piece for piece in dict.fromkeys(pieces) if piece not in known]
    if not added:
        return None
    refused = change_refusal(name, added)
    return replace(refused, hint=_HINTS[name]) if name in _HINTS else refused
