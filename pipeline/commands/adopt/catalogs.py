"""Transfer of translations from copies, and from other projects' catalogues, to our catalogues.

The input is a matched copy and the catalogues at the pin. The output is new catalogues and the rows
of the report. This module writes no file, so a dry run uses it as well. Another project's catalogue
contains the English that was translated, so the command need not find a version for it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain

from msgspec import Struct, field
from msgspec.structs import replace

from pipeline.adapters import po
from pipeline.commands.adopt.copy_files import CopyFile
from pipeline.core.adoption.alignment import Pair
from pipeline.core.adoption.blocks import HAN, Block, words_of
from pipeline.core.adoption.candidates import Choice, Version, only_version
from pipeline.core.adoption.markup_restoration import restore
from pipeline.core.adoption.offers import (
    Offer,
    Translation,
    adopt_into,
    carry_to_pin,
    is_same,
)
from pipeline.core.adoption.result import AdoptedCopy, Row, State
from pipeline.core.catalog.origins import Copy, is_open
from pipeline.core.checks.engine import fix_entry
from pipeline.core.checks.model import Subject, read_place
from pipeline.core.pin.lock import Lock, Page
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError

# Rows of the report by the English messages of a passage. An *offer* is a translation that is
# suggested for a message of the pin.
_RowsByEnglish = Mapping[tuple[str, ...], Sequence[Row]]


class CatalogFiller(Struct, kw_only=True):
    """Catalogues of the pin by page, to which copies are added one after the other.

    ``changed`` has the names of the pages whose catalogue has changed.
    """

    catalogs: dict[str, Catalog]
    changed: set[str] = field(default_factory=set)

    def fill(self, copy: Sequence[Block], choice: Choice, origin: Copy) -> tuple[Row, ...]:
        """Add the translations of a copy. Return the rows of its report in the copy's order."""
        english = choice.candidate.blocks
        messages = [block.text for block in words_of(english)]
        offers, _ = carry_to_pin(
            origin.page, messages, translations_in(copy, choice), self.catalogs
        )
        offered = self._add_offers(offers, origin)
        # Use the messages of all pages, because upstream may have renamed the copy's page.
        pinned: set[str] = set()
        for catalog in self.catalogs.values():
            pinned.update(catalog.live_texts)
        rows: list[Row] = []
        for pair in choice.pairs:
            ours = [block.text for block in _blocks(english, pair.english)]
            theirs = _blocks(copy, pair.copy)
            # A passage is offered to every page that has its English, so it can have several rows.
            found = offered.get(tuple(ours), ()) if theirs else ()
            if (ours and not found) or (theirs and not found):
                found = [_other_row(ours, theirs, pinned, pair)]
            place = theirs[0].place if theirs else ""
            rows += [replace(row, place=place) for row in found]
        return tuple(rows)

    def fill_catalog(self, entries: Sequence[Entry], origin: Copy) -> tuple[Row, ...]:
        """Add the entries of another project's catalogue. Return the rows of its report."""
        translations = [
            Translation(english=(entry.source_text,), chinese=entry.msgstr, score=0.99)
            for entry in entries
        ]
        messages = [entry.source_text for entry in entries]
        offers, lost = carry_to_pin(origin.page, messages, translations, self.catalogs)
        # The memory stores no English: it looks up older English in upstream's history. The English
        # of another project's catalogue may not be in this history. So record the current English
        # as the previous one. Of the change, record only the class ("numbers"), not the diff.
        kept = [
            replace(
                offer,
                previous=offer.msgid,
                change=offer.change.partition(":")[0],
            )
            for offer in offers
        ]
        offered = self._add_offers(kept, origin)
        gone = [Row(state=State.GONE, english=one.whole, copy=one.chinese) for one in lost]
        return (*chain.from_iterable(offered.values()), *gone)

    def _add_offers(self, carried: Iterable[Offer], origin: Copy) -> _RowsByEnglish:
        """Add offers to the catalogues. Return their rows by the English that was translated."""
        rows: dict[tuple[str, ...], list[Row]] = defaultdict(list)
        offers: dict[str, dict[str, tuple[Offer, str]]] = defaultdict(dict)
        for offer in carried:
            entry = self._entry(offer)
            msgstr = fitted(entry, offer)
            offers[offer.page][offer.msgid] = (offer, msgstr)
            if is_open(entry):
                state = State.CHANGED if offer.change else State.EQUAL
            else:
                # The entry has a translation, and keeps it. The offer becomes a comment, unless its
                # words are the same.
                same = is_same(entry.msgstr, msgstr)
                state = State.SAME if same else State.KEPT
            row = Row(
                state=state,
                english=offer.translation.whole,
                copy=offer.translation.chinese,
                pin=offer.msgid,
                score=offer.translation.score,
                change=offer.change,
                msgstr=msgstr,
                page="" if offer.page == origin.page else offer.page,
            )
            rows[offer.translation.english].append(row)
        for page, offered in offers.items():
            before = self.catalogs[page]
            self.catalogs[page] = adopt_into(before, offered, origin)
            if self.catalogs[page] is not before:
                self.changed.add(page)
        return rows

    def _entry(self, offer: Offer) -> Entry:
        """Return the live entry of an offer; every offer was made for an existing entry."""
        entries = self.catalogs[offer.page].entries
        return next(entry for entry in entries if entry.msgid == offer.msgid and not entry.obsolete)


def translations_in(copy: Sequence[Block], choice: Choice) -> list[Translation]:
    """Return the translations in a copy: the reliable pairs of message and passage with Chinese."""
    translations: list[Translation] = []
    for pair in choice.pairs:
        messages = _blocks(choice.candidate.blocks, pair.english)
        texts = [block.text for block in _blocks(copy, pair.copy)]
        if messages and pair.is_sure and any(map(HAN.search, texts)):
            english = tuple(message.text for message in messages)
            translations.append(
                Translation(english=english, chinese=" ".join(texts), score=pair.confidence)
            )
    return translations


def _blocks(blocks: Sequence[Block], numbers: Iterable[int]) -> list[Block]:
    """Return the blocks at the indexes in ``numbers``, without blocks of code."""
    return words_of(blocks[number] for number in numbers)


def fitted(entry: Entry, offer: Offer) -> str:
    """Return the Chinese of an offer with correct atoms, and with the fixes of ``check --fix``.

    Atoms are parts that a translation must keep, such as code spans and links. First restore the
    atoms of the English that was translated, then the atoms of the English at the pin.
    """
    markup = read_place(entry).markup
    text = restore(offer.english, offer.translation.chinese, markup)
    if offer.english != entry.msgid:
        text = restore(entry.msgid, text, markup)
    return fix_entry(Subject(replace(entry, msgstr=text, fuzzy=False), offer.page))


def _other_row(
    ours: Sequence[str], theirs: Sequence[Block], pinned: Collection[str], pair: Pair
) -> Row:
    """Return the report's row for a passage that was not offered to any message.

    ``ours`` are the English messages, ``theirs`` the blocks of the copy; either may be empty.
    ``pinned`` has all messages at the pin.
    """
    english = " ".join(ours)
    copy = " ".join(block.text for block in theirs)
    if not theirs:
        state = State.MISSING
    elif not ours:
        state = State.EXTRA
    elif not HAN.search(copy):
        state = State.ENGLISH
    else:
        state = State.GONE if pair.is_sure else State.DOUBTFUL
    pin = english if all(message in pinned for message in ours) else ""
    return Row(state=state, english=english, copy=copy, pin=pin, score=pair.confidence)


def import_catalog(
    file: CopyFile,
    filler: CatalogFiller,
    lock: Lock,
    origin: Callable[[str, Version], Copy],
) -> AdoptedCopy:
    """Add the translations of another project's catalogue, and return its part of the report.

    ``origin`` makes the record of where a translation comes from. Raises InputError if the file
    cannot be parsed, has no Chinese, or shares no message with upstream's pages.
    """
    catalog = po.read_catalog(file.text.encode(), where=file.name).catalog
    entries = [entry for entry in catalog.entries if HAN.search(entry.msgstr)]
    if not entries:
        raise InputError(
            "has no Chinese translation",
            where=file.name,
            hint="Give a catalogue whose msgstr are filled in.",
        )
    page = _page_of(entries, filler)
    if not page:
        raise InputError(
            f"is of another project: upstream's docs have none of its {len(entries)} translated "
            "messages",
            where=file.name,
            hint="Give a catalogue of these docs, with upstream's English as msgid.",
        )
    # The translated version is unknown. The result does not depend on it, so use the pin.
    version = only_version(Page(name=page, files=()), lock.commit, lock.date)
    return AdoptedCopy(
        file=file.name,
        form=file.shown_form,
        encoding=file.encoding,
        page=page,
        rows=filler.fill_catalog(entries, origin(file.name, version)),
    )


def _page_of(entries: Sequence[Entry], filler: CatalogFiller) -> str:
    """Return the page that shares most messages with ``entries``, or an empty string.

    The file's name says nothing about the page, and the file may have entries of several pages.
    """
    texts = {entry.source_text for entry in entries}
    votes: Counter[str] = Counter()
    for page, catalog in sorted(filler.catalogs.items(), reverse=True):
        votes[page] = sum(entry.msgid in texts for entry in catalog.entries)
    page = max(votes, key=votes.__getitem__, default="")
    return page if votes[page] else ""
