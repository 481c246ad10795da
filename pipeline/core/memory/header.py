"""What a memory keeps of a catalogue's header, and how it gets there again.

The team's fields are kept as they are. The fields that change with every edit would change on every
branch: they are kept with the entries instead, as notes of who touched them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from pipeline.core.memory.file import FIELDS, REFS, STANDARD
from pipeline.core.memory.notes import TOUCH, TRANSLATOR, translators_of
from pipeline.core.memory.record import Memory
from pipeline.entries import GENERATOR, NEUTRAL_DATE

EDITING = ("PO-Revision-Date", "Last-Translator", "X-Generator")
_SERVER = re.compile(r"<?\bhttps?://[^\s>]*>?")
_MADE = (*FIELDS, REFS, *STANDARD, *EDITING, "Plural-Forms")  # none of the team's


def touch_note(header: Mapping[str, str]) -> str:
    """Who saved a catalogue last, and when, as a note; empty if its header does not say.

    ``Last-Translator: Li Lei``, ``PO-Revision-Date: 2026-05-01 09:30+0800`` and
    ``X-Generator: Poedit 3.4`` become
    ``translator: Li Lei, 2026-05-01 09:30+0800, Poedit 3.4``.
    """
    when = header.get("PO-Revision-Date", "")
    if when == NEUTRAL_DATE:
        return ""  # nobody has saved it
    note = f"{TRANSLATOR}{header.get('Last-Translator', '')}, {when}"
    generator = header.get("X-Generator", "")
    # Our own name is in the header until a tool puts its own there.
    if generator not in ("", GENERATOR):
        note += f", {generator}"
    # A date that gettext would not write leads to no note.
    return note if TOUCH.fullmatch(note) else ""


def team_fields(header: Mapping[str, str], locale: str) -> dict[str, str]:
    """The fields of a catalogue's header that are the team's, in their order.

    Those are neither made (``_MADE``) nor left as they were made: a ``Language-Team``
    that is just ``zh_CN`` is nobody's word.
    """
    untouched = {"Report-Msgid-Bugs-To": "", "Language-Team": locale}
    fields = dict(header)
    if "Language-Team" in fields:
        fields["Language-Team"] = public_team(fields["Language-Team"]) or locale
    return {
        name: value
        for name, value in fields.items()
        if name not in _MADE and untouched.get(name) != value
    }


def public_team(team: str) -> str:
    """Return a team's name without the address of its server, which may be a private one.

    ``Chinese <https://weblate.example.org/zh_Hans/>`` → ``Chinese``; an address of mail stays.
    """
    return _SERVER.sub("", team).strip()


def editing_fields(memory: Memory) -> dict[str, str]:
    """What a catalogue's header says of its team, and of who touched it last.

    The newest of the entries' notes tells the latter: this is the inverse of
    ``touch_note`` and ``team_fields`` together.
    """
    touch = _newest_touch(memory)
    if touch is None:
        return dict(memory.extra)
    who, when, generator = touch.groups()
    fields = {"PO-Revision-Date": when}
    if who:
        fields["Last-Translator"] = who
    if generator:
        fields["X-Generator"] = generator
    return fields | dict(memory.extra)


def _newest_touch(memory: Memory) -> re.Match[str] | None:
    """The newest translator's note of a memory's entries, as ``TOUCH`` reads it.

    None if there is no note, or none that can be read.
    """
    # Most entries of a page carry the same few notes.
    notes: set[str] = set()
    for entry in memory.entries:
        notes.update(translators_of(entry))
    touches = filter(None, map(TOUCH.fullmatch, notes))
    # Of two notes of one moment the text decides, so that every run chooses the same.
    return max(touches, key=lambda note: (moment_of(note[2]), note[0]), default=None)


def moment_of(when: str) -> float:
    """A date as gettext writes it, in seconds since 1970: ``2026-05-01 09:30+0800``.

    A text that only looks like one (a 13th month) is older than all dates.
    """
    try:
        return datetime.strptime(when, "%Y-%m-%d %H:%M%z").timestamp()
    except (ValueError, OverflowError):
        return float("-inf")
