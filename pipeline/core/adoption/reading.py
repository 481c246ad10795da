"""The blocks of a copy, whatever state it is in.

Text goes in, as Markdown, reST, plain text or the JSON of a notebook; blocks come out. Unlike
upstream's documents a copy need not be well made: what cannot be read as it claims to be is read as
far as it goes, and as plain text at the worst.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import groupby
from typing import Any, NamedTuple

from pipeline.core.adoption.blocks import Block, BlockKind, split_blocks
from pipeline.core.adoption.evidence import HAN, english_words
from pipeline.core.adoption.tidying import (
    is_code_without_fence,
    tidied_text,
    tidied_words,
)
from pipeline.core.document.message import Kind
from pipeline.core.myst.split import split_text
from pipeline.errors import InputError

_CELLS = re.compile(r'"cells"\s*:\s*\[')
_PARAGRAPHS = re.compile(r"\n\s*\n")
_NO_SPACE = re.compile(r"[^, \t\r\n]")
_LONG = 4  # words of an English line that is no part of a Chinese paragraph
_decode = json.JSONDecoder(strict=False).raw_decode


class Form(StrEnum):
    """How a copy is written."""

    NOTEBOOK = "notebook"
    MARKDOWN = "Markdown"
    RST = "reST"
    PLAIN = "plain text"


class _Cell(NamedTuple):
    kind: str
    source: str


def read_copy(text: str, form: Form) -> tuple[Block, ...]:
    """The blocks of a copy, in its order.

    What a text claims to be is tried first; Markdown can be read of anything. Raises InputError if
    a notebook has no cell that can be read.
    """
    if form is Form.NOTEBOOK:
        blocks = _notebook_blocks(text)
    elif form is Form.RST:
        blocks = list(_rst_blocks(text))
    else:
        blocks = list(_markdown_blocks(tidied_text(text, is_plain=form is Form.PLAIN)))
    return tuple(_settled(blocks))


def _notebook_blocks(text: str) -> list[Block]:
    """The blocks of a notebook, each with the number of its cell as its place."""
    blocks: list[Block] = []
    for number, cell in enumerate(_cells(text)):
        place = f"cell {number}"
        blocks += [replace(block, place=place) for block in _cell_blocks(cell)]
    return blocks


def _cell_blocks(cell: _Cell) -> Iterator[Block]:
    """The blocks of a cell; notebooks of version 3 have cells that are headings."""
    match cell.kind:
        case "code" if not cell.source.strip():
            return
        case "code":
            yield Block(kind=BlockKind.CODE, text=cell.source)
        case "heading":
            kind, message = BlockKind.HEADING, Kind.HEADING
            yield Block(kind=kind, text=cell.source, message=message)
        case _:
            yield from _markdown_blocks(tidied_text(cell.source, is_plain=False))


def _cells(text: str) -> list[_Cell]:
    """The cells of a notebook, of any version; of one that is cut off those that are whole.

    Raises InputError if there is none.
    """
    try:
        rows = _rows_of(json.loads(text, strict=False))
    except (ValueError, RecursionError):
        rows = list(_whole_cells(text))
    cells = [_cell_of(row) for row in rows if isinstance(row, dict)]
    if not cells:
        raise InputError(
            "is no notebook: it has no cell that can be read",
            hint="Open it in Jupyter and save it, or export it as Markdown.",
        )
    return cells


def _rows_of(notebook: object) -> list[Any]:
    """The list of cells; notebooks of version 3 have it in worksheets.

    Whatever else stands there is no cell, and left out: ``[]`` if there is none.
    """
    sheets = _member(notebook, "worksheets")
    holders = sheets if isinstance(sheets, list) else [notebook]
    rows: list[Any] = []
    for holder in holders:
        cells = _member(holder, "cells")
        rows += cells if isinstance(cells, list) else []
    return rows


def _member(value: object, name: str) -> object:
    """A member of a JSON object; None if it has no such member, or is no object.

    What somebody has edited by hand may be anything.
    """
    return value.get(name) if isinstance(value, dict) else None


def _whole_cells(text: str) -> Iterator[Any]:
    """The cells of JSON that ends too early, one after the other, as far as they are whole."""
    start = _CELLS.search(text)
    if start is None:
        return
    at = start.end()
    while cell_start := _NO_SPACE.search(text, at):
        try:
            cell, at = _decode(text, cell_start.start())
        except (ValueError, RecursionError):
            return  # here the notebook was cut off, or its list of cells ends
        yield cell


def _cell_of(row: dict[str, Any]) -> _Cell:
    """A cell as it stands in JSON: its source is a text or a list of lines, or missing.

    Notebooks of version 3 call the source of code ``input``.
    """
    source = row.get("source", row.get("input", ""))
    lines = source if isinstance(source, list) else [source]
    texts = [line for line in lines if isinstance(line, str)]
    return _Cell(str(row.get("cell_type")), "".join(texts))


def _markdown_blocks(text: str) -> Iterator[Block]:
    """The blocks of Markdown that was tidied.

    Where the parser itself fails: paragraph by paragraph, which is better than nothing.
    """
    try:
        yield from split_blocks(split_text(text, page=True))
    except InputError:
        for paragraph in _PARAGRAPHS.split(text):
            if english_words(paragraph) or HAN.search(paragraph):
                words = " ".join(paragraph.split())
                yield Block(kind=BlockKind.PROSE, text=words)


def _rst_blocks(text: str) -> Iterator[Block]:
    """The blocks of reST; of what docutils cannot read those of plain text."""
    from pipeline.core.rst.split import split_rst  # docutils takes a while to load

    try:
        yield from split_blocks(split_rst(text))
    except InputError:
        yield from _markdown_blocks(tidied_text(text, is_plain=True))


def _settled(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks with clean words; English lines apart from the Chinese they stand with.

    Code in a paragraph of its own is code, whatever the copy takes it for.
    """
    for block in blocks:
        if block.is_words:
            yield from filter(_has_text, map(_clean, _parts(block)))
        else:
            yield block


def _clean(block: Block) -> Block:
    """A block of words with clean words; one that has lost its fence is code.

    Nothing is left of a block that is a permalink alone.
    """
    is_heading = block.kind is BlockKind.HEADING
    if not is_heading and is_code_without_fence(block.text):
        return replace(block, kind=BlockKind.CODE, text=block.text.strip("`"))
    return replace(block, text=tidied_words(block.text, is_heading=is_heading))


def _has_text(block: Block) -> bool:
    """Whether a block is more than a permalink, or marks that were taken away.

    An empty block would be a passage that fits any other one.
    """
    return block.text != ""


def _parts(block: Block) -> Iterator[Block]:
    """A block, cut where hard line breaks part English from Chinese: both languages are there."""
    lines = block.text.split("\n")
    has_both = HAN.search(block.text) and any(map(_is_english, lines))
    if not has_both:
        yield block
        return
    for _, run in groupby(lines, key=_is_english):
        yield replace(block, text="\n".join(run))


def _is_english(line: str) -> bool:
    """Whether a line is an English sentence, and no name in a Chinese paragraph.

    ``Then call the function again.`` is one, ``jax.numpy.dot`` is not. Four words make one.
    """
    return not HAN.search(line) and len(english_words(line)) >= _LONG
