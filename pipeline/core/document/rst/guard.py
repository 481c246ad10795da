"""reST guard: rejects translations that would change more than prose, and proves the result.

As in Markdown, :func:`refusal` examines one translation alone and gives the reason, and
:func:`read_back` parses the merged text again and compares it with upstream's. The codes of the
refusals are the same as in Markdown.
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
# Kinds of messages that are the argument or an option of a directive.
_KINDS_OF_FIELDS = frozenset((Kind.TITLE, Kind.IMAGE, Kind.CAPTION))


# Cache the reasons: several pages may have the same message, and the checks call this function as
# well.
@lru_cache(maxsize=1 << 14)
def refusal(msgid: str, kind: Kind, msgstr: str) -> Refusal | None:
    """Return the reason to refuse a translation on its own, or None.

    This function does not know the page; :func:`read_back` decides whether the page is intact.
    """
    line = msgstr.strip()
    # First the tests that are fast or have the most helpful messages.
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
    """Return the messages of the merged text, parsed again, without the insertions of the merge.

    Return None if messages, blocks, code or names of targets differ from those of upstream's text
    ``split``. In a docstring, the names of sections, parameters and types must be equal as well.
    """
    if is_docstring and names_in(placed.text) != names_in(split.text):
        return None
    try:
        fresh = split_rst(placed.text, is_docstring=is_docstring)
    except InputError:
        return None
    added: set[int] = set()
    for start, end in placed.inserted:
        # Exclude leading blank lines, because docutils may report them as the position of the block
        # above.
        blank = _BLANK_LINES.match(placed.text, start, end)
        first = blank.end() if blank else start
        added.update(range(first, end))
    messages = merged_messages(split, fresh, placed, added)
    # The signatures of blocks do not include the names of titles, so compare references separately.
    if messages is None or not anchors.keeps_names(split, fresh):
        return None
    return messages


def _lines_refusal(line: str) -> Refusal | None:
    """Return a refusal if the translation has several lines: reST has no hard breaks."""
    breaks = line.count("\n")
    if breaks == 0:
        return None
    return Refusal(
        "G102",
        f"has {breaks} line breaks where the English has none",
        "Write it on one line.",
    )
