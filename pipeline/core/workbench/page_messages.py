"""Messages of a page for the translator: each with its entry, its state and its excerpt.

An excerpt is a small document: the block around one message, and the definitions that its links may
refer to. Parsing a whole page takes longer than the pause between two keystrokes, but an excerpt is
enough for the preview and for the guard. Effects of a translation on other parts of the page only
show when the whole page is merged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import lru_cache

from msgspec import Struct

from pipeline.core.catalog.origins import copy_of, fuzzy_class, machine_of
from pipeline.core.document.guard import Refusal
from pipeline.core.document.markdown.parser import parser
from pipeline.core.document.markdown.splitter import split_text
from pipeline.core.document.merge import Merged
from pipeline.core.document.message import Markup, Message, Split
from pipeline.core.document.reader import Document, Format, Unit
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError
from pipeline.reading import Reading

# Definitions in reST: targets, substitutions and footnotes, with their indented lines.
_RST_DEFINITION = re.compile(
    r"^\.\. (?:_[^\n]+:|\|[^|\n]+\||\[[^\]\n]+\])[^\n]*(?:\n[ \t]+[^\n]*)*",
    re.MULTILINE,
)
_RST_BLOCK_END = re.compile(r"\n[ \t]*\n(?=\S)")
_LINE_START = re.compile(r"^", re.MULTILINE)


class State(StrEnum):
    """State of a message, which the workbench shows as a colour."""

    TRANSLATED = "translated"
    FUZZY = "fuzzy"  # written for other English
    DRAFT = "draft"  # written for this English, by a machine or not finished yet
    ADOPTED = "adopted"  # from a copy that was translated elsewhere
    ENGLISH = "english"  # no translation
    # Finished, but rejected by a check or the guard: readers see English.
    REFUSED = "refused"


class Block(Struct, frozen=True, kw_only=True):
    """One message on a page. Several blocks may share an entry."""

    number: int  # among the messages of the page, from 0
    message: Message
    entry: Entry  # without msgstr if the catalogue has none
    state: State
    refusal: Refusal | None = None  # why a finished translation is rejected


def blocks_of(
    document: Document,
    catalog: Catalog,
    merged: Merged,
    refused: Mapping[str, Refusal],
) -> tuple[Block, ...]:
    """Return all messages of ``document``, in order.

    ``merged`` is the result of merging the document; it has the translations that the guard has
    rejected. ``refused`` has, by msgid, the translations that checks have rejected before the
    merge.
    """
    refusals = dict(refused)
    for rejection in merged.rejected:
        refusals.setdefault(rejection.message.msgid, rejection.refusal)
    entries = {(entry.context, entry.msgid): entry for entry in catalog.live}
    blocks = []
    for number, (_, message) in enumerate(document.messages()):
        entry = entry_for(message, entries)
        refusal = refusals.get(message.msgid) if entry.is_translated else None
        state = State.REFUSED if refusal else state_of(entry)
        blocks.append(
            Block(
                number=number,
                message=message,
                entry=entry,
                state=state,
                refusal=refusal,
            )
        )
    return tuple(blocks)


def entry_for(message: Message, entries: Mapping[tuple[str | None, str], Entry]) -> Entry:
    """Return the entry that translates a message, or an empty one.

    An entry for the message's section (msgctxt) takes precedence. Keys of ``entries`` are pairs of
    msgctxt and msgid.
    """
    of_section = entries.get((message.section, message.msgid))
    if of_section is not None:
        return of_section
    return entries.get((None, message.msgid)) or Entry(msgid=message.msgid)


def state_of(entry: Entry) -> State:
    """Return the state of an entry, without regard to checks and the guard."""
    if not entry.msgstr:
        return State.ENGLISH
    if not entry.fuzzy:
        return State.TRANSLATED
    if copy_of(entry):
        return State.ADOPTED
    is_of_this_english = entry.source_text == entry.msgid and not fuzzy_class(entry)
    if machine_of(entry) or is_of_this_english:
        return State.DRAFT
    return State.FUZZY


class Excerpt(Struct, frozen=True, kw_only=True):
    """Small document for one message, and the index of this message in the document."""

    document: Document
    index: int


def excerpt_of(document: Document, unit: Unit, message: Message) -> Excerpt:
    """Return the excerpt for ``message``, which is in ``unit`` (the page, or a cell of a notebook).

    If the block around the message would be parsed differently on its own, the excerpt is the whole
    unit.
    """
    text = unit.split.text
    blocks, definitions = _outline(text, message.markup)
    for start, end in blocks:
        if start <= message.start < end:
            part = text[start:end].rstrip("\n")
            found = _found(document, f"{part}\n\n{definitions}", message)
            if found is not None:
                return found
    whole = _document(document, unit.split)
    return Excerpt(document=whole, index=unit.split.messages.index(message))


def _found(document: Document, text: str, message: Message) -> Excerpt | None:
    """Return ``text`` as an excerpt, or None if the parser does not find the same message in it."""
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
    from pipeline.core.document.rst.splitter import (
        split_rst,  # docutils is slow to import
    )

    return split_rst(text)


def _document(document: Document, split: Split) -> Document:
    is_rst = document.format is Format.RST
    return Document(
        path=document.path,
        format=Format.RST if is_rst else Format.MYST,
        units=(Unit(split=split),),
        reading=document.reading,
    )


# Positions of the top-level blocks of a text, and the definitions that links refer to.
_Outline = tuple[tuple[tuple[int, int], ...], str]


@lru_cache(maxsize=64)  # people edit one message after the other on the same page
def _outline(text: str, markup: Markup) -> _Outline:
    if markup is not Markup.RST:
        return _markdown_outline(text)
    definitions = "\n\n".join(match[0] for match in _RST_DEFINITION.finditer(text))
    return tuple(_rst_blocks(text)), definitions


def _markdown_outline(text: str) -> _Outline:
    """Return the outline of Markdown; in its definitions, a full stop is the text of a footnote."""
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
    return tuple(blocks), "\n\n".join(lines)


def _rst_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the range of each block. A block starts after a blank line, without indentation."""
    start = 0
    for match in _RST_BLOCK_END.finditer(text):
        yield start, match.end()
        start = match.end()
    yield start, len(text)
