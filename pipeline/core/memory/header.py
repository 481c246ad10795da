"""What a memory keeps of a catalogue's header, and how it gets there again.

The team's fields are kept as they are. The fields that change with every edit would change on every
branch: they are kept with the entries instead, as notes of who touched them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from pipeline.core.memory.file import FIELDS, REFS, STANDARD
from pipeline.core.memory.notes import TOUCH, TRANSLATOR, translators_of
from pipeline.core.memory.record import Memory
from pipeline.entries import GENERATOR, NEUTRAL_DATE

EDITING = ("PO-Revision-Date", "Last-Translator", "X-Generator")
_MADE = (*FIELDS, REFS, *STANDARD, *EDITING, "Plural-Forms")  # none of the team's


def touch_note(header: Mapping[str, str]) -> str:
    """Who saved a catalogue last, and when, as a note; empty if its header does not say."""
    who = header.get("Last-Translator", "")
    when = header.get("PO-Revision-Date", "")
    generator = header.get("X-Generator", "")
    if when == NEUTRAL_DATE:
        return ""  # nobody has saved it
    note = f"{TRANSLATOR}{who}, {when}"
    if generator and generator != GENERATOR:
        note += f", {generator}"
    return note if TOUCH.fullmatch(note) else ""


def team_fields(header: Mapping[str, str], locale: str) -> dict[str, str]:
    """The fields of a catalogue's header that are the team's: not made, and not left as made."""
    untouched = {"Report-Msgid-Bugs-To": "", "Language-Team": locale}
    others = {name: value for name, value in header.items() if name not in _MADE}
    return {
        name: value for name, value in others.items() if untouched.get(name) != value
    }


def editing_fields(memory: Memory) -> dict[str, str]:
    """What a catalogue's header says of its team, and of who touched it last.

    The newest of the entries' notes tells the latter.
    """
    notes = {note for entry in memory.entries for note in translators_of(entry)}
    touches = [touch for touch in map(TOUCH.fullmatch, notes) if touch]
    fields: dict[str, str] = {}
    if touches:
        # Of two notes of one moment the text decides, so that every run chooses the same.
        newest = max(touches, key=lambda touch: (moment_of(touch[2]), touch[0]))
        who, when, generator = newest.groups()
        fields["PO-Revision-Date"] = when
        if who:
            fields["Last-Translator"] = who
        if generator:
            fields["X-Generator"] = generator
    return fields | dict(memory.extra)


def moment_of(when: str) -> float:
    """A date as gettext writes it, in seconds; one that is none is older than all others."""
    try:
        return datetime.strptime(when, "%Y-%m-%d %H:%M%z").timestamp()
    except (ValueError, OverflowError):
        return float("-inf")
