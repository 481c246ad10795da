"""A page as a row of blocks: prose, headings and code, in the page's order.

Both sides of an adoption become such rows: upstream's page at some commit, and the copy of it that
somebody translated. On the English side each block of prose is a message, with its very msgid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from pipeline.core.document.markdown.directives import count_option_lines, parse_info
from pipeline.core.document.message import Kind, Markup, Message, Signature, Split
from pipeline.core.document.reader import Document

# Blocks of docutils' tree whose text is code.
_RST_LITERAL = ("literal_block", "doctest_block")
_RST_CODE = ("code", "code-block", "sourcecode", "testcode", "doctest", "code-cell")
_FENCES = ("fence", "colon_fence", "code_block")


class BlockKind(StrEnum):
    """What a block is to an alignment: like goes with like."""

    HEADING = "heading"
    PROSE = "prose"
    CODE = "code"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block. ``text`` is its source: of prose the markup, on one line but for hard breaks.

    ``place`` says where it stands, for people: ``line 12`` or ``cell 3``.
    """

    kind: BlockKind
    text: str
    place: str = ""
    message: Kind = Kind.PARAGRAPH  # what block of the page the words are
    markup: Markup = Markup.MARKDOWN

    @property
    def is_words(self) -> bool:
        """Whether it is something that people translate.

        Code stays as it is, and leads the way between words.
        """
        return self.kind is not BlockKind.CODE


def blocks_of(document: Document) -> tuple[Block, ...]:
    """Return the blocks of a document that was read, in its order.

    Of a notebook: those of its Markdown cells, and each code cell that is not empty.
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
    """Yield the blocks of one text: its messages, and its code.

    They come in the order of the text; of two that begin at the same place the message is first.
    """
    found = [(message.start, _words_block(message, cell)) for message in split.messages]
    found += _code_blocks(split, cell)
    # Stable: a message comes before the block that begins where it does.
    found.sort(key=lambda pair: pair[0])
    yield from (block for _, block in found)


def words_of(blocks: Iterable[Block]) -> list[Block]:
    """Return the blocks that people translate: prose and headings, in their order.

    Of upstream's blocks each is a message, with its very msgid.
    """
    return [block for block in blocks if block.is_words]


def _words_block(message: Message, cell: int | None) -> Block:
    """Return a message as a block, with its very msgid.

    Titles of admonitions are prose: only headings are anchors of a page.
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
    """Yield pieces of code, each with the offset where it begins; a blank one is no anchor."""
    codes = iter(split.code)
    for offset, signature in split.skeleton:
        code = _code(signature, codes)
        if code.strip():
            line = split.text.count("\n", 0, offset) + 1
            place = _place(line, cell)
            yield offset, Block(kind=BlockKind.CODE, text=code, place=place)


def _code(signature: Signature, codes: Iterator[str]) -> str:
    """Return the code in a block of the skeleton; empty for any other block.

    ``codes`` are those of a text in reST, where the skeleton does not repeat them all.
    """
    match signature:
        case (name, _, info, content) if name in _FENCES and info != "{math}":
            return _without_options(info, content)
        case (_, name, *_, _) if name in _RST_LITERAL:
            return next(codes, "")
        case (_, "held", name, *_) if name in _RST_CODE:
            return next(codes, "")
    return ""


def _without_options(info: str, content: str) -> str:
    """Return what stands in a fence; of a directive without the lines that are its options.

    ``:tags: [hide]`` below ``{code-cell}`` is no code, and a copy in HTML does not show it.
    """
    if not parse_info(info).name:
        return content
    lines = content.split("\n")
    return "\n".join(lines[count_option_lines(lines) :])


def _place(line: int, cell: int | None) -> str:
    """Return the place of a block for people; in a notebook its cell: lines are of no use there.

    ``line 12``, ``cell 3``: counted from 1, and from 0 as in the notebook's list.
    """
    if cell is None:
        return f"line {line}"
    return f"cell {cell}"
