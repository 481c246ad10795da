"""Page as a sequence of blocks: prose, headings and code.

Both sides of an adoption become blocks: upstream's page at some commit, and the translated copy. On
the English side, the text of each block of prose is the exact msgid of a message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from pipeline.core.document.markdown.directives import count_option_lines, parse_info
from pipeline.core.document.message import Kind, Markup, Message, Signature, Split
from pipeline.core.document.reader import Document

# Nodes of docutils whose text is code, and directives for code.
_RST_LITERAL = ("literal_block", "doctest_block")
_RST_CODE = ("code", "code-block", "sourcecode", "testcode", "doctest", "code-cell")
_FENCES = ("fence", "colon_fence", "code_block")


class BlockKind(StrEnum):
    """Kind of a block."""

    HEADING = "heading"
    PROSE = "prose"
    CODE = "code"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block of a page."""

    kind: BlockKind
    text: str  # code, or the msgid, which is on one line except for hard line breaks
    place: str = ""  # position as reports show it: "line 12" or "cell 3"
    message: Kind = Kind.PARAGRAPH  # kind of the message, for prose and headings
    markup: Markup = Markup.MARKDOWN

    @property
    def is_words(self) -> bool:
        """Return whether people translate the block: whether it is prose or a heading."""
        return self.kind is not BlockKind.CODE


def blocks_of(document: Document) -> tuple[Block, ...]:
    """Return the blocks of a document, in order.

    Blocks of a notebook are the blocks of its Markdown cells, and its code cells that are not
    empty.
    """
    if document.notebook is None:
        return tuple(split_blocks(document.units[0].split))
    units = {unit.cell: unit for unit in document.units}
    blocks: list[Block] = []
    for number, cell in enumerate(document.notebook.cells):
        if number in units:
            blocks += split_blocks(units[number].split, cell=number)
        elif cell.kind == "code" and cell.source.strip():
            code = Block(kind=BlockKind.CODE, text=cell.source, place=f"cell {number}")
            blocks.append(code)
    return tuple(blocks)


def split_blocks(split: Split, *, cell: int | None = None) -> Iterator[Block]:
    """Yield the messages and the code of a text as blocks, in order.

    ``cell`` is the index of the notebook cell that the text is from.
    """
    found = [(message.start, _words_block(message, cell)) for message in split.messages]
    found += _code_blocks(split, cell)
    # The sort is stable, so a message comes before code with the same offset.
    found.sort(key=lambda pair: pair[0])
    yield from (block for _, block in found)


def words_of(blocks: Iterable[Block]) -> list[Block]:
    """Return the blocks that people translate: prose and headings, in order."""
    return [block for block in blocks if block.is_words]


def _words_block(message: Message, cell: int | None) -> Block:
    """Return a message as a block with its exact msgid.

    The title of an admonition is prose, because only headings divide a page.
    """
    is_heading = message.kind is Kind.HEADING
    return Block(
        kind=BlockKind.HEADING if is_heading else BlockKind.PROSE,
        text=message.msgid,
        place=_place(message.line, cell),
        message=message.kind,
        markup=message.markup,
    )


def _code_blocks(split: Split, cell: int | None) -> Iterator[tuple[int, Block]]:
    """Yield each piece of code that is not blank, with its offset in the text."""
    codes = iter(split.code)
    for offset, signature in split.skeleton:
        code = _code(signature, codes)
        if code.strip():
            line = split.text.count("\n", 0, offset) + 1
            place = _place(line, cell)
            yield offset, Block(kind=BlockKind.CODE, text=code, place=place)


def _code(signature: Signature, codes: Iterator[str]) -> str:
    """Return the code of an element of a skeleton (``Split.skeleton``); "" if it is not code.

    The skeleton of a reST text does not contain the code itself; ``codes`` has it, in order.
    """
    match signature:
        case (name, _, info, content) if name in _FENCES and info != "{math}":
            return _without_options(info, content)
        case (_, name, *_, _) if name in _RST_LITERAL:
            return next(codes, "")
        case (_, "directive_node", name, *_) if name in _RST_CODE:
            return next(codes, "")
    return ""


def _without_options(info: str, content: str) -> str:
    """Return the content of a fence, without option lines if the fence is a directive.

    For example, ``:tags: [hide]`` below ``{code-cell}`` is no code, and copies from web pages do
    not have it.
    """
    if not parse_info(info).name:
        return content
    lines = content.split("\n")
    return "\n".join(lines[count_option_lines(lines) :])


def _place(line: int, cell: int | None) -> str:
    """Return the position of a block for reports: ``line 12``, or ``cell 3`` in a notebook.

    Lines count from 1, cells from 0.
    """
    if cell is None:
        return f"line {line}"
    return f"cell {cell}"
