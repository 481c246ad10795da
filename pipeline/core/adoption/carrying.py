"""From a version of a page, with a translation, to the pin: as an update would carry it.

What the copy translates goes in as if it had been translated here at that version; the update says
which messages of the pin it is for. Nothing that comes out is finished: it waits for a person. No
translation that is there already is touched, the other one is kept in a comment.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.core.catalog.change import ChangeClass, classify
from pipeline.core.catalog.lineage import CLEAR_WORDS
from pipeline.core.catalog.origins import Origin
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
        """Its English as one text."""
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
        """Whether the English is as it was."""
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
    tokens: dict[str, int] = {}
    for number, translation in enumerate(translations):
        for message in translation.english:
            # A text that stands twice on a page has one entry: its first translation.
            tokens.setdefault(message, number)
    entries: list[Entry] = []
    numbers: list[str] = []
    for message in dict.fromkeys(messages):
        msgstr = ""
        if message in tokens:
            msgstr = _STAND_IN.format(len(numbers))
            numbers.append(message)
        entries.append(Entry(msgid=message, msgstr=msgstr))
    wanted = _wanted(page, [entry for entry in entries if entry.msgstr], pin)
    updated = update_catalogs(
        {page: Catalog(entries=tuple(entries))},
        wanted,
        header=lambda _page, header: header,
        gone=[] if page in wanted else [page],
    )
    offers: list[Offer] = []
    used: set[int] = set()
    here = {entry.msgid for entry in pin.get(page, ())}
    for name in wanted:
        for entry in updated[name].catalog.entries:
            found = [
                numbers[int(number)] for number in _STAND_INS.findall(entry.msgstr)
            ]
            if entry.obsolete or not found:
                continue
            # What still stands on its own page has not moved to another one.
            if name != page and not here.isdisjoint(found):
                continue
            offer = _offer(name, entry, found, tokens, translations, pin)
            used.update(tokens[message] for message in found)
            offers.append(offer)
    gone = [one for number, one in enumerate(translations) if number not in used]
    return Carried(offers=tuple(offers), gone=tuple(gone))


def _wanted(
    page: str, translated: Sequence[Entry], pin: Mapping[str, Sequence[Entry]]
) -> dict[str, list[Entry]]:
    """The pages of the pin that the text may stand on now, their entries blank."""
    here = {entry.msgid for entry in pin.get(page, ())}
    lost = {entry.msgid for entry in translated} - here
    clear = {text for text in lost if count_words(text) >= CLEAR_WORDS}
    wanted: dict[str, list[Entry]] = {}
    for name, entries in pin.items():
        texts = [entry.msgid for entry in entries]
        if name == page or not clear.isdisjoint(texts):
            wanted[name] = [Entry(msgid=text, references=(name,)) for text in texts]
    return wanted


def _offer(
    page: str,
    entry: Entry,
    sources: Sequence[str],
    tokens: Mapping[str, int],
    translations: Sequence[Translation],
    pin: Mapping[str, Sequence[Entry]],
) -> Offer:
    """What an entry of the update says, with the translations in place of their stand-ins."""
    several = dict.fromkeys(tokens[message] for message in sources)
    parts = [translations[number] for number in several]
    whole = parts[0]
    if len(parts) > 1:
        whole = Translation(
            english=tuple(sources),
            chinese="".join(part.chinese for part in parts),
            score=min(part.score for part in parts),
        )
    is_joined = len(sources) > 1
    english = " ".join(sources)
    previous = english
    change = ""
    if english != entry.msgid:
        change = str(classify(english, entry.msgid))
    if is_joined:
        # The memory can find messages again, and not what was put together of several.
        previous, change = entry.msgid, str(ChangeClass.MERGED)
    elif len(whole.english) > 1:
        # The copy has several messages in one paragraph: each gets all of it.
        live = {known.msgid for known in pin[page]}
        if live.issuperset(whole.english):
            previous = whole.whole
            change = str(
                replace(classify(previous, entry.msgid), kind=ChangeClass.SPLIT)
            )
        else:
            change = change or str(ChangeClass.SPLIT)
    return Offer(
        page=page,
        msgid=entry.msgid,
        translation=whole,
        english=english,
        previous=previous,
        change=change,
    )


def is_same(ours: str, theirs: str) -> bool:
    """Whether two translations have the same words."""
    return _SPACES_AND_MARKS.sub("", ours) == _SPACES_AND_MARKS.sub("", theirs)


def adopted_entry(entry: Entry, offer: Offer, msgstr: str, origin: Origin) -> Entry:
    """An entry of the pin with what is offered for it: as fuzzy, or as a comment.

    ``msgstr`` is the offer's Chinese, made fit for the message. An entry that has a translation
    keeps it.
    """
    if not entry.msgstr:
        kept = [note for note in entry.notes if not note.startswith(STATES)]
        state = f"{FUZZY} {offer.change or ChangeClass.ADOPTED}"
        notes = (*kept, state, origin.note(offer.translation.score))
        return replace(
            entry, msgstr=msgstr, fuzzy=True, previous=offer.previous, notes=notes
        )
    if is_same(entry.msgstr, msgstr):
        return entry
    comment = origin.comment(redact(msgstr, entry.msgid))
    if comment in entry.comments or _is_from(entry, origin):
        return entry
    return replace(entry, comments=(*entry.comments, comment))


def _is_from(entry: Entry, origin: Origin) -> bool:
    """Whether what stands there was adopted from the same file, in an earlier run."""
    start = origin.note(0.0).partition(",")[0]
    return any(note.startswith(start) for note in entry.notes)


def adopt_into(
    catalog: Catalog,
    offers: Mapping[str, tuple[Offer, str]],
    origin: Origin,
) -> Catalog:
    """A catalogue with what a copy offers for its messages, by msgid, each with its msgstr."""
    entries: list[Entry] = []
    seen: set[str] = set()
    taken = _taken(catalog.entries)
    for entry in catalog.entries:
        offered = offers.get(entry.msgid)
        # Of several entries of one message, told apart by contexts, the first takes it.
        if offered is None or entry.obsolete or entry.msgid in seen:
            entries.append(entry)
            continue
        seen.add(entry.msgid)
        if not entry.msgstr and entry.msgid in taken:
            entries.append(entry)
            continue
        entries.append(adopted_entry(entry, *offered, origin))
    if tuple(entries) == catalog.entries:
        return catalog
    return replace(catalog, entries=tuple(entries))


def _taken(entries: Collection[Entry]) -> set[str]:
    """Messages that have a translation in some context."""
    return {entry.msgid for entry in entries if entry.msgstr and not entry.obsolete}
