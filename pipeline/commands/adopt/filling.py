"""What was found of a copy comes into the catalogues of the pin.

In go a choice and the catalogues, out come new catalogues and the rows of the report. No file is
touched here: the same is done for a dry run.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from pipeline.core.adoption.blocks import Block, words_of
from pipeline.core.adoption.carrying import (
    Carried,
    Offer,
    Translation,
    adopt_into,
    carry,
    is_same,
)
from pipeline.core.adoption.choosing import Choice
from pipeline.core.adoption.evidence import HAN
from pipeline.core.adoption.restoring import restore
from pipeline.core.adoption.result import Row, State
from pipeline.core.catalog.origins import Copy, is_open
from pipeline.core.checks.base import Subject
from pipeline.core.checks.notes import read_place
from pipeline.core.checks.run import fix_entry
from pipeline.core.glossary.terms import Glossary
from pipeline.entries import Catalog, Entry

_CLOSED = tuple("。！？；：，、）」』”…")  # no space follows these in Chinese


@dataclass(kw_only=True)
class Filling:
    """The catalogues of the pin while one copy after another comes into them.

    ``changed`` are the pages whose catalogue is another one now.
    """

    catalogs: dict[str, Catalog]
    glossary: Glossary | None
    changed: set[str] = field(default_factory=set)

    def live(self) -> dict[str, list[Entry]]:
        """The live entries of every page: what readers of the pin can see."""
        live: dict[str, list[Entry]] = {}
        for page, catalog in self.catalogs.items():
            live[page] = [entry for entry in catalog.entries if not entry.obsolete]
        return live

    def fill(
        self, copy: Sequence[Block], choice: Choice, origin: Copy
    ) -> tuple[Row, ...]:
        """Take in what a copy translates; return the rows of its report, in the copy's order."""
        english = choice.candidate.blocks
        page = choice.candidate.version.page.name
        translations = translations_in(copy, choice)
        messages = [block.text for block in english if block.is_words]
        live = self.live()
        carried = carry(page, messages, translations, live)
        states = self._take(carried, origin)
        # Of all pages: the page may have another name now.
        texts = {entry.msgid for entry in chain.from_iterable(live.values())}
        return _Rows(copy, choice, carried, states, texts, self.glossary).rows()

    def fill_catalog(
        self, page: str, entries: Sequence[Entry], origin: Copy
    ) -> tuple[Row, ...]:
        """The same for the entries of somebody's catalogue of ``page``."""
        translations = [
            Translation(english=(entry.written_for,), chinese=entry.msgstr, score=0.99)
            for entry in entries
        ]
        messages = [entry.written_for for entry in entries]
        carried = carry(page, messages, translations, self.live())
        carried = replace(
            carried, offers=tuple(map(_without_old_english, carried.offers))
        )
        states = self._take(carried, origin)
        rows = [
            _offer_row(offer, *states[offer.page, offer.msgid], self.glossary)
            for offer in carried.offers
        ]
        gone = [
            Row(state=State.GONE, english=one.whole, copy=one.chinese)
            for one in carried.gone
        ]
        return (*rows, *gone)

    def _take(
        self, carried: Carried, origin: Copy
    ) -> dict[tuple[str, str], tuple[State, str]]:
        """Bring offers into the catalogues; say of each what became of it, and its msgstr."""
        states: dict[tuple[str, str], tuple[State, str]] = {}
        offers: dict[str, dict[str, tuple[Offer, str]]] = {}
        for offer in carried.offers:
            entry = self._entry(offer)
            msgstr = fitted(entry, offer)
            offers.setdefault(offer.page, {})[offer.msgid] = (offer, msgstr)
            states[offer.page, offer.msgid] = (_state(entry, offer, msgstr), msgstr)
        for page, offered in offers.items():
            before = self.catalogs[page]
            after = adopt_into(before, offered, origin)
            if after is not before:
                self.catalogs[page] = after
                self.changed.add(page)
        return states

    def _entry(self, offer: Offer) -> Entry:
        """The live entry that an offer is for: there is one, for it was made from that."""
        entries = self.catalogs[offer.page].entries
        return next(
            entry
            for entry in entries
            if entry.msgid == offer.msgid and not entry.obsolete
        )


def translations_in(copy: Sequence[Block], choice: Choice) -> list[Translation]:
    """What a copy translates, by message: each pair of an alignment whose copy is Chinese.

    What was left in English translates nothing, and what is no message has no entry.
    """
    english = choice.candidate.blocks
    translations: list[Translation] = []
    for pair in choice.pairs:
        messages = words_of(english[number] for number in pair.english)
        texts = [copy[number].text for number in pair.copy]
        if not messages or not any(map(HAN.search, texts)):
            continue
        translation = Translation(
            english=tuple(message.text for message in messages),
            chinese=_joined(texts),
            score=pair.confidence,
        )
        translations.append(translation)
    return translations


def fitted(entry: Entry, offer: Offer) -> str:
    """The Chinese of an offer, fit for its message: atoms put back, mended as by ``check``.

    First what the copy lost of its own English, then what has another form at the pin.
    """
    markup = read_place(entry).markup
    english = offer.english
    text = restore(english, offer.translation.chinese, markup)
    if english != entry.msgid:
        text = restore(entry.msgid, text, markup)
    subject = Subject(replace(entry, msgstr=text, fuzzy=False), offer.page)
    return fix_entry(subject)


def _joined(texts: Sequence[str]) -> str:
    """Paragraphs as one: with a space where Chinese has one.

    ``加热。`` and ``打开`` → ``加热。打开``; ``用 `jit``` and ``编译`` → ``用 `jit` 编译``
    """
    joined = texts[0]
    for text in texts[1:]:
        between = "" if joined.endswith(_CLOSED) else " "
        joined += between + text
    return joined


def _state(entry: Entry, offer: Offer, msgstr: str) -> State:
    """What becomes of an offer, given the entry as it was.

    An entry with a translation keeps it: the other one becomes a comment, or is the same.
    """
    if is_open(entry):
        return State.EQUAL if offer.is_equal else State.CHANGED
    return State.SAME if is_same(entry.msgstr, msgstr) else State.KEPT


def _without_old_english(offer: Offer) -> Offer:
    """An offer that quotes no English but the pin's: of any other nobody knows where it stood.

    The memory could not find it again. The class of the change stays, without the diff.
    """
    kind = offer.change.partition(":")[0]
    return replace(offer, previous=offer.msgid, change=kind)


def _offer_row(
    offer: Offer, state: State, msgstr: str, glossary: Glossary | None
) -> Row:
    """The row of an offer, with what became of it.

    ``msgstr`` is what the catalogue has, or would have, of it.
    """
    return Row(
        state=state,
        english=offer.translation.whole,
        copy=offer.translation.chinese,
        pin=offer.msgid,
        score=offer.translation.score,
        change=offer.change,
        msgstr=msgstr,
        page=offer.page,
        avoided=_avoided(offer.msgid, msgstr, glossary),
    )


def _avoided(msgid: str, msgstr: str, glossary: Glossary | None) -> tuple[str, ...]:
    """What the glossary advises against, as ``term: rendering``.

    Only in a translation of a message that has the term.
    """
    if glossary is None:
        return ()
    misuses = glossary.misuses(glossary.mentions(msgid), msgstr)
    return tuple(f"{misuse.term.english}: {misuse.avoided.text}" for misuse in misuses)


@dataclass(frozen=True)
class _Rows:
    """Makes the rows of a copy: every passage of either side, in order."""

    copy: Sequence[Block]
    choice: Choice
    carried: Carried
    states: Mapping[tuple[str, str], tuple[State, str]]
    pin: Collection[str]  # the messages that upstream has at the pin
    glossary: Glossary | None

    def rows(self) -> tuple[Row, ...]:
        """The rows, in the order of the alignment; code and formulas are left out of it."""
        offers: dict[tuple[str, ...], list[Offer]] = {}
        for offer in self.carried.offers:
            offers.setdefault(offer.translation.english, []).append(offer)
        rows: list[Row] = []
        for pair in self.choice.pairs:
            ours = [self.choice.candidate.blocks[number] for number in pair.english]
            theirs = [self.copy[number] for number in pair.copy]
            if not all(block.is_words for block in (*ours, *theirs)):
                continue
            # A text that stands on several pages is offered to each of them.
            english = tuple(block.text for block in ours)
            found = offers.get(english, []) if theirs else []
            place = theirs[0].place if theirs else ""
            rows += [self._row(offer, place) for offer in found]
            if not found:
                row = _other_row(ours, theirs, pair.confidence)
                stands = all(message in self.pin for message in english)
                rows.append(
                    replace(row, place=place, pin=row.english if stands else "")
                )
        return tuple(rows)

    def _row(self, offer: Offer, place: str) -> Row:
        """The row of an offer; it names the page only if that is another one.

        ``place`` says where the copy has it.
        """
        state, msgstr = self.states[offer.page, offer.msgid]
        row = _offer_row(offer, state, msgstr, self.glossary)
        is_here = offer.page == self.choice.candidate.version.page.name
        return replace(row, place=place, page="" if is_here else offer.page)


def _other_row(ours: Sequence[Block], theirs: Sequence[Block], score: float) -> Row:
    """A passage that nothing is offered for: why, by what is missing of it.

    Missing in the copy, more than upstream has, gone from the pin, or left in English.
    """
    english = " ".join(block.text for block in ours)
    copy = " ".join(block.text for block in theirs)
    if not theirs:
        return Row(state=State.MISSING, english=english)
    if not ours:
        return Row(state=State.EXTRA, copy=copy, score=score)
    state = State.GONE if HAN.search(copy) else State.ENGLISH
    return Row(state=state, english=english, copy=copy, score=score)
