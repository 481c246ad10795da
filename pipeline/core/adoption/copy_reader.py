"""The blocks of a copy, whatever state it is in.

Text goes in, as Markdown, reST, plain text or the JSON of a notebook; blocks come out. Unlike
upstream's documents a copy need not be well made: what cannot be read as it claims to be is read as
plain paragraphs. No word is changed: only what converters, web pages and editors left goes.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from typing import Any

from pipeline.core.adoption.blocks import Block, BlockKind, split_blocks
from pipeline.core.adoption.evidence import HAN, count_han, english_words
from pipeline.core.document.markdown.splitter import split_text
from pipeline.core.document.message import Split
from pipeline.errors import InputError

_CELLS = re.compile(r'"cells"\s*:\s*\[')
_NO_SPACE = re.compile(r"[^, \t\r\n]")
_PARAGRAPHS = re.compile(r"\n\s*\n")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060\ufeff]")
_WIDE_SPACE = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_PERMALINK = re.compile(r"\s*(?:\[[¶#\uf0c1]\]\([^()]*\)|[¶\uf0c1])\s*$")
_NUMBERING = re.compile(
    r"^(?:第?[一二三四五六七八九十百]+[章节、.．]|第\d+[章节]|\d+(?:[.．]\d+)*[.．、)]?(?=\s)|[（(]?\d+[)）、])\s*"
)
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d+|#x[0-9a-fA-F]+);")
_NEEDLESS = re.compile(r"\\([_\[\]()#+.!<>{}|~-])")
_CODE_SPAN = re.compile(r"(`[^`]*`|\$[^$]*\$)")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)|<?https?://\S+>?")
_CODE_MARKS = re.compile(r"[=()\[\]._:{}+*/<>@`]")
_MANY_MARKS = 0.13  # share of a text; in prose they are fewer
_ENDED = tuple("。！？：；.!?:;…”）)")
_WRAPPED = range(40, 131)  # columns of a line that may go on in the next one
_LONG = 4  # words of an English line that is no part of a Chinese paragraph
_decode = json.JSONDecoder(strict=False).raw_decode


class Form(StrEnum):
    """How a copy is written."""

    NOTEBOOK = "notebook"
    MARKDOWN = "Markdown"
    RST = "reST"
    PLAIN = "plain text"


def read_copy(text: str, form: Form) -> tuple[Block, ...]:
    """Return the blocks of a copy, in its order.

    Raises InputError if a notebook has no cell that can be read.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    match form:
        case Form.NOTEBOOK:
            blocks = _notebook_blocks(text)
        case Form.RST:
            blocks = _rst_blocks(text)
        case Form.PLAIN:
            blocks = _markdown_blocks(_fenced(text))
        case _:
            blocks = _markdown_blocks(text)
    return tuple(block for block in map(_clean, blocks) if block.text)


def _notebook_blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a notebook, each with the number of its cell as its place."""
    cells = list(_cells(text))
    if not cells:
        raise InputError(
            "is no notebook: it has no cell that can be read",
            hint="Open it in Jupyter and save it, or export it as Markdown.",
        )
    for number, cell in enumerate(cells):
        for block in _cell_blocks(cell):
            yield replace(block, place=f"cell {number}")


def _cells(text: str) -> Iterator[dict[str, Any]]:
    """Yield the cells of a notebook's JSON one by one: of one that was cut off, the whole ones."""
    start = _CELLS.search(text)
    at = start.end() if start else len(text)
    while cell_start := _NO_SPACE.search(text, at):
        try:
            cell, at = _decode(text, cell_start.start())
        except (ValueError, RecursionError):
            return  # the notebook was cut off here, or its list of cells ends
        if isinstance(cell, dict):
            yield cell


def _cell_blocks(cell: dict[str, Any]) -> Iterator[Block]:
    """Yield the blocks of a cell. Its source is a text or a list of lines, or missing."""
    source = cell.get("source", "")
    lines = source if isinstance(source, list) else [source]
    text = "".join(line for line in lines if isinstance(line, str))
    if cell.get("cell_type") == "code":
        yield Block(kind=BlockKind.CODE, text=text)
    else:
        yield from _markdown_blocks(text)


def _markdown_blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of Markdown; of what is not read as a whole those of each paragraph.

    Code that has lost its fence looks like syntax for which a page is refused: ``import x``.
    """
    text = _visible(text)
    split = _split(text)
    if split is not None:
        yield from split_blocks(split)
        return
    for paragraph in _PARAGRAPHS.split(text):
        split = _split(paragraph)
        if split is not None:
            yield from split_blocks(split)
        else:
            yield Block(kind=BlockKind.PROSE, text=" ".join(paragraph.split()))


def _split(text: str) -> Split | None:
    """Return what a text in Markdown consists of; None if the parser fails, or refuses it."""
    try:
        split = split_text(text, page=True)
    except InputError:
        return None
    is_refused = split.unsafe and not split.messages and not split.skeleton
    return None if is_refused else split


def _rst_blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of reST; of what docutils cannot read those of plain text."""
    from pipeline.core.document.rst.splitter import split_rst

    try:
        yield from split_blocks(split_rst(text))
    except InputError:
        yield from _markdown_blocks(_fenced(text))


def _fenced(text: str) -> str:
    """Return plain text as Markdown: code in fences, and a blank line behind each paragraph.

    A line as long as wrapped ones are, which ends in no full stop, goes on in the next one.
    """
    if "```" in text:
        return text
    lines: list[str] = []
    for line in text.split("\n"):
        lines.append(line)
        goes_on = len(line) + count_han(line) in _WRAPPED
        if HAN.search(line) and (not goes_on or line.rstrip().endswith(_ENDED)):
            lines.append("")
    paragraphs: list[str] = []
    for paragraph in _PARAGRAPHS.split("\n".join(lines)):
        is_code = _looks_like_code(paragraph)
        paragraphs.append(f"```\n{paragraph}\n```" if is_code else paragraph)
    return "\n\n".join(paragraphs)


def _looks_like_code(text: str) -> bool:
    """Return whether a paragraph is code: it has more marks than any sentence has."""
    # A sentence that is nothing but a link has as many marks.
    plain = _LINK.sub(" link ", text)
    marks = len(_CODE_MARKS.findall(plain))
    return not HAN.search(text) and marks > _MANY_MARKS * len(plain)


def _clean(block: Block) -> Block:
    """Return a block of words with clean words; one that has lost its fence as code."""
    if not block.is_words:
        return block if block.text.strip() else replace(block, text="")
    is_heading = block.kind is BlockKind.HEADING
    if not is_heading and _looks_like_code(block.text):
        return replace(block, kind=BlockKind.CODE, text=block.text.strip("`"))
    text = _PERMALINK.sub("", _without_english(_visible(block.text)))
    if is_heading:
        text = _NUMBERING.sub("", text, count=1) or text
    # Every other part is code, where a backslash is the author's: split keeps what a group matches.
    parts = _CODE_SPAN.split(text)
    parts[::2] = map(_unescaped, parts[::2])
    text = unicodedata.normalize("NFC", "".join(parts)).strip()
    return replace(block, text=text)


def _without_english(text: str) -> str:
    """Return a paragraph of both languages, parted by hard line breaks, without English sentences.

    ``jax.numpy.dot`` alone on a line is a name, four words are a sentence.
    """
    lines = text.split("\n")
    if not HAN.search(text):
        return text
    return "\n".join(
        line for line in lines if HAN.search(line) or len(english_words(line)) < _LONG
    )


def _visible(text: str) -> str:
    """Return a text without invisible characters, and with plain spaces for wide ones."""
    return _WIDE_SPACE.sub(" ", _INVISIBLE.sub("", text))


def _unescaped(prose: str) -> str:
    """Return prose as it was before a converter: ``a\\_b &lt; c`` → ``a_b < c``."""
    prose = _ENTITY.sub(lambda entity: html.unescape(entity[0]), prose)
    return _NEEDLESS.sub(r"\1", prose).replace("\u00a0", " ")
