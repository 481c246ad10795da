"""The rules of the ``.po`` format that reading and writing share.

A rule stands here once, so that what is written can always be read again.
"""

from __future__ import annotations

import re

# Characters that no ``.po`` file can hold, with their names for messages.
UNWRITABLE = {
    "\0": "a NUL character",
    "\x04": "the control character U+0004 (gettext's own separator)",
}

# A name with spaces stands between these two (FIRST STRONG ISOLATE, POP DIRECTIONAL ISOLATE).
ISOLATE, END_ISOLATE = "\u2068", "\u2069"

# A flag of a "#," line: a word, or "range: 0..10", the only flag with a space in it.
FLAG = re.compile(r"range:[ \t]*[^\s,\\]+|[^\s,\\]+")


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
