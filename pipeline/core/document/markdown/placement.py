"""Placement of translations in Markdown, by position, and of the line of attribution.

A translation comes on as many lines as its English has hard breaks. Every line but the first
begins with what its container asks for there: ``> `` in a quote, spaces in a list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipeline.core.document import prose
from pipeline.core.document.markdown import front_matter
from pipeline.core.document.message import Kind, Message, Split
from pipeline.core.document.splice import (
    Edit,
    Placed,
    line_end_of,
    placed,
    translation_lines,
)

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


def attribution_edit(splits: Sequence[Split], line: str) -> tuple[int, Edit]:
    """A quote with ``line``, which is Markdown, under the title, in the text that holds it.

    ``splits`` are the texts of one document: of a page, or of the cells of a notebook. On a page
    without a title it stands behind the first block of prose. ``"# Title\\nWords"`` becomes:

        # Title

        > 本页译自 …

        Words
    """
    unit, at = _attribution_place(splits)
    text = splits[unit].text
    end = line_end_of(text)
    rest = text[at:]
    # A paragraph right below would go on with the quote.
    gap = ""
    if rest.strip() and not rest.startswith(end * 2):
        gap = end
    return unit, Edit(at, at, f"{end}{end}> {line}{gap}")


def _attribution_place(splits: Sequence[Split]) -> tuple[int, int]:
    """Number of the text, and offset: behind the title, the first block, or everything."""
    # The title need not stand in the first cell of a notebook.
    for number, split in enumerate(splits):
        if split.title_end is not None:
            return number, split.title_end
    for number, split in enumerate(splits):
        for message in split.messages:
            # Within a list or a quote it would be taken for a part of that.
            if message.is_top_level:
                return number, message.block_end
    last = len(splits) - 1
    return last, len(splits[last].text.rstrip())
