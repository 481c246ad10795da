"""Closing of a catalogue: its conversion to a memory, with digests in place of English.

Notes say in which commit and page the English is. Notes that the memory already has are kept if
they are still true. The invariant: closing a catalogue that nobody has edited gives the same memory
again, even if other pages or the pinned commit have changed.

If a note quotes English in a diff, the diff becomes ``DIFF``. Another note has the digests of the
compared messages, so that opening the memory can compute the same diff again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace
from rapidfuzz import fuzz, process

from pipeline.core.catalog.change_class import diff
from pipeline.core.catalog.origins import (
    copy_of,
    is_lasting,
    is_remembered_draft,
    reviewed_notes,
    states_of,
)
from pipeline.core.memory.file import team_fields, translator_note
from pipeline.core.memory.record import (
    DIFF,
    PREVIOUS_SEEN,
    SEEN,
    SOURCE,
    Key,
    Memory,
    Place,
    Stored,
    digest,
    english_of,
    human_work,
    in_order,
    place_note,
    place_of,
    source_note,
    stored,
    text_of,
    translators_of,
)
from pipeline.entries import Catalog, Entry

# Takes a msgstr. Returns a note with the person who wrote it, or "" if git does not know.
TranslatorNoteOf = Callable[[str], str]

# Stands for the old version of an entry if the memory has none.
_UNKNOWN = Entry(msgid="")


def close_catalog(
    catalog: Catalog,
    head: Memory,
    *,
    old: Memory | None,
    live: Collection[str] | None = None,
    find: Callable[[str], Place | None] = lambda _: None,
    texts: Mapping[str, int] | None = None,
    touch_of: TranslatorNoteOf | None = None,
) -> Memory:
    """Return the memory of a catalogue: ``head`` with the entries of the catalogue.

    - ``head``: the memory's header. Its entries are not used.
    - ``old``: the page's current memory. Its notes about translators and places are kept if they
      are still true.
    - ``live``: the digests of the messages on the page at the commit of ``head``; if None, those of
      ``head``.
    - ``find``: takes the digest of English that the page does not have, and returns its place.
    - ``texts``: the English messages of all catalogues, each with its rank (see ``parts_of``).
    - ``touch_of``: takes a newer msgstr, and returns a note with its translator. If ``touch_of`` is
      None or returns "", the translator is the one in the catalogue's header.

    A caller that compares only ``human_work`` needs neither ``find`` nor ``texts``.
    """
    known: Mapping[Key, Entry] = {}
    own_places: dict[str, Place] = {}
    if old:
        known = old.by_key()
        own_places = dict.fromkeys(old.live, Place(commit=old.commit, page=old.page))
    closing = _Closing(
        known=known,
        touched_last=translator_note(catalog.header),
        touch_of=touch_of,
        live=head.live if live is None else live,
        # Prefer a place on the page itself, so that changes of other pages do not change this
        # memory.
        find=lambda code: own_places.get(code) or find(code),
        texts=texts or {},
    )
    return replace(
        head,
        project=catalog.header.get("Project-Id-Version", ""),
        date=catalog.header.get("POT-Creation-Date", ""),
        extra=team_fields(catalog.header, head.locale),
        comment=catalog.comment,
        entries=in_order(map(closing.close, catalog.entries)),
    )


class _Closing(Struct, frozen=True, kw_only=True):
    """Conversion of the entries of one catalogue into entries of its memory."""

    known: Mapping[Key, Entry]  # the current entries of the memory
    touched_last: str  # note with the person who saved the catalogue last; or empty
    touch_of: TranslatorNoteOf | None
    live: Collection[str]
    find: Callable[[str], Place | None]  # takes a digest of English
    texts: Mapping[str, int]

    def close(self, entry: Entry) -> Entry:
        """Return the memory's entry for an entry of the catalogue.

        Notes have a fixed order, so that closing the entry again changes nothing.
        """
        code = digest(entry.msgid)
        # Find drafts that people have edited. This is impossible later: the note of a draft has a
        # digest of its words, but a memory stores the words without long atoms.
        notes = reviewed_notes(entry)
        if notes != entry.notes:
            entry = replace(entry, notes=notes)
        old = self.known.get((entry.context, code), _UNKNOWN)
        sources = self._sources(entry)
        closed = self._without_english(entry, code, old, sources)
        notes = (
            *closed.notes,
            *self._source_notes(closed, old, sources),
            *self._seen_notes(SEEN, code, old, _adopted_place(closed)),
            *self._previous_seen_notes(closed, old, sources),
            *self._translators(closed, old, entry.msgstr),
        )
        return replace(closed, notes=notes)

    def _without_english(
        self, entry: Entry, code: str, old: Entry, sources: Sequence[str]
    ) -> Entry:
        """Return ``entry`` with digests in place of English, and with notes that quote no English.

        ``code`` is the digest of the entry's message, ``sources`` the result of ``_sources``, and
        ``old`` the current entry of the memory.
        """
        previous = None if entry.previous is None else digest(entry.previous)
        written_for = " ".join(sources) or entry.previous
        states = states_without_english(entry, written_for)
        kept = Stored(entry.msgstr)
        if _is_unopened(entry, old):
            previous, states = old.previous, states_of(old)
        # If the previous English is unknown, the entry was opened without it. Its msgstr is then
        # still in the form of the memory.
        if previous is None or entry.previous is not None:
            kept = stored(entry)
        return replace(
            entry,
            msgid=code,
            msgstr=kept.msgstr,
            previous=previous,
            notes=(*states, *kept.notes),
            references=(),
            line=0,
        )

    def _sources(self, entry: Entry) -> tuple[str, ...]:
        """Return the messages whose translations became the translation of ``entry``.

        The ``source:`` notes name these messages. There are several if upstream joined messages,
        and one if the translation was adapted to a change of the message. There is none if the
        previous English (``#| msgid``) is itself a message whose place is known.
        """
        if entry.previous is None:
            followed = followed_text(entry, self.texts)
            return () if followed is None else (followed,)
        code = digest(entry.previous)
        if code in self.live or self.find(code):
            return ()
        return parts_of(entry.previous, self.texts)

    def _source_notes(self, closed: Entry, old: Entry, sources: Sequence[str]) -> tuple[str, ...]:
        """Return the ``source:`` notes with the places of a translation's source messages.

        If the memory already has a place, this place stays, even if other pages have the message as
        well. A new search could find another place, so every upgrade would change the note.
        """
        if not sources:
            # Perhaps no catalogue has the English of an old diff any more. So the old notes stay.
            state, old_state = states_of(closed), states_of(old)
            is_same = (closed.previous, state) == (old.previous, old_state)
            return old.notes_with(SOURCE) if is_same else ()
        notes: list[str] = []
        old_places = dict(english_of(old))
        for code in map(digest, sources):
            place = old_places.get(code) or self.find(code) or _adopted_place(closed)
            if place:
                notes.append(source_note(code, place))
        return tuple(notes)

    def _seen_notes(self, prefix: str, code: str, old: Entry, otherwise: Place | None) -> list[str]:
        """Return the note about the place of the English with digest ``code``, if known.

        There is no note if the page has the English. The place is taken from the first of these
        sources that knows it: the note in the memory, ``find``, and ``otherwise`` (the place in the
        note of an adopted translation).
        """
        if code in self.live:
            return []
        place = place_of(old, prefix) or self.find(code) or otherwise
        return [place_note(prefix, place)] if place else []

    def _previous_seen_notes(self, closed: Entry, old: Entry, sources: Sequence[str]) -> list[str]:
        """Return the note about the place of the previous English of a fuzzy entry.

        There is no such note if the previous English is the joined text of several messages. In
        that case the ``source:`` notes have the places of these messages.
        """
        if closed.previous is None or sources:
            return []
        # The old note counts only if it is about the same previous English.
        remembered = old if old.previous == closed.previous else _UNKNOWN
        adopted = _adopted_place(closed)
        return self._seen_notes(PREVIOUS_SEEN, closed.previous, remembered, adopted)

    def _translators(self, closed: Entry, old: Entry, msgstr: str) -> tuple[str, ...]:
        """Return the notes that say who edited the entry; none if only the update changed it.

        ``msgstr`` is the text in the catalogue. The first rule that fits decides.
        """
        if human_work(old) == human_work(closed):
            return translators_of(old)
        # The person who saved the catalogue has not written the words of a draft.
        if is_remembered_draft(closed):
            return ()
        # The entry had another translation. Only a person replaces or removes a translation; the
        # update never does.
        if text_of(old):
            return self._touched(msgstr)
        # The update may have taken the translation of the previous English, which was a message of
        # this page. In that case the note names the translator of that message.
        offered = self.known.get((closed.context, closed.previous or ""), _UNKNOWN)
        if closed.msgstr and closed.msgstr == offered.msgstr:
            return translators_of(offered)
        # With a note such as ``carried over: …`` or ``fuzzy: …``, the update made the translation.
        if not all(map(is_lasting, states_of(closed))):
            return ()
        # A translator comment that somebody added or removed is an edit as well.
        by_hand = (text_of(closed), closed.comments, old.comments)
        return self._touched(msgstr) if any(by_hand) else ()

    def _touched(self, msgstr: str) -> tuple[str, ...]:
        """Return a note with the person who edited an entry since it was last stored, if known."""
        note = self.touch_of(msgstr) if self.touch_of and msgstr else ""
        note = note or self.touched_last
        return (note,) if note else ()


def _adopted_place(entry: Entry) -> Place | None:
    """Return the place of an adopted translation's English, according to its note."""
    copy = copy_of(entry)
    return Place(commit=copy.commit, page=copy.page) if copy else None


def _is_unopened(entry: Entry, old: Entry) -> bool:
    """Return whether a fuzzy entry was opened without its previous English, which was unknown.

    Such an entry keeps the previous English and notes of the memory, unless its msgstr was edited.
    """
    if entry.previous is not None or entry.msgstr != old.msgstr:
        return False
    return entry.fuzzy and old.fuzzy


_REMOVED = re.compile(r"\[-(.+?)-\]")  # words of the old message in a diff
_CHOICES = 20  # maximum number of candidates for the old message in ``followed_text``


def followed_text(entry: Entry, texts: Collection[str]) -> str | None:
    """Return the old message whose change the entry's note quotes, or None.

    The note "carried over: mark-up: see [-jax.jit-]{+{func}`jax.jit`+}" does not name the old
    message. So messages of ``texts`` with the longest removed words are tried, most similar first.
    """
    quoting = "".join(filter(_quotes, states_of(entry)))
    if not quoting:
        return None  # the common case
    removed = max(_REMOVED.findall(quoting), key=len, default="")
    similar = process.extract(
        entry.msgid,
        [text for text in texts if removed in text],
        scorer=fuzz.ratio,
        limit=_CHOICES,
    )
    for text, _, _ in similar:
        # This is no guess: the message with the quoted diff is the old one.
        words = diff(text, entry.msgid)
        if words and words in quoting:
            return text
    return None


def parts_of(text: str, texts: Mapping[str, int]) -> tuple[str, ...]:
    """Return messages of ``texts`` that give ``text`` when joined by spaces; none if impossible.

    ``"Tea is hot. Stir it."`` → ``("Tea is hot.", "Stir it.")``. If there are several ways, the
    messages of lower rank win; ``texts`` maps messages to ranks.
    """
    spaces = [at for at, letter in enumerate(text) if letter == " "]
    found = [text[:end] for end in (*spaces, len(text)) if text[:end] in texts]
    for part in sorted(found, key=lambda part: texts[part]):
        if part == text:
            return (part,)
        rest = parts_of(text[len(part) + 1 :], texts)
        if rest:
            return (part, *rest)
    return ()


def states_without_english(entry: Entry, old: str | None) -> tuple[str, ...]:
    """Return the notes about an entry's state, without quotations of English.

    ``old`` is the English that the translation was written for, if known. A diff from that English
    becomes ``DIFF``. A note that quotes anything else is cut off before the quotation.
    """
    words = "" if old is None else diff(old, entry.msgid)
    return tuple(_without_quotation(note, words) for note in states_of(entry))


def _without_quotation(note: str, words: str) -> str:
    """Return a note without English. ``words`` is the diff that it may quote, or empty.

    ``fuzzy: numbers: at least [-2-]{+3+}`` → ``fuzzy: numbers: [-…-]{+…+}`` if it quotes ``words``,
    otherwise ``fuzzy: numbers``.
    """
    bare = note.replace(words, DIFF) if words else note
    if _quotes(bare.replace(DIFF, "")):
        return ":".join(note.split(":")[:2])
    return bare


def _quotes(note: str) -> bool:
    """Return whether a note contains a diff: ``[-old-]``, ``{+new+}``, or both."""
    return "[-" in note or "{+" in note
