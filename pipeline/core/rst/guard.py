"""Nothing but prose can change in reStructuredText: what a translation may not do, and the proof.

The same codes as in :mod:`pipeline.core.myst.guard`, and the same two looks: ``refusal`` at one
translation alone, ``read_back`` at the whole text, parsed afresh.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from docutils import nodes
from docutils.utils import column_width

from pipeline.core.document.message import Kind, Message
from pipeline.core.document.refusal import Refusal, text_refusal
from pipeline.core.document.splice import Placed
from pipeline.core.document.split import Split
from pipeline.core.document.written import find_written
from pipeline.core.rst import targets
from pipeline.core.rst.inline import spaced
from pipeline.core.rst.lines import Lines
from pipeline.core.rst.pieces import BY_NUMBER, pieces_of
from pipeline.core.rst.reading import read
from pipeline.core.rst.split import split_rst
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
_ACTIVE = re.compile(r"[`*_|\[:@\\]")
# What becomes active in a browser wherever it stands.
_ACTIVE_AS_WRITTEN = ("scheme", "math macro")
_KEEP = "Keep exactly what the English has, letter by letter."
_BY_ORDER = "Keep each of them, in the order of the English: nothing else says what they belong to."
_HINTS = {"interpreted text": "Code stands between two backquotes on either side (``code``)."}
_SHOWN = 60  # characters of a piece


def refusal(message: Message, msgstr: str) -> Refusal | None:
    """What a translation does that none may do; None if nothing is found."""
    return _refusal(message.msgid, message.kind, bool(message.mark), msgstr)


def read_back(split: Split, placed: Placed) -> tuple[Message, ...] | None:
    """The messages of the merged text, parsed afresh; what a merge has inserted is left out.

    None unless messages, blocks, code and names lie where upstream has them.
    """
    try:
        fresh = split_rst(placed.text)
    except InputError:
        return None
    added = _added_blocks(placed)
    messages = tuple(message for message in fresh.messages if message.start not in added)
    if [(message.start, message.end) for message in messages] != list(placed.spans):
        return None
    if [message.kind for message in messages] != [message.kind for message in split.messages]:
        return None
    skeleton = [signature for start, signature in fresh.skeleton if start not in added]
    if skeleton != [signature for _, signature in split.skeleton] or fresh.code != split.code:
        return None
    return messages if targets.keeps_names(split, fresh) else None


def _added_blocks(placed: Placed) -> frozenset[int]:
    """Offsets of what was inserted.

    Blank lines before it are not it: docutils may put the block before them there.
    """
    found: set[int] = set()
    for start, end in placed.inserted:
        blank = _BLANK_LINES.match(placed.text, start, end)
        found.update(range(blank.end() if blank else start, end))
    return frozenset(found)


@lru_cache(maxsize=1 << 14)
def _refusal(msgid: str, kind: Kind, announces: bool, msgstr: str) -> Refusal | None:
    line = msgstr.strip()
    refused = text_refusal(msgid, msgstr) or _lines_refusal(line)
    # The text of an image is shown as it is: no mark in it means anything.
    if refused or kind is Kind.IMAGE:
        return refused
    return (
        _block_refusal(msgid, kind, announces, line)
        or _inline_refusal(msgid, line)
        or _written_refusal(msgid, line)
    )


def _lines_refusal(line: str) -> Refusal | None:
    breaks = line.count("\n")
    if not breaks:
        return None
    return Refusal(
        "G102", f"has {breaks} line breaks where the English has none", "Write it on one line."
    )


def _written_refusal(msgid: str, line: str) -> Refusal | None:
    """What becomes active in a browser wherever it stands: the same as in Markdown."""
    for name in _ACTIVE_AS_WRITTEN:
        theirs = frozenset(find_written(name, msgid))
        added = [piece for piece in find_written(name, line) if piece not in theirs]
        if added:
            return _added(name, added)
    return None


def _block_refusal(msgid: str, kind: Kind, announces: bool, line: str) -> Refusal | None:
    """Whether the text, alone, would be something else than the English is."""
    if kind is Kind.TITLE:
        return None  # behind the name of a directive; read_back has the last word
    if kind is Kind.TERM and len(_CLASSIFIER.findall(line)) > len(_CLASSIFIER.findall(msgid)):
        return Refusal(
            "G103",
            "would give the definition term a classifier",
            "Write ：, or no space before the colon.",
        )
    if kind not in _KINDS_ON_ONE_LINE and not announces and _ANNOUNCES.search(line):
        return Refusal(
            "G103", f"would make the {kind} announce a literal block", "Write one colon at the end."
        )
    if not _BLOCK_START.match(line):
        return None
    became = _block(line, kind)
    if became in (_block("x", kind), _block(msgid, kind)):
        return None
    return Refusal(
        "G103",
        f"would turn the {kind} into a {became}",
        f"Reword its start, or put a backslash before {line[:1]!r}.",
    )


@lru_cache(maxsize=1 << 10)
def _block(line: str, kind: Kind) -> str:
    """What docutils takes a line for, in the place of a message of this kind."""
    match kind:
        case Kind.HEADING:
            text = f"{line}\n{'=' * column_width(line)}"
        case Kind.TERM:
            text = f"{line}\n   x"
        case Kind.QUOTE:
            text = f"   x\n\n   {line}"
        case _:
            text = line
    document, _ = read(Lines(text))
    place = document.children[0] if kind is Kind.QUOTE else document
    blocks = [child for child in place.children if isinstance(child, nodes.Element)]
    others = (child for child in blocks if not isinstance(child, nodes.paragraph))
    block = next(others, blocks[0])
    return "directive" if block.tagname == "held" else block.tagname.replace("_", " ")


def _inline_refusal(msgid: str, line: str) -> Refusal | None:
    """Whether the translation brings in anything that acts and that the English has not."""
    if not _ACTIVE.search(line) and not _ACTIVE.search(msgid):
        return None
    theirs, ours = pieces_of(msgid), pieces_of(spaced(line))
    # What the English only means to have, for want of a separator, may be there as well.
    meant = pieces_of(spaced(msgid))
    for name, pieces in ours.items():
        known = {*theirs.get(name, ()), *meant.get(name, ())}
        added = [piece for piece in pieces if piece not in known]
        if added and name not in BY_NUMBER:
            return _added(name, added)
    for name in BY_NUMBER:
        if refused := _order_refusal(name, theirs.get(name, []), ours.get(name, [])):
            return refused
    return None


def _order_refusal(name: str, before: list[str], after: list[str]) -> Refusal | None:
    """Whether marks that are told apart by their order alone are others, or in another order."""
    if len(before) != len(after):
        return Refusal(
            "G104", f"has {len(after)} {name} where the English has {len(before)}", _BY_ORDER
        )
    if before != after and sorted(before) == sorted(after):
        return Refusal("G104", f"has its {name} in another order", _BY_ORDER)
    return None


def _added(name: str, pieces: Iterable[str]) -> Refusal:
    parts = [f"adds {name} {_quote(piece)}" for piece in dict.fromkeys(pieces)]
    return Refusal("G104", "; ".join(parts), _HINTS.get(name, _KEEP))


def _quote(piece: str) -> str:
    return f"“{piece[:_SHOWN]}…”" if len(piece) > _SHOWN else f"“{piece}”"
