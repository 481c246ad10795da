"""A catalogue as a memory: English becomes digests, with notes that say where it can be found again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz, process

from pipeline.core.catalog.change import diff
from pipeline.core.memory.record import (
    DIFF,
    EDITING,
    FIELDS,
    PREVIOUS_SEEN,
    SAME,
    SAME_AS_PREVIOUS,
    SEEN,
    SOURCE,
    STANDARD,
    STATES,
    TOUCH,
    TRANSLATOR,
    Key,
    Memory,
    Place,
    digest,
    english_of,
    in_order,
    place_of,
    states_of,
    text_of,
    translators_of,
    work_of,
    written_for,
)
from pipeline.core.memory.redact import redact
from pipeline.entries import Catalog, Entry

_NEUTRAL = "1970-01-01 00:00+0000"
_OURS = "jax-docs-zh"  # the generator of catalogues that no tool has saved
_FOLLOWED, _CHOICES = (
    60.0,
    20,
)  # where to look for the message that a translation followed: its likes, in percent of the ratio


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

    ``live`` are the digests of the page at the head's commit; ``find`` tells where other English stands, ``texts`` is the
    English of all catalogues. What ``old``, the page's memory so far, says of who touched an entry and where its English
    stood goes on to be said.
    """
    known = old.by_key() if old else {}
    own = {text: Place(commit=old.commit, page=old.page) for text in old.live} if old else {}
    close = _Close(
        known=known, touch=_touch(catalog.header), live=live, own=own, find=find, texts=texts
    )
    closed = [close.entry(entry) for entry in catalog.entries]
    return replace(
        head,
        project=catalog.header.get("Project-Id-Version", ""),
        date=catalog.header.get("POT-Creation-Date", ""),
        extra=_extra(catalog.header, head.locale),
        comment=catalog.comment,
        entries=in_order(closed),
    )


def stored(entry: Entry) -> tuple[str, tuple[str, ...]]:
    """The translation of a catalogue's entry as a memory has it, and the note in its place if it is English itself."""
    if entry.msgstr and entry.msgstr == entry.msgid:
        return "", (SAME,)
    if entry.msgstr and entry.msgstr == entry.previous:
        return "", (SAME_AS_PREVIOUS,)
    return redact(entry.msgstr, written_for(entry)), ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Close:
    """Turns entries of one catalogue into entries of its memory."""

    known: Mapping[Key, Entry]
    touch: str
    live: Collection[str]
    own: Mapping[str, Place]  # where the page's English stood so far
    find: Callable[[str], Place | None]
    texts: Sequence[str]

    def place(self, code: str) -> Place | None:
        return self.own.get(code) or self.find(code)

    def entry(self, entry: Entry) -> Entry:
        code = digest(entry.msgid)
        was = self.known.get((entry.context, code))
        if (
            code in self.live
            and _is_blank(entry)
            and (was is None or (_is_blank(was) and not was.notes))
        ):
            return Entry(msgid=code, context=entry.context, obsolete=entry.obsolete)
        previous = digest(entry.previous) if entry.previous is not None else None
        old = self._sources(entry, previous)
        states = tuple(_without_english(entry, " ".join(old) if old else entry.previous))
        if entry.fuzzy and previous is None and was and was.fuzzy and was.msgstr == entry.msgstr:
            previous, states = (
                was.previous,
                states_of(was),
            )  # its English could not be had: it stays as it was remembered
        msgstr, same = (
            stored(entry) if entry.previous is not None or previous is None else (entry.msgstr, ())
        )
        closed = replace(
            entry,
            msgid=code,
            msgstr=msgstr,
            previous=previous,
            notes=(*states, *same),
            references=(),
            line=0,
        )
        notes = (*closed.notes, *self._places(closed, was, old), *self._translator(closed, was))
        return replace(closed, notes=notes)

    def _sources(self, entry: Entry, previous: str | None) -> tuple[str, ...]:
        """The messages that a translation was put together from, or the one it followed, where ``#| msgid`` does not tell."""
        if previous is not None and entry.previous is not None:
            return (
                ()
                if previous in self.live or self.place(previous)
                else tuple(_parts(entry.previous, self.texts))
            )
        quoting = "".join(note for note in entry.notes if note.startswith(STATES) and _quotes(note))
        if not quoting or not self.texts:
            return ()
        similar = process.extract(
            entry.msgid, self.texts, scorer=fuzz.ratio, score_cutoff=_FOLLOWED, limit=_CHOICES
        )
        return next(
            (
                (text,)
                for text, _, _ in similar
                if (words := diff(text, entry.msgid)) and words in quoting
            ),
            (),
        )

    def _places(self, closed: Entry, was: Entry | None, sources: Sequence[str]) -> Iterator[str]:
        if sources:
            codes = [digest(text) for text in sources]
            kept = {code: place for code, place in english_of(was) if place} if was else {}
            found = [(code, kept.get(code) or self.place(code)) for code in codes]
            yield from (
                f"{SOURCE}{code} {place.commit} {place.page}" for code, place in found if place
            )
        elif was and was.previous == closed.previous and states_of(was) == states_of(closed):
            yield from (note for note in was.notes if note.startswith(SOURCE))
        seen = place_of(was, SEEN) if was else None
        if closed.msgid not in self.live and (place := seen or self.place(closed.msgid)):
            yield f"{SEEN}{place.commit} {place.page}"
        if closed.previous is None or sources or closed.previous in self.live:
            return
        seen = place_of(was, PREVIOUS_SEEN) if was and was.previous == closed.previous else None
        if place := seen or self.place(closed.previous):
            yield f"{PREVIOUS_SEEN}{place.commit} {place.page}"

    def _translator(self, closed: Entry, was: Entry | None) -> tuple[str, ...]:
        """Who touched the entry: whom the header names if a person changed it, not if the update did."""
        if was and work_of(was) == work_of(closed):
            return translators_of(was)
        source = self.known.get((closed.context, closed.previous)) if closed.previous else None
        if (
            source
            and closed.msgstr
            and source.msgstr == closed.msgstr
            and not (was and text_of(was))
        ):
            return translators_of(source)
        is_new = was is None or not text_of(was)
        if is_new and (
            states_of(closed) or not (text_of(closed) or closed.comments or (was and was.comments))
        ):
            return ()
        return (self.touch,) if self.touch else ()


def _is_blank(entry: Entry) -> bool:
    """Whether nobody has put anything into an entry: most of a page that is not translated yet."""
    return not (
        entry.msgstr
        or entry.fuzzy
        or entry.previous
        or entry.comments
        or entry.flags
        or states_of(entry)
    )


def _parts(text: str, texts: Sequence[str]) -> list[str]:
    """Messages that give ``text`` when joined by spaces; none if it is not made so."""
    for one in texts:
        if one == text:
            return [one]
        if text.startswith(one + " ") and (rest := _parts(text[len(one) + 1 :], texts)):
            return [one, *rest]
    return []


def _without_english(entry: Entry, old: str | None) -> Iterator[str]:
    """The notes of an entry that tell its state. Words of the English become ``DIFF``, or the note ends before them."""
    words = diff(old, entry.msgid) if old is not None else ""
    for note in entry.notes:
        if note.startswith(STATES):
            bare = note.replace(words, DIFF) if words else note
            yield bare if not _quotes(bare.replace(DIFF, "")) else ":".join(note.split(":")[:2])


def _quotes(note: str) -> bool:
    return "[-" in note or "{+" in note


def _touch(header: Mapping[str, str]) -> str:
    """Who saved a catalogue last, and when, as a note; empty if its header does not say."""
    who, when, generator = (
        header.get(name, "") for name in ("Last-Translator", "PO-Revision-Date", "X-Generator")
    )
    note = f"{TRANSLATOR}{who}, {when}" + (f", {generator}" if generator not in ("", _OURS) else "")
    return note if when != _NEUTRAL and TOUCH.fullmatch(note) else ""


def _extra(header: Mapping[str, str], locale: str) -> dict[str, str]:
    """The fields of a catalogue's header that are the team's: all but those that are made, and change with every edit."""
    made = (*FIELDS, *STANDARD, *EDITING, "Plural-Forms")
    defaults = {"Report-Msgid-Bugs-To": "", "Language-Team": locale}
    return {
        name: value
        for name, value in header.items()
        if name not in made and defaults.get(name) != value
    }
