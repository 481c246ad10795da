"""Page as a sequence of blocks: prose, headings and code.

Both sides of an adoption are converted: upstream's page at some commit, and the translated copy. On
the English side each block of prose is one message with its exact msgid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from pipeline.core.document.markdown.directives import count_option_lines, parse_info
from pipeline.core.document.message import Kind, Markup, Message, Signature, Split
from pipeline.core.document.reader import Document

# Nodes of the docutils tree whose text is code.
_RST_LITERAL = ("literal_block", "doctest_block")
_RST_CODE = ("code", "code-block", "sourcecode", "testcode", "doctest", "code-cell")
_FENCES = ("fence", "colon_fence", "code_block")


class BlockKind(StrEnum):
    """Kind of a block for the alignment: only blocks of the same kind match."""

    HEADING = "heading"
    PROSE = "prose"
    CODE = "code"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block. ``text`` is its source; prose is on one line, except for hard line breaks.

    ``place`` is its position for people: ``line 12`` or ``cell 3``.
    """

    kind: BlockKind
    text: str
    place: str = ""
    # kind of the message that a block of words stands for
    message: Kind = Kind.PARAGRAPH
    markup: Markup = Markup.MARKDOWN

    @property
    def is_words(self) -> bool:
        """Return whether people translate the block; code stays as it is."""
        return self.kind is not BlockKind.CODE


def blocks_of(document: Document) -> tuple[Block, ...]:
    """Return the blocks of a parsed document, in order.

    For a notebook these are the blocks of its Markdown cells and each non-empty code cell.
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
    """Yield the messages and code of one text as blocks, in order of the text.

    If a message and code start at the same offset, the message comes first.
    """
    found = [(message.start, _words_block(message, cell)) for message in split.messages]
    found += _code_blocks(split, cell)
    # The sort is stable, so a message stays before code with the same offset.
    found.sort(key=lambda pair: pair[0])
    yield from (block for _, block in found)


def words_of(blocks: Iterable[Block]) -> list[Block]:
    """Return the blocks that people translate: prose and headings, in order.

    For upstream's pages, each is a message with its exact msgid.
    """
    return [block for block in blocks if block.is_words]


def _words_block(message: Message, cell: int | None) -> Block:
    """Return a message as a block with its exact msgid.

    Titles of admonitions count as prose, because only headings divide a page.
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
    """Yield each non-blank piece of code with its offset."""
    codes = iter(split.code)
    for offset, signature in split.skeleton:
        code = _code(signature, codes)
        if code.strip():
            line = split.text.count("\n", 0, offset) + 1
            place = _place(line, cell)
            yield offset, Block(kind=BlockKind.CODE, text=code, place=place)


def _code(signature: Signature, codes: Iterator[str]) -> str:
    """Return the code in a skeleton entry, or an empty string for other entries.

    ``codes`` are the code blocks of a reST text, whose skeleton does not contain all of them.
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
    """Return the content of a fence, without option lines if it is a directive.

    ``:tags: [hide]`` below ``{code-cell}`` is not code, and an HTML copy does not show it.
    """
    if not parse_info(info).name:
        return content
    lines = content.split("\n")
    return "\n".join(lines[count_option_lines(lines) :])


def _place(line: int, cell: int | None) -> str:
    """Return the position of a block for people: ``line 12``, or ``cell 3`` in a notebook.

    Lines count from 1, cells from 0 as in the notebook's list.
    """
    if cell is None:
        return f"line {line}"
    return f"cell {cell}"
