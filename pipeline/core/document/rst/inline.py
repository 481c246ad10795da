r"""Inline markup of reST in a line, and the separators that it needs beside Chinese text.

docutils recognizes a mark only beside white space or punctuation, and Chinese has no spaces between
words. The separator is an escaped space, ``\ ``, which is not rendered. The rules are docutils'
"inline markup recognition rules", as implemented in ``docutils.parsers.rst.states.Inliner``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from docutils.utils import punctuation_chars
from msgspec import Struct

_SEPARATOR = "\\ "
# Characters that may precede and follow a mark without a separator. Full-width punctuation is among
# them, Chinese characters are not.
_OPENS = re.compile(rf"[\s{punctuation_chars.openers}{punctuation_chars.delimiters}]")
_CLOSES = re.compile(
    r"[\s\\"
    rf"{punctuation_chars.closing_delimiters}{punctuation_chars.delimiters}"
    rf"{punctuation_chars.closers}]"
)
# What may be before and after a mark in a translation. A merge adds separators where docutils needs
# them, so more characters are allowed than in docutils: non-ASCII letters, other marks, and
# punctuation where English has a space. Between ASCII letters, a star or a bar is literal text.
_BEFORE = r"""(?<![^\s"'(<\[{\-/:,;!?`\x80-\U0010ffff])"""
_AFTER = r"""(?=$|[\s\\.,;!?\-/:"')>\]}(<\[{`\x80-\U0010ffff])"""
_NAME = r"[A-Za-z0-9]+(?:[-._+:][A-Za-z0-9]+)*"
_ROLE = r":[A-Za-z](?:[-._+:]?[A-Za-z0-9])*:"
_TEXT = r"(?:\\.|[^\\])+?"
_LITERAL = rf"""
    (?<![`_])``(?!\s)
    (?: (?:[^`]|`(?!`))+(?<!\s)``(?!`)      # it ends at the next two backquotes …
      | .+?(?<!\s)``(?!`){_AFTER} )          # … that are not part of its text
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
# As in docutils, the leftmost match wins, so text in a literal does not start another mark.
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
# Marks whose start-string is literal text if it is quoted: "*".
_QUOTABLE = frozenset(("literal", "phrase", "target", "strong", "emphasis", "substitution"))
_LONG_STARTS = ("``", "_`", "**")


class Mark(Struct, frozen=True):
    """A piece of inline markup, including its marks."""

    start: int
    end: int
    # A group name of `_MARK`, or "phrase" for text in backquotes without a role before it.
    kind: str
    apart_before: bool = False  # whether docutils needs a separator before it
    apart_behind: bool = False  # whether docutils needs a separator after it


def marks(text: str) -> Iterator[Mark]:
    """Yield the inline markup that docutils recognizes in ``text`` if separators are added.

    In ``"用``jit``编译"``, this is the literal at [1, 8), which needs a separator on both sides.
    """
    at = end = 0  # the position of the search, and the end of the last mark
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
            # If a mark directly precedes this one, that mark already gets a separator.
            apart_before=start not in (0, end) and not _OPENS.match(text, start - 1),
            apart_behind=at < len(text) and not _CLOSES.match(text, at),
        )
        end = at


def spaced(text: str) -> str:
    r"""Return ``text`` with the separator ``\ `` where docutils needs it to recognize a mark.

    用``jit``编译     用\ ``jit``\ 编译
    “``jit``”，编译   unchanged: a mark may be beside quotes and commas
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
    """Return the length of the start-string at ``start`` if it is quoted, otherwise 0.

    By rule 5 of docutils, a quoted start-string is literal: "*" is a star, * opens emphasis.
    """
    if start == 0:
        return 0
    length = 2 if text.startswith(_LONG_STARTS, start) else 1
    if punctuation_chars.match_chars(text[start - 1], text[start + length]):
        return length
    return 0
