"""Limits on how much of a text is parsed; text beyond them stays English and is reported.

Parsing time grows faster than the text, at least for hostile texts. With bounded pieces the total
is linear again, because a page has a bounded number of messages of bounded length. The limits are
far above real texts. The longest of 11,700 messages of the JAX docs has 1,369 characters. The
longest text has 2.4 million, nearly all of it images.
"""

from __future__ import annotations

from pipeline.core.document.message import Split

MESSAGE_LENGTH = 5_000  # characters of a msgid, without the payloads of data URIs
PAGE_LENGTH = 4_000_000  # characters of a page, or of all Markdown cells of a notebook
PAGE_LINES = 20_000
# Blocks within blocks. In Markdown this is markdown-it's limit: it ignores deeper blocks.
NESTING = 20
DIRECTIVES = 8  # nested Markdown directives: each level parses the content once more
# How much a merge parses to find the translations that break a page. The number of tries is
# TRIED_LENGTH divided by the page's length, but at least LEAST_TRIES.
LEAST_TRIES = 64
TRIED_LENGTH = 2_000_000
TITLE_LENGTH = 500  # characters of a title kept for the messages of its section

# Exceptions that the parsers of both languages have raised on odd pages.
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
    """Return why a page of this size is not parsed; empty if it is."""
    if length > PAGE_LENGTH:
        return (
            f"it has {length:,} characters, of which at most {PAGE_LENGTH:,} are read"
        )
    if lines > PAGE_LINES:
        return f"it has {lines:,} lines, of which at most {PAGE_LINES:,} are read"
    return ""


def max_tries(length: int) -> int:
    """Return how often a merge may parse a text of this length, in characters."""
    return max(LEAST_TRIES, TRIED_LENGTH // max(length, 1))


def too_long_reason(length: int) -> str:
    """Return the reason for skipping a block of prose that exceeds ``MESSAGE_LENGTH``."""
    return f"a block of {length:,} characters; the longest that is read has {MESSAGE_LENGTH:,}"


def unsplit(text: str, reason: str, line: int = 1) -> Split:
    """Return a split without messages: the whole text stays English, for ``reason``."""
    return Split(text=text, messages=(), skeleton=(), left_in_english=((line, reason),))
