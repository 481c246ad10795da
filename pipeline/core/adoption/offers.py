"""Offers: translations of an old version, carried to the messages of the pin.

A copy's translations are treated as if they had been made here at that version; the catalogue
update then finds their messages at the pin. Every offer is fuzzy until a person confirms it. An
existing translation is never changed: the offer becomes a comment beside it.
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

# Placeholder for a translation during the update: private-use characters without words.
_STAND_IN = "\ue010{}\ue011"
_STAND_INS = re.compile("\ue010(\\d+)\ue011")
_SPACES_AND_MARKS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Translation:
    """Translation in a copy of one message, or of several messages together."""

    english: tuple[str, ...]  # msgids, in order
    chinese: str
    score: float

    @property
    def whole(self) -> str:
        """Return the English as one text, joined in the same way as by an update."""
        return " ".join(self.english)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """Translation offered for a message of the pin.

    ``english`` is the text that was translated. ``previous`` goes into the entry; it must be a text
    that the memory can find again.
    """

    page: str
    msgid: str
    translation: Translation
    english: str
    previous: str
    change: str = ""  # classified difference: "numbers: at least [-2-]{+3+} devices"


def carry_to_pin(
    page: str,
    messages: Sequence[str],
    translations: Sequence[Translation],
    pin: Mapping[str, Sequence[Entry]],
) -> tuple[list[Offer], list[Translation]]:
    """Return the offers at the pin, and the translations that have no message there.

    ``messages`` are those of ``page`` at the old version. ``pin`` has the live entries of all
    pages.
    """
    by_message: dict[str, Translation] = {}
    for translation in translations:
        for message in translation.english:
            # A text that occurs twice on a page has one entry, so its first translation counts.
            by_message.setdefault(message, translation)
    texts = {name: {entry.msgid for entry in pin[name]} for name in pin}
    here = texts.get(page, set())
    messages = list(dict.fromkeys(messages))
    translated = list(filter(by_message.__contains__, messages))
    # A text may have moved to another page of the pin. Such a page must have a message that this
    # page has lost, and a long one: a short text may be equal by coincidence.
    lost = set(translated) - here
    clear = {text for text in lost if count_words(text) >= CLEAR_WORDS}
    wanted: dict[str, list[Entry]] = {}
    for name in pin:
        if name == page or not clear.isdisjoint(texts[name]):
            # Without translations, so that the update takes them only from the old version.
            blanks = [Entry(msgid=one.msgid, references=(name,)) for one in pin[name]]
            wanted[name] = blanks
    updated = update_catalogs(
        {page: _placeholder_catalog(messages, translated)},
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
            # A text that is still on its own page has not moved.
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
    """Return the offer for a message of the pin, made from the translations of ``sources``.

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
        # The memory finds single messages, but no text joined from several.
        previous, change = msgid, str(ChangeClass.MERGED)
    elif len(translation.english) > 1:
        # The copy translates several messages in one paragraph: each message gets all of it.
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


def _placeholder_catalog(messages: Iterable[str], translated: Sequence[str]) -> Catalog:
    """Return the page's catalogue with a numbered placeholder for each translation.

    The placeholder in an updated entry then shows which message it comes from.
    """
    msgstrs: dict[str, str] = {}
    for number, message in enumerate(translated):
        msgstrs[message] = _STAND_IN.format(number)
    entries = [Entry(msgid=text, msgstr=msgstrs.get(text, "")) for text in messages]
    return Catalog(entries=tuple(entries))


def is_same(ours: str, theirs: str) -> bool:
    """Return whether two translations have the same words.

    Spaces, punctuation and markup are ignored: ``用 `jit` 编译。`` equals ``用jit编译``.
    """
    return _SPACES_AND_MARKS.sub("", ours) == _SPACES_AND_MARKS.sub("", theirs)


def adopted_entry(entry: Entry, offer: Offer, msgstr: str, origin: Copy) -> Entry:
    """Return an entry of the pin with the offer, as fuzzy translation or as comment.

    ``msgstr`` is the offer's Chinese with restored markup. A translated entry keeps its
    translation; a machine draft is replaced.
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
    """Return a translated entry with the other translation as comment, if that is new.

    Long atoms are redacted: the memory stores comments, and must not hold upstream's text.
    """
    # On a second adoption of the same file nothing changes, even if the encoder's scores differ.
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
    """Return the catalogue with the ``offers``, which map a msgid to an offer and its msgstr."""
    entries: list[Entry] = []
    left = dict(offers)
    # Messages translated in some context. Their entries in other contexts stay empty, for a
    # translator.
    taken = {
        entry.msgid
        for entry in catalog.entries
        if not entry.obsolete and not is_open(entry)
    }
    for entry in catalog.entries:
        # If contexts make several entries of one message, the first one gets the offer …
        offered = None if entry.obsolete else left.pop(entry.msgid, None)
        # … unless another one is translated.
        is_blank_twin = is_open(entry) and entry.msgid in taken
        if offered is None or is_blank_twin:
            entries.append(entry)
        else:
            entries.append(adopted_entry(entry, *offered, origin))
    if tuple(entries) == catalog.entries:
        return catalog
    return replace(catalog, entries=tuple(entries))
