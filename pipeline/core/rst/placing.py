"""Put translations in the place of messages of reStructuredText: output = gaps + translations, by position.

What goes with the words is redrawn: the rules of titles, the columns of tables, the colons before a literal block.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from docutils.utils import column_width

from pipeline.core.document.message import Kind, Message
from pipeline.core.document.splice import Edit, Placed, splice
from pipeline.core.myst.split import Split
from pipeline.core.rst import targets
from pipeline.core.rst.inline import marks, spaced
from pipeline.core.rst.redrawing import aligned

_LITERAL = "::"
_CSV_QUOTE = '"'
_TOCTREE = ".. toctree::"
_TOCTREE_CAPTION = re.compile(r"\.\. toctree::.*(?:\r?\n[ \t]*:.*)*\r?\n[ \t]*:caption:[ \t]*")
_TOCTREE_TARGET = re.compile(r"[ \t]*<[^<>\r\n]*>[ \t]*(?:[\r\n]|$)")
_NAMED_LINK = re.compile(r"`.*<[^<>]+>`_", re.DOTALL)


def place(split: Split, translations: Mapping[int, str], insertions: Sequence[Edit] = ()) -> Placed:
    """Put ``translations`` (by index of the message) and ``insertions`` into the split text."""
    text = split.text
    named = targets.referenced_names(text) if translations else frozenset()
    own: dict[int, Edit] = {}
    added = list(insertions)
    edits: list[Edit] = []
    kept_terms: set[int] = set()
    for index, msgstr in translations.items():
        message = split.messages[index]
        first, *others = message.pieces or ((message.start, message.end),)
        own[index] = Edit(*first, _written(text, message, msgstr, named))
        edits += [own[index], *(Edit(*piece, "") for piece in others)]
        edits += _rules(text, message, own[index])
        if own[index].text != message.msgid and (term := targets.second_term(text, message)):
            added.append(term)
            kept_terms.add(index)
    for start, end in split.tables:
        inside = [
            edit
            for edit in edits
            if start <= edit.start and edit.end <= end and edit.start < edit.end
        ]
        edits += aligned(text, (start, end), inside) if inside else []
    edits += added
    edits.sort(key=lambda edit: (edit.start, edit.end))
    shift = _Shift(edits)
    return Placed(
        text=splice(text, edits),
        edits=tuple(edits),
        spans=tuple(_spans(split.messages, own, shift)),
        inserted=tuple(_inserted(edits, added)),
        kept_terms=frozenset(kept_terms),
    )


def _written(text: str, message: Message, msgstr: str, named: frozenset[str]) -> str:
    """What stands in the document for ``msgstr``."""
    line = " ".join(msgstr.split("\t")).strip()
    if not _is_plain(text, message):
        line = spaced(_nameless(line, message.msgid, named))
    if message.prefix == _CSV_QUOTE:
        return f'"{line.replace(_CSV_QUOTE, _CSV_QUOTE * 2)}"'
    if not message.mark:
        return line
    # Only a colon of its own makes "::" show as one; a full-width one stands there already.
    return f"{line}:" if message.mark == _LITERAL and line.endswith(":") else f"{line} {_LITERAL}"


def _is_plain(text: str, message: Message) -> bool:
    """Whether no inline markup is read there: the text of an image, captions and titles in a table of contents."""
    if message.kind is Kind.CAPTION:
        return bool(
            _TOCTREE_CAPTION.fullmatch(
                text, max(text.rfind(_TOCTREE, 0, message.start), 0), message.start
            )
        )
    return message.kind is Kind.IMAGE or (
        message.kind is Kind.TITLE and bool(_TOCTREE_TARGET.match(text, message.end))
    )


def _nameless(line: str, msgid: str, named: frozenset[str]) -> str:
    """``line`` with its translated links made anonymous, unless something refers to them by their words.

    Two links with the same words and other targets are an error to docutils; translations make such words.
    """
    parts: list[str] = []
    at = 0
    for mark in marks(line):
        written = line[mark.start : mark.end]
        if (
            _NAMED_LINK.fullmatch(written)
            and written not in msgid
            and not targets.link_names(written) & named
        ):
            parts += [line[at : mark.end], "_"]
            at = mark.end
    return "".join((*parts, line[at:]))


def _rules(text: str, message: Message, edit: Edit) -> Iterator[Edit]:
    """The lines above and below a title: not shorter than the title with what stands around it in its line."""
    if not message.rules:
        return
    start = max(text.rfind("\n", 0, edit.start), text.rfind("\r", 0, edit.start)) + 1
    width = column_width(text[start : edit.start].lstrip("\ufeff") + edit.text)
    for begin, end in message.rules:
        if end - begin < width:
            yield Edit(begin, end, text[begin] * width)


class _Shift:
    """How far sorted edits move what stands behind them."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._ends = [edit.end for edit in edits]
        self._sums = list(
            accumulate((len(edit.text) - (edit.end - edit.start) for edit in edits), initial=0)
        )

    def start(self, offset: int) -> int:
        """Where something has come to lie that begins at ``offset``: behind what is inserted there."""
        return offset + self._sums[bisect_right(self._ends, offset)]

    def end(self, offset: int) -> int:
        """The same for the end of something: before what is inserted there."""
        return offset + self._sums[bisect_left(self._ends, offset)]


def _spans(
    messages: Sequence[Message], own: Mapping[int, Edit], shift: _Shift
) -> Iterator[tuple[int, int]]:
    for index, message in enumerate(messages):
        start = shift.start(message.start)
        yield (start, start + len(own[index].text) if index in own else shift.end(message.end))


def _inserted(edits: Sequence[Edit], insertions: Sequence[Edit]) -> Iterator[tuple[int, int]]:
    shift = 0
    for edit in edits:
        if edit in insertions:
            yield (edit.start + shift, edit.start + shift + len(edit.text))
        shift += len(edit.text) - (edit.end - edit.start)
