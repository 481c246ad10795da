r"""Inline markup of reST in a line, and the ``\ `` that it needs next to Chinese text.

reST recognizes a mark only between white space or punctuation, and Chinese has no spaces there. An
escaped space ends a word and is not rendered. The rules are docutils' inline markup recognition
rules, as implemented in ``docutils.parsers.rst.states.Inliner``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from docutils.utils import punctuation_chars

_SEPARATOR = "\\ "
# Characters that may surround a mark. They include full-width punctuation but no Han letters.
_OPENS = re.compile(rf"[\s{punctuation_chars.openers}{punctuation_chars.delimiters}]")
_CLOSES = re.compile(
    r"[\s\\"
    rf"{punctuation_chars.closing_delimiters}{punctuation_chars.delimiters}"
    rf"{punctuation_chars.closers}]"
)
# Wider: positions where a separator can help. They are next to non-ASCII letters, other marks, and
# punctuation where English has a space. Between ASCII letters a star or a bar is literal.
_BEFORE = r"""(?<![^\s"'(<\[{\-/:,;!?`\x80-\U0010ffff])"""
_AFTER = r"""(?=$|[\s\\.,;!?\-/:"')>\]}(<\[{`\x80-\U0010ffff])"""
_NAME = r"[A-Za-z0-9]+(?:[-._+:][A-Za-z0-9]+)*"
_ROLE = r":[A-Za-z](?:[-._+:]?[A-Za-z0-9])*:"
_TEXT = r"(?:\\.|[^\\])+?"
_LITERAL = rf"""
    (?<![`_])``(?!\s)
    (?: (?:[^`]|`(?!`))+(?<!\s)``(?!`)      # it ends at the next two backquotes …
      | .+?(?<!\s)``(?!`){_AFTER} )          # … that are no part of its text
"""
_PHRASE = rf"""
    (?P<role>(?<![A-Za-z0-9_`]){_ROLE})?
    (?<![`_])`(?![\s`])(?:\\.|[^\\`])+(?:(?<!\s)|(?<=\\\s))`(?!`)
    (?:{_ROLE}|__?)?
"""
_URI = rf"""
    {_BEFORE}(?:(?:https?|ftp)://|mailto:)
    [-.!~*'()\[\];/:@&=+$,%A-Za-z0-9_?\#]*
    [~*/=+A-Za-z0-9_]{_AFTER}
"""
# Leftmost first, as in docutils: text in a literal opens no other mark.
_MARK = re.compile(
    rf"""
      (?P<escape>\\.)
    | (?P<literal>{_LITERAL})
    | {_PHRASE}
    | (?P<target>{_BEFORE}_`(?![\s`])(?:\\.|[^\\`])+(?<!\s)`(?!`))
    | (?P<strong>{_BEFORE}\*\*(?!\s){_TEXT}(?<!\s)\*\*{_AFTER})
    | (?P<emphasis>{_BEFORE}\*(?![\s*]){_TEXT}(?<!\s)\*{_AFTER})
    | (?P<substitution>{_BEFORE}\|(?![\s|])[ -{{}}~]+(?<!\s)\|_{{0,2}}{_AFTER})
    | (?P<footnote>(?<!_)\[(?:[0-9]+|\#(?:{_NAME})?|\*)\]_{_AFTER})
    | (?P<citation>{_BEFORE}\[{_NAME}\]_{_AFTER})
    | (?P<uri>{_URI})
    | (?P<reference>{_BEFORE}{_NAME}__?{_AFTER})
    """,
    re.VERBOSE | re.DOTALL,
)
# Marks whose start-string is literal text within quotes: "*".
_QUOTABLE = frozenset(
    ("literal", "phrase", "target", "strong", "emphasis", "substitution")
)
_LONG_STARTS = ("``", "_`", "**")


@dataclass(frozen=True, slots=True)
class Mark:
    """A piece of inline markup at ``[start, end)``.

    ``kind`` is a group name of ``_MARK``, or ``phrase`` for backquoted text without a role before
    it. ``apart_before`` and ``apart_behind`` are whether docutils needs a separator there.
    """

    start: int
    end: int
    kind: str
    apart_before: bool = False
    apart_behind: bool = False


def marks(text: str) -> Iterator[Mark]:
    """Yield the inline marks that docutils recognizes in ``text``, or would with separators.

    In ``"用``jit``编译"`` it is the literal at [1, 8), which needs a separator on both sides.
    """
    at = end = 0  # where to search on, and the end of the last mark
    while match := _MARK.search(text, at):
        at = match.end()
        kind = match.lastgroup or "phrase"
        if kind == "escape":
            continue
        start = match.start()
        if kind in _QUOTABLE and (quoted := _quoted_length(text, start)):
            at = start + quoted
            continue
        yield Mark(
            start,
            at,
            kind,
            # Adjacent marks: the one before already gets a separator.
            apart_before=start not in (0, end) and not _OPENS.match(text, start - 1),
            apart_behind=at < len(text) and not _CLOSES.match(text, at),
        )
        end = at


def spaced(text: str) -> str:
    r"""Return ``text`` with ``\ `` where docutils needs it to recognize a mark.

    Marks that docutils recognizes already stay unchanged.

        用``jit``编译     用\ ``jit``\ 编译
        “``jit``”，编译   the same: quotes and commas may touch a mark
    """
    parts: list[str] = []
    at = 0
    for mark in marks(text):
        parts.append(text[at : mark.start])
        if mark.apart_before:
            parts.append(_SEPARATOR)
        parts.append(text[mark.start : mark.end])
        if mark.apart_behind:
            parts.append(_SEPARATOR)
        at = mark.end
    parts.append(text[at:])
    return "".join(parts)


def _quoted_length(text: str, start: int) -> int:
    """Return the length of a start-string that is literal because quotes surround it (rule 5).

    Returns 0 otherwise: "*" is a star, but * opens emphasis.
    """
    if start == 0:
        return 0
    length = 2 if text.startswith(_LONG_STARTS, start) else 1
    if punctuation_chars.match_chars(text[start - 1], text[start + length]):
        return length
    return 0
