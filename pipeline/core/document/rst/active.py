"""Whether a translation brings in anything active that its English has not.

Active is what docutils makes more of than words: links, references, roles. Marks that nothing but
their order tells apart have to stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from pipeline.core.document.formulas import added_formulas
from pipeline.core.document.refusal import Refusal, quoted
from pipeline.core.document.rst.inline import spaced
from pipeline.core.document.rst.pieces import BY_NUMBER, pieces_of
from pipeline.core.document.written import find_written

# Without any of these docutils finds nothing but words.
_ACTIVE = re.compile(r"[`*_|\[:@\\]")
# Another field, ``:name:``, or brackets of any language: ``[a]``, ``<![CDATA[``, ``]]>``, ``<b>``.
_FIELD_MARK = re.compile(
    r"^:[^:\s][^:]*:(?=\s|$)|<!\[?\w*|</?[A-Za-z]|\]\]>|\[[^\[\]]*\]_?"
)
# What becomes active in a browser wherever it stands.
_ACTIVE_AS_WRITTEN = ("scheme", "math macro")
_KEEP = "Keep exactly what the English has, letter by letter."
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
    text = "; ".join(f"adds {name} {quoted(piece)}" for piece in added)
    return Refusal("G104", text, _HINTS.get(name, _KEEP))
