"""Translated copies of pages, and the changes that people and programs make to them.

A copy is a row of pieces, and each piece knows the messages that it translates. Damages turn one
row into another, for example by joining paragraphs. A writer turns a row into a file. So a test
knows which translations ``adopt`` should find.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import chain, count, groupby

from msgspec import Struct
from msgspec.structs import replace
from notebooks import Cell, code, notebook_value, prose
from rapidfuzz import fuzz

from pipeline.core.adoption.blocks import HAN, Block, BlockKind
from pipeline.core.document.message import Kind

CODE_SPAN = re.compile(r"`+([^`]+)`+")
ROLE = re.compile(r"(?:\{[\w:+-]+\}|:[\w.:+-]+:)`([^`<]*?)\s*(?:<[^<>`]*>)?`")
OUTPUTS = (
    "[0.  1.2 2.4 3.6]",
    "Array([1., 2., 3.], dtype=float32)",
    "{ lambda ; a:f32[8]. let b:f32[8] = sin a in (b,) }",
    "10 loops, best of 5: 21.7 ms per loop",
    "Traceback (most recent call last): TypeError: unhashable type",
)
REMARKS = (
    "译者注：这一段原文写得比较啰嗦，读者可以先跳过，等看完后面的例子再回来。",
    "（译注）作者在这里没有解释清楚，我自己试了一下，结果和文中说的一样。",
    "> 个人理解：可以把它想成一条流水线，每一站只做一件事。",
    "本文翻译自官方文档，转载请注明出处，如有错误欢迎在评论区指正！",
    "小结",
)
LINK = re.compile(r"(?<!!)\[([^\[\]]+)\]\([^()\s]*(?:\([^()]*\)[^()\s]*)*\)")


class Piece(Struct, frozen=True, kw_only=True):
    """Block of a copy. ``of`` has the messages that its words translate."""

    kind: BlockKind
    text: str
    message: Kind = Kind.PARAGRAPH
    of: tuple[str, ...] = ()

    @property
    def is_translated(self) -> bool:
        return bool(self.of) and HAN.search(self.text) is not None


Row = tuple[Piece, ...]
Damage = Callable[[Row, random.Random], Row]


def translated(blocks: Sequence[Block], translations: Mapping[str, str]) -> Row:
    """Return a copy of a page. Messages without a translation stay English."""
    row: list[Piece] = []
    for block in blocks:
        text = block.text
        of: tuple[str, ...] = ()
        if block.is_words:
            text = translations.get(block.text) or block.text
            of = (block.text,)
        row.append(Piece(kind=block.kind, text=text, message=block.message, of=of))
    return tuple(row)


# --- damages


def _each(
    change: Callable[[Piece, random.Random], Iterable[Piece]],
) -> Damage:
    """Return a damage that puts other pieces in the place of each one."""

    def damage(row: Row, chance: random.Random) -> Row:
        return tuple(chain.from_iterable(change(piece, chance) for piece in row))

    return damage


def _texts(change: Callable[[str, random.Random], str], *kinds: BlockKind) -> Damage:
    """Return a damage that changes the text of pieces, of some ``kinds``."""

    def changed(piece: Piece, chance: random.Random) -> Iterable[Piece]:
        is_left = piece.kind not in kinds
        yield piece if is_left else replace(piece, text=change(piece.text, chance))

    return _each(changed)


def edit_line(code: str, chance: random.Random) -> str:
    """Change, double or remove a line in every third cell."""
    lines = code.split("\n")
    if chance.random() > 0.34 or len(lines) < 2:
        return code
    at = chance.randrange(len(lines))
    changed = [lines[at].replace("x", "xx") + " + 1"]
    lines[at : at + 1] = chance.choice(([], [lines[at], "print('看这里')"], changed))
    return "\n".join(lines)


def dump_output(piece: Piece, chance: random.Random) -> Iterator[Piece]:
    """Add the output of code as text after the code."""
    yield piece
    if piece.kind is BlockKind.CODE and chance.random() < 0.6:
        yield Piece(kind=BlockKind.PROSE, text=chance.choice(OUTPUTS))


def strip_marks(text: str, chance: random.Random) -> str:
    """Remove the markup of code spans, links and roles; keep their words."""
    text = LINK.sub(r"\1", ROLE.sub(r"\1", text))
    return re.sub(r"\*\*|__", "", CODE_SPAN.sub(r"\1", text))


def escape_marks(text: str, chance: random.Random) -> str:
    """Add backslashes and entities, as a converter from HTML does."""
    parts = re.split(r"(`[^`]*`|\$[^$]*\$|\]\([^()]*\))", text)
    for at in range(0, len(parts), 2):
        plain = parts[at].replace("_", r"\_").replace("<", "&lt;").replace(">", "&gt;")
        parts[at] = re.sub(r"(\d)\. ", r"\1\\. ", plain)
    return "".join(parts)


def cut_off(row: Row, chance: random.Random) -> Row:
    """Cut the page off in the middle."""
    return row[: int(len(row) * chance.uniform(0.45, 0.75))]


def renumber(row: Row, chance: random.Random) -> Row:
    """Number the headings."""
    style = chance.choice(("{}. ", "{}、", "第{}章 ", "3.{} "))
    numbers = map(style.format, count(1))
    is_heading = [piece.kind is BlockKind.HEADING for piece in row]
    return tuple(
        replace(piece, text=next(numbers) + piece.text) if is_one else piece
        for piece, is_one in zip(row, is_heading, strict=True)
    )


def leave_english(row: Row, chance: random.Random) -> Row:
    """Leave half of the page in English, in runs of blocks."""
    left: list[Piece] = []
    is_english = False
    for piece in row:
        if chance.random() < 0.2:
            is_english = not is_english
        is_left = is_english and len(piece.of) == 1
        left.append(replace(piece, text=piece.of[0]) if is_left else piece)
    return tuple(left)


def remark(piece: Piece, chance: random.Random) -> Iterator[Piece]:
    """Add remarks and cells of the translator."""
    yield piece
    if chance.random() < 0.08:
        yield Piece(kind=BlockKind.PROSE, text=chance.choice(REMARKS))
    if chance.random() < 0.04:
        code = "# 译者的试验\nfor i in range(3):\n    print(i * 2)"
        yield Piece(kind=BlockKind.CODE, text=code)


def introduce(row: Row, chance: random.Random) -> Row:
    """Add remarks, and one about the whole page at its beginning."""
    first = Piece(kind=BlockKind.PROSE, text=REMARKS[3])
    return (first, *_each(remark)(row, chance))


def drop_some(row: Row, chance: random.Random) -> Row:
    """Remove some blocks."""
    return tuple(piece for piece in row if chance.random() > 0.1)


def join_paragraphs(row: Row, chance: random.Random) -> Row:
    """Join some paragraphs with the next one."""
    joined: list[Piece] = []
    for piece in row:
        last = joined[-1] if joined else None
        is_pair = (
            last is not None
            and last.kind is piece.kind is BlockKind.PROSE
            and last.message is piece.message is Kind.PARAGRAPH
            and last.is_translated
            and piece.is_translated
            and len(last.of) == 1
        )
        if last and is_pair and chance.random() < 0.3:
            both = replace(last, text=last.text + piece.text, of=last.of + piece.of)
            joined[-1] = both
        else:
            joined.append(piece)
    return tuple(joined)


def cut_paragraph(piece: Piece, chance: random.Random) -> Iterator[Piece]:
    """Cut some paragraphs in two, between sentences."""
    first, mark, rest = piece.text.partition("。")
    is_long = piece.kind is BlockKind.PROSE and len(first) > 12 and len(rest) > 12
    is_whole = first.count("`") % 2 == 0 and first.count("(") == first.count(")")
    is_plain = is_whole and first.count("**") % 2 == 0
    if is_long and is_plain and chance.random() < 0.3:
        yield replace(piece, text=first + mark)
        yield replace(piece, text=rest.strip())
    else:
        yield piece


def keep_both(piece: Piece, chance: random.Random) -> Iterator[Piece]:
    """Put the English of each paragraph before its Chinese."""
    if piece.is_translated and piece.kind is BlockKind.PROSE and len(piece.of) == 1:
        yield replace(piece, text=piece.of[0], of=())
    yield piece


def split_cells(row: Row, chance: random.Random) -> Row:
    """Split and join cells of code."""
    split: list[Piece] = []
    for piece in row:
        lines = piece.text.strip("\n").split("\n")
        last = split[-1] if split else None
        if piece.kind is not BlockKind.CODE:
            split.append(piece)
        elif last and last.kind is BlockKind.CODE:
            split[-1] = replace(last, text=f"{last.text}\n{piece.text}")
        elif len(lines) > 3 and chance.random() < 0.5:
            middle = len(lines) // 2
            halves = ("\n".join(lines[:middle]), "\n".join(lines[middle:]))
            split += [replace(piece, text=half) for half in halves]
        else:
            split.append(piece)
    return tuple(split)


OF_CODE = (BlockKind.CODE,)
OF_WORDS = (BlockKind.HEADING, BlockKind.PROSE)
DAMAGES: dict[str, Damage] = {
    "code on one line": _texts(lambda code, _: " ".join(code.split()), *OF_CODE),
    "code edited": _texts(edit_line, *OF_CODE),
    "comments translated": _texts(
        lambda code, _: re.sub(r"# .*", "# 这里是译者写的注释", code), *OF_CODE
    ),
    "outputs as text": _each(dump_output),
    "marks stripped": _texts(strip_marks, *OF_WORDS),
    # Also in the indentation of code.
    "spaces folded": _texts(lambda text, _: re.sub(" {2,}", " ", text), *BlockKind),
    "escapes": _texts(escape_marks, *OF_WORDS),
    "cut off": cut_off,
    "renumbered": renumber,
    "half English": leave_english,
    "remarks": introduce,
    "blocks missing": drop_some,
    "paragraphs joined": join_paragraphs,
    "paragraphs cut": _each(cut_paragraph),
    "both languages": _each(keep_both),
    "no code": _each(lambda piece, _: () if piece.kind in OF_CODE else (piece,)),
    "cells split and merged": split_cells,
}


# --- writers


def _plainly(text: str) -> str:
    """Return text with markup of reST and MyST as people write it in Markdown."""
    text = re.sub(r"\\\\ ", "", text)
    text = re.sub(r"`([^`<>]+?)\s*<([^<>`]+)>`__?", r"[\1](\2)", text)
    text = re.sub(r":[\w.:+-]+:`~?([^`<]*?)(?:\s*<[^<>`]*>)?`", r"`\1`", text)
    return re.sub(r"``([^`]+)``", r"`\1`", text)


def as_markdown(row: Row) -> str:
    """Return the copy as Markdown."""
    parts = []
    for piece in row:
        text = _plainly(piece.text)
        match piece.kind, piece.message:
            case BlockKind.CODE, _:
                text = f"```python\n{piece.text.strip(chr(10))}\n```"
            case BlockKind.HEADING, _:
                text = f"## {text}"
            case _, Kind.LIST_ITEM:
                text = "- " + text.replace("\n", "\n  ")
        parts.append(text)
    return "\n\n".join(parts) + "\n"


def as_notebook(row: Row) -> str:
    """Return the copy as a notebook. All prose between two code cells is one cell."""
    cells: list[Cell] = []
    for is_code, pieces in groupby(row, lambda piece: piece.kind is BlockKind.CODE):
        if is_code:
            cells += [code(piece.text) for piece in pieces]
        else:
            cells.append(prose(as_markdown(tuple(pieces)).strip("\n")))
    return json.dumps(notebook_value(*cells, minor=2))


def as_plain(row: Row) -> str:
    """Return the copy as plain text, as people copy it from a browser."""
    return "\n\n".join(_plainly(piece.text).strip("\n") for piece in row) + "\n"


def as_html(row: Row, *, around: bool = True) -> str:
    """Return the copy as a web page, with navigation around it unless ``around`` is false."""
    body = []
    for piece in row:
        match piece.kind, piece.message:
            case BlockKind.CODE, _:
                code_block = f"<pre>{escape(piece.text)}</pre>"
                body.append(f"<div class=highlight>{code_block}</div>")
            case BlockKind.HEADING, _:
                anchor = '<a class="headerlink" href="#id1" title="永久链接">¶</a>'
                body.append(f"<h2>{_inline(piece.text)}{anchor}</h2>")
            case _, Kind.LIST_ITEM:
                body.append(f"<ul><li><p>{_inline(piece.text)}</p></li></ul>")
            case _:
                body.append(f"<p>{_inline(piece.text)}</p>")
    main = "\n".join(body)
    if not around:
        return f"<html><body>{main}</body></html>"
    link = '<li><a href="p{0}.html">第 {0} 页：入门与进阶</a></li>'
    links = "".join(map(link.format, range(40)))
    return (
        "<!DOCTYPE html><html><head><meta charset=utf-8><title>某某 — 文档</title>"
        "<script>var a = '<p>不是正文</p>';</script><style>p{color:red}</style></head>"
        f"<body><nav><ul>{links}</ul></nav><header>首页 | 登录 | 注册</header>"
        f"<div role=main class=document>{main}</div>"
        f"<footer><p>版权所有 © 某某社区</p></footer><aside>{links}</aside></body></html>"
    )


def _inline(text: str) -> str:
    """Return text with inline markup as HTML: code, links, roles, emphasis."""
    text = escape(_plainly(text), quote=False)
    role = r"(?:\{[\w:+-]+\}|:[\w.:+-]+:)`([^`]*?)(?:\s*&lt;[^`]*?&gt;)?`"
    text = re.sub(role, r"<code class=xref>\1</code>", text)
    text = re.sub(r"`+([^`]+)`+", r"<code>\1</code>", text)
    text = re.sub(r"\[([^\[\]]+)\]\(([^()\s]+)\)", r'<a href="\2">\1</a>', text)
    text = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)
    math = r'<span class="math notranslate nohighlight">\\(\1\\)</span>'
    return re.sub(r"\$([^$]+)\$", math, text)


WRITERS: dict[str, Callable[[Row], str]] = {
    "page.md": as_markdown,
    "page.ipynb": as_notebook,
    "page.txt": as_plain,
    "page.html": as_html,
}


# --- what was found


_LIKE = 60.0  # percent of rapidfuzz's ratio
_CHAPTER = re.compile(r"^第\d+章 ")  # what ``renumber`` puts before a heading


def han(text: str) -> str:
    """Return only the Chinese letters of a text, to compare texts without markup."""
    return "".join(HAN.findall(_CHAPTER.sub("", text)))


class Score(Struct, frozen=True, kw_only=True):
    """Result of comparing an adoption with the truth, as counts of messages.

    ``there`` is the number of translations in the copy, and ``found`` how many of them were
    adopted. ``said`` is the number of adopted translations, and ``right`` how many of them are
    correct.
    """

    there: int
    found: int
    said: int
    right: int
    wrong: tuple[tuple[str, str, str], ...] = ()  # message, what was said, what is so
    missed: tuple[tuple[str, str], ...] = ()


def score(row: Row, said: Mapping[str, str]) -> Score:
    """Compare the adopted translations (``said``, by msgid) with those in the copy.

    A message may have other words in a version that fits equally well. This counts as correct.
    """
    wanted: dict[str, list[str]] = {}
    for piece in row:
        for message in piece.of if piece.is_translated else ():
            wanted.setdefault(message, []).append(han(piece.text))
    # Texts of the copy, with the messages that they translate.
    texts: dict[str, list[str]] = {}
    for message, parts in wanted.items():
        # One that stands twice on the page has one translation; one that was cut has two parts.
        for text in (*parts, "".join(parts)):
            texts.setdefault(text, []).append(message)
    found: set[str] = set()
    wrong: list[tuple[str, str, str]] = []
    for message, translation in said.items():
        others = texts.get(han(translation), [])
        there = [other for other in others if is_like(message, other)]
        found.update(there)
        if not there:
            wrong.append((message, han(translation), "|".join(wanted.get(message, []))))
    missed = [(message, wanted[message][0]) for message in wanted.keys() - found]
    return Score(
        there=len(wanted),
        found=len(found),
        said=len(said),
        right=len(said) - len(wrong),
        wrong=tuple(wrong),
        missed=tuple(sorted(missed)),
    )


def is_like(message: str, other: str) -> bool:
    """Return whether two texts are the same message, perhaps from two versions of the page."""
    return message == other or fuzz.ratio(message, other) > _LIKE
