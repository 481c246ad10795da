"""How an entry came to its translation, as ``#.`` notes of its catalogue say it.

Other tools keep such comments, and drop flags that they do not know. The update writes
``carried over: the same text in pytrees`` and ``fuzzy: numbers: at least [-2-]{+3+} devices``.
Words that no translator here has written have one of these notes:

``adopted: FILE, COMMIT PAGE, 0.97, by AUTHOR, LICENCE``
    The copy, the version of the English that it was made from, how sure the alignment is, and whose
    work it is.
``draft: MODEL, prompt N, DATE, DIGEST``
    Words as the machine left them, which their digest shows: no person has looked at them.
``drafted: MODEL, prompt N, DATE``
    A person has changed or confirmed them.

An origin is true for as long as the words are there, also on other pages and in the memory.
The invariant: to everything but a person's eyes a draft is an empty entry.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from pipeline.entries import Entry

CARRIED = "carried over:"  # the translation followed by itself and is finished
# A person has to look at the translation; the class of change comes next.
FUZZY = "fuzzy:"
# The translation comes from a copy made elsewhere: see ``Copy``.
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


GLOSSARY = "glossary"  # in place of a model: the words are a row of the glossary
UNDATED = "undated"  # in place of a date: a plain folder has no commits
_COPY = re.compile(
    rf"{ADOPTED} (?P<file>.+), (?P<commit>[0-9a-f]{{40}}) (?P<page>\S.*?), [01]\.\d\d"
    r", by (?P<author>.+), (?P<licence>[^,]+)"
)
_MACHINE = re.compile(
    rf"(?:{DRAFT}|{DRAFTED}) (?P<model>\S.*), prompt (?P<prompt>\d+)"
    r", (?P<date>\d{4}-\d\d-\d\d|undated)(?:, (?P<digest>[0-9a-f]{8}))?"
)
_UNSAFE = re.compile(r"[\s,\[\]{}]+")  # what parts a note, or looks like a diff
_SUREST = 0.99  # a score of 1 would say that nobody need look
_ORIGINS = (ADOPTED, DRAFT, DRAFTED)  # how the notes begin that tell an origin
_DIGITS = 8  # of the digest: who changes words does not mean to keep it
_LASTING = (
    ADOPTED,
    DRAFTED,
)  # how notes begin that are true for as long as words are there


class OriginKind(StrEnum):
    """How words came into an entry."""

    ADOPTED = "adopted"
    DRAFT = "draft"
    DRAFTED = "drafted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """A translation that was made elsewhere, and whose it is."""

    file: str
    commit: str
    page: str  # the name of the page at that commit
    author: str
    licence: str

    @property
    def _file(self) -> str:
        """The name of the file as a note can hold it: ``my copy.md`` → ``my_copy.md``."""
        return _UNSAFE.sub("_", self.file)

    def note(self, score: float) -> str:
        """The note of an entry; ``score`` is 0 to 1."""
        place = f"{self.commit} {self.page}"
        sure = min(score, _SUREST)
        return f"{ADOPTED} {self._file}, {place}, {sure:.2f}, by {self.author}, {self.licence}"

    def comment(self, translation: str) -> str:
        """The comment of an entry that has a translation already, with this one in it."""
        words = " ".join(translation.split("\n"))
        return f"{self._file}, by {self.author}, {self.licence}: {words}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A model that was asked with the prompt of a number, for the English of a day."""

    model: str
    prompt: int
    date: str  # of the upstream commit: 2026-05-01, or UNDATED

    @property
    def is_term(self) -> bool:
        """Whether the words are a row of the glossary, and no model was asked.

        Then they are out of date as soon as the row has others.
        """
        return self.model == GLOSSARY

    @property
    def _facts(self) -> str:
        """What both notes say of it."""
        return f"{self.model}, prompt {self.prompt}, {self.date}"

    def note(self, msgstr: str) -> str:
        """The note of a draft with these words."""
        return f"{DRAFT} {self._facts}, {_digest_of_words(msgstr)}"

    def settled_note(self) -> str:
        """The note once a person has changed or confirmed the words.

        What a model began can be found again when it turns out to have a fault.
        """
        return f"{DRAFTED} {self._facts}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Who made the words of an entry, and what has become of them."""

    kind: OriginKind
    maker: Copy | Machine


def origins_of(entry: Entry) -> tuple[Origin, ...]:
    """Where the words of an entry come from, in the order of its notes.

    There are several if texts were joined, and none if a translator here has written them. Notes
    about anything else are passed over.
    """
    found = (_origin_in(note, entry) for note in entry.notes_with(_ORIGINS))
    return tuple(origin for origin in found if origin)


def copy_of(entry: Entry) -> Copy | None:
    """The copy that an entry was adopted from; None if it was not.

    Where texts of several copies were joined it is the first one.
    """
    for origin in origins_of(entry):
        if isinstance(origin.maker, Copy):
            return origin.maker
    return None


def machine_of(entry: Entry) -> Machine | None:
    """The machine whose words an entry has as it left them; None if it is no draft.

    Once a person has changed or confirmed them, they are that person's.
    """
    for origin in origins_of(entry):
        if origin.kind is OriginKind.DRAFT and isinstance(origin.maker, Machine):
            return origin.maker
    return None


def kind_of(entry: Entry) -> OriginKind | None:
    """What reports and previews call an entry that waits for a person.

    None for the words of a translator here, though they began as a machine's, and for what does not
    wait. A draft among several texts that were joined makes it a draft.
    """
    if not entry.is_waiting:
        return None
    kinds = [origin.kind for origin in origins_of(entry)]
    if OriginKind.DRAFT in kinds:
        return OriginKind.DRAFT
    return OriginKind.ADOPTED if OriginKind.ADOPTED in kinds else None


def is_draft(entry: Entry) -> bool:
    """Whether the words of an entry are a machine's, as it left them.

    Readers see none of them but in previews, where they are marked.
    """
    return machine_of(entry) is not None


def is_replaceable(entry: Entry) -> bool:
    """Whether an entry is a draft that nobody has put anything into, not even a remark.

    It gives way in silence: to a person, to another draft, and with its message.
    """
    return is_draft(entry) and not entry.comments


def are_replaceable(entries: Iterable[Entry]) -> bool:
    """Whether there are entries, and all of them are drafts that may go.

    One that a translator has told apart by a context, and begun, keeps them all.
    """
    found = list(entries)
    return bool(found) and all(map(is_replaceable, found))


def is_open(entry: Entry) -> bool:
    """Whether an entry has no words that a person would miss: it is empty, or such a draft.

    Whoever has a translation for it may put it there.
    """
    return not entry.msgstr or is_replaceable(entry)


def is_remembered_draft(entry: Entry) -> bool:
    """The same as ``is_draft`` for an entry of a memory.

    Its msgstr lacks long atoms, so that the digest cannot be compared. Closing has done that: what
    is called a draft there was one.
    """
    return entry.fuzzy and bool(entry.notes_with(DRAFT))


def settled_notes(entry: Entry) -> tuple[str, ...]:
    """The notes of an entry, of which none calls the words of a person a draft.

    A tool keeps the note of a draft, whatever somebody does to its words.
    """
    if not entry.notes_with(_ORIGINS):
        return entry.notes  # nearly always
    return tuple(_settled(note, entry) for note in entry.notes)


def _settled(note: str, entry: Entry) -> str:
    """A note of an entry; ``drafted: …`` in place of ``draft: …`` once that is not so any more.

    Notes about anything else stay as they are.
    """
    origin = _origin_in(note, entry)
    if origin is None or origin.kind is not OriginKind.DRAFTED:
        return note
    return origin.maker.settled_note() if isinstance(origin.maker, Machine) else note


def lasting_notes(entry: Entry) -> tuple[str, ...]:
    """The notes that go along with the words of an entry, wherever they go.

    To another page, into the memory, into what becomes of them when the English changes.
    """
    if not entry.msgstr:
        return ()
    return tuple(note for note in settled_notes(entry) if note.startswith(_LASTING))


def is_lasting(note: str) -> bool:
    """Whether a note says whose words they are, and not how an update came to them.

    ``carried over: …`` and ``fuzzy: …`` are the update's own.
    """
    return note.startswith(_LASTING)


def credits_of(entries: Iterable[Entry]) -> dict[tuple[str, str], int]:
    """How many finished translations were adopted, by author and licence.

    Readers are told of those: what waits is on no page.
    """
    counts: dict[tuple[str, str], int] = {}
    for entry in entries:
        copy = copy_of(entry) if entry.is_translated else None
        if copy is not None:
            key = (copy.author, copy.licence)
            counts[key] = counts.get(key, 0) + 1
    return counts


def _origin_in(note: str, entry: Entry) -> Origin | None:
    """What a note of an entry says; None if it is about something else.

    A draft is one while its words have the digest of the note, and wait for a person.
    """
    if copy := _COPY.fullmatch(note):
        return Origin(kind=OriginKind.ADOPTED, maker=Copy(**copy.groupdict()))
    machine = _MACHINE.fullmatch(note)
    if machine is None:
        return None
    maker = Machine(
        model=machine["model"], prompt=int(machine["prompt"]), date=machine["date"]
    )
    is_as_left = entry.is_waiting and machine["digest"] == _digest_of_words(
        entry.msgstr
    )
    return Origin(
        kind=OriginKind.DRAFT if is_as_left else OriginKind.DRAFTED, maker=maker
    )


def _digest_of_words(msgstr: str) -> str:
    """What tells whether somebody has changed words: a piece of their SHA-256."""
    data = msgstr.encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:_DIGITS]
