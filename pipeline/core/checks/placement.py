"""Parsing of a text in a minimal page that has the context of its block.

A translation may become another block by accident: the paragraph ``# 键`` is a heading. To detect
this, the functions here put the text into a minimal page, parse the page, and return its blocks.
For a list item, the page is ``- `` and the text. The checks compare the blocks of a translation
with those of its English. docutils parses reST, and `markdown.parser` parses Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from markdown_it.token import Token

from pipeline.core.document.markdown import parser as markdown
from pipeline.core.document.message import Kind

if TYPE_CHECKING:
    from docutils.nodes import Element

# The Unicode "object replacement character". It replaces atoms, and is the text of the
# surrounding blocks in a minimal page.
STAND_IN = "\ufffc"
_CELL_END = re.compile(r"(?<!\\)\|")
# First the parser's names of all blocks of a minimal page, then the inline content of
# each block that has any.
Blocks = tuple[tuple[str, ...], tuple[str, ...]]


class _Around(NamedTuple):
    """The source around a text, which makes the text a block of some kind.

    ``prefix`` starts each line after a hard break, so that this line is in the same block.
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
_AROUND_LONG_HEADING = _Around(after="\n===")  # for a heading of several lines
# For all other kinds. The paragraph before the text serves to detect a text that starts with
# ``: ``: such a text becomes a definition, and the paragraph becomes its term.
_AROUND_PARAGRAPH = _Around(before=f"{STAND_IN}\n\n")


def markdown_blocks(lines: list[str], kind: Kind) -> Blocks:
    """Return the blocks of a minimal page with a Markdown text of this kind.

    The contents of the surrounding blocks are left out. ``lines`` are the lines of the text between
    its hard breaks::

        ["键"], LIST_ITEM    ->  (bullet_list, list_item, paragraph), ("键",)
        ["# 键"], PARAGRAPH  ->  (paragraph, heading), ("键",)
    """
    # Parsers find no block syntax in the argument of a directive or a value in YAML.
    if kind in (Kind.TITLE, Kind.PAGE_TITLE, Kind.FRONT_MATTER):
        return (kind.value,), (" ".join(lines),)
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
    """Return names for syntax that the parser removes from the text without adding a token.

    ``lines`` are the lines of the text, ``texts`` the contents that the parser has found. The
    parser drops cells beyond the last column of a table (``甲 | 乙``). It also drops the closing
    marks of a heading: ``键 #`` becomes ``键``.
    """
    if kind is Kind.TABLE_CELL:
        return ["td"] * len(_CELL_END.findall(lines[0]))
    if kind is Kind.HEADING and len(lines) == 1 and texts != lines:
        return ["closing marks"]
    return []


def _markdown_page(lines: list[str], kind: Kind) -> str:
    r"""Return the source of a minimal Markdown page, with hard breaks between the lines.

    A list item of the lines ``甲`` and ``乙`` gives ``- 甲\⏎  乙``.
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


# A possible start of a block: punctuation except quotes and brackets, or the number of a
# list item.
_RST_BLOCK_START = re.compile(r"[^\w\s`“”‘’「『（《【]|\w{1,9}[.)](?:\s|$)|[^\w\s]+$")
_RST_INLINE_START = re.compile(r":[A-Za-z][\w.+:-]*:`|\*{1,2}[^\s*]|\|[^\s|]")
_ANNOUNCEMENT = re.compile(r"(?<!\\)::$")
_CLASSIFIER = re.compile(r"\s:\s")


def rst_blocks(text: str, kind: Kind) -> Blocks:
    """Return the blocks of a minimal page with a reST text of this kind.

    The names are those of docutils. For the paragraph ``- 键``, the first name is ``paragraph``, a
    surrounding block; ``bullet_list`` and ``list_item`` follow.
    """
    # docutils finds no block syntax in an argument or an option of a directive.
    if kind in (Kind.TITLE, Kind.IMAGE):
        return (kind.value,), (text,)
    # Fast path: most lines are plain, and docutils is slow.
    if _is_plain_rst(text, kind):
        contents: tuple[str, ...] = (text,)
        blocks = _plain_rst_blocks(kind)
    else:
        blocks, contents = _parse_rst(text, kind)
    if _ANNOUNCEMENT.search(text):
        blocks += ("literal_block",)  # ``::`` turns the following text into one
    return blocks, contents


def _is_plain_rst(text: str, kind: Kind) -> bool:
    """Return whether a text certainly has no block syntax, so that docutils is not needed.

    "*词* …" and ":ref:`词` …" start with punctuation, but this punctuation starts no block.
    """
    if kind is Kind.TERM and _CLASSIFIER.search(text):
        return False
    return not _RST_BLOCK_START.match(text) or bool(_RST_INLINE_START.match(text))


@cache
def _plain_rst_blocks(kind: Kind) -> tuple[str, ...]:
    """Return the names of the blocks of a minimal page with a plain word."""
    return _parse_rst("x", kind)[0]


def _parse_rst(text: str, kind: Kind) -> Blocks:
    """Return the blocks of a minimal page, as docutils finds them.

    The contents of the surrounding blocks are left out.
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
    """Yield the blocks inside a node, parents first, without docutils' system messages."""
    from docutils import nodes

    for child in node.children:
        if isinstance(child, nodes.system_message):
            continue
        if isinstance(child, nodes.Element):
            yield child
            yield from _elements(child)


def _rst_page(text: str, kind: Kind) -> str:
    """Return the source of a minimal reST page, with ``STAND_IN`` as the text around it."""
    match kind:
        case Kind.HEADING:
            # The underline must cover the text, whose characters may be two columns
            # wide.
            return f"{text}\n{'=' * (2 * len(text) + 4)}\n"
        case Kind.TERM:
            return f"{text}\n  {STAND_IN}\n"
        case Kind.QUOTE:
            return f"{STAND_IN}\n\n  {STAND_IN}\n\n  {text}\n"
        case Kind.LIST_ITEM:
            return f"- {text}\n"
        case _:
            return f"{STAND_IN}\n\n{text}\n"
