"""reST guard: rejects translations that would change more than prose, and proves the result.

As in Markdown, :func:`refusal` examines one translation alone and gives the reason, and
:func:`read_back` parses the merged text again and compares it with upstream's. The codes of the
refusals are the same as in Markdown.

Active markup is everything that docutils turns into more than words: links, references, footnotes,
substitutions, roles and formulas. A translation must not add active markup that its English does
not have. docutils matches some marks with their targets only by order, such as "`words`__" and
``[#]_``. These marks must keep their number and order.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from docutils import nodes
from msgspec.structs import replace

from pipeline.core.document import atoms, guard
from pipeline.core.document.atoms import added_formulas, canonical_math
from pipeline.core.document.guard import Refusal, merged_messages, text_refusal
from pipeline.core.document.message import Kind, Message, Split
from pipeline.core.document.rst import anchors
from pipeline.core.document.rst.docstring import names_in
from pipeline.core.document.rst.inline import spaced
from pipeline.core.document.rst.parser import read_inline
from pipeline.core.document.rst.splitter import split_rst
from pipeline.core.document.splice import Placed
from pipeline.errors import InputError

_BLANK_LINES = re.compile(r"(?:[ \t]*(?:\r\n?|\n))+")
# Kinds of messages that are the argument or an option of a directive.
_KINDS_OF_FIELDS = frozenset((Kind.TITLE, Kind.IMAGE, Kind.CAPTION))


# Cache the reasons: several pages may have the same message, and the checks call this function as
# well.
@lru_cache(maxsize=1 << 14)
def refusal(msgid: str, kind: Kind, msgstr: str) -> Refusal | None:
    """Return the reason to refuse a translation on its own, or None.

    This function does not know the page; :func:`read_back` decides whether the page is intact.
    """
    line = msgstr.strip()
    # First the tests that are fast or have the most helpful messages.
    refused = text_refusal(msgid, msgstr) or _lines_refusal(line)
    if not refused and kind in _KINDS_OF_FIELDS:
        refused = field_refusal(msgid, line)
    # docutils does not parse an image's text.
    if not refused and kind is not Kind.IMAGE:
        refused = inline_refusal(msgid, line)
    return refused or written_refusal(msgid, line)


def read_back(
    split: Split, placed: Placed, *, is_docstring: bool = False
) -> tuple[Message, ...] | None:
    """Return the messages of the merged text, parsed again, without the insertions of the merge.

    Return None if messages, blocks, code or names of targets differ from those of upstream's text
    ``split``. In a docstring, the names of sections, parameters and types must be equal as well.
    """
    if is_docstring and names_in(placed.text) != names_in(split.text):
        return None
    try:
        fresh = split_rst(placed.text, is_docstring=is_docstring)
    except InputError:
        return None
    added: set[int] = set()
    for start, end in placed.inserted:
        # Exclude leading blank lines, because docutils may report them as the position of the block
        # above.
        blank = _BLANK_LINES.match(placed.text, start, end)
        first = blank.end() if blank else start
        added.update(range(first, end))
    messages = merged_messages(split, fresh, placed, added)
    # The signatures of blocks do not include the names of titles, so compare references separately.
    if messages is None or not anchors.keeps_names(split, fresh):
        return None
    return messages


def _lines_refusal(line: str) -> Refusal | None:
    """Return a refusal if the translation has several lines: reST has no hard breaks."""
    breaks = line.count("\n")
    if breaks == 0:
        return None
    return Refusal(
        "G102",
        f"has {breaks} line breaks where the English has none",
        "Write it on one line.",
    )


ANONYMOUS, NUMBERED = "anonymous references", "numbered footnotes"
BY_NUMBER = (ANONYMOUS, NUMBERED)  # docutils matches them with their targets by order
# Characters that may have a special meaning in the content of some role.
_NO_WORDS = re.compile(r"[<>&$\\{}\x00]")


def pieces_of(text: str) -> dict[str, list[str]]:
    """Return the pieces of active markup in ``text`` in order, by kind.

    "`Here <a.html>`_ and [1]_" gives ``{"link target": ["a.html"], "footnote": ["1"]}``.
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
    """Return (kind, target) for a node with active markup, or None if it only styles its words."""
    match node.tagname:
        case "inline":
            return _role(node)
        case "reference" if "refuri" in node:
            return "link target", node["refuri"]
        case "reference" if "refname" in node:
            return "reference", node["refname"]
        case "reference":
            return ANONYMOUS, node.astext()  # its words; it has no target
        case "footnote_reference" if "refname" in node:
            return "footnote", node["refname"]  # [1]_ and [#name]_
        case "footnote_reference":
            # The marks [#]_ and [*]_ lead to the footnotes without a name, in order.
            return NUMBERED, "*" if node["auto"] == "*" else "#"
        case "citation_reference":
            return "citation", node["refname"]
        case "substitution_reference":
            return "substitution", f"|{node.astext()}|"
        # Skip the target that docutils adds for the words of a link with a URL.
        case "target" if "refuri" not in node and "refname" not in node:
            return "target", "_`…`"  # its words may be translated
        # A mark that docutils cannot parse, such as "**" without an end. docutils shows it as an
        # error, and ignores a substitution definition with such a mark.
        case "problematic":
            return "mark without its end", node.astext()
    return None  # emphasis or a literal


def _role(node: nodes.Element) -> tuple[str, str]:
    """Return (kind, piece) for a role: its name with the part that must not change, or a formula.

    :strong:`words`          :strong:`…`
    :func:`words <~a.b>`     :func:`a.b`
    :math:`a + b`            a+b
    `words`                  `…`
    """
    role, content = node["role"], node["content"]
    if role.lower() == atoms.MATH:
        return "formula", canonical_math(content)
    fixed = ""
    # A page may change the default role to any other role, such as math or raw HTML.
    if role or _NO_WORDS.search(content):
        fixed = atoms.fixed_part(role, content, node["target"])
    if not role:
        return "interpreted text", f"`{fixed or '…'}`"
    return "role", f":{role}:`{fixed or '…'}`"


# A text without any of these characters has no markup.
_ACTIVE = re.compile(r"[`*_|\[:@\\]")
# The start of a field, ``:name:``, and brackets: ``[a]``, ``<![CDATA[``, ``]]>``, ``<b>``.
_FIELD_MARK = re.compile(r"^:[^:\s][^:]*:(?=\s|$)|<!\[?\w*|</?[A-Za-z]|\]\]>|\[[^\[\]]*\]_?")
# Kinds of text that are active in a browser anywhere on a page.
_ACTIVE_AS_WRITTEN = ("scheme", "math macro")
_EVALUATED = "syntax of another program"
_BY_ORDER = "Keep all of them in the order of the English: only the order gives their targets."
_HINTS = {"interpreted text": "Write code between two backquotes on each side (``code``)."}


def inline_refusal(msgid: str, line: str) -> guard.Refusal | None:
    """Return a refusal if docutils finds active markup that the English does not have.

    ``line`` is the translation. Markup may disappear or be repeated, unless docutils matches it by
    order:

        "Read the guide_."  "阅读 guide_ 。"          None
        "Read the guide_."  "阅读 `指南 <u>`_ 。"     adds link target “u”
        "See [#]_."         "参见。"                   has 0 numbered footnotes
    """
    # Fast path: most messages have no markup.
    if not _ACTIVE.search(msgid + line):
        return None
    theirs = pieces_of(msgid)
    # A merge adds separators to a translation, so docutils may recognize more marks there than in
    # the English. Therefore also allow the marks that docutils finds if the English has separators.
    meant = pieces_of(spaced(msgid))
    ours = pieces_of(spaced(line))
    refused = _new_refusal(theirs, meant, ours)
    for name in BY_NUMBER:
        before, after = theirs.get(name, []), ours.get(name, [])
        refused = refused or _order_refusal(name, before, after)
    return refused


def field_refusal(msgid: str, line: str) -> guard.Refusal | None:
    """Return a refusal if an argument or option has marks that the English does not have.

    Some arguments and options have further uses: the title of an admonition also becomes a CSS
    class. docutils does not parse all arguments and options, so search for template syntax in the
    whole line.
    """
    known = frozenset(_FIELD_MARK.findall(msgid))
    return _added("mark", _FIELD_MARK.findall(line), known) or _added(
        _EVALUATED, guard.find_templates(line), guard.find_templates(msgid)
    )


def written_refusal(msgid: str, line: str) -> guard.Refusal | None:
    """Return a refusal for active text that docutils treats as words.

    ``"javascript:alert(1)"`` may be active in a browser. ``{{ name }}`` may be evaluated by Jinja,
    because ``conf.py`` may run Jinja on the source of a page.
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
    """Return the pieces that template languages would evaluate, also in literals and roles.

    Ignore formulas, which another test compares.
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
    """Return a refusal if ``ours`` has a piece that is neither in ``theirs`` nor in ``meant``."""
    for name, pieces in ours.items():
        if name in BY_NUMBER:
            continue  # `_order_refusal` compares these
        known = {*theirs.get(name, ()), *meant.get(name, ())}
        refused = _added(name, pieces, known)
        if refused:
            return refused
    return None


def _order_refusal(name: str, before: list[str], after: list[str]) -> guard.Refusal | None:
    """Return a refusal if the marks of one kind have changed in number or order.

    ``["#", "*"]`` must not become ``["*", "#"]``. ``["here"]`` may become ``["这里"]``: words are
    translated.
    """
    if len(before) != len(after):
        return guard.Refusal(
            "G104",
            f"has {len(after)} {name} where the English has {len(before)}",
            _BY_ORDER,
        )
    # Translated words may differ, but the same words must have the same order.
    if before != after and sorted(before) == sorted(after):
        return guard.Refusal("G104", f"has its {name} in another order", _BY_ORDER)
    return None


def _added(name: str, pieces: Iterable[str], known: Collection[str]) -> guard.Refusal | None:
    """Return a refusal that names the ``pieces`` that are not in ``known``, or None.

    ``name`` is the kind of the pieces in the message: "adds link target “u”".
    """
    added = [piece for piece in dict.fromkeys(pieces) if piece not in known]
    if not added:
        return None
    refused = guard.change_refusal(name, added)
    return replace(refused, hint=_HINTS[name]) if name in _HINTS else refused
