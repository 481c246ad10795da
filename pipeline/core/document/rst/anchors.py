"""Reference targets: keep names valid after the words that define them are translated.

In reST, words define names: a title is the name of its section, and the words of a link are the
name of its target. ``Title_`` and ``page.html#title`` refer to the English name. Therefore a merge
inserts an explicit target with the English name above a translated title that references use.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from docutils.nodes import fully_normalize_name, make_id

from pipeline.core.document.message import Kind, Message, Split
from pipeline.core.document.rst.parser import shown_text
from pipeline.core.document.rst.positions import line_start
from pipeline.core.document.splice import Edit, line_end_of

_PHRASE = re.compile(r"(?<![`\\])`((?:\\.|[^`\\])+)`(__?)(?![A-Za-z0-9_`])", re.DOTALL)
_INLINE = re.compile(r"(?<![A-Za-z0-9`\\])_`((?:\\.|[^`\\])+)`(?!`)", re.DOTALL)
_EMBEDDED = re.compile(r"(.*?)\s*<([^<>]+)>", re.DOTALL)
_WORD = re.compile(r"(?<![A-Za-z0-9_`])([A-Za-z0-9]+(?:[-._+:][A-Za-z0-9]+)*)_(?![A-Za-z0-9_`])")
_EXPLICIT = re.compile(
    r"""
    ^[ \t]*\.\.[ \t]+_
    (?: `((?:\\.|[^`\\])+)`                                   # .. _`two words`:
      | ((?:\\.|[^:\\\r\n`_])(?:\\.|:(?!\s)|[^:\\\r\n])*) )    # .. _name:
    :
    """,
    re.MULTILINE | re.VERBOSE,
)
_NOTE = re.compile(r"^[ \t]*\.\.[ \t]+\[#?([A-Za-z0-9][\w.+:-]*)\][ \t\r\n]", re.MULTILINE)
_SIMPLE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 .-]*")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_TO_ESCAPE = re.compile(r"([\\`])")
_BLANK = "\ufeff \t\r\n"


def referenced_names(text: str) -> frozenset[str]:
    """Return the normalized names that references in a document point to.

    "See Guide_ or `The  API`_." refers to ``guide`` and ``the api``. The result may include
    names that only code contains.
    """
    # name_
    names = set(map(_normal, _WORD.findall(text)))
    for words, end in _PHRASE.findall(text):
        link = _EMBEDDED.fullmatch(words)
        if link is None and end == "_":  # `name`_
            names.add(_normal(words))
        # Two underscores make a reference anonymous, but not its target: `words <name_>`__
        elif link and link[2].endswith("_"):
            names.add(_normal(link[2].removesuffix("_")))
    return frozenset(names)


def link_names(text: str) -> frozenset[str]:
    """Return the normalized names that inline targets, and links with a target, define.

    `Some words <a.html>`_     some words
    `<a.html>`_                a.html
    `Some words <a.html>`__    none
    _`Some words`              some words
    """
    names = [_normal(words) for words in _INLINE.findall(text)]
    for words, end in _PHRASE.findall(text):
        if end == "__":
            continue  # an anonymous link defines no name
        link = _EMBEDDED.fullmatch(words)
        if link:
            # `words <target>`_ defines its words, `<target>`_ the target itself
            names.append(_normal(link[1] or link[2]))
    return frozenset(names)


def plan_targets(splits: Sequence[Split], linked: frozenset[str]) -> dict[tuple[int, int], str]:
    """Return the names of the targets to insert above translated titles.

    The keys are (number of the split, index of the message). The number is always 0, because a reST
    page has one split. ``linked`` are the fragments that links to the page use. A title needs a
    target if ``linked`` has its name, or if a reference on the page uses the name. If a title is
    repeated, only the first one needs a target, because docutils resolves references to the first
    one.
    """
    (split,) = splits
    referenced = referenced_names(split.text)
    taken = _explicit_names(split.text)
    plan: dict[tuple[int, int], str] = {}
    for index, message in enumerate(split.messages):
        if message.kind is not Kind.HEADING:
            continue
        title = " ".join(shown_text(message.msgid).split())
        name = fully_normalize_name(title)
        is_linked = name in referenced or make_id(name) in linked
        if is_linked and name not in taken:
            plan[0, index] = title
        taken.add(name)
    return plan


def target_edit(text: str, message: Message, name: str) -> Edit:
    """Return the insertion of an explicit target, ``.. _some title:``, above a title.

    ``name`` is the English title without markup. If the title has an overline, the target precedes
    it. Add the blank lines that docutils requires around a target.
    """
    rule_starts = [start for start, _ in message.rules]
    start = line_start(text, min([message.start, *rule_starts]))
    # The title may have more indentation than its underline.
    underline = message.rules[-1][0]
    indent = text[line_start(text, underline) : underline]
    end = line_end_of(text)
    # docutils requires a blank line above a target.
    line_above = text[line_start(text, max(start - len(end), 0)) : start]
    gap = end if line_above.strip(_BLANK) else ""
    return Edit(start, start, f"{gap}{indent}.. _{_quoted(name)}:{end}{end}")


def keeps_names(before: Split, after: Split) -> bool:
    """Return whether every referenced name that ``before`` defines is still defined in ``after``.

    ``before`` is the split of upstream's text and ``after`` that of the merged text. References
    that are broken upstream may remain broken.
    """
    wanted = referenced_names(after.text)
    lost = (_names_from_words(before) & wanted) - _names_from_words(after)
    # The merge must have added an explicit target for each lost name.
    return lost <= _explicit_names(after.text)


def _names_from_words(split: Split) -> set[str]:
    """Return the names that words of the page define: links, inline targets and titles."""
    names = set(link_names(split.text))
    for message in split.messages:
        if message.kind is Kind.HEADING:
            names.add(fully_normalize_name(shown_text(message.msgid)))
    return names


def _explicit_names(text: str) -> set[str]:
    """Return the names that explicit targets, footnotes and citations define.

    The forms are ".. _name:", ".. _`two: words`:" (a name with a colon), and ".. [#name] words".
    """
    # One of the two groups is always empty.
    names = {_normal(quoted + plain) for quoted, plain in _EXPLICIT.findall(text)}
    return names | set(map(_normal, _NOTE.findall(text)))


def _normal(words: str) -> str:
    """Return a name in the normalized form in which docutils compares names.

    Escaped spaces are removed.
    """
    return fully_normalize_name(_ESCAPED.sub(_unescaped, words))


def _unescaped(match: re.Match[str]) -> str:
    """Return the character after a backslash, or nothing for a space."""
    return match[1].strip()


def _quoted(name: str) -> str:
    """Return a name in the form for a target: in backquotes if it has special characters."""
    if _SIMPLE_NAME.fullmatch(name):
        return name
    escaped = _TO_ESCAPE.sub(r"\\\1", name)
    return f"`{escaped}`"
