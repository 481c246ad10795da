"""Placement of translations and of the attribution in Markdown, by position.

After each hard break, a translation continues on a new line. This line begins with the prefix that
its container requires: ``> `` in a quote, spaces in a list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipeline.core.document import prose, splice
from pipeline.core.document.directives import QUOTE, quoted
from pipeline.core.document.markdown import front_matter
from pipeline.core.document.message import Kind, Message, Split
from pipeline.core.document.splice import Edit, Placed

_BACKSLASH = "\\"


def place(split: Split, translations: Mapping[int, str], insertions: Sequence[Edit] = ()) -> Placed:
    """Put translations, by message index, and ``insertions`` into the text of ``split``."""
    line_end = splice.line_end_of(split.text)
    translated: dict[int, Edit] = {}
    for index, msgstr in translations.items():
        message = split.messages[index]
        text = to_markdown(message, msgstr, line_end=line_end)
        translated[index] = Edit(message.start, message.end, text)
    return splice.apply_edits(split, translated, insertions=insertions)


def to_markdown(message: Message, msgstr: str, *, line_end: str = "\n") -> str:
    """Return ``msgstr`` in the form that the document needs.

    Add the marks of hard breaks and the prefixes of containers, and restore data URIs. In a quote
    whose English has a hard break by a backslash, ``"一\\n二"`` becomes ``"一\\\\\\n> 二"``.
    """
    lines = splice.translation_lines(prose.show_payloads(msgstr, message.payloads))
    if message.kind in front_matter.KINDS:
        return front_matter.written(" ".join(lines), message.prefix)
    if message.kind is Kind.TABLE_CELL and message.prefix == QUOTE:
        # Always add quotation marks, because the translation may contain the delimiter.
        return quoted(" ".join(lines))
    parts = [lines[0]]
    for number, line in enumerate(lines[1:]):
        parts += [_break_mark(message, number), line_end, message.prefix, line]
    return "".join(parts)


def _break_mark(message: Message, number: int) -> str:
    """Return the mark of the English for the hard break with this 0-based number."""
    if message.kind is Kind.HTML:
        return ""  # HTML needs no mark
    if not message.breaks:
        return _BACKSLASH
    return message.breaks[min(number, len(message.breaks) - 1)]


def attribution_edit(splits: Sequence[Split], line: str) -> tuple[int, Edit]:
    """Return the number of the unit to edit, and the insertion of ``line`` below the title.

    ``line`` is Markdown and becomes a quote. ``splits`` are the units of one document. If there is
    no title, the quote follows the first block of prose. ``"# Title\\nWords"`` becomes:

        # Title

        > 本页译自 …

        Words
    """
    unit, at = _attribution_place(splits)
    text = splits[unit].text
    end = splice.line_end_of(text)
    rest = text[at:]
    # Without a blank line, a paragraph below would become part of the quote.
    gap = ""
    if rest.strip() and not rest.startswith(end * 2):
        gap = end
    return unit, Edit(at, at, f"{end}{end}> {line}{gap}")


def _attribution_place(splits: Sequence[Split]) -> tuple[int, int]:
    """Return the number of a unit, and the offset after the title in it.

    Without a title, return the offset after the first block of prose, or after the whole text.
    """
    # The title may be in a later cell of a notebook.
    for number, split in enumerate(splits):
        if split.title_end is not None:
            return number, split.title_end
    for number, split in enumerate(splits):
        for message in split.messages:
            # After a block in a list or a quote, the attribution would become part of the list or
            # quote.
            if message.is_top_level:
                return number, message.block_end
    # The attribution cannot be inserted into an empty cell: its source may be the list ``[]``,
    # which has no string.
    with_prose = [number for number, split in enumerate(splits) if split.messages]
    last = with_prose[-1] if with_prose else len(splits) - 1
    return last, len(splits[last].text.rstrip())
