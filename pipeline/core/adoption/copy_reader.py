"""Parser of copies in any state: Markdown, reST, plain text or notebook JSON.

``read_copy`` returns the blocks of a copy. A copy may be malformed; text that cannot be parsed in
its stated form is read as plain paragraphs. Words are never changed. Only leftovers of converters,
web pages and editors are removed, such as the ¶ at the end of a heading.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from msgspec.structs import replace

from pipeline.core.adoption.blocks import (
    HAN,
    Block,
    BlockKind,
    count_han,
    english_words,
    split_blocks,
)
from pipeline.core.document.markdown.splitter import split_text
from pipeline.core.document.message import Split
from pipeline.errors import InputError

_CELLS = re.compile(r'"cells"\s*:\s*\[')
_NO_SPACE = re.compile(r"[^, \t\r\n]")  # start of the next cell in the JSON
_PARAGRAPHS = re.compile(r"\n\s*\n")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060\ufeff]")
_WIDE_SPACE = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
# The link sign at the end of a heading: "¶" or "[#](#name)".
_PERMALINK = re.compile(r"\s*(?:\[[¶#\uf0c1]\]\([^()]*\)|[¶\uf0c1])\s*$")
# Number of a heading: "第一章", "3.2".
_NUMBERING = re.compile(
    r"^(?:第?[一二三四五六七八九十百]+[章节、.．]|第\d+[章节]|\d+(?:[.．]\d+)*[.．、)]?(?=\s)|[（(]?\d+[)）、])\s*"
)
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d+|#x[0-9a-fA-F]+);")
# Escape that a converter has added.
_NEEDLESS = re.compile(r"\\([_\[\]()#+.!<>{}|~-])")
_CODE_SPAN = re.compile(r"(`[^`]*`|\$[^$]*\$)")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)|<?https?://\S+>?")
_CODE_MARKS = re.compile(r"[=()\[\]._:{}+*/<>@`]")
_MANY_MARKS = 0.13  # minimum share of ``_CODE_MARKS`` in code; prose has fewer
_ENDED = tuple("。！？：；.!?:;…”）)")  # ends of a sentence
# Lengths of lines that an editor may have wrapped, in columns.
_WRAPPED = range(40, 131)
_LONG = 4  # minimum number of words in a line that counts as English
_decode = json.JSONDecoder(strict=False).raw_decode


class Form(StrEnum):
    """Format of a copy."""

    NOTEBOOK = "notebook"
    MARKDOWN = "Markdown"
    RST = "reST"
    PLAIN = "plain text"


def read_copy(text: str, form: Form) -> tuple[Block, ...]:
    """Return the blocks of a copy, in order.

    Raises InputError if a notebook has no readable cell.
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
    """Yield the blocks of a notebook; their places name the cell. Raises InputError."""
    cells = list(_cells(text))
    if not cells:
        raise InputError(
            "is no notebook: it has no readable cell",
            hint="Open it in Jupyter and save it, or export it as Markdown.",
        )
    for number, cell in enumerate(cells):
        for block in _cell_blocks(cell):
            yield replace(block, place=f"cell {number}")


def _cells(text: str) -> Iterator[dict[str, Any]]:
    """Yield the cells of a notebook's JSON; if the file is truncated, only the complete ones."""
    start = _CELLS.search(text)
    at = start.end() if start else len(text)
    while cell_start := _NO_SPACE.search(text, at):
        try:
            cell, at = _decode(text, cell_start.start())
        except (ValueError, RecursionError):
            return  # the list of cells ends, or the file is truncated
        if isinstance(cell, dict):
            yield cell


def _cell_blocks(cell: dict[str, Any]) -> Iterator[Block]:
    """Yield the blocks of a cell, whose source may be a string, a list of lines, or missing."""
    source = cell.get("source", "")
    lines = source if isinstance(source, list) else [source]
    text = "".join(line for line in lines if isinstance(line, str))
    if cell.get("cell_type") == "code":
        yield Block(kind=BlockKind.CODE, text=text)
    else:
        yield from _markdown_blocks(text)


def _markdown_blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of Markdown.

    If the text cannot be split as a whole, split each paragraph on its own: code without a fence,
    such as ``import x``, may look like syntax that the splitter rejects.
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
    """Return the split text, or None if the parser fails or rejects it."""
    try:
        split = split_text(text, page=True)
    except InputError:
        return None
    # The split of a rejected page is empty, except for the reason.
    is_refused = split.left_in_english and not split.messages and not split.skeleton
    return None if is_refused else split


def _rst_blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of reST; if docutils cannot parse the text, read it as plain text."""
    from pipeline.core.document.rst.splitter import split_rst

    try:
        yield from split_blocks(split_rst(text))
    except InputError:
        yield from _markdown_blocks(_fenced(text))


def _fenced(text: str) -> str:
    """Return plain text as Markdown, with fences around code and blank lines between paragraphs.

    A line with Chinese ends a paragraph, unless the editor has probably wrapped it. A wrapped line
    has a typical length (``_WRAPPED``) and does not end a sentence.
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
    """Return whether a paragraph is code: it has more punctuation than prose."""
    # Replace links, because their addresses have as much punctuation as code.
    plain = _LINK.sub(" link ", text)
    marks = len(_CODE_MARKS.findall(plain))
    return not HAN.search(text) and marks > _MANY_MARKS * len(plain)


def _clean(block: Block) -> Block:
    """Return a block of prose without leftovers; prose that looks like code becomes code."""
    if not block.is_words:
        return block if block.text.strip() else replace(block, text="")
    is_heading = block.kind is BlockKind.HEADING
    if not is_heading and _looks_like_code(block.text):
        return replace(block, kind=BlockKind.CODE, text=block.text.strip("`"))
    text = _PERMALINK.sub("", _without_english(_visible(block.text)))
    if is_heading:
        text = _NUMBERING.sub("", text, count=1) or text
    # ``split`` returns code spans at odd indexes. Only unescape the other parts.
    parts = _CODE_SPAN.split(text)
    parts[::2] = map(_unescaped, parts[::2])
    text = unicodedata.normalize("NFC", "".join(parts)).strip()
    return replace(block, text=text)


def _without_english(text: str) -> str:
    """Return a bilingual paragraph without its English lines.

    A line is English if it has no Chinese and at least four words. So a line such as
    ``jax.numpy.dot`` stays.
    """
    lines = text.split("\n")
    if not HAN.search(text):
        return text
    return "\n".join(line for line in lines if HAN.search(line) or len(english_words(line)) < _LONG)


def _visible(text: str) -> str:
    """Return the text without invisible characters, and with plain spaces for wide ones."""
    return _WIDE_SPACE.sub(" ", _INVISIBLE.sub("", text))


def _unescaped(prose: str) -> str:
    """Undo the escapes of a converter in prose: ``a\\_b &lt; c`` → ``a_b < c``."""
    prose = _ENTITY.sub(lambda entity: html.unescape(entity[0]), prose)
    return _NEEDLESS.sub(r"\1", prose).replace("\u00a0", " ")
