"""The smallest page on which a text stands as a block of some kind, and what it becomes there.

A translation may turn into another block by accident: ``# 键`` in a paragraph is a heading. So it
is parsed with what the block needs around it, and the blocks are compared with those of the
English.
"""

from __future__ import annotations

import re
from functools import lru_cache

from markdown_it.token import Token

from pipeline.core.document.message import Kind
from pipeline.core.myst import reading as markdown

# The "object replacement character": for what is no plain text, and for the blocks around a
# message.
STAND_IN = "\ufffc"
# Code, formulas and emphasis begin no block.
_BLOCK_START = re.compile(r"[#>\-+:~<%(\d\[]|```|\$\$|[*_](?![*_]?[^\s*_])")
_CELL_END = re.compile(r"(?<!\\)\|")

# The openers of the blocks around and in a text, as the parser names them, and the inline content
# of each block that has any.
Blocks = tuple[tuple[str, ...], tuple[str, ...]]


def blocks_of(lines: list[str], kind: Kind) -> Blocks:
    """What the lines of a message become in their place.

    Only a heading, a term and the like can be more than one block.
    """
    if kind is Kind.TITLE:  # the argument of a directive: no block syntax is read there
        return (kind.value,), (" ".join(lines),)
    if _is_usual(lines, kind):
        return _usual(kind), (lines[0],)
    return _parsed(lines, kind)


def _is_usual(lines: list[str], kind: Kind) -> bool:
    """Whether no block syntax can be in it, so that a parser need not be asked."""
    # Behind a hard break a line may begin a block as well.
    if len(lines) > 1 or _BLOCK_START.match(lines[0]):
        return False
    if kind is Kind.TABLE_CELL:
        return "|" not in lines[0]
    if kind is Kind.HEADING:
        return not lines[0].endswith("#")
    return True


@lru_cache
def _usual(kind: Kind) -> tuple[str, ...]:
    """The blocks that a plain word of a kind becomes."""
    return _parsed(["x"], kind)[0]


def _parsed(lines: list[str], kind: Kind) -> Blocks:
    md = markdown.parser()
    tokens: list[Token] = []
    md.block.parse(_placed(lines, kind), md, {}, tokens)
    blocks: list[str] = []
    texts: list[str] = []
    for token in tokens:
        if token.nesting >= 0 and token.type != "inline":
            blocks.append(token.type.removesuffix("_open"))
        if token.content and token.content != STAND_IN:
            texts.append(token.content)
    # The parser leaves no token for these two.
    if kind is Kind.TABLE_CELL:  # cells beyond the columns of the table
        blocks += ["td"] * len(_CELL_END.findall(lines[0]))
    elif kind is Kind.HEADING and len(lines) == 1 and texts != [lines[0]]:
        blocks.append("closing marks")
    return tuple(blocks), tuple(texts)


def _placed(lines: list[str], kind: Kind) -> str:
    """The source of the smallest page. Hard breaks stay within the block."""
    before, prefix, after = "", "", ""
    match kind:
        case Kind.HTML:
            return "\n".join(lines)
        case Kind.TABLE_CELL:
            return f"| {STAND_IN} |\n| - |\n| {' '.join(lines)} |"
        case Kind.HEADING if len(lines) == 1:
            before = "# "
        case Kind.HEADING:
            after = "\n==="
        case Kind.LIST_ITEM:
            before, prefix = "- ", "  "
        case Kind.QUOTE:
            before, prefix = "> ", "> "
        case Kind.FOOTNOTE:
            before, prefix = "[^1]: ", "    "
        case Kind.TERM:
            after = f"\n: {STAND_IN}"
        case Kind.DEFINITION:
            before, prefix = f"{STAND_IN}\n: ", "  "
        case _:
            # A ``: `` behind a paragraph would make that a term.
            before = f"{STAND_IN}\n\n"
    hard_break = f"\\\n{prefix}"
    return f"{before}{hard_break.join(lines)}{after}"
