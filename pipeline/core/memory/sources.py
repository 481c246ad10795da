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

    ``carried over: mark-up: see [-jax.jit-]{+{func}`jax.jit`+}`` says that there was such
    a message, not which. So the messages most like the entry's are tried, one by one.
    """
    quoting = "".join(filter(_quotes, states_of(entry)))
    if not quoting:
        return None  # nearly always
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
    """Messages that give ``text`` when joined by spaces; none if it is not made so.

    ``"Tea is hot. Stir it."`` → ``("Tea is hot.", "Stir it.")``, if ``texts`` has both.
    Of several ways to make it the first one found counts, in the order of ``texts``.
    """
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
    words = "" if old is None else diff(old, entry.msgid)
    return tuple(_without_quotation(note, words) for note in states_of(entry))


def _without_quotation(note: str, words: str) -> str:
    """A note without English; ``words`` is the diff that it may quote, or empty.

    ``fuzzy: numbers: at least [-2-]{+3+}`` → ``fuzzy: numbers: [-…-]{+…+}`` if that is
    the diff, and ``fuzzy: numbers`` if the note quotes another one.
    """
    bare = note.replace(words, DIFF) if words else note
    if _quotes(bare.replace(DIFF, "")):
        return ":".join(note.split(":")[:2])
    return bare


def _quotes(note: str) -> bool:
    """Whether a note has a diff in it: ``[-old-]``, ``{+new+}``, or both."""
    return "[-" in note or "{+" in note
