"""reST guard: rejects translations that would change more than prose, and proves the result.

It has the codes and the two steps of :mod:`pipeline.core.document.markdown.guard`. ``refusal``
checks one translation alone. ``read_back`` parses the merged text again.
"""

from __future__ import annotations

import re
from functools import lru_cache

from pipeline.core.document.guard import Refusal, merged_messages, text_refusal
from pipeline.core.document.message import Kind, Message, Split
from pipeline.core.document.rst import active_markup, anchors
from pipeline.core.document.rst.docstring import names_in
from pipeline.core.document.rst.splitter import split_rst
from pipeline.core.document.splice import Placed
from pipeline.errors import InputError

_BLANK_LINES = re.compile(r"(?:[ \t]*(?:\r\n?|\n))+")
# Kinds that follow the name of a directive or an option.
_KINDS_OF_FIELDS = frozenset((Kind.TITLE, Kind.IMAGE, Kind.CAPTION))


# The cache serves pages with equal words, and the checks, which ask again.
@lru_cache(maxsize=1 << 14)
def refusal(msgid: str, kind: Kind, msgstr: str) -> Refusal | None:
    """Return why a translation is refused, judged alone; None if no fault is found.

    :func:`read_back` decides whether the page stays intact with it.
    """
    line = msgstr.strip()
    # Cheap tests first, and tests with the most helpful messages.
    refused = text_refusal(msgid, msgstr) or _lines_refusal(line)
    if not refused and kind in _KINDS_OF_FIELDS:
        refused = active_markup.field_refusal(msgid, line)
    # docutils does not parse an image's text.
    if not refused and kind is not Kind.IMAGE:
        refused = active_markup.inline_refusal(msgid, line)
    return refused or active_markup.written_refusal(msgid, line)


def read_back(
    split: Split, placed: Placed, *, is_docstring: bool = False
) -> tuple[Message, ...] | None:
    """Return the messages of the merged text, parsed again, without the merge's insertions.

    Returns None unless messages, blocks, code and names are where upstream has them. In a docstring
    these are also the names of sections, parameters and types.
    """
    if is_docstring and names_in(placed.text) != names_in(split.text):
        return None
    try:
        fresh = split_rst(placed.text, is_docstring=is_docstring)
    except InputError:
        return None
    added: set[int] = set()
    for start, end in placed.inserted:
        # Exclude leading blank lines: docutils may position the block before the insertion there.
        blank = _BLANK_LINES.match(placed.text, start, end)
        first = blank.end() if blank else start
        added.update(range(first, end))
    messages = merged_messages(split, fresh, placed, added)
    # Names are not part of the blocks, so references are checked separately.
    if messages is None or not anchors.keeps_names(split, fresh):
        return None
    return messages


def _lines_refusal(line: str) -> Refusal | None:
    """Return a refusal if there are several lines: reST paragraphs have no hard breaks."""
    breaks = line.count("\n")
    if breaks == 0:
        return None
    return Refusal(
        "G102",
        f"has {breaks} line breaks where the English has none",
        "Write it on one line.",
    )
