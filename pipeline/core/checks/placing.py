"""The smallest page on which a text stands as a block of some kind, and what it becomes there.

A translation may turn into another block by accident: ``# 键`` in a paragraph is a heading. So it
is parsed with what the block needs around it, and the blocks are compared with those of the
English.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from markdown_it.token import Token

from pipeline.core.document.markdown import parser as markdown
from pipeline.core.document.message import Kind

# The "object replacement character": for what is no plain text, and for the blocks around a
# message.
STAND_IN = "\ufffc"
# Code, formulas and emphasis begin no block.
_BLOCK_START = re.compile(r"[#>\-+:~<%(\d\[]|```|\$\$|[*_](?![*_]?[^\s*_])")
_CELL_END = re.compile(r"(?<!\\)\|")

# The openers of the blocks around and in a text, as the parser names them, and the inline content
# of each block that has any.
Blocks = tuple[tuple[str, ...], tuple[str, ...]]


class _Around(NamedTuple):
    """What a text needs around it to be a block of some kind.

    ``prefix`` begins each further line, so that hard breaks stay within the block.
    """

    before: str = ""
    prefix: str = ""
    after: str = ""


_AROUND = {
    Kind.LIST_ITEM: _Around(before="- ", prefix="  "),
    Kind.QUOTE: _Around(before="> ", prefix="> "),
    Kind.FOOTNOTE: _Around(before="[^1]: ", prefix="    "),
    Kind.TERM: _Around(after=f"\n: {STAND_IN}"),
    Kind.DEFINITION: _Around(before=f"{STAND_IN}\n: ", prefix="  "),
}
_AROUND_HEADING = _Around(before="# ")
_AROUND_LONG_HEADING = _Around(after="\n===")  # of several lines
# Of all other kinds. Right behind a paragraph, a ``: `` would make a term of that.
_AROUND_PARAGRAPH = _Around(before=f"{STAND_IN}\n\n")


def blocks_of(lines: list[str], kind: Kind) -> Blocks:
    """What the lines of a message become in their place.

    A parser's names of the blocks come first, the inline content of each comes second::

        ["键"], LIST_ITEM    ->  (bullet_list, list_item, paragraph), ("键",)
        ["# 键"], PARAGRAPH  ->  (paragraph, heading), ("键",)

    Only a heading, a term and the like can be more than one block.
    """
    # The argument of a directive, a value of YAML: no block syntax is read there.
    if kind in (Kind.TITLE, Kind.PAGE_TITLE, Kind.FRONT_MATTER):
        return (kind.value,), (" ".join(lines),)
    if _is_usual(lines, kind):
        return _usual(kind), (lines[0],)
    return _parsed(lines, kind)


def _is_usual(lines: list[str], kind: Kind) -> bool:
    """Whether no block syntax can be in it, so that a parser need not be asked.

    Most messages are so: ``使用数组``. Behind a hard break a line may begin a block as well.
    """
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
    """What a parser says that the lines become in their place.

    Of what stands around them the blocks count too, but not the texts.
    """
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
    blocks += _without_token(lines, kind, texts)
    return tuple(blocks), tuple(texts)


def _without_token(lines: list[str], kind: Kind, texts: list[str]) -> list[str]:
    """What the lines become besides, for which the parser leaves no token.

    That is a cell beyond the columns of the table (``甲 | 乙``), and the closing marks of a
    heading: ``键 #`` has the text ``键``.
    """
    if kind is Kind.TABLE_CELL:
        return ["td"] * len(_CELL_END.findall(lines[0]))
    if kind is Kind.HEADING and len(lines) == 1 and texts != lines:
        return ["closing marks"]
    return []


def _placed(lines: list[str], kind: Kind) -> str:
    r"""The source of the smallest page, with hard breaks between the lines.

    Of a list item of two lines it is ``- 甲\⏎  乙``.
    """
    if kind is Kind.HTML:
        return "\n".join(lines)
    if kind is Kind.TABLE_CELL:
        return f"| {STAND_IN} |\n| - |\n| {' '.join(lines)} |"
    around = _AROUND.get(kind, _AROUND_PARAGRAPH)
    if kind is Kind.HEADING:
        around = _AROUND_HEADING if len(lines) == 1 else _AROUND_LONG_HEADING
    hard_break = f"\\\n{around.prefix}"
    return f"{around.before}{hard_break.join(lines)}{around.after}"
