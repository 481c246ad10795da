"""Messages, the translatable blocks of a text, and the result of splitting a text into messages.

The splitters of Markdown and reST return these immutable records. A merge uses the offsets in them
to replace the English by translations.
"""

from __future__ import annotations

import re
from enum import StrEnum

from msgspec import Struct

# Characters that a PO file cannot hold: NUL, gettext's context separator, lone surrogates.
UNWRITABLE = re.compile("[\0\x04\ud800-\udfff]")
UNWRITABLE_REASON = "it has a character that no catalogue can hold: NUL, U+0004 or a lone surrogate"


# Exceptions that the parsers of Markdown and reST may raise for unusual pages.
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
    PAGE_TITLE = "page title"  # the title in the front matter
    FRONT_MATTER = "front matter"  # another value of the front matter


class Markup(StrEnum):
    """The markup language of a message."""

    MARKDOWN = "Markdown"
    RST = "reST"


class Message(Struct, frozen=True, kw_only=True):
    """One translatable block of prose, with the positions that a merge needs.

    ``start`` and ``end`` are character offsets into the text that was split: a page, or the source
    of one notebook cell.

    ``msgid`` is the source of the block without the prefixes of its containers, such as ``> ``. A
    soft line break becomes a space, a hard break ``\\n``. A placeholder such as ``data:#1``
    replaces each data URI.
    """

    msgid: str
    kind: Kind
    start: int
    end: int
    line: int  # 1-based line of its start
    last_line: int = 0  # 1-based line of its end
    headings: tuple[str, ...] = ()  # titles of the sections around it, outermost first
    # The prefix of each line after the first one: quote marks or indentation. For a CSV field or a
    # value of the front matter, this is the quotation mark around it.
    prefix: str = ""
    breaks: tuple[str, ...] = ()  # the mark of each hard break: a backslash or spaces
    payloads: tuple[str, ...] = ()  # the data URIs, in the order of their placeholders
    is_top_level: bool = False  # outside of lists, quotes, tables and directives
    block_end: int = 0  # end offset of the block's last line, without line end
    markup: Markup = Markup.MARKDOWN
    is_glossary_term: bool = False
    # The fields below are used for reST only.
    # The spans of the message if it consists of several, with other text between them. An example
    # is a cell that takes two lines of a grid table.
    pieces: tuple[tuple[int, int], ...] = ()
    rules: tuple[tuple[int, int], ...] = ()  # spans of a title's overline and underline
    # The "::" at the end of the span [start, end). It makes the next block literal.
    mark: str = ""

    @property
    def section(self) -> str:
        """Return the titles of the sections around the message: ``Install › With pip``.

        A catalogue entry with this value as its msgctxt translates the message in this section
        only.
        """
        return " › ".join(self.headings)


# The type of a block, and all other parts of it that a merge must not change.
Signature = tuple[str, ...]


class Split(Struct, frozen=True, kw_only=True):
    """The result of splitting a text: its messages in order of position, and all other parts.

    ``skeleton`` has the start offset and the signature of each block. The guard compares the
    skeletons before and after a merge. ``code`` has the source of each code cell. A merge copies
    the text between the messages unchanged.
    """

    text: str
    messages: tuple[Message, ...]
    skeleton: tuple[tuple[int, Signature], ...]
    code: tuple[str, ...] = ()
    # (level, title) of the sections that are open at the end of the text.
    headings: tuple[tuple[int, str], ...] = ()
    # Offset of the end of the first heading outside any container.
    title_end: int | None = None
    # (line, reason) of each block with words that is not translated.
    left_in_english: tuple[tuple[int, str], ...] = ()
    # The blocks of the last sections, if the configuration limits the sections to translate.
    rest: tuple[Message, ...] = ()
    # Spans of the tables that are drawn with characters; reST only.
    tables: tuple[tuple[int, int], ...] = ()


def unsplit(text: str, reason: str, line: int = 1) -> Split:
    """Return a split without messages: the whole text stays English because of ``reason``."""
    return Split(text=text, messages=(), skeleton=(), left_in_english=((line, reason),))
