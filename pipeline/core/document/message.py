"""Messages: the translatable blocks of a text, and the split of a text into them.

Both splitters make these records, and everything else uses them. A message never changes: a merge
reads its offsets to know which part of the text a translation replaces.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

# Characters that no catalogue can hold: two controls, and halves of pairs of surrogates.
UNWRITABLE = re.compile("[\0\x04\ud800-\udfff]")
NOT_WRITABLE = (
    "it has a character that no catalogue can hold: NUL, U+0004 or a lone surrogate"
)


class Kind(StrEnum):
    """What block of a page a message was taken from."""

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
    PAGE_TITLE = "page title"  # of front matter, and so is the next one
    FRONT_MATTER = "front matter"


class Markup(StrEnum):
    """In which language a message is marked up."""

    MARKDOWN = "Markdown"
    RST = "reST"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One translatable block of prose, and what it takes to put a translation in its place.

    ``start``/``end`` are character offsets into the text that was split: a whole page, or the
    source of one notebook cell. ``msgid`` is the block's markup with soft line breaks folded to a
    space and container prefixes removed; hard breaks are ``\\n``; payloads of data URIs are
    numbered.
    """

    msgid: str
    kind: Kind
    start: int
    end: int
    line: int  # 1-based, of the first line
    last_line: int = 0  # 1-based, of the last line
    headings: tuple[str, ...] = ()  # titles of the sections around it, outermost first
    # What continuation lines start with (quote marks, indentation). Of a CSV field: its quote.
    prefix: str = ""
    breaks: tuple[str, ...] = ()  # how each hard break is marked: "\\" or spaces
    payloads: tuple[str, ...] = ()  # data URI payloads, in the order of their numbers
    is_top_level: bool = False  # stands in no list, quote, table or directive
    block_end: int = 0  # offset behind the block's last line, without its line end
    markup: Markup = Markup.MARKDOWN
    # The rest is of reStructuredText only.
    # Parts of the text that make up the message, where others lie between them: a cell that runs
    # over two lines of a drawn table.
    pieces: tuple[tuple[int, int], ...] = ()
    rules: tuple[tuple[int, int], ...] = ()  # spans of a title's overline and underline
    # What stands behind the words within [start, end) and announces a literal block: "::".
    mark: str = ""

    @property
    def section(self) -> str:
        """The titles around it in one line.

        A msgctxt that equals it names the place that its msgstr is for.
        """
        return " › ".join(self.headings)


# One block of the page: its type with whatever must be equal after a merge.
Signature = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A text, its messages in order of position, and its block skeleton.

    The gaps are what lies between the messages. ``skeleton`` pairs each block's start offset with
    its signature. ``code`` holds the content of every code cell.
    """

    text: str
    messages: tuple[Message, ...]
    skeleton: tuple[tuple[int, Signature], ...]
    code: tuple[str, ...] = ()
    # Level and title of the sections that are open at the end.
    headings: tuple[tuple[int, str], ...] = ()
    # Offset behind the first heading that stands in no container.
    title_end: int | None = None
    unsafe: tuple[tuple[int, str], ...] = ()  # line, and why its block is left as it is
    # Messages of sections that stay English: the last ones of the text.
    rest: tuple[Message, ...] = ()
    # Of reStructuredText only: where tables lie that are drawn with characters.
    tables: tuple[tuple[int, int], ...] = ()
