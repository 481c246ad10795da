"""How an entry came to its translation, as a note in its catalogue says it.

Such a note stands in a ``#.`` comment, because other tools keep those and drop flags that they do
not know. Examples: ``carried over: the same text in pytrees`` and ``fuzzy: numbers: at least
[-2-]{+3+} devices``.
"""

from __future__ import annotations

from pipeline.entries import Entry

CARRIED = "carried over:"  # the translation followed by itself and is finished
# A person has to look at the translation; the class of change comes next.
FUZZY = "fuzzy:"
STATES = (CARRIED, FUZZY)


def states_of(entry: Entry) -> tuple[str, ...]:
    """The notes of an entry that say how it came to its translation."""
    return tuple(note for note in entry.notes if note.startswith(STATES))


def fuzzy_class(entry: Entry) -> str:
    """The ``ChangeClass`` that a fuzzy entry waits for; empty if no note tells it."""
    if not entry.fuzzy:
        return ""
    for note in entry.notes:
        if note.startswith(FUZZY):
            # "fuzzy: numbers: at least …" → "numbers"
            return note.removeprefix(FUZZY).partition(":")[0].strip()
    return ""
