"""The part of a page that has to be read to show one message: a document of its own.

A page of hundreds of messages takes longer to read than a person takes to the next keystroke. The
block that the message stands in, with the definitions that its links may lead to, is enough to see
what becomes of a translation, and for the guard to look at. What it does to the page as a whole
shows when the whole page is merged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pipeline.core.document.markdown.parser import parser
from pipeline.core.document.markdown.splitter import split_text
from pipeline.core.document.message import Markup, Message, Split
from pipeline.core.document.reader import Document, Format, Unit
from pipeline.errors import InputError
from pipeline.reading import Reading

# Targets, substitutions and footnotes of reST, with the lines that belong to them.
_RST_DEFINITION = re.compile(
    r"^\.\. (?:_[^\n]+:|\|[^|\n]+\||\[[^\]\n]+\])[^\n]*(?:\n[ \t]+[^\n]*)*",
    re.MULTILINE,
)
_RST_BLOCK_END = re.compile(r"\n[ \t]*\n(?=\S)")
_LINE_START = re.compile(r"^", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A small document, and which of its messages is the one that it was made for."""

    document: Document
    index: int


def excerpt_of(document: Document, unit: Unit, message: Message) -> Excerpt:
    """The block that holds ``message``, or all of its unit if it reads differently alone."""
    text = unit.split.text
    outline = _outline(text, message.markup)
    for start, end in outline.blocks:
        if start <= message.start < end:
            part = text[start:end].rstrip("\n")
            found = _found(document, f"{part}\n\n{outline.definitions}", message)
            if found is not None:
                return found
    whole = _document(document, unit.split)
    return Excerpt(document=whole, index=unit.split.messages.index(message))


def _found(document: Document, text: str, message: Message) -> Excerpt | None:
    """The excerpt ``text``; None unless the message is read there as on its page."""
    try:
        split = _split(text, message.markup, document.reading)
    except InputError:
        return None
    wanted = message.msgid, message.kind
    for index, candidate in enumerate(split.messages):
        if (candidate.msgid, candidate.kind) == wanted:
            return Excerpt(document=_document(document, split), index=index)
    return None


def _split(text: str, markup: Markup, reading: Reading) -> Split:
    if markup is not Markup.RST:
        return split_text(text, page=True, reading=reading)
    from pipeline.core.document.rst.splitter import split_rst

    return split_rst(text)


def _document(document: Document, split: Split) -> Document:
    is_rst = document.format is Format.RST
    return Document(
        path=document.path,
        format=Format.RST if is_rst else Format.MYST,
        raw=split.text,
        units=(Unit(split=split),),
        reading=document.reading,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outline:
    """Where the blocks of a text lie that stand in no other, and all that links go by."""

    blocks: tuple[tuple[int, int], ...]
    definitions: str


@lru_cache(maxsize=64)  # a person goes from message to message on the same page
def _outline(text: str, markup: Markup) -> _Outline:
    if markup is not Markup.RST:
        return _markdown_outline(text)
    definitions = "\n\n".join(match[0] for match in _RST_DEFINITION.finditer(text))
    return _Outline(blocks=tuple(_rst_blocks(text)), definitions=definitions)


def _markdown_outline(text: str) -> _Outline:
    """The blocks; the targets of links, ``[name]: <target>``, and the names of footnotes."""
    environment: dict[str, dict[str, dict[str, str]]] = {}
    tokens = parser(page=True).parse(text, environment)
    starts = [match.start() for match in _LINE_START.finditer(text)]
    starts.append(len(text))
    blocks = []
    for token in tokens:
        if token.level == 0 and token.map:
            first, last = token.map
            blocks.append((starts[first], starts[min(last, len(starts) - 1)]))
    lines = []
    for name, reference in environment.get("references", {}).items():
        title = reference["title"].replace('"', '\\"')
        lines.append(f'[{name}]: <{reference["href"]}> "{title}"')
    labels = environment.get("footnotes", {}).get("refs", {})
    lines += [f"[^{label.removeprefix(':')}]: ." for label in labels]
    return _Outline(blocks=tuple(blocks), definitions="\n\n".join(lines))


def _rst_blocks(text: str) -> Iterator[tuple[int, int]]:
    """From each line at the margin behind a blank one to the next such line."""
    start = 0
    for match in _RST_BLOCK_END.finditer(text):
        yield start, match.end()
        start = match.end()
    yield start, len(text)
