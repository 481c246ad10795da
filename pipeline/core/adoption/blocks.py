"""Page as a sequence of blocks: prose, headings and code.

Both sides of an adoption become blocks: upstream's page at some commit, and the translated copy. On
the English side, the text of each block of prose is the exact msgid of a message.

Other functions return the parts of a text that are the same in its translation: code, names,
formulas. They normalize texts, because converters and translators change details: white space,
quotes, prompts (``>>>``), and the markup around a name.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import lru_cache

from msgspec import Struct

from pipeline.core.document.markdown.directives import count_option_lines, parse_info
from pipeline.core.document.message import Kind, Markup, Message, Signature, Split
from pipeline.core.document.prose import CJK
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


class Block(Struct, frozen=True, kw_only=True):
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


HAN = re.compile(f"[{CJK}]")
_WORD = re.compile(r"[A-Za-z][A-Za-z']+")
_PROMPT = re.compile(r"^\s*(?:>>>|\.\.\.|In ?\[[\d ]*\]:?|Out ?\[[\d ]*\]:?|\$)\s?")
_COMMENT = re.compile(r"(?<!['\"])#.*$")
_QUOTES = str.maketrans("“”‘’«»＂＇`´", "\"\"''\"\"\"'''")
_SPACE = re.compile(r"\s+")
_ROLE_TARGET = re.compile(r"^(?P<text>.*?)\s*<(?P<target>[^<>]+)>$", re.DOTALL)
_MARKUP = re.compile(
    r"^(?:\{[\w:+-]+\}|:[\w.:+-]+:)?(?P<ticks>`+)(?P<text>.*?)(?P=ticks)_{0,2}$",
    re.DOTALL,
)
_MATH = re.compile(r"^\$\$?(?P<text>.*?)\$\$?$", re.DOTALL)
_SHORTEST_LINE = 4  # minimum length of a line of code that can identify a page


def plain_code(line: str) -> str:
    """Return a line of code without prompt, comment and white space, and with uniform quotes.

    ``>>> f( “a” )  # see above`` → ``f('a')``
    """
    line = _PROMPT.sub("", unicodedata.normalize("NFKC", line).translate(_QUOTES))
    return _SPACE.sub("", _COMMENT.sub("", line)).replace('"', "'")


@lru_cache(maxsize=1 << 14)
def code_lines(code: str) -> tuple[str, ...]:
    """Return the normalized lines of a piece of code, without very short lines.

    ``"x = 12  # one\\n)"`` → ``("x=12",)``. A line such as ``)`` occurs on every page.
    """
    lines = map(plain_code, code.split("\n"))
    return tuple(line for line in lines if len(line) >= _SHORTEST_LINE)


def lines_in(code: str, known: frozenset[str]) -> Counter[str]:
    """Count the ``known`` normalized lines in a piece of code, even if its line breaks are lost."""
    found: Counter[str] = Counter()
    is_single = "\n" not in code.strip()
    for line in code.split("\n"):
        plain = plain_code(line)
        if plain in known:
            found[plain] += 1
            continue
        # If all code is in one line, keep comments: a "#" would hide the rest of the code.
        text = line if is_single else _COMMENT.sub("", line)
        whole = _SPACE.sub("", text.translate(_QUOTES)).replace('"', "'")
        found.update(_lines_joined(whole, known))
    return found


def _lines_joined(text: str, known: frozenset[str]) -> Iterator[str]:
    """Yield the known lines in a text without line breaks, from left to right; skip other text.

    If both ``x=1`` and ``print(x)`` are known, ``"x=1print(x)"`` yields both. The longest match
    wins.
    """
    lengths = sorted(set(map(len, known)), reverse=True)
    at = 0
    while at < len(text):
        starts = (text[at : at + length] for length in lengths)
        line = next(filter(known.__contains__, starts), "")
        if line:
            yield line
        at += max(1, len(line))


def plain_atom(atom: str) -> str:
    """Return the text of an atom without markup: "{func}`jax.jit`" → "jax.jit"."""
    if math := _MATH.match(atom):
        return _SPACE.sub("", math["text"])
    marked = _MARKUP.match(atom)
    if marked is None:
        return ""  # an image or a footnote has no text
    text = marked["text"].strip()
    if role := _ROLE_TARGET.match(text):
        text = role["text"] or role["target"]
    return _SPACE.sub("", text).lstrip("~!")


def english_words(text: str) -> list[str]:
    """Return the English words of a text in lower case, without words of one letter."""
    return list(map(str.lower, _WORD.findall(text)))


def count_han(text: str) -> int:
    """Return the number of Chinese characters, without punctuation."""
    return len(HAN.findall(text))
