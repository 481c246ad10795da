"""A catalogue as a memory: English becomes digests, with notes that say where to find it.

What a memory says already goes on to be said while it is true: so closing a catalogue that nobody
touched changes nothing, whatever else happened to the pages and commits around it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.core.catalog.states import states_of
from pipeline.core.memory.file import FIELDS, STANDARD
from pipeline.core.memory.notes import (
    PREVIOUS_SEEN,
    SAME,
    SAME_AS_PREVIOUS,
    SEEN,
    SOURCE,
    TOUCH,
    TRANSLATOR,
    English,
    Place,
    english_of,
    place_of,
    seen_note,
    source_note,
    translators_of,
)
from pipeline.core.memory.record import Key, Memory, digest, in_order, text_of, work_of
from pipeline.core.memory.redact import redact
from pipeline.core.memory.sources import followed_text, parts_of, states_without_english
from pipeline.entries import GENERATOR, NEUTRAL_DATE, Catalog, Entry

# These change with every edit, so that every branch would change them: they are kept with the
# entries instead.
EDITING = ("PO-Revision-Date", "Last-Translator", "X-Generator")


def close_catalog(
    catalog: Catalog,
    head: Memory,
    *,
    old: Memory | None,
    live: Collection[str],
    find: Callable[[str], Place | None],
    texts: Sequence[str] = (),
) -> Memory:
    """The memory of a catalogue: ``head`` with the catalogue's entries in place of its own.

    ``live`` are the digests of the page at the head's commit. ``find`` tells where other English
    stands, ``texts`` is the English of all catalogues. What ``old``, the page's memory so far, says
    of who touched an entry and where its English stood goes on to be said.
    """
    known: Mapping[Key, Entry] = {}
    own_places: dict[str, Place] = {}
    if old:
        known = old.by_key()
        own_places = dict.fromkeys(old.live, Place(commit=old.commit, page=old.page))
    closing = _Closing(
        known=known,
        touch=_touch(catalog.header),
        live=live,
        own_places=own_places,
        find=find,
        texts=texts,
    )
    return replace(
        head,
        project=catalog.header.get("Project-Id-Version", ""),
        date=catalog.header.get("POT-Creation-Date", ""),
        extra=_team_fields(catalog.header, head.locale),
        comment=catalog.comment,
        entries=in_order(closing.close(entry) for entry in catalog.entries),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """The translation of a catalogue's entry as a memory has it.

    If it is English itself, a note stands in its place.
    """

    msgstr: str = ""
    note: str = ""

    @property
    def text(self) -> str:
        """What ``text_of`` gives for the memory's entry."""
        return self.msgstr or self.note


def stored(entry: Entry) -> Stored:
    """What a memory keeps of the msgstr of ``entry``, without English."""
    if entry.msgstr and entry.msgstr == entry.msgid:
        return Stored(note=SAME)
    if entry.msgstr and entry.msgstr == entry.previous:
        return Stored(note=SAME_AS_PREVIOUS)
    return Stored(msgstr=redact(entry.msgstr, entry.written_for))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Closing:
    """Turns entries of one catalogue into entries of its memory."""

    known: Mapping[Key, Entry]  # the memory's entries so far
    touch: str
    live: Collection[str]
    own_places: Mapping[str, Place]  # where the page's English stood so far
    find: Callable[[str], Place | None]
    texts: Sequence[str]

    def close(self, entry: Entry) -> Entry:
        """The memory's entry for an entry of the catalogue."""
        code = digest(entry.msgid)
        old = self.known.get((entry.context, code))
        if code in self.live and _is_blank(entry) and (old is None or _is_bare(old)):
            # Most of a page that is not translated yet.
            return Entry(msgid=code, context=entry.context, obsolete=entry.obsolete)
        sources = self._sources(entry)
        closed = replace(
            self._without_english(entry, old, sources), msgid=code, references=(), line=0
        )
        notes = (
            *closed.notes,
            *self._source_notes(closed, old, sources),
            *self._seen_notes(closed, old, is_told=bool(sources)),
            *self._translators(closed, old),
        )
        return replace(closed, notes=notes)

    def _without_english(self, entry: Entry, old: Entry | None, sources: Sequence[str]) -> Entry:
        """``entry`` with digests and states in place of all English but the msgid."""
        previous = digest(entry.previous) if entry.previous is not None else None
        written_for = " ".join(sources) if sources else entry.previous
        states = states_without_english(entry, written_for)
        if entry.fuzzy and previous is None and old and old.fuzzy and old.msgstr == entry.msgstr:
            # Its English could not be had when it was opened: it stays as it was remembered.
            previous, states = old.previous, states_of(old)
            if previous is not None:
                return replace(entry, previous=previous, notes=states)
        kept = stored(entry)
        notes = (*states, kept.note) if kept.note else states
        return replace(entry, msgstr=kept.msgstr, previous=previous, notes=notes)

    def _sources(self, entry: Entry) -> tuple[str, ...]:
        """The messages a translation was made from, where ``#| msgid`` does not lead to them.

        It may have been put together from several ones, or have followed a change of one.
        """
        if entry.previous is None:
            followed = followed_text(entry, self.texts)
            return () if followed is None else (followed,)
        if self._is_known(digest(entry.previous)):
            return ()
        return parts_of(entry.previous, self.texts)

    def _source_notes(self, closed: Entry, old: Entry | None, sources: Sequence[str]) -> list[str]:
        """Where the messages stood that the translation was made from."""
        if sources:
            known = {code: place for code, place in english_of(old) if place} if old else {}
            codes = [digest(text) for text in sources]
            found = [English(code, known.get(code) or self._place(code)) for code in codes]
            return [source_note(source) for source in found if source.place]
        if old and old.previous == closed.previous and states_of(old) == states_of(closed):
            return [note for note in old.notes if note.startswith(SOURCE)]
        return []

    def _seen_notes(self, closed: Entry, old: Entry | None, *, is_told: bool) -> list[str]:
        """Where English stood that is not on the page.

        For the previous English that ``is_told`` if there are sources of the translation.
        """
        notes: list[str] = []
        if closed.msgid not in self.live:
            seen = place_of(old, SEEN) if old else None
            place = seen or self._place(closed.msgid)
            if place:
                notes.append(seen_note(SEEN, place))
        if closed.previous is None or is_told or closed.previous in self.live:
            return notes
        is_same = old is not None and old.previous == closed.previous
        seen = place_of(old, PREVIOUS_SEEN) if old and is_same else None
        place = seen or self._place(closed.previous)
        if place:
            notes.append(seen_note(PREVIOUS_SEEN, place))
        return notes

    def _translators(self, closed: Entry, old: Entry | None) -> tuple[str, ...]:
        """Who touched the entry: whom the header names, if it was a person and not the update."""
        if old and work_of(old) == work_of(closed):
            return translators_of(old)
        had_text = old is not None and text_of(old) != ""
        source = self.known.get((closed.context, closed.previous)) if closed.previous else None
        if source and closed.msgstr and source.msgstr == closed.msgstr and not had_text:
            # The update offers the translation of another message; its translator is that one's.
            return translators_of(source)
        if not had_text:
            had_comments = old is not None and bool(old.comments)
            is_touched = text_of(closed) or closed.comments or had_comments
            if states_of(closed) or not is_touched:
                return ()
        return (self.touch,) if self.touch else ()

    def _is_known(self, code: str) -> bool:
        return code in self.live or self._place(code) is not None

    def _place(self, code: str) -> Place | None:
        return self.own_places.get(code) or self.find(code)


def _is_blank(entry: Entry) -> bool:
    """Whether nobody has put anything into an entry."""
    if entry.msgstr or entry.fuzzy or entry.previous:
        return False
    return not (entry.comments or entry.flags or states_of(entry))


def _is_bare(entry: Entry) -> bool:
    """Whether an entry of a memory is blank, and no note says more about it."""
    return _is_blank(entry) and not entry.notes


def _touch(header: Mapping[str, str]) -> str:
    """Who saved a catalogue last, and when, as a note; empty if its header does not say."""
    who = header.get("Last-Translator", "")
    when = header.get("PO-Revision-Date", "")
    generator = header.get("X-Generator", "")
    if when == NEUTRAL_DATE:
        return ""  # no tool has saved it
    note = f"{TRANSLATOR}{who}, {when}"
    if generator not in ("", GENERATOR):
        note += f", {generator}"
    return note if TOUCH.fullmatch(note) else ""


def _team_fields(header: Mapping[str, str], locale: str) -> dict[str, str]:
    """The fields of a catalogue's header that are the team's.

    That is all that is neither made by us nor changed by every edit.
    """
    made = (*FIELDS, *STANDARD, *EDITING, "Plural-Forms")
    defaults = {"Report-Msgid-Bugs-To": "", "Language-Team": locale}
    return {
        name: value
        for name, value in header.items()
        if name not in made and defaults.get(name) != value
    }
