"""From a version of a page, with a translation, to the pin: as an update would carry it.

What the copy translates goes in as if it had been translated here at that version; the update says
which messages of the pin it is for. Nothing that comes out is finished: it waits for a person. No
translation that is there already is touched, the other one is kept in a comment.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.core.catalog.change import ChangeClass, classify
from pipeline.core.catalog.lineage import CLEAR_WORDS
from pipeline.core.catalog.origins import FUZZY, STATES, Copy, is_open
from pipeline.core.catalog.update import update_catalogs
from pipeline.core.document.prose import count_words
from pipeline.core.memory.redaction import redact
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


def carry(
    page: str,
    messages: Sequence[str],
    translations: Sequence[Translation],
    pin: Mapping[str, Sequence[Entry]],
) -> tuple[list[Offer], list[Translation]]:
    """Return offers at the pin for what was translated at an older version, and what has no place.

    ``messages`` are those of ``page`` at that version. ``pin`` has the live entries of all pages.
    """
    by_message: dict[str, Translation] = {}
    for translation in translations:
        for message in translation.english:
            # A text that stands twice on a page has one entry: its first translation.
            by_message.setdefault(message, translation)
    texts = {name: {entry.msgid for entry in pin[name]} for name in pin}
    here = texts.get(page, set())
    messages = list(dict.fromkeys(messages))
    translated = list(filter(by_message.__contains__, messages))
    # The pages of the pin that the text may stand on now: the page itself, and those with a message
    # which it has lost, if that is long enough to be the same one and no coincidence.
    lost = set(translated) - here
    clear = {text for text in lost if count_words(text) >= CLEAR_WORDS}
    wanted: dict[str, list[Entry]] = {}
    for name in pin:
        if name == page or not clear.isdisjoint(texts[name]):
            blanks = [Entry(msgid=one.msgid, references=(name,)) for one in pin[name]]
            wanted[name] = blanks
    updated = update_catalogs(
        {page: _with_stand_ins(messages, translated)},
        wanted,
        header=lambda _page, header: header,
        gone=[] if page in wanted else [page],
    )
    offers: list[Offer] = []
    used: set[Translation] = set()
    for name in wanted:
        for entry in updated[name].catalog.entries:
            numbers = map(int, _STAND_INS.findall(entry.msgstr))
            sources = [translated[number] for number in numbers]
            if entry.obsolete or not sources:
                continue
            # What still stands on its own page has not moved to another one.
            if name == page or here.isdisjoint(sources):
                parts = dict.fromkeys(by_message[message] for message in sources)
                used.update(parts)
                offers.append(
                    _offer(name, entry.msgid, sources, list(parts), texts[name])
                )
    gone = [translation for translation in translations if translation not in used]
    return offers, gone


def _offer(
    page: str,
    msgid: str,
    sources: Sequence[str],
    parts: Sequence[Translation],
    texts: Collection[str],
) -> Offer:
    """Return what is offered for a message of the pin: the translations of its ``sources``.

    ``texts`` are the messages of its page at the pin.
    """
    english = previous = " ".join(sources)
    translation = parts[0]
    change = "" if english == msgid else str(classify(english, msgid))
    if len(parts) > 1:
        translation = Translation(
            english=tuple(sources),
            chinese="".join(part.chinese for part in parts),
            score=min(part.score for part in parts),
        )
    if len(sources) > 1:
        # The memory can find messages again, and not what was put together of several.
        previous, change = msgid, str(ChangeClass.MERGED)
    elif len(translation.english) > 1:
        # The copy has several messages in one paragraph: each gets all of it.
        change = change or str(ChangeClass.SPLIT)
        if set(translation.english) <= set(texts):
            previous = translation.whole
            whole_change = classify(previous, msgid)
            change = str(replace(whole_change, kind=ChangeClass.SPLIT))
    return Offer(
        page=page,
        msgid=msgid,
        translation=translation,
        english=english,
        previous=previous,
        change=change,
    )


def _with_stand_ins(messages: Iterable[str], translated: Sequence[str]) -> Catalog:
    """Return the catalogue of a page that has the number of each message for its translation.

    To the entry that gets number 3 the update has carried message 3.
    """
    msgstrs: dict[str, str] = {}
    for number, message in enumerate(translated):
        msgstrs[message] = _STAND_IN.format(number)
    entries = [Entry(msgid=text, msgstr=msgstrs.get(text, "")) for text in messages]
    return Catalog(entries=tuple(entries))


def is_same(ours: str, theirs: str) -> bool:
    """Return whether two translations have the same words.

    Spaces, punctuation and mark-up do not count: ``用 `jit` 编译。`` is ``用jit编译``.
    """
    return _SPACES_AND_MARKS.sub("", ours) == _SPACES_AND_MARKS.sub("", theirs)


def adopted_entry(entry: Entry, offer: Offer, msgstr: str, origin: Copy) -> Entry:
    """Return an entry of the pin with what is offered for it: as fuzzy, or as a comment.

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
    """Return a translated entry with another translation in a comment, if that says anything new.

    Long atoms are marks in it: the memory holds comments as well, and no text of upstream's.
    """
    # A second run adopts the same file again: then nothing changes, whatever the encoder says now.
    start = origin.note(0.0).partition(",")[0]
    is_from_file = any(note.startswith(start) for note in entry.notes)
    if is_from_file or is_same(entry.msgstr, msgstr):
        return entry
    comment = origin.comment(redact(msgstr, entry.msgid))
    if comment in entry.comments:
        return entry
    return replace(entry, comments=(*entry.comments, comment))


def adopt_into(
    catalog: Catalog,
    offers: Mapping[str, tuple[Offer, str]],
    origin: Copy,
) -> Catalog:
    """Return a catalogue with the ``offers`` of a copy, by msgid, each with its msgstr."""
    entries: list[Entry] = []
    left = dict(offers)
    # Messages with a translation in some context: their blank entries wait for a translator.
    taken = {
        entry.msgid
        for entry in catalog.entries
        if not entry.obsolete and not is_open(entry)
    }
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
