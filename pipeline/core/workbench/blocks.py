"""Messages of a page as a translator meets them: each with its entry, its state, and its excerpt.

A page of hundreds of messages takes longer to read than a person takes to the next keystroke. The
excerpt is the block around a message, with the definitions that its links may lead to. It is enough
to show what becomes of a translation, and for the guard to judge. What the translation does to the
page as a whole shows when the whole page is merged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

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

# Targets, substitutions and footnotes of reST, with the lines that belong to them.
_RST_DEFINITION = re.compile(
    r"^\.\. (?:_[^\n]+:|\|[^|\n]+\||\[[^\]\n]+\])[^\n]*(?:\n[ \t]+[^\n]*)*",
    re.MULTILINE,
)
_RST_BLOCK_END = re.compile(r"\n[ \t]*\n(?=\S)")
_LINE_START = re.compile(r"^", re.MULTILINE)


class State(StrEnum):
    """What a person has to do about a message, if anything."""

    TRANSLATED = "translated"
    FUZZY = "fuzzy"  # it was written for other English
    DRAFT = "draft"  # it was written for this English, by a machine or not to the end
    ADOPTED = "adopted"  # it comes from a copy that was made elsewhere
    ENGLISH = "english"  # there is no translation
    REFUSED = "refused"  # there is one, which readers cannot be shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One message on a page. Several may have the same entry.

    ``entry`` is an empty one if the catalogue has none. ``refusal`` says why a finished
    translation is not shown.
    """

    number: int
    message: Message
    entry: Entry
    state: State
    refusal: Refusal | None = None


def blocks_of(
    document: Document,
    catalog: Catalog,
    merged: Merged,
    refused: Mapping[str, Refusal],
) -> tuple[Block, ...]:
    """Return all messages of ``document``, in its order.

    ``merged`` is what came of it. ``refused`` are translations that were kept from it before, by
    msgid: those in which a check finds an error.
    """
    refusals = dict(refused)
    for rejection in merged.rejected:
        refusals.setdefault(rejection.message.msgid, rejection.refusal)
    live = [entry for entry in catalog.entries if not entry.obsolete]
    entries = {(entry.context, entry.msgid): entry for entry in live}
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


def entry_for(
    message: Message, entries: Mapping[tuple[str | None, str], Entry]
) -> Entry:
    """Return the entry that translates a message; one of its section wins."""
    of_section = entries.get((message.section, message.msgid))
    if of_section is not None:
        return of_section
    return entries.get((None, message.msgid)) or Entry(msgid=message.msgid)


def state_of(entry: Entry) -> State:
    """Return the state of an entry, as far as the catalogue tells."""
    if not entry.msgstr:
        return State.ENGLISH
    if not entry.fuzzy:
        return State.TRANSLATED
    if copy_of(entry):
        return State.ADOPTED
    is_of_this_english = entry.written_for == entry.msgid and not fuzzy_class(entry)
    if machine_of(entry) or is_of_this_english:
        return State.DRAFT
    return State.FUZZY


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A small document, and which of its messages is the one that it was made for."""

    document: Document
    index: int


def excerpt_of(document: Document, unit: Unit, message: Message) -> Excerpt:
    """Return the block that holds ``message``, or all of its unit if it reads differently alone."""
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
    """Return the excerpt ``text``; None unless the message is read there as on its page."""
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
        split_rst,  # docutils takes a while to load
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
    """Return the blocks; the targets of links, ``[name]: <target>``, and the names of footnotes."""
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
