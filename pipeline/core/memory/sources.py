"""Which English a note of a catalogue quotes, and how the note looks without it.

A memory may not hold English. So the diff in a state note becomes ``DIFF``, and the messages that
it was made from are named by digest: opening the memory makes the same diff again.
"""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz, process

from pipeline.core.catalog.change import diff
from pipeline.core.catalog.states import states_of
from pipeline.core.memory.notes import DIFF
from pipeline.entries import Entry

# Where to look for the message that a translation followed: its likes, in percent of rapidfuzz's
# ratio.
_LIKE = 60.0
_CHOICES = 20


def followed_text(entry: Entry, texts: Sequence[str]) -> str | None:
    """The one of ``texts`` that a translation followed, if the entry quotes the difference to it.

    ``carried over: mark-up: see [-jax.jit-]{+{func}`jax.jit`+}`` says that there was such a
    message, not which.
    """
    quoting = "".join(note for note in states_of(entry) if _quotes(note))
    if not quoting or not texts:
        return None
    similar = process.extract(
        entry.msgid, texts, scorer=fuzz.ratio, score_cutoff=_LIKE, limit=_CHOICES
    )
    for text, _, _ in similar:
        # The note quotes the difference to the one text only, so that this is no guess.
        words = diff(text, entry.msgid)
        if words and words in quoting:
            return text
    return None


def parts_of(text: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Messages that give ``text`` when joined by spaces; none if it is not made so."""
    for part in texts:
        if part == text:
            return (part,)
        if text.startswith(f"{part} "):
            rest = parts_of(text[len(part) + 1 :], texts)
            if rest:
                return (part, *rest)
    return ()


def states_without_english(entry: Entry, old: str | None) -> tuple[str, ...]:
    """The notes of an entry that tell its state, without words of the English.

    ``old`` is what the translation was written for, if that is known. The diff to it becomes
    ``DIFF``; a note that quotes anything else ends before the quotation.
    """
    words = diff(old, entry.msgid) if old is not None else ""
    states: list[str] = []
    for note in states_of(entry):
        bare = note.replace(words, DIFF) if words else note
        if _quotes(bare.replace(DIFF, "")):
            # "fuzzy: numbers: at least [-2-]{+3+}" → "fuzzy: numbers"
            bare = ":".join(note.split(":")[:2])
        states.append(bare)
    return tuple(states)


def _quotes(note: str) -> bool:
    return "[-" in note or "{+" in note
