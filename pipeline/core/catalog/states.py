"""How an entry came to its translation, as notes in its catalogue say it.

Such a note stands in a ``#.`` comment, because other tools keep those and drop flags that they do
not know. Examples: ``carried over: the same text in pytrees`` and ``fuzzy: numbers: at least
[-2-]{+3+} devices``.
"""

from __future__ import annotations

from pipeline.entries import Entry

CARRIED = "carried over:"  # the translation followed by itself and is finished
# A person has to look at the translation; the class of change comes next.
FUZZY = "fuzzy:"
# The translation comes from a copy made elsewhere: see ``origins``.
ADOPTED = "adopted:"
# A machine has made the words, and no person has looked at them.
DRAFT = "draft:"
# They came from a machine; a person has confirmed or changed them.
DRAFTED = "drafted:"
# The msgctxt of an obsolete entry with the words that somebody has emptied a message of.
EMPTIED = "emptied"
STATES = (CARRIED, FUZZY, ADOPTED, DRAFT, DRAFTED)


def states_of(entry: Entry) -> tuple[str, ...]:
    """The notes of an entry that say how it came to its translation.

    The other notes say what its message is: ``paragraph · Pytrees``.
    """
    return entry.notes_with(STATES)


def is_emptied(entry: Entry) -> bool:
    """Return whether an entry only keeps words that somebody has taken out of their message.

    They are for people: no message takes them over.
    """
    return entry.obsolete and (entry.context or "").startswith(EMPTIED)


def fuzzy_class(entry: Entry) -> str:
    """The ``ChangeClass`` that a fuzzy entry waits for; empty if no note tells it.

    ``fuzzy: numbers: at least [-2-]{+3+} devices`` → ``numbers``. The note of an entry
    that is not fuzzy any more may still stand there, and says nothing.
    """
    notes = entry.notes_with(FUZZY)
    if not entry.fuzzy or not notes:
        return ""
    return notes[0].removeprefix(FUZZY).partition(":")[0].strip()
