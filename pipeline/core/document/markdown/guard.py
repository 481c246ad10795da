"""Markdown guard: rejects translations that would change more than prose, and proves the result.

:func:`refusal` examines one translation alone and gives the reason. :func:`read_back` parses the
merged text again and compares it with upstream's.
"""

from __future__ import annotations

import re
from functools import lru_cache

from markdown_it.token import Token

from pipeline.core.document.guard import Refusal, merged_messages, text_refusal
from pipeline.core.document.markdown import active_markup, directives, front_matter
from pipeline.core.document.markdown.parser import plain_parser
from pipeline.core.document.markdown.splitter import split_text
from pipeline.core.document.message import Kind, Message, Split
from pipeline.core.document.splice import Placed, translation_lines
from pipeline.errors import InputError
from pipeline.reading import MYST, Dialect, Reading

_LINE_END = re.compile(r"\r\n?")
# jupytext only looks at how the info string of a fence starts.
_CELLS = tuple(f"{{{name}}}" for name in directives.CELLS)


# Cache the reasons: both documents of a jupytext pair have the same messages, and the checks call
# this function as well.
@lru_cache(maxsize=1 << 14)
def refusal(msgid: str, kind: Kind, msgstr: str) -> Refusal | None:
    """Return the reason to refuse a translation on its own, or None.

    This function does not know the page; :func:`read_back` decides whether the page is intact.
    """
    lines = translation_lines(msgstr)
    is_html = kind is Kind.HTML
    # First the tests that are fast or have the most helpful messages.
    refused = text_refusal(msgid, msgstr) or _lines_refusal(msgid, lines)
    if not refused and is_html:
        refused = active_markup.html_refusal(msgid, msgstr)
    refused = (
        refused
        or active_markup.written_refusal(msgid, msgstr)
        or active_markup.evaluated_refusal(msgid, msgstr, is_html=is_html)
    )
    if refused:
        return refused
    if kind is Kind.IMAGE:
        refused = active_markup.image_refusal(msgid, msgstr)
    # Apply this test to HTML and image texts as well: a renderer may find formulas in them.
    return refused or active_markup.inline_refusal(msgid, msgstr)


def read_back(
    split: Split,
    placed: Placed,
    *,
    page: bool,
    is_run: bool = False,
    reading: Reading = MYST,
) -> tuple[Message, ...] | None:
    """Return the messages of the merged text, parsed again, without the insertions of the merge.

    Return None if messages, blocks or code differ from those of upstream's text ``split``.
    ``is_run`` means that the page is a MyST notebook, whose code is executed.
    """
    # If upstream forgot to close a fence, jupytext may execute text that is prose here.
    dialect = reading.dialect
    if is_run and executable(placed.text, dialect) != executable(split.text, dialect):
        return None
    try:
        fresh = split_text(placed.text, page=page, reading=reading)
    except InputError:
        return None
    added: set[int] = set()
    for start, end in placed.inserted:
        added.update(range(start, end))
    return merged_messages(split, fresh, placed, added)


# Cache the blocks, because each try of a merge compares with upstream's text.
@lru_cache(maxsize=4)
def executable(
    text: str, dialect: Dialect = Dialect.MYST
) -> tuple[tuple[str, str], ...]:
    """Return (info string, content) of every block that jupytext does not treat as prose.

    Parse with jupytext's syntax, in which other texts may be code than in MyST.
    """
    md = plain_parser()
    tokens: list[Token] = []
    md.block.parse(_LINE_END.sub("\n", text), md, {}, tokens)
    blocks: list[tuple[str, str]] = []
    for token in tokens:
        if token.type == "front_matter":
            # Leave out the values that a translation may change.
            source = front_matter.without_words(token.content, dialect)
            blocks.append((token.info, source))
        elif token.type == "myst_block_break" or (
            token.type == "fence" and token.info.startswith(_CELLS)
        ):
            blocks.append((token.info, token.content))
    return tuple(blocks)


def _lines_refusal(msgid: str, lines: list[str]) -> Refusal | None:
    """Return a refusal if the translation has more lines than the English, or a blank line."""
    breaks = msgid.count("\n")
    if len(lines) > breaks + 1:
        return Refusal(
            "G102",
            f"has {len(lines) - 1} line breaks where the English has {breaks}",
            "Write it on one line, or break it only where the English does (\\n).",
        )
    if len(lines) > 1 and not all(line.strip() for line in lines):
        return Refusal(
            "G102", "has an empty line", "Delete it: a message is one block."
        )
    return None
