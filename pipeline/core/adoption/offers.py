"""Offers: translations of an old version, carried to the messages of the pin.

``carry_to_pin`` treats a copy's translations as a catalogue of the old version. The usual update of
catalogues then finds the message at the pin for each translation. ``adopt_into`` puts the offers
into a catalogue, as fuzzy translations that a person must confirm. An existing translation is never
changed: the offer becomes a comment of its entry.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from pipeline.core.catalog.change_class import ChangeClass, classify
from pipeline.core.catalog.lineage import CLEAR_WORDS
from pipeline.core.catalog.origins import FUZZY, STATES, Copy, is_open
from pipeline.core.catalog.update import update_catalogs
from pipeline.core.document.prose import count_words
from pipeline.core.memory.record import redact
from pipeline.entries import Catalog, Entry

# Placeholder that stands for a translation during the update. No text has its characters.
_STAND_IN = "\ue010{}\ue011"
_STAND_INS = re.compile("\ue010(\\d+)\ue011")
_SPACES_AND_MARKS = re.compile(r"[\W_]+")


class Translation(Struct, frozen=True, kw_only=True):
    """Translation in a copy: of one message, or of several messages in one paragraph."""

    english: tuple[str, ...]  # msgids, in order
    chinese: str
    score: float  # confidence of the alignment, 0 to 1

    @property
    def whole(self) -> str:
        """Return the English as one text, joined as the update of catalogues joins messages."""
        return " ".join(self.english)


class Offer(Struct, frozen=True, kw_only=True):
    """Translation for a message of the pin."""

    page: str
    msgid: str
    translation: Translation
    english: str  # text that was translated
    # Previous msgid for the entry. The memory must be able to find it in upstream's history, so it
    # may differ from ``english``.
    previous: str
    # Difference between ``english`` and ``msgid``, with its class, or "".
    # Example: "numbers: at least [-2-]{+3+} devices".
    change: str = ""


def carry_to_pin(
    page: str,
    messages: Sequence[str],
    translations: Sequence[Translation],
    pin: Mapping[str, Catalog],
) -> tuple[list[Offer], list[Translation]]:
    """Return the offers at the pin, and the translations without a message there.

    ``messages`` has the msgids of ``page`` in the old version. ``pin`` has the catalogues of
    the pin, by page.
    """
    by_message: dict[str, Translation] = {}
    for translation in translations:
        for message in translation.english:
            # A text that occurs twice on a page has one entry. Use its first translation.
            by_message.setdefault(message, translation)
    texts = {name: set(pin[name].live_texts) for name in pin}
    here = texts.get(page, set())
    messages = list(dict.fromkeys(messages))
    translated = list(filter(by_message.__contains__, messages))
    # A text may have moved to another page. Only consider pages that have a long message which this
    # page has lost. Short texts may be equal by coincidence.
    lost = set(translated) - here
    clear = {text for text in lost if count_words(text) >= CLEAR_WORDS}
    wanted: dict[str, list[Entry]] = {}
    for name in pin:
        if name == page or not clear.isdisjoint(texts[name]):
            # Remove the translations of the pin, so that the update uses only those of the old
            # version.
            blanks = [Entry(msgid=text, references=(name,)) for text in pin[name].live_texts]
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
            # Ignore a text on another page if ``page`` still has it, because it has not moved.
            if name == page or here.isdisjoint(sources):
                parts = dict.fromkeys(by_message[message] for message in sources)
                used.update(parts)
                offers.append(_offer(name, entry.msgid, sources, list(parts), texts[name]))
    gone = [translation for translation in translations if translation not in used]
    return offers, gone


def _offer(
    page: str,
    msgid: str,
    sources: Sequence[str],
    parts: Sequence[Translation],
    texts: Collection[str],
) -> Offer:
    """Return the offer for the message ``msgid`` of the pin.

    ``sources`` are the old messages that this message comes from, ``parts`` their translations.
    ``texts`` has the messages of ``page`` at the pin.
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
        # The memory can find a single message again, but not a text joined from several. So the
        # message itself serves as the previous English.
        previous, change = msgid, str(ChangeClass.MERGED)
    elif len(translation.english) > 1:
        # The copy translates several messages in one paragraph. Offer the whole paragraph for each.
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
    """Return a catalogue of ``messages`` with a numbered placeholder for each translation.

    After the update, the placeholder in an entry shows which message it comes from.
    """
    msgstrs: dict[str, str] = {}
    for number, message in enumerate(translated):
        msgstrs[message] = _STAND_IN.format(number)
    entries = [Entry(msgid=text, msgstr=msgstrs.get(text, "")) for text in messages]
    return Catalog(entries=tuple(entries))


def is_same(ours: str, theirs: str) -> bool:
    """Return whether two translations consist of the same words.

    Spaces, punctuation and markup do not matter: "用 `jit` 编译。" equals "用jit编译".
    """
    return _SPACES_AND_MARKS.sub("", ours) == _SPACES_AND_MARKS.sub("", theirs)


def adopted_entry(entry: Entry, offer: Offer, msgstr: str, origin: Copy) -> Entry:
    """Return an entry of the pin with the offer, as fuzzy translation or as comment.

    ``msgstr`` is the offer's Chinese with restored markup. In an empty entry or a machine's draft,
    it becomes the translation. Any other entry gets it as a comment.
    """
    if not is_open(entry):
        return _with_comment(entry, msgstr, origin)
    state = f"{FUZZY} {offer.change or ChangeClass.ADOPTED}"
    notes = (*entry.notes_without(STATES), state, origin.note(offer.translation.score))
    return replace(entry, msgstr=msgstr, fuzzy=True, previous=offer.previous, notes=notes)


def _with_comment(entry: Entry, msgstr: str, origin: Copy) -> Entry:
    """Return a translated entry with the copy's translation ``msgstr`` as a comment.

    Return the entry unchanged if it already has ``msgstr`` as its translation or in a comment. Long
    atoms are redacted, because the memory stores comments but no text of upstream.
    """
    # If the entry was adopted from the same file before, change nothing. Compare the start of the
    # note only, because scores may differ between runs.
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
    """Return the catalogue with the ``offers``, which map a msgid to an offer and its msgstr.

    If nothing changes, return ``catalog`` itself.
    """
    entries: list[Entry] = []
    left = dict(offers)
    # Messages with a translated entry. If a message has several entries (with contexts) and one of
    # them is translated, the others stay empty.
    taken = {entry.msgid for entry in catalog.entries if not entry.obsolete and not is_open(entry)}
    for entry in catalog.entries:
        # If a message has several entries, only the first one may get the offer.
        offered = None if entry.obsolete else left.pop(entry.msgid, None)
        # If this entry is open, but another entry of the message is translated, none gets the
        # offer.
        is_blank_twin = is_open(entry) and entry.msgid in taken
        if offered is None or is_blank_twin:
            entries.append(entry)
        else:
            entries.append(adopted_entry(entry, *offered, origin))
    if tuple(entries) == catalog.entries:
        return catalog
    return replace(catalog, entries=tuple(entries))
