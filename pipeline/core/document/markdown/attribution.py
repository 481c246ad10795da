"""Where the line of attribution stands in Markdown: a quote under the title."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.core.document.splice import Edit, UnitEdit, line_end_of
from pipeline.core.document.split import Split


def insertion(splits: Sequence[Split], line: str) -> UnitEdit:
    """A quote with ``line``, which is Markdown, under the title, in the text that holds it.

    ``splits`` are the texts of one document: of a page, or of the cells of a notebook. On a page
    without a title it stands behind the first block of prose. ``"# Title\\nWords"`` becomes:

        # Title

        > 本页译自 …

        Words
    """
    unit, at = _place(splits)
    text = splits[unit].text
    end = line_end_of(text)
    rest = text[at:]
    # A paragraph right below would go on with the quote.
    gap = ""
    if rest.strip() and not rest.startswith(end * 2):
        gap = end
    return UnitEdit(unit, Edit(at, at, f"{end}{end}> {line}{gap}"))


def _place(splits: Sequence[Split]) -> tuple[int, int]:
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
