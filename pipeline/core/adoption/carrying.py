"""From a version of a page, with a translation, to the pin: as an update would carry it.

What the copy translates goes in as if it had been translated here at that version; the update says
which messages of the pin it is for. Nothing that comes out is finished: it waits for a person. No
translation that is there already is touched, the other one is kept in a comment.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pipeline.core.catalog.change import ChangeClass, classify
from pipeline.core.catalog.lineage import CLEAR_WORDS
from pipeline.core.catalog.origins import Copy, is_open
from pipeline.core.catalog.states import FUZZY, STATES
from pipeline.core.catalog.update import update_catalogs
from pipeline.core.document.prose import count_words
from pipeline.core.memory.redact import redact
from pipeline.entries import Catalog, Entry

# A stand-in for a translation while the update carries it: private characters, no words.
_STAND_IN = "\ue010{}\ue011"
_STAND_INS = re.compile("\ue010(\\d+)\ue011")
_SPACES_AND_MARKS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Translation:
    """What a copy has for a message of a version, or for several of them together."""

    english: tuple[str, ...]  # the messages, in order
    chinese: str
    score: float

    @property
    def whole(self) -> str:
        """Its English as one text.

        The same that an update makes of messages that upstream has joined.
        """
        return " ".join(self.english)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A translation for a message of the pin.

    ``english`` is the text that it was made from. ``previous`` is what an entry says of it, for a
    memory must be able to find it again.
    """

    page: str
    msgid: str
    translation: Translation
    english: str
    previous: str
    change: str = ""  # what differs: "numbers: at least [-2-]{+3+} devices"

    @property
    def is_equal(self) -> bool:
        """Whether the English is as it was.

        Then a person need only see whether the Chinese is any good.
        """
        return not self.change


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What becomes of the translations of a copy: offers at the pin, and what has no place."""

    offers: tuple[Offer, ...]
    gone: tuple[Translation, ...]


def carry(
    page: str,
    messages: Sequence[str],
    translations: Sequence[Translation],
    pin: Mapping[str, Sequence[Entry]],
) -> Carried:
    """Find the messages of the pin for what was translated at an older version.

    ``messages`` are those of ``page`` at that version. ``pin`` has the live entries of all pages.
    """
    by_message: dict[str, Translation] = {}
    for translation in translations:
        for message in translation.english:
            # A text that stands twice on a page has one entry: its first translation.
            by_message.setdefault(message, translation)
    carrying = _Carrying(page=page, translations=by_message, pin=pin)
    offers: list[Offer] = []
    used: set[Translation] = set()
    for arrival in carrying.arrivals(messages):
        offers.append(carrying.offer(arrival))
        used.update(by_message[message] for message in arrival.sources)
    gone = [translation for translation in translations if translation not in used]
    return Carried(offers=tuple(offers), gone=tuple(gone))


class _Arrival(NamedTuple):
    """An entry of the pin, and the messages of the version whose translations came to it."""

    page: str
    entry: Entry
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Carrying:
    """The translations of a page's messages on their way to the pin."""

    page: str
    translations: Mapping[str, Translation]
    pin: Mapping[str, Sequence[Entry]]

    def arrivals(self, messages: Iterable[str]) -> Iterator[_Arrival]:
        """Where an update brings the translations of the page's ``messages``."""
        messages = list(dict.fromkeys(messages))
        translated = list(filter(self.translations.__contains__, messages))
        wanted = self._wanted(translated)
        updated = update_catalogs(
            {self.page: _with_stand_ins(messages, translated)},
            wanted,
            header=lambda _page, header: header,
            gone=[] if self.page in wanted else [self.page],
        )
        here = self._texts(self.page)
        for name in wanted:
            for entry in updated[name].catalog.entries:
                numbers = map(int, _STAND_INS.findall(entry.msgstr))
                sources = tuple(translated[number] for number in numbers)
                if entry.obsolete or not sources:
                    continue
                # What still stands on its own page has not moved to another one.
                if name == self.page or here.isdisjoint(sources):
                    yield _Arrival(name, entry, sources)

    def offer(self, arrival: _Arrival) -> Offer:
        """What an entry of the update says, with translations in place of their stand-ins."""
        page, entry, sources = arrival
        translation = self._whole(sources)
        english = " ".join(sources)
        previous = english
        change = ""
        if english != entry.msgid:
            change = str(classify(english, entry.msgid))
        if len(sources) > 1:
            # The memory can find messages again, and not what was put together of several.
            previous, change = entry.msgid, str(ChangeClass.MERGED)
        elif len(translation.english) > 1:
            # The copy has several messages in one paragraph: each gets all of it.
            change = change or str(ChangeClass.SPLIT)
            if self._texts(page).issuperset(translation.english):
                previous = translation.whole
                whole_change = classify(previous, entry.msgid)
                change = str(replace(whole_change, kind=ChangeClass.SPLIT))
        return Offer(
            page=page,
            msgid=entry.msgid,
            translation=translation,
            english=english,
            previous=previous,
            change=change,
        )

    def _texts(self, page: str) -> set[str]:
        """The messages of a page at the pin; none if there is no such page now.

        Obsolete ones are not among them, for no reader sees those. Nor are those of other pages.
        """
        return {entry.msgid for entry in self.pin.get(page, ())}

    def _wanted(self, translated: Iterable[str]) -> dict[str, list[Entry]]:
        """The pages of the pin that the text may stand on now, their entries blank.

        The page itself, and those with a message which it has lost, if that is long enough to be
        the same one and no coincidence.
        """
        lost = set(translated) - self._texts(self.page)
        clear = {text for text in lost if count_words(text) >= CLEAR_WORDS}
        wanted: dict[str, list[Entry]] = {}
        for name in self.pin:
            if name != self.page and clear.isdisjoint(self._texts(name)):
                continue
            wanted[name] = []
            for entry in self.pin[name]:
                blank = Entry(msgid=entry.msgid, references=(name,))
                wanted[name].append(blank)
        return wanted

    def _whole(self, sources: Sequence[str]) -> Translation:
        """The translation of some messages that have become one; each part of it once.

        Two of them may have been in one paragraph of the copy.
        """
        parts = list(dict.fromkeys(self.translations[message] for message in sources))
        if len(parts) == 1:
            return parts[0]
        return Translation(
            english=tuple(sources),
            chinese="".join(part.chinese for part in parts),
            score=min(part.score for part in parts),
        )


def _with_stand_ins(messages: Iterable[str], translated: Sequence[str]) -> Catalog:
    """The catalogue of a page that has the number of each message for its translation.

    To the entry that gets number 3 the update has carried message 3.
    """
    msgstrs: dict[str, str] = {}
    for number, message in enumerate(translated):
        msgstrs[message] = _STAND_IN.format(number)
    entries = [Entry(msgid=text, msgstr=msgstrs.get(text, "")) for text in messages]
    return Catalog(entries=tuple(entries))


def is_same(ours: str, theirs: str) -> bool:
    """Whether two translations have the same words.

    Spaces, punctuation and mark-up do not count: ``用 `jit` 编译。`` is ``用jit编译``.
    """
    return _SPACES_AND_MARKS.sub("", ours) == _SPACES_AND_MARKS.sub("", theirs)


def adopted_entry(entry: Entry, offer: Offer, msgstr: str, origin: Copy) -> Entry:
    """An entry of the pin with what is offered for it: as fuzzy, or as a comment.

    ``msgstr`` is the offer's Chinese, made fit for the message. An entry that has a translation
    keeps it; a machine's draft gives way to what somebody has written.
    """
    if not is_open(entry):
        return _with_comment(entry, msgstr, origin)
    kept = [note for note in entry.notes if not note.startswith(STATES)]
    state = f"{FUZZY} {offer.change or ChangeClass.ADOPTED}"
    notes = (*kept, state, origin.note(offer.translation.score))
    return replace(
        entry, msgstr=msgstr, fuzzy=True, previous=offer.previous, notes=notes
    )


def _with_comment(entry: Entry, msgstr: str, origin: Copy) -> Entry:
    """A translated entry with another translation in a comment, if that says anything new.

    Long atoms are marks in it: the memory holds comments as well, and no text of upstream's.
    """
    if is_same(entry.msgstr, msgstr) or _is_from(entry, origin):
        return entry
    comment = origin.comment(redact(msgstr, entry.msgid))
    if comment in entry.comments:
        return entry
    return replace(entry, comments=(*entry.comments, comment))


def _is_from(entry: Entry, origin: Copy) -> bool:
    """Whether what stands there was adopted from the same file, in an earlier run.

    Then a second run changes nothing, whatever the encoder says this time.
    """
    start = origin.note(0.0).partition(",")[0]
    return any(note.startswith(start) for note in entry.notes)


def adopt_into(
    catalog: Catalog,
    offers: Mapping[str, tuple[Offer, str]],
    origin: Copy,
) -> Catalog:
    """A catalogue with what a copy offers for its messages, by msgid, each with its msgstr."""
    entries: list[Entry] = []
    left = dict(offers)
    taken = _taken(catalog.entries)
    for entry in catalog.entries:
        # Of several entries of one message, told apart by contexts, the first takes it …
        offered = None if entry.obsolete else left.pop(entry.msgid, None)
        # … unless another one has a translation.
        is_blank_twin = is_open(entry) and entry.msgid in taken
        if offered is None or is_blank_twin:
            entries.append(entry)
        else:
            entries.append(adopted_entry(entry, *offered, origin))
    if tuple(entries) == catalog.entries:
        return catalog
    return replace(catalog, entries=tuple(entries))


def _taken(entries: Collection[Entry]) -> set[str]:
    """Messages that have a translation in some context.

    An entry of theirs that is blank waits for a translator who knows its context.
    """
    taken: set[str] = set()
    for entry in entries:
        if not entry.obsolete and not is_open(entry):
            taken.add(entry.msgid)
    return taken
