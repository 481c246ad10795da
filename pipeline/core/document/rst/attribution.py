"""Where the line of attribution stands in reStructuredText: a quote under the title."""

from __future__ import annotations

import re

from pipeline.core.document.rst.inline import spaced
from pipeline.core.document.splice import Edit, line_end_of
from pipeline.core.document.split import Split

_INDENT = "   "
_BLANK_LINE = re.compile(r"[ \t]*(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)")
_INDENTED = re.compile(r"\s*(?:\r\n?|\n)[ \t]+\S")


def insertion(split: Split, line: str) -> Edit:
    """A quote with ``line``, which is reST, under the title.

    On a page that has none it stands behind the first paragraph, or at the end. A title with
    a paragraph below becomes:

        Title
        =====

           本页译自 …

        Words of the paragraph.
    """
    text = split.text
    end = line_end_of(text)
    # An empty comment ends what stands before, which could take an indented block for its own;
    # and it keeps quotes apart.
    comment = f"{end}{end}.."
    at = _place(split)
    before = ""
    if at is None:
        at = len(text.rstrip())
        before = comment
    rest = text[at:]
    # The same behind the quote, which would take an indented block for its own.
    behind = comment if _INDENTED.match(rest) else ""
    gap = ""
    if rest.strip() and not _BLANK_LINE.match(rest):
        gap = end
    return Edit(at, at, f"{before}{end}{end}{_INDENT}{spaced(line)}{behind}{gap}")


def _place(split: Split) -> int | None:
    """Offset behind the title or the first paragraph; None if there is neither."""
    if split.title_end is not None:
        return split.title_end
    for message in split.messages:
        # Within a list or a table, the quote would become a part of that.
        if not message.is_top_level:
            continue
        # What announces a literal block must be followed by that.
        if not message.mark:
            return message.block_end
    return None
