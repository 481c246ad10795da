"""Translations that gave way, as entries of a catalogue that people can read.

In go entries of a memory and the English that is known, out comes the catalogue that keeps them,
with what was kept before. It lies beside what is built, and is never read back into a memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pipeline.core.memory.notes import translators_of
from pipeline.core.memory.open import open_entry
from pipeline.core.memory.record import Texts
from pipeline.entries import Catalog, Entry


def kept_entries(entries: Iterable[Entry], texts: Texts, *, reason: str) -> list[Entry]:
    """Entries of a memory with their English, each with the ``reason`` why it is kept.

    Where the English is not known the digest stands in its place, and the msgstr is as the memory
    has it. Who has translated it is a comment.
    """
    kept: list[Entry] = []
    for entry in entries:
        blank = Entry(msgid=texts.get(entry.msgid, entry.msgid))
        opened = open_entry(entry, blank, texts)
        if opened is None:
            opened = replace(entry, msgid=blank.msgid, previous=None, obsolete=False)
        # Only one entry of a catalogue may have both the same context and the same English.
        context = reason if opened.context is None else f"{opened.context}: {reason}"
        comments = (*opened.comments, *translators_of(entry))
        kept.append(replace(opened, context=context, comments=comments, notes=()))
    return kept


def add_kept(catalog: Catalog, entries: Iterable[Entry]) -> Catalog:
    """``catalog`` with ``entries`` behind its own; one whose translation it has is left out."""
    translations = {(entry.msgid, entry.msgstr) for entry in catalog.entries}
    keys = {(entry.context, entry.msgid) for entry in catalog.entries}
    added: list[Entry] = []
    for entry in entries:
        if (entry.msgid, entry.msgstr) in translations:
            continue
        reason, number = entry.context, 1
        while (entry.context, entry.msgid) in keys:
            # The third that gave way for the same reason: "replaced (3)".
            number += 1
            entry = replace(entry, context=f"{reason} ({number})")  # noqa: PLW2901
        translations.add((entry.msgid, entry.msgstr))
        keys.add((entry.context, entry.msgid))
        added.append(entry)
    return replace(catalog, entries=(*catalog.entries, *added))
