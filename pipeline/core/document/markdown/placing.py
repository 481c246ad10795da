"""Put translations in the place of messages of Markdown, by position.

A translation comes on as many lines as its English has hard breaks. Every line but the first
begins with what its container asks for there: ``> `` in a quote, spaces in a list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipeline.core.document import prose
from pipeline.core.document.markdown import front_matter
from pipeline.core.document.message import Kind, Message
from pipeline.core.document.splice import (
    Edit,
    Placed,
    line_end_of,
    placed,
    translation_lines,
)
from pipeline.core.document.split import Split

_BACKSLASH = "\\"


def place(
    split: Split, translations: Mapping[int, str], insertions: Sequence[Edit] = ()
) -> Placed:
    """Put ``translations`` (by index of the message) and ``insertions`` into the split text."""
    line_end = line_end_of(split.text)
    translated: dict[int, Edit] = {}
    for index, msgstr in translations.items():
        message = split.messages[index]
        text = to_markdown(message, msgstr, line_end=line_end)
        translated[index] = Edit(message.start, message.end, text)
    return placed(split, translated, insertions=insertions)


def to_markdown(message: Message, msgstr: str, *, line_end: str = "\n") -> str:
    """What stands in the document for ``msgstr``.

    Hard breaks, container prefixes and data URIs are back: ``"一\\n二"`` in a quote whose English
    breaks with a backslash is ``"一\\\\\\n> 二"``.
    """
    lines = translation_lines(prose.show_payloads(msgstr, message.payloads))
    if message.kind in front_matter.KINDS:
        return front_matter.written(" ".join(lines), message.prefix)
    parts = [lines[0]]
    for number, line in enumerate(lines[1:]):
        parts += [_break_mark(message, number), line_end, message.prefix, line]
    return "".join(parts)


def _break_mark(message: Message, number: int) -> str:
    """How the hard break of this number is marked: as the English marks it."""
    if message.kind is Kind.HTML:
        return ""  # a line end in HTML is one already
    if not message.breaks:
        return _BACKSLASH
    return message.breaks[min(number, len(message.breaks) - 1)]
