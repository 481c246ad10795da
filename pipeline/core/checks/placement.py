"""The smallest page on which a text stands as a block of some kind, and its blocks there.

A translation may turn into another block by accident: ``# 键`` in a paragraph is a heading. So it
is parsed with what the block needs around it, and the blocks are compared with those of the
English. Docutils parses reStructuredText, our own parser parses Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from markdown_it.token import Token

from pipeline.core.document.markdown import parser as markdown
from pipeline.core.document.message import Kind

if TYPE_CHECKING:
    from docutils.nodes import Element

# The "object replacement character": for what is no plain text, and for the blocks around a
# message.
STAND_IN = "\ufffc"
# Code, formulas and emphasis begin no block.
_MARKDOWN_BLOCK_START = re.compile(r"[#>\-+:~<%(\d\[]|```|\$\$|[*_](?![*_]?[^\s*_])")
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


def markdown_blocks(lines: list[str], kind: Kind) -> Blocks:
    """Return what the lines of a message become in their place.

    A parser's names of the blocks come first, the inline content of each comes second::

        ["键"], LIST_ITEM    ->  (bullet_list, list_item, paragraph), ("键",)
        ["# 键"], PARAGRAPH  ->  (paragraph, heading), ("键",)

    Only a heading, a term and the like can be more than one block.
    """
    # The argument of a directive, a value of YAML: no block syntax is read there.
    if kind in (Kind.TITLE, Kind.PAGE_TITLE, Kind.FRONT_MATTER):
        return (kind.value,), (" ".join(lines),)
    if _is_plain_markdown(lines, kind):
        return _plain_markdown_blocks(kind), (lines[0],)
    return _parse_markdown(lines, kind)


def _is_plain_markdown(lines: list[str], kind: Kind) -> bool:
    """Return whether no block syntax can be in it, so that a parser need not be asked.

    Most messages are so: ``使用数组``. Behind a hard break a line may begin a block as well.
    """
    if len(lines) > 1 or _MARKDOWN_BLOCK_START.match(lines[0]):
        return False
    if kind is Kind.TABLE_CELL:
        return "|" not in lines[0]
    if kind is Kind.HEADING:
        return not lines[0].endswith("#")
    return True


@lru_cache
def _plain_markdown_blocks(kind: Kind) -> tuple[str, ...]:
    """Return the blocks that a plain word of a kind becomes."""
    return _parse_markdown(["x"], kind)[0]


def _parse_markdown(lines: list[str], kind: Kind) -> Blocks:
    """Return what a parser says that the lines become in their place.

    Of what stands around them the blocks count too, but not the texts.
    """
    md = markdown.parser()
    tokens: list[Token] = []
    md.block.parse(_markdown_page(lines, kind), md, {}, tokens)
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
    """Return what the lines become besides, for which the parser leaves no token.

    That is a cell beyond the columns of the table (``甲 | 乙``), and the closing marks of a
    heading: ``键 #`` has the text ``键``.
    """
    if kind is Kind.TABLE_CELL:
        return ["td"] * len(_CELL_END.findall(lines[0]))
    if kind is Kind.HEADING and len(lines) == 1 and texts != lines:
        return ["closing marks"]
    return []


def _markdown_page(lines: list[str], kind: Kind) -> str:
    r"""Return the source of the smallest page, with hard breaks between the lines.

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


# What may begin a block of its own: punctuation but for quotes and brackets, and what counts the
# items of a list.
_RST_BLOCK_START = re.compile(r"[^\w\s`“”‘’「『（《【]|\w{1,9}[.)](?:\s|$)|[^\w\s]+$")
_RST_INLINE_START = re.compile(r":[A-Za-z][\w.+:-]*:`|\*{1,2}[^\s*]|\|[^\s|]")
_ANNOUNCEMENT = re.compile(r"(?<!\\)::$")
_CLASSIFIER = re.compile(r"\s:\s")


def rst_blocks(text: str, kind: Kind) -> Blocks:
    """Return what a line becomes in its place, and the inline content of each block that has any.

    The blocks have docutils' names: of ``- 键`` they are ``bullet_list`` and ``list_item``, behind
    the paragraph that stands before it.
    """
    # In an argument or an option no block syntax is read.
    if kind in (Kind.TITLE, Kind.IMAGE):
        return (kind.value,), (text,)
    # Most lines are plain, and docutils is slow.
    if _is_plain_rst(text, kind):
        contents: tuple[str, ...] = (text,)
        blocks = _plain_rst_blocks(kind)
    else:
        blocks, contents = _parse_rst(text, kind)
    if _ANNOUNCEMENT.search(text):
        blocks += ("literal_block",)  # it makes one of what follows
    return blocks, contents


def _is_plain_rst(text: str, kind: Kind) -> bool:
    """Return whether no block syntax can be in it, so that docutils need not be asked.

    ``*词* …`` and ``:ref:`词` …`` begin with punctuation, but no block.
    """
    if kind is Kind.TERM and _CLASSIFIER.search(text):
        return False
    return not _RST_BLOCK_START.match(text) or bool(_RST_INLINE_START.match(text))


@cache
def _plain_rst_blocks(kind: Kind) -> tuple[str, ...]:
    """Return the blocks that a plain word of a kind becomes."""
    return _parse_rst("x", kind)[0]


def _parse_rst(text: str, kind: Kind) -> Blocks:
    """Return what docutils says that a line becomes in its place.

    Each block is named; of the blocks around the line, the words are left out.
    """
    from pipeline.core.document.rst.parser import read
    from pipeline.core.document.rst.positions import Lines, Words

    document, _ = read(Lines(_rst_page(text, kind)))
    blocks: list[str] = []
    contents: list[str] = []
    for node in _elements(document):
        blocks.append(node.tagname)
        words = [child for child in node.children if isinstance(child, Words)]
        contents += [str(child) for child in words if child != STAND_IN]
    return tuple(blocks), tuple(contents)


def _elements(node: Element) -> Iterator[Element]:
    """Yield the blocks within a node, each before those within it.

    What docutils says of them is none of them.
    """
    from docutils import nodes

    for child in node.children:
        if isinstance(child, nodes.system_message):
            continue
        if isinstance(child, nodes.Element):
            yield child
            yield from _elements(child)


def _rst_page(text: str, kind: Kind) -> str:
    """Return the source of the smallest page, with a ``STAND_IN`` for blocks around the text."""
    match kind:
        case Kind.HEADING:
            # The underline must be as wide as the text, whose characters may be two wide.
            return f"{text}\n{'=' * (2 * len(text) + 4)}\n"
        case Kind.TERM:
            return f"{text}\n  {STAND_IN}\n"
        case Kind.QUOTE:
            return f"{STAND_IN}\n\n  {STAND_IN}\n\n  {text}\n"
        case Kind.LIST_ITEM:
            return f"- {text}\n"
        case _:
            return f"{STAND_IN}\n\n{text}\n"
