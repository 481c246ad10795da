"""The English of a memory file's entries, and their order on the page.

It comes from the working catalogue, which also has old English, and from the docs that were pulled
only if something is not in that: to split pages takes longer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from pipeline.commands.check.catalogs import ReadFile
from pipeline.commands.check.english import English, live_blanks
from pipeline.core.memory.record import digest
from pipeline.entries import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEnglish:
    """What is known of a page, all by digest: its messages in their order, and all English."""

    messages: Mapping[str, Entry] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


def english_of(
    english: English, memory: ReadFile, needed: Collection[str]
) -> PageEnglish:
    """The English of the page of ``memory``; ``needed`` are digests of messages on it."""
    entries = english.entries_of(memory)
    messages = _by_digest(live_blanks(entries))
    if not messages.keys() >= set(needed):
        # The order is that of the docs then, in which new messages have their place.
        messages = _by_digest(english.docs_of(memory)) | messages
    texts = {code: entry.msgid for code, entry in messages.items()}
    for entry in entries:
        for text in (entry.msgid, entry.previous):
            if text:
                texts[digest(text)] = text
    return PageEnglish(messages=messages, texts=texts)


def _by_digest(entries: Iterable[Entry]) -> dict[str, Entry]:
    """Messages by digest, in their order."""
    return {digest(entry.msgid): entry for entry in entries}
