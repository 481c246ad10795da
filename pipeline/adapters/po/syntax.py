"""The rules of the ``.po`` format that reading and writing share.

A rule stands here once, so that what is written can always be read again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# Characters that no ``.po`` file can hold, with their names for messages.
UNWRITABLE = {
    "\0": "a NUL character",
    "\x04": "the control character U+0004 (gettext's own separator)",
}

# A name with spaces stands between these two (FIRST STRONG ISOLATE, POP DIRECTIONAL ISOLATE).
ISOLATE, END_ISOLATE = "\u2068", "\u2069"

# A flag of a "#," line: a word, or "range: 0..10", the only flag with a space in it.
FLAG = re.compile(r"range:[ \t]*[^\s,\\]+|[^\s,\\]+")

# Everything that GNU escapes, but line breaks: these also decide where a string is cut.
# The backslash comes first: what stands for the others has backslashes of its own.
# (One `replace` after the other is ten times as fast as `str.translate` on Chinese.)
_ESCAPES = (
    ("\\", "\\\\"),
    ('"', '\\"'),
    ("\t", "\\t"),
    ("\r", "\\r"),
    ("\a", "\\a"),
    ("\b", "\\b"),
    ("\f", "\\f"),
    ("\v", "\\v"),
)


def same_edges(msgid: str, msgstr: str) -> str:
    """``msgstr`` without the line breaks at its edges that ``msgid`` does not have.

    ``msgfmt -c`` refuses a translation that begins or ends with a line break if its msgid does not.
    """
    if not msgid.startswith("\n"):
        msgstr = msgstr.lstrip("\n")
    if not msgid.endswith("\n"):
        msgstr = msgstr.rstrip("\n")
    return msgstr


def ends_in_backslash(line: str) -> bool:
    """Whether a comment ends in a backslash, apart from spaces.

    GNU takes a backslash at the end of any line as a continuation, so that such a comment would
    swallow the line below it. Writing adds a space behind it, and reading removes that space.
    """
    return line.rstrip(" ").endswith("\\")


def string_lines(
    mark: str, keyword: str, text: str, *, is_header: bool = False
) -> Iterator[str]:
    """``keyword "text"``; text with a line break inside starts on a line of its own.

    From there on it has one line for each of its lines:

        msgid ""
        "first\\n"
        "second"
    """
    for character, escape in _ESCAPES:
        text = text.replace(character, escape)
    has_break_inside = text.find("\n", 0, -1) >= 0  # one at the very end is none
    if not is_header and not has_break_inside:
        text = text.replace("\n", "\\n")
        yield f'{mark}{keyword} "{text}"'
        return
    yield f'{mark}{keyword} ""'
    *rows, rest = text.split("\n")
    for row in rows:
        yield f'{mark}"{row}\\n"'
    if rest:
        yield f'{mark}"{rest}"'
