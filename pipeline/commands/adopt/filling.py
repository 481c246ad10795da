"""What was found of a copy comes into the catalogues of the pin.

In go a choice and the catalogues, out come new catalogues and the rows of the report. No file is
touched here: the same is done for a dry run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pipeline.core.adoption.blocks import Block, BlockKind
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
from pipeline.core.catalog.origins import Origin
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
        """The live entries of every page."""
        return {
            page: [entry for entry in catalog.entries if not entry.obsolete]
            for page, catalog in self.catalogs.items()
        }

    def fill(
        self, copy: Sequence[Block], choice: Choice, origin: Origin
    ) -> tuple[Row, ...]:
        """Take in what a copy translates; return the rows of its report, in the copy's order."""
        english = choice.candidate.blocks
        page = choice.candidate.version.page.name
        translations = translations_in(copy, choice)
        messages = [block.text for block in english if block.is_words]
        carried = carry(page, messages, translations, self.live())
        states = self._take(carried, origin)
        return _Rows(copy, choice, carried, states, self.glossary).rows()

    def fill_catalog(
        self, page: str, entries: Sequence[Entry], origin: Origin
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
        self, carried: Carried, origin: Origin
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
        for entry in self.catalogs[offer.page].entries:
            if entry.msgid == offer.msgid and not entry.obsolete:
                return entry
        raise AssertionError(offer.msgid)  # offers are made for live entries only


def translations_in(copy: Sequence[Block], choice: Choice) -> list[Translation]:
    """What a copy translates, by message: each pair of an alignment whose copy is Chinese."""
    english = choice.candidate.blocks
    translations: list[Translation] = []
    for pair in choice.pairs:
        texts = [copy[at].text for at in pair.copy]
        if not pair.english or not texts or not english[pair.english[0]].is_words:
            continue
        if any(map(HAN.search, texts)):
            translations.append(
                Translation(
                    english=tuple(english[at].text for at in pair.english),
                    chinese=_joined(texts),
                    score=pair.confidence,
                )
            )
    return translations


def fitted(entry: Entry, offer: Offer) -> str:
    """The Chinese of an offer, fit for its message: atoms put back, mended as by ``check``."""
    markup = read_place(entry).markup
    english = offer.english
    # First what the copy lost of its own English, then what has another form at the pin.
    text = restore(english, offer.translation.chinese, markup)
    if english != entry.msgid:
        text = restore(entry.msgid, text, markup)
    subject = Subject(replace(entry, msgstr=text, fuzzy=False), offer.page)
    return fix_entry(subject)


def _joined(texts: Sequence[str]) -> str:
    """Paragraphs as one: with a space where Chinese has one."""
    joined = texts[0]
    for text in texts[1:]:
        joined += text if joined.endswith(_CLOSED) else f" {text}"
    return joined


def _state(entry: Entry, offer: Offer, msgstr: str) -> State:
    """What becomes of an offer, given the entry as it was."""
    if not entry.msgstr:
        return State.EQUAL if offer.is_equal else State.CHANGED
    return State.SAME if is_same(entry.msgstr, msgstr) else State.KEPT


def _without_old_english(offer: Offer) -> Offer:
    """An offer that quotes no English but the pin's: of any other nobody knows where it stood."""
    kind = offer.change.partition(":")[0]
    return replace(offer, previous=offer.msgid, change=kind)


def _offer_row(
    offer: Offer, state: State, msgstr: str, glossary: Glossary | None
) -> Row:
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
    """What the glossary advises against, as ``term: rendering``."""
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
    glossary: Glossary | None

    def rows(self) -> tuple[Row, ...]:
        by_english: dict[tuple[str, ...], list[Offer]] = {}
        for offer in self.carried.offers:
            by_english.setdefault(offer.translation.english, []).append(offer)
        rows: list[Row] = []
        for pair in self.choice.pairs:
            ours = [self.choice.candidate.blocks[at] for at in pair.english]
            theirs = [self.copy[at] for at in pair.copy]
            if any(
                block.kind not in (BlockKind.PROSE, BlockKind.HEADING)
                for block in (*ours, *theirs)
            ):
                continue
            english = tuple(block.text for block in ours)
            place = theirs[0].place if theirs else ""
            offers = by_english.get(english, []) if theirs else []
            for offer in offers:
                state, msgstr = self.states[offer.page, offer.msgid]
                row = _offer_row(offer, state, msgstr, self.glossary)
                is_here = offer.page == self.choice.candidate.version.page.name
                rows.append(
                    replace(row, place=place, page="" if is_here else offer.page)
                )
            if not offers:
                row = _other_row(ours, theirs)
                rows.append(
                    replace(row, place=place, score=pair.confidence if theirs else 0.0)
                )
        return tuple(rows)


def _other_row(ours: Sequence[Block], theirs: Sequence[Block]) -> Row:
    """A passage that nothing is offered for."""
    english = " ".join(block.text for block in ours)
    copy = " ".join(block.text for block in theirs)
    if not theirs:
        return Row(state=State.MISSING, english=english)
    if not ours:
        return Row(state=State.EXTRA, copy=copy)
    is_chinese = HAN.search(copy) is not None
    return Row(
        state=State.GONE if is_chinese else State.ENGLISH, english=english, copy=copy
    )
