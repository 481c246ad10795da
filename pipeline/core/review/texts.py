"""The texts of a memory's entry as a person reads them, as far as its English is known."""

from __future__ import annotations

from pipeline.core.memory.notes import TOUCH, TRANSLATOR, translators_of
from pipeline.core.memory.open import restored_msgstr
from pipeline.core.memory.record import Texts, text_of
from pipeline.entries import Entry


def translation_of(entry: Entry, texts: Texts) -> str:
    """The translation of a memory's entry with its long atoms.

    Where their English is not in ``texts``, as the memory has it: ``见[指南⟦1⟧。``
    """
    previous = texts.get(entry.previous) if entry.previous else None
    restored = restored_msgstr(entry, texts.get(entry.msgid), previous)
    return text_of(entry) if restored is None else restored


def translator_of(entry: Entry) -> str:
    """Who last touched an entry, and on which day: ``Li Lei, 2026-05-01``; empty if nobody knows.

    The address is left out: a report goes to places where the memory does not.
    """
    notes = translators_of(entry)
    if not notes:
        return ""
    touch = TOUCH.fullmatch(notes[-1])
    if touch is None:
        return notes[-1].removeprefix(TRANSLATOR)
    name = touch[1].partition(" <")[0]
    return f"{name}, {touch[2][:10]}"


def state_of(entry: Entry | None) -> str:
    """Whether readers see the translation: ``finished``, ``fuzzy`` or ``untranslated``."""
    if entry is None or not text_of(entry) or entry.obsolete:
        return "untranslated"
    return "fuzzy" if entry.fuzzy else "finished"
