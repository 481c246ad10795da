"""Which English stands behind each block of a page of the site, and how it stands: the page's merged document beside upstream's."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline.core.document import prose
from pipeline.core.document.message import Kind, Markup, Message
from pipeline.core.document.read import Document
from pipeline.entries import Entry

TRANSLATED, ENGLISH, FUZZY = "translated", "english", "fuzzy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One message of a page: ``text`` as the merged document has it, ``english`` as upstream has it, both as Markdown or reST."""

    kind: Kind
    text: str
    english: str
    state: str  # TRANSLATED | ENGLISH | FUZZY
    line: int = 0  # of its entry in the catalogue, 0 if it has none
    msgid: str = ""
    markup: Markup = Markup.MARKDOWN
    is_kept: bool = (
        False  # the English stands on the page already, right behind it: a term of a glossary
    )


def pair(
    upstream: Document, merged: Document, entries: Sequence[Entry], *, left_out: str = ""
) -> tuple[Block, ...]:
    """The blocks of ``merged``, in document order, each with its English.

    Both documents hold the same messages in the same order, but for what only the merged one has: ``left_out`` (the attribution),
    and English terms of a glossary, which stay beside the Chinese ones. Where they do not, the page changed under way: there are
    no blocks, and the page is shown as it is.
    """
    ours = deque(
        message for _, message in merged.messages() if _plain(message.msgid) != _plain(left_out)
    )
    known = _by_msgid(entries)
    blocks: list[Block] = []
    for _, english in upstream.messages():
        if not ours or ours[0].kind is not english.kind:
            return ()
        own = ours.popleft()
        is_kept = (
            own.kind is Kind.TERM
            and bool(ours)
            and own.msgid != english.msgid == ours[0].msgid
            and ours[0].kind is Kind.TERM
        )
        if is_kept:
            ours.popleft()
        blocks.append(_block(own, english, known, is_kept=is_kept))
    return () if ours else tuple(blocks)


def _plain(text: str) -> str:
    """A text without the white space that reST needs around markup, and without what escapes it."""
    return re.sub(r"[\\\s]+", "", text)


def _by_msgid(entries: Sequence[Entry]) -> Mapping[str, Sequence[Entry]]:
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        if not entry.obsolete:
            found.setdefault(entry.msgid, []).append(entry)
    return found


def _block(
    own: Message, english: Message, known: Mapping[str, Sequence[Entry]], *, is_kept: bool
) -> Block:
    entry = next(_fitting(english, known.get(english.msgid, ())), None)
    text, original = map(_shown, (own, english))
    state = (
        ENGLISH if text == original else FUZZY if entry is not None and entry.fuzzy else TRANSLATED
    )
    line = entry.line if entry else 0
    return Block(
        kind=english.kind,
        text=text,
        english=original,
        state=state,
        line=line,
        msgid=english.msgid,
        markup=english.markup,
        is_kept=is_kept,
    )


def _shown(message: Message) -> str:
    """The text of a message where it is not in its place: a bar in a table of Markdown is escaped for the table only."""
    text = prose.show_payloads(message.msgid, message.payloads)
    is_cell = message.kind is Kind.TABLE_CELL and message.markup is Markup.MARKDOWN
    return text.replace("\\|", "|") if is_cell else text


def _fitting(message: Message, entries: Sequence[Entry]) -> Iterator[Entry]:
    """The entries that may serve ``message``: first the one for its section, then the one for all places, then any."""
    yield from (entry for entry in entries if entry.context == message.section)
    yield from (entry for entry in entries if entry.context is None)
    yield from entries
