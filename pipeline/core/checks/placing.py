"""The smallest page on which a text stands as a block of some kind, and the blocks that it becomes there."""

from __future__ import annotations

import re
from functools import lru_cache

from markdown_it.token import Token

from pipeline.core.document.message import Kind
from pipeline.core.myst import split as markdown

STAND_IN = "\ufffc"  # the "object replacement character": for what is no plain text, and for the blocks around a message
# Code, formulas and emphasis begin no block.
_BLOCK_START = re.compile(r"[#>\-+:~<%(\d\[]|```|\$\$|[*_](?![*_]?[^\s*_])")
_CELL_END = re.compile(r"(?<!\\)\|")

# The openers of the blocks around and in a text, as the parser names them, and the inline content of each block that has any.
Blocks = tuple[tuple[str, ...], tuple[str, ...]]


def blocks_of(lines: list[str], kind: Kind) -> Blocks:
    """What the lines of a message become in their place. Only a heading, a term and the like can be more than one block."""
    if kind is Kind.TITLE:
        return (kind.value,), (" ".join(lines),)
    if _is_usual(lines, kind):
        return _usual(kind), (lines[0],)
    return _parsed(lines, kind)


def _is_usual(lines: list[str], kind: Kind) -> bool:
    """Whether no block syntax can be in it, so that a parser need not be asked."""
    if len(lines) > 1 or _BLOCK_START.match(lines[0]):
        return False
    if kind is Kind.TABLE_CELL:
        return "|" not in lines[0]
    return not (kind is Kind.HEADING and lines[0].endswith("#"))


@lru_cache
def _usual(kind: Kind) -> tuple[str, ...]:
    return _parsed(["x"], kind)[0]


def _parsed(lines: list[str], kind: Kind) -> Blocks:
    md = markdown.parser()
    tokens: list[Token] = []
    md.block.parse(_placed(lines, kind), md, {}, tokens)
    blocks = tuple(
        token.type.removesuffix("_open")
        for token in tokens
        if token.nesting >= 0 and token.type != "inline"
    )
    texts = tuple(token.content for token in tokens if token.content and token.content != STAND_IN)
    if kind is Kind.TABLE_CELL:  # more cells than the table has columns leave no token
        blocks += ("td",) * len(_CELL_END.findall(lines[0]))
    elif kind is Kind.HEADING and len(lines) == 1 and texts != (lines[0],):
        blocks += ("closing marks",)
    return blocks, texts


def _placed(lines: list[str], kind: Kind) -> str:
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
            before = f"{STAND_IN}\n\n"  # a ``: `` behind a paragraph would make that a term
    return f"{before}{f'{chr(92)}{chr(10)}{prefix}'.join(lines)}{after}"
