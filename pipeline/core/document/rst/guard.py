"""reST guard: rejects translations that would change more than prose, and proves the result.

It has the codes and the two steps of :mod:`pipeline.core.document.markdown.guard`. ``refusal``
checks one translation alone. ``read_back`` parses the merged text again.
"""

from __future__ import annotations

import re
from functools import lru_cache

from docutils import nodes
from docutils.utils import column_width

from pipeline.core.document.guard import Refusal, merged_messages, text_refusal
from pipeline.core.document.message import Kind, Message, Split
from pipeline.core.document.rst import active_markup, anchors
from pipeline.core.document.rst.directive_nodes import directive_node
from pipeline.core.document.rst.docstring import names_in
from pipeline.core.document.rst.parser import read
from pipeline.core.document.rst.positions import Lines
from pipeline.core.document.rst.splitter import split_rst
from pipeline.core.document.splice import Placed
from pipeline.errors import InputError

# Starts of a first line that is no paragraph; bullets need not be ASCII.
_BLOCK_START = re.compile(
    r"""
      [!-/:-@\[-`{-~\u2022\u2023\u2043\u2014]
    | (?:[0-9]+|[A-Za-z]|[ivxlcdmIVXLCDM]+)[.)]     # 1. a) iv.
    | [ \t]
    """,
    re.VERBOSE,
)
_ANNOUNCES = re.compile(r"(?<!\\)(?:\\\\)*::$")
_CLASSIFIER = re.compile(r"\s:\s")
_BLANK_LINES = re.compile(r"(?:[ \t]*(?:\r\n?|\n))+")
# Two colons at their end do not announce a literal block.
_KINDS_ON_ONE_LINE = frozenset((Kind.HEADING, Kind.TERM))
# Kinds that follow the name of a directive or an option.
_KINDS_OF_FIELDS = frozenset((Kind.TITLE, Kind.IMAGE, Kind.CAPTION))
# The smallest document with a line in the position of a message of this kind.
_FRAMES = {
    Kind.HEADING: "{line}\n{rule}",
    Kind.TERM: "{line}\n   x",
    Kind.QUOTE: "   x\n\n   {line}",
}


def refusal(message: Message, msgstr: str) -> Refusal | None:
    """Return why a translation is refused, judged alone; None if no fault is found.

    :func:`read_back` decides whether the page stays intact with it.
    """
    return _refusal(message.msgid, message.kind, bool(message.mark), msgstr)


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


@lru_cache(maxsize=1 << 14)
def _refusal(msgid: str, kind: Kind, announces: bool, msgstr: str) -> Refusal | None:
    """Return the refusal for any message of this kind.

    ``announces`` is whether a literal block follows the message. The cache serves pages with equal
    words, and the checks, which ask again.
    """
    line = msgstr.strip()
    # Cheap tests first, and tests with the most helpful messages.
    refused = text_refusal(msgid, msgstr) or _lines_refusal(line)
    if not refused and kind in _KINDS_OF_FIELDS:
        refused = active_markup.field_refusal(msgid, line)
    # docutils does not parse an image's text.
    if not refused and kind is not Kind.IMAGE:
        refused = _block_refusal(
            msgid, kind, announces, line
        ) or active_markup.inline_refusal(msgid, line)
    return refused or active_markup.written_refusal(msgid, line)


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


def _block_refusal(
    msgid: str, kind: Kind, announces: bool, line: str
) -> Refusal | None:
    """Return a refusal if the text alone would be parsed as another block than the English.

    A paragraph may not become a list (``"- 中文"``) or any other block. It may not announce a
    literal block (``"如下::"``).
    """
    if kind is Kind.TITLE:
        return None  # it follows the name of a directive, so read_back decides
    if kind is Kind.TERM and _classifiers(line) > _classifiers(msgid):
        return Refusal(
            "G103",
            "would give the definition term a classifier",
            "Write ：, or no space before the colon.",
        )
    if kind not in _KINDS_ON_ONE_LINE and not announces and _ANNOUNCES.search(line):
        return Refusal(
            "G103",
            f"would make the {kind} announce a literal block",
            "Write one colon at the end.",
        )
    if not _BLOCK_START.match(line):
        return None
    # The English alone may be no paragraph either: the translation may be the same block.
    became = _block(line, kind)
    if became in (_block("x", kind), _block(msgid, kind)):
        return None
    return Refusal(
        "G103",
        f"would turn the {kind} into a {became}",
        f"Reword its start, or put a backslash before {line[:1]!r}.",
    )


def _classifiers(line: str) -> int:
    """Return the number of classifiers in a term: one for ``term : classifier``."""
    return len(_CLASSIFIER.findall(line))


@lru_cache(maxsize=1 << 10)
def _block(line: str, kind: Kind) -> str:
    """Return the readable kind of block that a line is, in the position of ``kind``.

    "- a"            paragraph    "bullet list"
    ".. note:: a"    paragraph    "directive"
    "a"              heading      "section"
    """
    frame = _FRAMES.get(kind, "{line}")
    text = frame.format(line=line, rule="=" * column_width(line))
    document, _ = read(Lines(text))
    place = document.children[0] if kind is Kind.QUOTE else document
    # Look for any block but a paragraph: the text may have become a paragraph and another block.
    others = (
        child for child in place.children if not isinstance(child, nodes.paragraph)
    )
    block = next(others, nodes.paragraph())
    # "replace" returns bare text nodes, the content of its paragraph.
    if isinstance(block, directive_node) or not isinstance(block, nodes.Element):
        return "directive"
    name: str = block.tagname
    return name.replace("_", " ")
