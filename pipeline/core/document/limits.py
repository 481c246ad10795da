"""How much of a text is read: beyond these bounds it stays upstream's, and is told as a finding.

Parsers and patterns take time that grows faster than a text does, at least on texts that were made
for it. Bounded pieces make the whole linear again: a page is so many messages of at most so long.
The bounds are far above what people write: the longest of 11,700 messages of the JAX docs has 1,369
characters, the longest text 2.4 million, nearly all of it pictures.
"""

from __future__ import annotations

from pipeline.core.document.message import Split

MESSAGE_LENGTH = 5_000  # characters of a msgid; the payloads of data URIs do not count
PAGE_LENGTH = 4_000_000  # characters of a page, or of a notebook's Markdown cells
PAGE_LINES = 20_000
# Blocks in blocks. Of Markdown that is what markdown-it reads: it passes over all that is deeper.
NESTING = 20
DIRECTIVES = 8  # directives of Markdown in each other: each is read once more for every one around
# How much is parsed to find which translations break a page: so many times the page, or more often
# if it is short.
LEAST_TRIES = 64
TRIED_LENGTH = 2_000_000
TITLE_LENGTH = 500  # characters of a title that the messages in its section are told

# What parsers of both languages have raised on odd pages.
PARSER_ERRORS = (
    ValueError,
    IndexError,
    KeyError,
    AttributeError,
    TypeError,
    AssertionError,
)

TOO_DEEP = f"it is nested more than {NESTING} blocks deep"
TOO_MANY_DIRECTIVES = f"it stands in more than {DIRECTIVES} directives"


def why_not_read(length: int, lines: int) -> str:
    """Why a page of so many characters and lines is not read; empty if it is."""
    if length > PAGE_LENGTH:
        return (
            f"it has {length:,} characters, of which at most {PAGE_LENGTH:,} are read"
        )
    if lines > PAGE_LINES:
        return f"it has {lines:,} lines, of which at most {PAGE_LINES:,} are read"
    return ""


def most_tries(length: int) -> int:
    """How often a text of this length is parsed at most while it is merged."""
    return max(LEAST_TRIES, TRIED_LENGTH // max(length, 1))


def too_long(length: int) -> str:
    """What is said of a block of prose of this length, which is above the bound."""
    return f"a block of {length:,} characters; the longest that is read has {MESSAGE_LENGTH:,}"


def unread(text: str, reason: str, line: int = 1) -> Split:
    """A text that stays as it is, whole: without any message, and with the reason why."""
    return Split(text=text, messages=(), skeleton=(), unsafe=((line, reason),))
