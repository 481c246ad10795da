r"""Inline marks of reStructuredText in a line, and the ``\ `` that they need beside Chinese.

reStructuredText recognises a mark only between white space and punctuation: Chinese has neither
where English has spaces. An escaped space ends a word and is not shown.
Source of the rules: docutils' inline markup recognition rules, as
``docutils.parsers.rst.states.Inliner`` reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from docutils.utils import punctuation_chars

_SEPARATOR = "\\ "
# What may stand before and behind a mark. Full-width punctuation is among it, Han letters are not.
_OPENS = re.compile(rf"[\s{punctuation_chars.openers}{punctuation_chars.delimiters}]")
_CLOSES = re.compile(
    r"[\s\\"
    rf"{punctuation_chars.closing_delimiters}{punctuation_chars.delimiters}"
    rf"{punctuation_chars.closers}]"
)
# The same where a separator can help: next to letters that are not ASCII, other marks, and
# punctuation where English has a space as well. Between ASCII letters a star or a bar means
# itself, as it does in English.
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
# Leftmost first, as docutils does it: what stands in a literal opens nothing.
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
# Marks whose start-string may stand for itself in quotes: "*".
_QUOTABLE = frozenset(
    ("literal", "phrase", "target", "strong", "emphasis", "substitution")
)
_LONG_STARTS = ("``", "_`", "**")


@dataclass(frozen=True, slots=True)
class Mark:
    """A piece of inline markup at ``[start, end)``.

    ``kind`` is a name of ``_MARK``, or ``phrase`` for what stands in backquotes without a role
    before it. ``apart_before`` and ``apart_behind``: docutils needs a separator to see where it
    begins and ends.
    """

    start: int
    end: int
    kind: str
    apart_before: bool = False
    apart_behind: bool = False


def marks(text: str) -> Iterator[Mark]:
    """The inline marks of ``text`` that docutils reads, or would read if they stood apart.

    In ``"用``jit``编译"`` it is the literal at [1, 8), which needs a separator on both sides.
    """
    at = end = 0  # where to look on, and where the last mark ended
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
            # The last mark has its separator already.
            apart_before=start not in (0, end) and not _OPENS.match(text, start - 1),
            apart_behind=at < len(text) and not _CLOSES.match(text, at),
        )
        end = at


def spaced(text: str) -> str:
    r"""``text`` with ``\ `` where docutils would not recognise a mark otherwise.

    What it recognises stays as it is.

        用``jit``编译     用\ ``jit``\ 编译
        “``jit``”，编译   the same: quotes and commas may stand beside a mark
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
    """The length of a start-string that stands in quotes or brackets, and so for itself (rule 5).

    0 for any other: "*" is a star, * opens emphasis.
    """
    if start == 0:
        return 0
    length = 2 if text.startswith(_LONG_STARTS, start) else 1
    if punctuation_chars.match_chars(text[start - 1], text[start + length]):
        return length
    return 0
