"""Placement of translations and of the attribution in reST, by position.

This module also adapts the markup that depends on the words: the underlines of titles, the columns
of drawn tables, and the ``::`` before a literal block.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter

from docutils.utils import column_width
from msgspec.structs import replace

from pipeline.core.document.directives import QUOTE, quoted
from pipeline.core.document.message import Kind, Message, Split
from pipeline.core.document.rst import anchors
from pipeline.core.document.rst.inline import marks, spaced
from pipeline.core.document.rst.positions import line_start
from pipeline.core.document.rst.table_layout import realign
from pipeline.core.document.splice import Edit, Placed, apply_edits, line_end_of

_LITERAL = "::"
_TOCTREE = ".. toctree::"
# The directive and its options, up to the text of the caption.
_TOCTREE_CAPTION = re.compile(r"\.\. toctree::.*(?:\r?\n[ \t]*:.*)*\r?\n[ \t]*:caption:[ \t]*")
_TOCTREE_TARGET = re.compile(r"[ \t]*<[^<>\r\n]*>[ \t]*(?:[\r\n]|$)")
# A line break, with the indentation of the next line.
_LINE_BREAK = re.compile(r"(?:\r\n|\r|\n)[ \t]*")
_NAMED_LINK = re.compile(r"`.*<[^<>]+>`_", re.DOTALL)


def place(split: Split, translations: Mapping[int, str], insertions: Sequence[Edit] = ()) -> Placed:
    """Put translations, by message index, and ``insertions`` into the text of ``split``.

    Adapt the lines that are drawn around a message. If the title ``Notes`` becomes ``备注一览``,
    its underline grows from five to eight hyphens, because a Chinese character takes two columns.
    """
    text = split.text
    named = anchors.referenced_names(text) if translations else frozenset()
    translated: dict[int, Edit] = {}
    redrawn: list[Edit] = []
    for index, msgstr in translations.items():
        message = split.messages[index]
        # If a cell has several lines, put all its words into the first line and clear the others.
        first, *others = message.pieces or ((message.start, message.end),)
        line_break = _break_in_field(text, message)
        if line_break:
            end = message.end - len(_LITERAL)
            redrawn.append(Edit(end, message.end, f"{line_break}{_LITERAL}"))
            message, first = replace(message, mark=""), (message.start, end)
        edit = Edit(*first, _written(text, message, msgstr, named))
        translated[index] = edit
        redrawn += [Edit(*piece, "") for piece in others]
        redrawn += _rules(text, message, edit)
    changes = sorted([*translated.values(), *redrawn], key=attrgetter("start"))
    for table in split.tables:
        redrawn += _table(text, table, changes)
    return apply_edits(split, translated, insertions=insertions, redrawn=redrawn)


def _written(text: str, message: Message, msgstr: str, named: frozenset[str]) -> str:
    """Return ``msgstr`` in the form that the document needs.

        "如下："          with the mark "::"     如下： ::
        "例如:"           with the mark "::"     例如::
        "甲, 乙"          in a CSV field         "甲, 乙"
        "用``jit``编译"   anywhere               用\\ ``jit``\\ 编译

    ``named`` are the names that references on the page use.
    """
    # Replace tabs, because a tab takes several columns in a table.
    line = " ".join(msgstr.split("\t")).strip()
    if not _is_plain(text, message):
        line = spaced(_anonymous_links(line, message.msgid, named))
    if message.prefix == QUOTE:
        # Always add quotation marks, because the translation may contain the delimiter.
        return quoted(line)
    if not message.mark:
        return line
    # docutils renders "words::" with one colon, and "words ::" without a colon. A Chinese text that
    # ends with a full-width colon needs no further colon.
    if message.mark == _LITERAL and line.endswith(":"):
        return f"{line}:"
    return f"{line} {_LITERAL}"


def _break_in_field(text: str, message: Message) -> str:
    """Return the last line break of a message before a literal block, with the indentation.

    Return "" unless the message begins behind the name of a field and has several lines. docutils
    takes the indentation of such a field from its second line. If the translation had only one
    line, the literal block would become text of the field.
    """
    before = text[line_start(text, message.start) : message.start]
    is_in_field = message.kind is Kind.DEFINITION and before.strip()
    if message.mark != _LITERAL or not is_in_field:
        return ""
    breaks = _LINE_BREAK.findall(text, message.start, message.end)
    return breaks[-1] if breaks else ""


def _is_plain(text: str, message: Message) -> bool:
    """Return whether docutils parses no inline markup in this message.

    docutils parses none in image texts, and in the captions and titles of a toctree.
    """
    if message.kind is Kind.IMAGE:
        return True
    if message.kind is Kind.CAPTION:
        start = max(text.rfind(_TOCTREE, 0, message.start), 0)
        return _TOCTREE_CAPTION.fullmatch(text, start, message.start) is not None
    if message.kind is Kind.TITLE:
        return _TOCTREE_TARGET.match(text, message.end) is not None
    return False


def _anonymous_links(line: str, msgid: str, named: frozenset[str]) -> str:
    """Return ``line`` with its translated links made anonymous, unless references use their words.

    docutils reports an error for two links with equal words and different targets. A translation
    may have equal words where the English differs, so "`文档 <a.html>`_" becomes
    "`文档 <a.html>`__".
    """
    parts: list[str] = []
    at = 0
    for mark in marks(line):
        written = line[mark.start : mark.end]
        # A link that equals the English keeps its name.
        if not _NAMED_LINK.fullmatch(written) or written in msgid:
            continue
        if anchors.link_names(written).isdisjoint(named):
            parts += [line[at : mark.end], "_"]
            at = mark.end
    parts.append(line[at:])
    return "".join(parts)


def _rules(text: str, message: Message, edit: Edit) -> Iterator[Edit]:
    """Yield the edits that make the rules of a title at least as long as its translation."""
    if not message.rules:
        return
    # The rules are not indented, even if the title between them is.
    before = text[line_start(text, edit.start) : edit.start]
    width = column_width(before + edit.text)
    for begin, end in message.rules:
        if end - begin < width:
            yield Edit(begin, end, text[begin] * width)


def _table(text: str, table: tuple[int, int], changes: Sequence[Edit]) -> list[Edit]:
    """Return the edits that adapt the columns of a drawn table to ``changes``.

    ``changes`` are the edits of the whole page, sorted.
    """
    start, end = table
    first = bisect_left(changes, start, key=attrgetter("start"))
    behind = bisect_left(changes, end, key=attrgetter("start"))
    # Skip insertions, which change no cell.
    inside = [edit for edit in changes[first:behind] if edit.start < edit.end <= end]
    if not inside:
        return []  # fast path: the table need not be parsed
    return realign(text, table, inside)


_INDENT = "   "
_BLANK_LINE = re.compile(r"[ \t]*(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)")
_INDENTED = re.compile(r"\s*(?:\r\n?|\n)[ \t]+\S")


def attribution_edit(splits: Sequence[Split], line: str) -> tuple[int, Edit]:
    """Return the number of the split, always 0, and the insertion of ``line`` below the title.

    ``line`` is reST and becomes a quote. Without a title, the quote follows the first paragraph, or
    the whole text. The result for a title and a paragraph is:

        Title
        =====

           本页译自 …

        Words of the paragraph.
    """
    (split,) = splits
    text = split.text
    end = line_end_of(text)
    # An empty comment before the quote keeps it from becoming part of the block above.
    comment = f"{end}{end}.."
    at = _attribution_place(split)
    before = ""
    if at is None:
        at = len(text.rstrip())
        before = comment
    rest = text[at:]
    # Another empty comment after the quote keeps an indented block from becoming part of the quote.
    behind = comment if _INDENTED.match(rest) else ""
    gap = ""
    if rest.strip() and not _BLANK_LINE.match(rest):
        gap = end
    return 0, Edit(at, at, f"{before}{end}{end}{_INDENT}{spaced(line)}{behind}{gap}")


def _attribution_place(split: Split) -> int | None:
    """Return the offset after the title or the first paragraph, or None if there is neither."""
    if split.title_end is not None:
        return split.title_end
    for message in split.messages:
        # After a message in a list or a table, the quote would become part of the list or table.
        if not message.is_top_level:
            continue
        # A paragraph with "::" must be followed directly by its literal block.
        if not message.mark:
            return message.block_end
    return None
