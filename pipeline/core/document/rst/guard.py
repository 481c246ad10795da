"""Nothing but prose can change in reStructuredText: what a translation may not do, and the proof.

The same codes as in :mod:`pipeline.core.document.markdown.guard`, and the same two looks:
``refusal`` at one translation alone, ``read_back`` at the whole text, parsed afresh.
"""

from __future__ import annotations

import re
from functools import lru_cache

from docutils import nodes
from docutils.utils import column_width

from pipeline.core.document.guard import Refusal, merged_messages, text_refusal
from pipeline.core.document.message import Kind, Message, Split
from pipeline.core.document.rst import active_markup, anchors
from pipeline.core.document.rst.directive_nodes import held
from pipeline.core.document.rst.parser import read
from pipeline.core.document.rst.positions import Lines
from pipeline.core.document.rst.splitter import split_rst
from pipeline.core.document.splice import Placed
from pipeline.errors import InputError

# What a first line may begin with that makes something else than a paragraph; marks of lists need
# not be ASCII.
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
# Two colons at their end announce nothing.
_KINDS_ON_ONE_LINE = frozenset((Kind.HEADING, Kind.TERM))
# They stand behind the name of a directive, or of one of its options.
_KINDS_OF_FIELDS = frozenset((Kind.TITLE, Kind.IMAGE, Kind.CAPTION))
# The least document in which a line stands where a message of the kind does.
_FRAMES = {
    Kind.HEADING: "{line}\n{rule}",
    Kind.TERM: "{line}\n   x",
    Kind.QUOTE: "   x\n\n   {line}",
}


def refusal(message: Message, msgstr: str) -> Refusal | None:
    """What a translation does that none may do; None if nothing is found.

    It is looked at alone: whether the page stays intact with it, :func:`read_back` says.
    """
    return _refusal(message.msgid, message.kind, bool(message.mark), msgstr)


def read_back(split: Split, placed: Placed) -> tuple[Message, ...] | None:
    """The messages of the merged text, parsed afresh; what a merge has inserted is left out.

    None unless messages, blocks, code and names lie where upstream has them.
    """
    try:
        fresh = split_rst(placed.text)
    except InputError:
        return None
    added: set[int] = set()
    for start, end in placed.inserted:
        # Blank lines before an insertion are not it: docutils may put the block before it there.
        blank = _BLANK_LINES.match(placed.text, start, end)
        first = blank.end() if blank else start
        added.update(range(first, end))
    messages = merged_messages(split, fresh, placed, added)
    # Names are no blocks: a reference may lead nowhere in a page whose blocks are all there.
    if messages is None or not anchors.keeps_names(split, fresh):
        return None
    return messages


@lru_cache(maxsize=1 << 14)
def _refusal(msgid: str, kind: Kind, announces: bool, msgstr: str) -> Refusal | None:
    """The same for any message of this kind; ``announces``: a literal block stands below it.

    Cached for pages that hold the same words, and for the checks, which ask again.
    """
    line = msgstr.strip()
    # The cheap looks come first, and those whose words help a translator most.
    refused = text_refusal(msgid, msgstr) or _lines_refusal(line)
    if not refused and kind in _KINDS_OF_FIELDS:
        refused = active_markup.field_refusal(msgid, line)
    # An image's text is shown as it is.
    if not refused and kind is not Kind.IMAGE:
        refused = _block_refusal(
            msgid, kind, announces, line
        ) or active_markup.inline_refusal(msgid, line)
    return refused or active_markup.written_refusal(msgid, line)


def _lines_refusal(line: str) -> Refusal | None:
    """Whether there is more than one line: reST has no hard breaks in a paragraph."""
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
    """Whether the text, alone, would be something else than the English is.

    A paragraph may not become a list (``"- 中文"``), announce a literal block (``"如下::"``), or
    turn into anything else than a paragraph.
    """
    if kind is Kind.TITLE:
        return None  # behind the name of a directive; read_back has the last word
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
    # Alone, the English may look like something else than a paragraph too: be like it, then.
    became = _block(line, kind)
    if became in (_block("x", kind), _block(msgid, kind)):
        return None
    return Refusal(
        "G103",
        f"would turn the {kind} into a {became}",
        f"Reword its start, or put a backslash before {line[:1]!r}.",
    )


def _classifiers(line: str) -> int:
    """How many classifiers a term has: ``term : classifier``."""
    return len(_CLASSIFIER.findall(line))


@lru_cache(maxsize=1 << 10)
def _block(line: str, kind: Kind) -> str:
    """What docutils takes a line for, in the place of a message of this kind.

    "- a"            paragraph    "bullet list"
    ".. note:: a"    paragraph    "directive"
    "a"              heading      "section"
    """
    frame = _FRAMES.get(kind, "{line}")
    text = frame.format(line=line, rule="=" * column_width(line))
    document, _ = read(Lines(text))
    place = document.children[0] if kind is Kind.QUOTE else document
    # Whatever is no paragraph tells: the text may have become a paragraph and something else.
    others = (
        child for child in place.children if not isinstance(child, nodes.paragraph)
    )
    block = next(others, nodes.paragraph())
    # Bare words come from "replace", which leaves but the text of its paragraph.
    if isinstance(block, held) or not isinstance(block, nodes.Element):
        return "directive"
    name: str = block.tagname
    return name.replace("_", " ")
