"""Placement of translations in reStructuredText, by position, and of the line of attribution.

What goes with the words is redrawn: the rules of titles, the columns of tables, the colons before
a literal block.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

from docutils.utils import column_width

from pipeline.core.document.message import Kind, Message, Split
from pipeline.core.document.rst import anchors
from pipeline.core.document.rst.csv_fields import QUOTE
from pipeline.core.document.rst.inline import marks, spaced
from pipeline.core.document.rst.positions import line_start
from pipeline.core.document.rst.tables import aligned
from pipeline.core.document.splice import Edit, Placed, line_end_of, placed

_LITERAL = "::"
_TOCTREE = ".. toctree::"
# The directive with its options, up to the words of its caption.
_TOCTREE_CAPTION = re.compile(
    r"\.\. toctree::.*(?:\r?\n[ \t]*:.*)*\r?\n[ \t]*:caption:[ \t]*"
)
_TOCTREE_TARGET = re.compile(r"[ \t]*<[^<>\r\n]*>[ \t]*(?:[\r\n]|$)")
_NAMED_LINK = re.compile(r"`.*<[^<>]+>`_", re.DOTALL)


def place(
    split: Split, translations: Mapping[int, str], insertions: Sequence[Edit] = ()
) -> Placed:
    """Put ``translations`` (by index of the message) and ``insertions`` into the split text.

    What is drawn around a message is drawn anew: ``Notes`` above five hyphens that becomes
    ``备注一览`` has eight of them, since a Chinese character is two columns wide.
    """
    text = split.text
    named = anchors.referenced_names(text) if translations else frozenset()
    translated: dict[int, Edit] = {}
    redrawn: list[Edit] = []
    terms: dict[int, Edit] = {}
    for index, msgstr in translations.items():
        message = split.messages[index]
        # A cell over several lines: its words go into the first one, the others become blank.
        first, *others = message.pieces or ((message.start, message.end),)
        edit = Edit(*first, _written(text, message, msgstr, named))
        translated[index] = edit
        redrawn += [Edit(*piece, "") for piece in others]
        redrawn += _rules(text, message, edit)
        term = anchors.second_term(text, message)
        # A name that is the same in both languages need not stand there twice.
        if term and edit.text != message.msgid:
            terms[index] = term
    changes = sorted([*translated.values(), *redrawn], key=attrgetter("start"))
    for table in split.tables:
        redrawn += _table(text, table, changes)
    result = placed(
        split, translated, insertions=[*insertions, *terms.values()], redrawn=redrawn
    )
    return replace(result, kept_terms=frozenset(terms))


def _written(text: str, message: Message, msgstr: str, named: frozenset[str]) -> str:
    """What stands in the document for ``msgstr``.

        "如下："          with the mark "::"     如下： ::
        "例如:"           with the mark "::"     例如::
        "甲, 乙"          in a field of CSV      "甲, 乙"
        "用``jit``编译"   anywhere               用\\ ``jit``\\ 编译

    ``named``: the names that something on the page refers to.
    """
    line = " ".join(msgstr.split("\t")).strip()  # in a table, a tab is some columns
    if not _is_plain(text, message):
        line = spaced(_nameless(line, message.msgid, named))
    if message.prefix == QUOTE:
        # Chinese may hold the delimiter where the English needs no quotation marks.
        return f"{QUOTE}{line.replace(QUOTE, QUOTE * 2)}{QUOTE}"
    if not message.mark:
        return line
    # Only a colon of its own makes "::" show as one; a full-width one stands there already.
    if message.mark == _LITERAL and line.endswith(":"):
        return f"{line}:"
    return f"{line} {_LITERAL}"


def _is_plain(text: str, message: Message) -> bool:
    """Whether no inline markup is read there.

    That is so in the text of an image, and in captions and titles of a table of contents.
    """
    if message.kind is Kind.IMAGE:
        return True
    if message.kind is Kind.CAPTION:
        start = max(text.rfind(_TOCTREE, 0, message.start), 0)
        return _TOCTREE_CAPTION.fullmatch(text, start, message.start) is not None
    if message.kind is Kind.TITLE:
        return _TOCTREE_TARGET.match(text, message.end) is not None
    return False


def _nameless(line: str, msgid: str, named: frozenset[str]) -> str:
    """``line`` with its translated links made anonymous, unless something refers to their words.

    Two links with the same words and other targets are an error to docutils; translations make
    such words. So ```文档 <a.html>`_`` becomes ```文档 <a.html>`__``.
    """
    parts: list[str] = []
    at = 0
    for mark in marks(line):
        written = line[mark.start : mark.end]
        # A link that is as the English has it keeps its name.
        if not _NAMED_LINK.fullmatch(written) or written in msgid:
            continue
        if anchors.link_names(written).isdisjoint(named):
            parts += [line[at : mark.end], "_"]
            at = mark.end
    parts.append(line[at:])
    return "".join(parts)


def _rules(text: str, message: Message, edit: Edit) -> Iterator[Edit]:
    """The lines above and below a title: not shorter than the title with what stands around it."""
    if not message.rules:
        return
    # An indented title below an overline: its rules begin at the left.
    before = text[line_start(text, edit.start) : edit.start]
    width = column_width(before + edit.text)
    for begin, end in message.rules:
        if end - begin < width:
            yield Edit(begin, end, text[begin] * width)


def _table(text: str, table: tuple[int, int], changes: Sequence[Edit]) -> list[Edit]:
    """What has to be redrawn of a table that is drawn with characters.

    ``changes`` are those of the whole page, in order.
    """
    start, end = table
    first = bisect_left(changes, start, key=attrgetter("start"))
    behind = bisect_left(changes, end, key=attrgetter("start"))
    # An insertion, which ends where it starts, changes no cell.
    inside = [edit for edit in changes[first:behind] if edit.start < edit.end <= end]
    if not inside:
        return []  # do not even read the table
    return aligned(text, table, inside)


_INDENT = "   "
_BLANK_LINE = re.compile(r"[ \t]*(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)")
_INDENTED = re.compile(r"\s*(?:\r\n?|\n)[ \t]+\S")


def attribution_edit(splits: Sequence[Split], line: str) -> tuple[int, Edit]:
    """Return a quote with ``line``, which is reST, under the title, and the number of its text.

    The number is 0, as a page of reST is one text.

    On a page that has none it stands behind the first paragraph, or at the end. A title with
    a paragraph below becomes:

        Title
        =====

           本页译自 …

        Words of the paragraph.
    """
    (split,) = splits
    text = split.text
    end = line_end_of(text)
    # An empty comment ends what stands before, which could take an indented block for its own;
    # and it keeps quotes apart.
    comment = f"{end}{end}.."
    at = _attribution_place(split)
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
    return 0, Edit(at, at, f"{before}{end}{end}{_INDENT}{spaced(line)}{behind}{gap}")


def _attribution_place(split: Split) -> int | None:
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
