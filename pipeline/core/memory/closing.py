"""Close a catalogue as a memory: English becomes digests, with notes that say where to find it.

What a memory says already stays while it is true. So closing a catalogue that nobody touched
changes nothing, whatever happened to the pages and commits around it. A diff that a note quotes
becomes ``DIFF``, and the messages that it was made from are named by digest: opening the memory
makes the same diff again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz, process

from pipeline.core.catalog.change import diff
from pipeline.core.catalog.origins import (
    copy_of,
    is_lasting,
    is_remembered_draft,
    settled_notes,
    states_of,
)
from pipeline.core.memory.file import team_fields, touch_note
from pipeline.core.memory.record import (
    DIFF,
    PREVIOUS_SEEN,
    SEEN,
    SOURCE,
    Key,
    Memory,
    Place,
    digest,
    english_of,
    in_order,
    place_of,
    seen_note,
    source_note,
    text_of,
    translators_of,
    work_of,
)
from pipeline.core.memory.redaction import Stored, stored
from pipeline.entries import Catalog, Entry

# The note of who has written a msgstr; empty if only the header tells.
TouchOf = Callable[[str], str]

_NO_TEXTS: Mapping[str, int] = {}
# What a memory knows of an entry that it does not have.
_UNKNOWN = Entry(msgid="")


def close_catalog(
    catalog: Catalog,
    head: Memory,
    *,
    old: Memory | None,
    live: Collection[str],
    find: Callable[[str], Place | None],
    texts: Mapping[str, int] = _NO_TEXTS,
    touch_of: TouchOf | None = None,
) -> Memory:
    """The memory of a catalogue: ``head`` with the catalogue's entries in place of its own.

    ``live`` are the digests of the page at the head's commit. ``find`` tells where other English
    stands, ``texts`` is the English of all catalogues. What ``old``, the page's memory so far, says
    of who touched an entry and where its English stood goes on to be said. Who has touched it since
    is known by ``touch_of``, or else by the header.
    """
    known: Mapping[Key, Entry] = {}
    own_places: dict[str, Place] = {}
    if old:
        known = old.by_key()
        own_places = dict.fromkeys(old.live, Place(commit=old.commit, page=old.page))
    touched_last = touch_note(catalog.header)
    closing = _Closing(
        known=known,
        touched_last=touched_last,
        touch_of=touch_of,
        live=live,
        own_places=own_places,
        find=find,
        texts=texts,
    )
    return replace(
        head,
        project=catalog.header.get("Project-Id-Version", ""),
        date=catalog.header.get("POT-Creation-Date", ""),
        extra=team_fields(catalog.header, head.locale),
        comment=catalog.comment,
        entries=in_order(closing.close(entry) for entry in catalog.entries),
    )


def close_to_compare(
    catalog: Catalog, head: Memory, *, old: Memory, touch_of: TouchOf | None = None
) -> Memory:
    """The memory of a catalogue, to be compared with ``head`` by what people put into entries.

    ``old`` is what the catalogue was last stored in. Where English stands is left out.
    """
    return close_catalog(
        catalog,
        head,
        old=old,
        live=head.live,
        find=lambda _: None,
        touch_of=touch_of,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Closing:
    """Turns entries of one catalogue into entries of its memory."""

    known: Mapping[Key, Entry]  # the memory's entries so far
    touched_last: str  # the note of who saved the catalogue; empty if nobody did
    touch_of: TouchOf | None
    live: Collection[str]
    own_places: Mapping[str, Place]  # where the page's English stood so far
    find: Callable[[str], Place | None]
    texts: Mapping[str, int]

    def close(self, entry: Entry) -> Entry:
        """The memory's entry for an entry of the catalogue.

        Its notes come in one order always, so that closing it again changes nothing.
        """
        code = digest(entry.msgid)
        # Only here the words can be compared with the digest that the note of a draft has.
        notes = settled_notes(entry)
        if notes != entry.notes:
            entry = replace(entry, notes=notes)
        old = self.known.get((entry.context, code), _UNKNOWN)
        if code in self.live and _is_blank(entry) and _is_bare(old):
            # Most of a page that is not translated yet.
            return Entry(msgid=code, context=entry.context, obsolete=entry.obsolete)
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
        """Return ``entry`` with digests and states in place of all English.

        ``code`` is the digest of its message, ``sources`` what ``_sources`` gives for it, ``old``
        what the memory has so far.
        """
        previous = None if entry.previous is None else digest(entry.previous)
        written_for = " ".join(sources) or entry.previous
        states = states_without_english(entry, written_for)
        kept = Stored(entry.msgstr)
        if _is_unopened(entry, old):
            previous, states = old.previous, states_of(old)
        # Where only the memory knows the previous English, it has the msgstr as well.
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
        """The messages a translation was made from, where ``#| msgid`` does not lead to them.

        It may have been put together from several ones, or have followed a change of one.
        """
        if entry.previous is None:
            followed = followed_text(entry, self.texts)
            return () if followed is None else (followed,)
        code = digest(entry.previous)
        if code in self.live or self._place(code):
            return ()
        return parts_of(entry.previous, self.texts)

    def _source_notes(
        self, closed: Entry, old: Entry, sources: Sequence[str]
    ) -> tuple[str, ...]:
        """Where the messages stood that the translation was made from, as notes.

        A place that the memory tells already stays, even if the message stands elsewhere
        as well: else every upgrade would change the note.
        """
        if not sources:
            # The diff may not lead to its source any more, after years: what was known
            # stays.
            state, old_state = states_of(closed), states_of(old)
            is_same = (closed.previous, state) == (old.previous, old_state)
            return old.notes_with(SOURCE) if is_same else ()
        notes: list[str] = []
        told = dict(english_of(old))
        for code in map(digest, sources):
            place = told.get(code) or self._place(code) or _adopted_place(closed)
            if place:
                notes.append(source_note(code, place))
        return tuple(notes)

    def _seen_notes(
        self, prefix: str, code: str, old: Entry, otherwise: Place | None
    ) -> list[str]:
        """Where the English of a digest stood, if it is not on the page; none if nobody knows.

        What the memory's note says goes on to be said; else the place is looked up;
        ``otherwise`` is where an adopted translation says that it stood.
        """
        if code in self.live:
            return []
        place = place_of(old, prefix) or self._place(code) or otherwise
        return [seen_note(prefix, place)] if place else []

    def _previous_seen_notes(
        self, closed: Entry, old: Entry, sources: Sequence[str]
    ) -> list[str]:
        """``_seen_notes`` for the English that a fuzzy translation was written for.

        Joined messages never stood anywhere as one: ``_source_notes`` has their places.
        """
        if closed.previous is None or sources:
            return []
        # What the memory says of another previous English is of no use.
        remembered = old if old.previous == closed.previous else _UNKNOWN
        adopted = _adopted_place(closed)
        return self._seen_notes(PREVIOUS_SEEN, closed.previous, remembered, adopted)

    def _translators(self, closed: Entry, old: Entry, msgstr: str) -> tuple[str, ...]:
        """Who touched the entry: whom the header names, if it was a person and not the update.

        ``msgstr`` is as the catalogue has it. The first rule that fits decides.
        """
        if work_of(old) == work_of(closed):
            return translators_of(old)
        # Whoever has saved the catalogue has not written what a machine has.
        if is_remembered_draft(closed):
            return ()
        # The update never takes a translation away from its message.
        if text_of(old):
            return self._touched(msgstr)
        # The update offers the translation of another message, the one whose English it
        # was written for: its translator is that one's.
        offered = self.known.get((closed.context, closed.previous or ""), _UNKNOWN)
        if closed.msgstr and closed.msgstr == offered.msgstr:
            return translators_of(offered)
        # The update has made it, as this note says; one of the origin says nothing of that.
        if not all(map(is_lasting, states_of(closed))):
            return ()
        # A translator's remark counts as work, also one that was removed.
        by_hand = (text_of(closed), closed.comments, old.comments)
        return self._touched(msgstr) if any(by_hand) else ()

    def _touched(self, msgstr: str) -> tuple[str, ...]:
        """The note of who has touched an entry since the memory was stored."""
        note = self.touch_of(msgstr) if self.touch_of and msgstr else ""
        note = note or self.touched_last
        return (note,) if note else ()

    def _place(self, code: str) -> Place | None:
        """Where the English of a digest stands: on the page itself, if it stood there.

        So what other pages do changes nothing here.
        """
        return self.own_places.get(code) or self.find(code)


def _adopted_place(entry: Entry) -> Place | None:
    """Where the English of an adopted translation stood: at the version that the copy is of."""
    copy = copy_of(entry)
    return Place(commit=copy.commit, page=copy.page) if copy else None


def _is_unopened(entry: Entry, old: Entry) -> bool:
    """Whether the English that a fuzzy entry was written for could not be had on opening.

    Then the catalogue lacks it, and the entry stays as the memory remembers it. A msgstr
    that somebody has changed since is new work.
    """
    if entry.previous is not None or entry.msgstr != old.msgstr:
        return False
    return entry.fuzzy and old.fuzzy


def _is_blank(entry: Entry) -> bool:
    """Whether nobody has put anything into an entry, be it of a catalogue or a memory.

    That the page asks for it, and as what, is no work of anybody.
    """
    work = (
        entry.msgstr,
        entry.fuzzy,
        entry.previous,
        entry.comments,
        entry.flags,
        states_of(entry),
    )
    return not any(work)


def _is_bare(entry: Entry) -> bool:
    """Whether an entry of a memory is blank, and no note says more about it.

    A note may tell where the English of a message stood, though nobody translated it.
    """
    return _is_blank(entry) and not entry.notes


# Where to look for the message that a translation followed: its likes, in percent of rapidfuzz's
# ratio.
_LIKE = 60.0
_CHOICES = 20


def followed_text(entry: Entry, texts: Collection[str]) -> str | None:
    """The one of ``texts`` that a translation followed, if the entry quotes the difference to it.

    ``carried over: mark-up: see [-jax.jit-]{+{func}`jax.jit`+}`` says that there was such
    a message, not which. So the messages most like the entry's are tried, one by one.
    """
    quoting = "".join(filter(_quotes, states_of(entry)))
    if not quoting:
        return None  # nearly always
    similar = process.extract(
        entry.msgid, list(texts), scorer=fuzz.ratio, score_cutoff=_LIKE, limit=_CHOICES
    )
    for text, _, _ in similar:
        # The note quotes the difference to the one text only, so that this is no guess.
        words = diff(text, entry.msgid)
        if words and words in quoting:
            return text
    return None


def parts_of(text: str, texts: Mapping[str, int]) -> tuple[str, ...]:
    """Return messages that give ``text`` when joined by spaces; none if it is not made so.

    ``"Tea is hot. Stir it."`` → ``("Tea is hot.", "Stir it.")``, if ``texts`` has both.
    Of several ways to make it the first one counts, by the order that ``texts`` gives.
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
