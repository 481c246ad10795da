"""Origins of translations, as recorded in the ``#.`` notes of catalogue entries.

Notes record the origins, because other tools keep notes but drop unknown flags. An update writes
``carried over: the same text in pytrees`` and ``fuzzy: numbers: at least [-2-]{+3+} devices``. If
no translator of this project wrote a translation, it has one of the following notes:

``adopted: FILE, COMMIT PAGE, 0.97, by AUTHOR, LICENCE``
    Adopted from a copy, which is a translation that others made. The note has the copy's file, the
    commit and page of the English that the copy translates, the confidence of the alignment, the
    author and the licence.
``draft: MODEL, prompt N, DATE, DIGEST``
    Written by a machine, and no person has reviewed it. The digest shows that the words are
    unchanged.
``drafted: MODEL, prompt N, DATE``
    Written by a machine, then changed or confirmed by a person.

The notes ``adopted`` and ``drafted`` stay with the words: if an update takes the words over to
another page, the new entry gets these notes, too. The invariant: a draft is treated like an empty
entry everywhere, except where people review it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from pipeline.entries import Entry

# An update took over the translation from another message, and the translation is finished.
CARRIED = "carried over:"
# A person must review the translation. The note continues with the ``ChangeClass``.
FUZZY = "fuzzy:"
# The translation was adopted from a copy: see ``Copy``.
ADOPTED = "adopted:"
# A machine wrote the words, and no person has reviewed them.
DRAFT = "draft:"
# A machine wrote the words, and a person has confirmed or changed them.
DRAFTED = "drafted:"
# If somebody removes the translation of a message, an obsolete entry stores the removed words. The
# msgctxt of this entry begins with "emptied".
EMPTIED = "emptied"
STATES = (CARRIED, FUZZY, ADOPTED, DRAFT, DRAFTED)


def states_of(entry: Entry) -> tuple[str, ...]:
    """Return the notes that record how an entry got its translation.

    The other notes describe the message: ``paragraph · Pytrees``.
    """
    return entry.notes_with(STATES)


def is_emptied(entry: Entry) -> bool:
    """Return whether an entry stores words that somebody removed from a message.

    People can read these words in the catalogue, but no message reuses them.
    """
    return entry.obsolete and (entry.context or "").startswith(EMPTIED)


def fuzzy_class(entry: Entry) -> str:
    """Return the ``ChangeClass`` in the note of a fuzzy entry, or "" if there is none.

    ``fuzzy: numbers: at least [-2-]{+3+} devices`` → ``numbers``. If somebody has removed the fuzzy
    flag, the note is ignored.
    """
    notes = entry.notes_with(FUZZY)
    if not entry.fuzzy or not notes:
        return ""
    return notes[0].removeprefix(FUZZY).partition(":")[0].strip()


GLOSSARY = "glossary"  # in place of a model: the words come from a row of the glossary
UNDATED = "undated"  # in place of a date: upstream is a folder without commits
_COPY = re.compile(
    rf"{ADOPTED} (?P<file>.+), (?P<commit>[0-9a-f]{{40}}) (?P<page>\S.*?), [01]\.\d\d"
    r", by (?P<author>.+), (?P<licence>[^,]+)"
)
_MACHINE = re.compile(
    rf"(?:{DRAFT}|{DRAFTED}) (?P<model>\S.*), prompt (?P<prompt>\d+)"
    r", (?P<date>\d{4}-\d\d-\d\d|undated)(?:, (?P<digest>[0-9a-f]{8}))?"
)
# Characters that a file name in a note must not have: they would look like separators of the note,
# or like the brackets of a diff.
_UNSAFE = re.compile(r"[\s,\[\]{}]+")
# Highest score in a note: a score of 1 would suggest that no review is needed.
_SUREST = 0.99
_ORIGINS = (ADOPTED, DRAFT, DRAFTED)  # prefixes of notes of origin
_DIGITS = 8  # length of the digest: enough to notice that somebody has edited the words
_LASTING = (
    ADOPTED,
    DRAFTED,
)  # prefixes of notes that stay with the words


class OriginKind(StrEnum):
    """How an entry that needs a review got its words."""

    ADOPTED = "adopted"
    DRAFT = "draft"


class Copy(Struct, frozen=True, kw_only=True):
    """A file with a translation that others made, with its author and licence."""

    file: str
    commit: str
    page: str  # name of the English page at that commit
    author: str
    licence: str

    @property
    def _file(self) -> str:
        """Return the file name in a form that a note can hold: ``my copy.md`` → ``my_copy.md``."""
        return _UNSAFE.sub("_", self.file)

    def note(self, score: float) -> str:
        """Return the note of an adopted entry; ``score`` is the confidence, 0 to 1."""
        place = f"{self.commit} {self.page}"
        sure = min(score, _SUREST)
        return f"{ADOPTED} {self._file}, {place}, {sure:.2f}, by {self.author}, {self.licence}"

    def comment(self, translation: str) -> str:
        """Return a translator comment with this copy's ``translation`` of a message.

        The comment is for an entry that already has another translation.
        """
        words = " ".join(translation.split("\n"))
        return f"{self._file}, by {self.author}, {self.licence}: {words}"


class Machine(Struct, frozen=True, kw_only=True):
    """A model, the number of its prompt, and the date of the English that it translated."""

    model: str
    prompt: int
    date: str  # of the upstream commit: 2026-05-01, or UNDATED
    is_reviewed: bool = False  # whether a person has changed or confirmed the words

    @property
    def is_term(self) -> bool:
        """Return whether the words come from a row of the glossary, not from a model.

        Such words are out of date as soon as the row changes.
        """
        return self.model == GLOSSARY

    @property
    def _facts(self) -> str:
        """Return the part that is the same in ``draft:`` and ``drafted:`` notes."""
        return f"{self.model}, prompt {self.prompt}, {self.date}"

    def note(self, msgstr: str) -> str:
        """Return the note of a draft with the words ``msgstr``."""
        return f"{DRAFT} {self._facts}, {_digest_of_words(msgstr)}"

    def settled_note(self) -> str:
        """Return the note for words that a person has changed or confirmed.

        The note still names the model. So people can find all translations that began with it, if
        the model turns out to be faulty.
        """
        return f"{DRAFTED} {self._facts}"


def makers_of(entry: Entry) -> tuple[Copy | Machine, ...]:
    """Return the copies and machines that an entry's words came from, in the order of its notes.

    There are several if the translations of several texts were joined, and none if a translator of
    this project wrote the words. Notes that record no origin are ignored.
    """
    found = (_maker_in(note, entry) for note in entry.notes_with(_ORIGINS))
    return tuple(filter(None, found))


def copy_of(entry: Entry) -> Copy | None:
    """Return the copy that an entry was adopted from, or None.

    If texts of several copies were joined, return the first copy.
    """
    for maker in makers_of(entry):
        if isinstance(maker, Copy):
            return maker
    return None


def machine_of(entry: Entry) -> Machine | None:
    """Return the machine that wrote the words of a draft; None if the entry is no draft.

    Words that a person has changed or confirmed count as that person's words.
    """
    for maker in makers_of(entry):
        if isinstance(maker, Machine) and not maker.is_reviewed:
            return maker
    return None


def kind_of(entry: Entry) -> OriginKind | None:
    """Return the kind of origin of an entry that needs a review, for reports and previews.

    Return None if the entry needs no review, or if translators of this project wrote or reviewed
    its words. An entry that was joined from several texts is a draft if one of the texts is a
    draft.
    """
    if not entry.needs_review:
        return None
    if is_draft(entry):
        return OriginKind.DRAFT
    return OriginKind.ADOPTED if copy_of(entry) else None


def is_draft(entry: Entry) -> bool:
    """Return whether an entry has the unchanged words of a machine.

    Only previews show drafts, with a mark.
    """
    return machine_of(entry) is not None


def is_replaceable(entry: Entry) -> bool:
    """Return whether an entry is a draft without any comment of a person.

    The words of a translator or of another draft replace such a draft silently. If its message is
    removed, the draft is removed silently, too.
    """
    return is_draft(entry) and not entry.comments


def are_replaceable(entries: Iterable[Entry]) -> bool:
    """Return whether all entries are replaceable drafts; False if there are no entries."""
    found = list(entries)
    return bool(found) and all(map(is_replaceable, found))


def is_open(entry: Entry) -> bool:
    """Return whether an entry is empty or a replaceable draft.

    A translation may be written to such an entry without losing anybody's work.
    """
    return not entry.msgstr or is_replaceable(entry)


def is_remembered_draft(entry: Entry) -> bool:
    """Return whether an entry of a memory is a draft. ``is_draft`` does the same for catalogues.

    A memory stores the msgstr without long atoms, so the digest of the words cannot be compared.
    ``core.memory.closing`` has compared the digest before the entry was stored.
    """
    return entry.fuzzy and bool(entry.notes_with(DRAFT))


def reviewed_notes(entry: Entry) -> tuple[str, ...]:
    """Return the notes of an entry, with ``drafted:`` for a draft that a person has reviewed.

    The person's program, such as Poedit, does not change the note ``draft:``. So this function
    looks for changed words, or for a removed fuzzy flag.
    """
    if not entry.notes_with(_ORIGINS):
        return entry.notes  # the common case
    return tuple(_settled(note, entry) for note in entry.notes)


def _settled(note: str, entry: Entry) -> str:
    """Return ``note``, or ``drafted: …`` if it is the note of a draft that a person has reviewed.

    ``entry`` is the entry with the note.
    """
    maker = _maker_in(note, entry)
    if isinstance(maker, Machine) and maker.is_reviewed:
        return maker.settled_note()
    return note


def lasting_notes(entry: Entry) -> tuple[str, ...]:
    """Return the notes that stay with the words of an entry: ``adopted:`` and ``drafted:``.

    The words may move to another page, or into the translation of changed English.
    """
    if not entry.msgstr:
        return ()
    return tuple(filter(is_lasting, reviewed_notes(entry)))


def is_lasting(note: str) -> bool:
    """Return whether a note stays with the words that it is about: ``adopted:`` or ``drafted:``.

    The notes ``carried over: …`` and ``fuzzy: …`` belong to one update, and ``draft: …`` belongs to
    words that no person has reviewed.
    """
    return note.startswith(_LASTING)


def credits_of(entries: Iterable[Entry]) -> set[tuple[str, str]]:
    """Return author and licence of all adopted, finished translations.

    Pages give credit only for these, because unfinished translations are not published.
    """
    copies = (copy_of(entry) for entry in entries if entry.is_translated)
    return {(copy.author, copy.licence) for copy in copies if copy}


def _maker_in(note: str, entry: Entry) -> Copy | Machine | None:
    """Return the copy or machine that a note records, or None for other notes.

    The words of a machine are reviewed if the note is ``drafted:``. They are also reviewed if the
    note is ``draft:``, but the entry is not fuzzy or its words have another digest.
    """
    if copy := _COPY.fullmatch(note):
        return Copy(**copy.groupdict())
    machine = _MACHINE.fullmatch(note)
    if machine is None:
        return None
    is_as_left = machine["digest"] == _digest_of_words(entry.msgstr)
    return Machine(
        model=machine["model"],
        prompt=int(machine["prompt"]),
        date=machine["date"],
        is_reviewed=not (entry.needs_review and is_as_left),
    )


def _digest_of_words(msgstr: str) -> str:
    """Return a short digest that shows whether words were changed: part of the SHA-256."""
    data = msgstr.encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:_DIGITS]
