"""Messages: the translatable blocks of a text, and the split of a text into messages.

Both splitters make these immutable records, and the rest of the pipeline reads them. A merge uses
their offsets to replace English by translations.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

# Characters that a PO file cannot hold: NUL, gettext's context separator, lone surrogates.
UNWRITABLE = re.compile("[\0\x04\ud800-\udfff]")
UNWRITABLE_REASON = (
    "it has a character that no catalogue can hold: NUL, U+0004 or a lone surrogate"
)


# Exceptions that the parsers of both languages have raised on odd pages.
PARSER_ERRORS = (
    ValueError,
    IndexError,
    KeyError,
    AttributeError,
    TypeError,
    AssertionError,
)


class Kind(StrEnum):
    """The kind of block that a message was taken from."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list item"
    TABLE_CELL = "table cell"
    QUOTE = "quote"
    FOOTNOTE = "footnote"
    TERM = "definition term"
    DEFINITION = "definition"
    ADMONITION = "admonition"
    TITLE = "directive title"
    CAPTION = "caption"
    HTML = "html"
    IMAGE = "image text"
    PAGE_TITLE = "page title"  # of front matter, like the next one
    FRONT_MATTER = "front matter"


class Markup(StrEnum):
    """The markup language of a message."""

    MARKDOWN = "Markdown"
    RST = "reST"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One translatable block of prose, with the positions that a translation needs.

    ``start`` and ``end`` are character offsets into the text that was split: a page, or the source
    of one notebook cell. ``msgid`` is the block's markup without container prefixes. Soft line
    breaks become a space, hard breaks ``\\n``, and payloads of data URIs a number.
    """

    msgid: str
    kind: Kind
    start: int
    end: int
    line: int  # 1-based line of its start
    last_line: int = 0  # 1-based line of its end
    headings: tuple[str, ...] = ()  # titles of the sections around it, outermost first
    # Prefix of continuation lines (quote marks, indentation). For a CSV field: its quote mark.
    prefix: str = ""
    breaks: tuple[str, ...] = ()  # the mark of each hard break: "\\" or spaces
    payloads: tuple[str, ...] = ()  # data URI payloads, in the order of their numbers
    is_top_level: bool = False  # is in no list, quote, table or directive
    block_end: int = 0  # end offset of the block's last line, without line end
    markup: Markup = Markup.MARKDOWN
    is_glossary_term: bool = False
    # The fields below are used for reST only.
    # The spans that make up the message if other text lies between them: for example, a cell that
    # takes two lines of a grid table.
    pieces: tuple[tuple[int, int], ...] = ()
    rules: tuple[tuple[int, int], ...] = ()  # spans of a title's overline and underline
    # Markup that ends the span [start, end) and announces a literal block: "::".
    mark: str = ""

    @property
    def section(self) -> str:
        """Return the titles around the message, joined to one line.

        An entry whose msgctxt equals this value translates the message in this section only.
        """
        return " › ".join(self.headings)


# A block's type, and everything else about it that must be equal after a merge.
Signature = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A text, its messages in order of position, and its block skeleton.

    ``skeleton`` pairs the start offset of each block with its signature. ``code`` holds the source
    of each code cell. A merge copies the gaps between the messages unchanged.
    """

    text: str
    messages: tuple[Message, ...]
    skeleton: tuple[tuple[int, Signature], ...]
    code: tuple[str, ...] = ()
    # (level, title) of the sections that are open at the end of the text.
    headings: tuple[tuple[int, str], ...] = ()
    # Offset of the end of the first heading outside any container.
    title_end: int | None = None
    # (line, why its block stays English)
    left_in_english: tuple[tuple[int, str], ...] = ()
    # Messages of the last sections, which stay English by configuration.
    rest: tuple[Message, ...] = ()
    # Spans of the tables drawn with characters; reST only.
    tables: tuple[tuple[int, int], ...] = ()


def unsplit(text: str, reason: str, line: int = 1) -> Split:
    """Return a split without messages: the whole text stays English, for ``reason``."""
    return Split(text=text, messages=(), skeleton=(), left_in_english=((line, reason),))
