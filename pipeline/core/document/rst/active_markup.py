"""Active markup in reST: everything that docutils turns into more than words.

This covers links, references and roles. A translation must not add markup that its English does not
have. Marks that are matched by their order only must keep that order.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from docutils import nodes

from pipeline.core.document import atoms, guard
from pipeline.core.document.atoms import added_formulas, canonical_math
from pipeline.core.document.rst.inline import spaced
from pipeline.core.document.rst.parser import read_inline

ANONYMOUS, NUMBERED = "anonymous references", "numbered footnotes"
BY_NUMBER = (ANONYMOUS, NUMBERED)  # matched with their targets by order only
# Characters that some role may treat as more than words.
_NO_WORDS = re.compile(r"[<>&$\\{}\x00]")


def pieces_of(text: str) -> dict[str, list[str]]:
    """Return the active pieces of ``text`` in order, by their readable kind.

    ``"`Here <a.html>`_ and [1]_"`` gives ``{"link target": ["a.html"], "footnote": ["1"]}``.
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
    """Return (kind, target) for an active node; None if it only styles its words."""
    match node.tagname:
        case "inline":
            return _role(node)
        case "reference" if "refuri" in node:
            return "link target", node["refuri"]
        case "reference" if "refname" in node:
            return "reference", node["refname"]
        case "reference":
            return ANONYMOUS, node.astext()  # by its words
        case "footnote_reference" if "refname" in node:
            return "footnote", node["refname"]  # [1]_ and [#name]_
        case "footnote_reference":
            # Such marks lead to the footnotes without a name, in their order.
            return NUMBERED, "*" if node["auto"] == "*" else "#"
        case "citation_reference":
            return "citation", node["refname"]
        case "substitution_reference":
            return "substitution", f"|{node.astext()}|"
        # A link with an address also defines a target for its own words, which adds nothing.
        case "target" if "refuri" not in node and "refname" not in node:
            return "target", "_`…`"  # without its words
        # A mark that docutils cannot parse, such as "**" without an end. docutils renders it in
        # red, and drops a substitution definition that holds one.
        case "problematic":
            return "mark without its end", node.astext()
    return None  # emphasis or a literal


def _role(node: nodes.Element) -> tuple[str, str]:
    """Return a role with the part of its text that must stay, or a formula.

    :strong:`words`          :strong:`…`
    :func:`words <~a.b>`     :func:`a.b`
    :math:`a + b`            a+b
    `words`                  `…`
    """
    role, content = node["role"], node["content"]
    if role.lower() == atoms.MATH:
        return "formula", canonical_math(content)
    fixed = ""
    # The page may set the default role to any other, such as math or raw HTML.
    if role or _NO_WORDS.search(content):
        fixed = atoms.fixed_part(role, content, node["target"])
    if not role:
        return "interpreted text", f"`{fixed or '…'}`"
    return "role", f":{role}:`{fixed or '…'}`"


# Without any of these characters, docutils finds only words.
_ACTIVE = re.compile(r"[`*_|\[:@\\]")
# The start of a field, ``:name:``, and brackets: ``[a]``, ``<![CDATA[``, ``]]>``, ``<b>``.
_FIELD_MARK = re.compile(
    r"^:[^:\s][^:]*:(?=\s|$)|<!\[?\w*|</?[A-Za-z]|\]\]>|\[[^\[\]]*\]_?"
)
# Active in a browser anywhere in the text.
_ACTIVE_AS_WRITTEN = ("scheme", "math macro")
_EVALUATED = "syntax of another program"
_BY_ORDER = "Keep each of them, in the order of the English: nothing else says what they belong to."
_HINTS = {
    "interpreted text": "Code stands between two backquotes on either side (``code``)."
}


def inline_refusal(msgid: str, line: str) -> guard.Refusal | None:
    """Return a refusal if docutils finds active markup that the English does not have.

    ``msgid`` and ``line`` are whole messages. Markup may disappear or be repeated, unless it is
    matched by its order:

        "Read the guide_."  "阅读 guide_ 。"          None
        "Read the guide_."  "阅读 `指南 <u>`_ 。"     adds link target “u”
        "See [#]_."         "参见。"                   has 0 numbered footnotes
    """
    # Neither has a mark: skip the slow parse.
    if not _ACTIVE.search(msgid + line):
        return None
    theirs = pieces_of(msgid)
    # A translation gets separators when it is placed. Allow them in the English, too: it may have
    # marks that docutils recognizes only next to a separator.
    meant = pieces_of(spaced(msgid))
    ours = pieces_of(spaced(line))
    return _new_refusal(theirs, meant, ours) or _numbered_refusal(theirs, ours)


def field_refusal(msgid: str, line: str) -> guard.Refusal | None:
    """Return a refusal if an argument or option has marks that the English does not have.

    Some fields reach more than readers: the title of an admonition also becomes a CSS class.
    docutils does not parse all of them, so templates are searched in the whole line.
    """
    known = frozenset(_FIELD_MARK.findall(msgid))
    return _added("mark", _FIELD_MARK.findall(line), known) or _added(
        _EVALUATED, guard.find_templates(line), guard.find_templates(msgid)
    )


def written_refusal(msgid: str, line: str) -> guard.Refusal | None:
    """Return a refusal for text that is active in a browser anywhere, as in Markdown.

    ``"javascript:alert(1)"`` is refused even if docutils parses it as words. So is what Jinja would
    evaluate, which ``conf.py`` may run over the source of a page.
    """
    for name in _ACTIVE_AS_WRITTEN:
        known = frozenset(guard.find_written(name, msgid))
        refused = _added(name, guard.find_written(name, line), known)
        if refused:
            return refused
    refused = _added("formula", added_formulas(msgid, line), ())
    if refused or "{" not in line:
        return refused
    templates = _templates_in(spaced(line))
    return _added(_EVALUATED, templates, _templates_in(spaced(msgid)))


def _templates_in(text: str) -> list[str]:
    """Return what template languages would evaluate, in literals and roles as well.

    Formulas are compared by themselves.
    """
    words, codes = "", []
    for node in read_inline(text):
        if not isinstance(node, nodes.Element):
            words += node.astext()
        elif node.tagname not in ("literal", "inline"):
            words += node.rawsource
        else:
            words += " "
            if node.get("role", "").lower() != atoms.MATH:
                codes.append(node.get("content", node.astext()))
    return [piece for part in (words, *codes) for piece in guard.find_templates(part)]


def _new_refusal(
    theirs: Mapping[str, list[str]],
    meant: Mapping[str, list[str]],
    ours: Mapping[str, list[str]],
) -> guard.Refusal | None:
    """Return a refusal if ``ours`` has a piece that neither reading of the English has."""
    for name, pieces in ours.items():
        if name in BY_NUMBER:
            continue  # their words are translated, so only their order can be compared
        known = {*theirs.get(name, ()), *meant.get(name, ())}
        refused = _added(name, pieces, known)
        if refused:
            return refused
    return None


def _numbered_refusal(
    theirs: Mapping[str, list[str]], ours: Mapping[str, list[str]]
) -> guard.Refusal | None:
    """Return a refusal if marks matched by order, ```words`__`` and ``[#]_``, have changed."""
    for name in BY_NUMBER:
        refused = _order_refusal(name, theirs.get(name, []), ours.get(name, []))
        if refused:
            return refused
    return None


def _order_refusal(
    name: str, before: list[str], after: list[str]
) -> guard.Refusal | None:
    """Return a refusal if marks that are matched by order changed in number or order.

    ``["#", "*"]`` may not become ``["*", "#"]``; ``["here"]`` may become ``["这里"]``.
    """
    if len(before) != len(after):
        return guard.Refusal(
            "G104",
            f"has {len(after)} {name} where the English has {len(before)}",
            _BY_ORDER,
        )
    # Translated words are fine; the same words in another order are not.
    if before != after and sorted(before) == sorted(after):
        return guard.Refusal("G104", f"has its {name} in another order", _BY_ORDER)
    return None


def _added(
    name: str, pieces: Iterable[str], known: Collection[str]
) -> guard.Refusal | None:
    """Return a refusal that names each unknown piece once; None if all are in ``known``.

    ``name`` is the pieces' readable kind: "adds link target “u”; adds link target “v”".
    """
    added = [piece for piece in dict.fromkeys(pieces) if piece not in known]
    if not added:
        return None
    refused = guard.change_refusal(name, added)
    return replace(refused, hint=_HINTS[name]) if name in _HINTS else refused
