"""Reuse: what a message without a translation can take over from other messages, and as what.

Equal English elsewhere gives a finished translation where that is safe, otherwise a fuzzy one.
Similar English gives a fuzzy one, unless the translation may follow the change by itself (see
``carry``). Every translation may serve as a source, except those that wait for a person to confirm
them where they are. A source is free if its own message is gone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from pipeline.core.catalog.change import ChangeClass, carry, classify
from pipeline.core.catalog.lineage import CLEAR_WORDS, Plan
from pipeline.core.catalog.matcher import Match, Text, match_texts
from pipeline.core.catalog.origins import (
    CARRIED,
    FUZZY,
    is_draft,
    is_emptied,
    is_replaceable,
    lasting_notes,
)
from pipeline.core.document.prose import count_words
from pipeline.entries import Catalog, Entry

AGREEING = 2  # pages that translate a text alike make it clear, however short it is
_CLOSED = tuple("。！？；：，、）」』”…")  # no space follows these in Chinese

Kin = Mapping[str, Collection[str]]  # for a page the old pages that it was made from


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A translation that exists.

    It is ``free`` if its own message is gone from its page, so that others may have it.
    """

    page: str
    entry: Entry
    free: bool

    @property
    def text(self) -> str:
        """The English that the msgstr was written for."""
        return self.entry.written_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """A wanted entry that has no translation yet. ``is_new``: its page did not have it so far."""

    page: str
    entry: Entry
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What takes the place of an open entry, and the translations that it was made from.

    There are several entries if a translator told contexts apart.
    """

    entries: tuple[Entry, ...]
    served: tuple[Source, ...]


def reuse(
    wanted: Sequence[Open], sources: Sequence[Source], kin: Kin
) -> dict[int, Offer]:
    """For each of ``wanted``, by index, the best that ``sources`` have for it, if anything.

    Equal text comes first. The new ones among the rest take what is similar. What then followed a
    change by itself is finished, and so serves equal texts again.
    """
    offers = _offer_equal(dict(enumerate(wanted)), sources, kin)
    served: set[int] = set()
    for offer in offers.values():
        served.update(map(id, offer.served))
    # A text that stood on the page before without a translation was not made from any other.
    unserved = _without_offer(wanted, offers)
    new = {number: message for number, message in unserved.items() if message.is_new}
    offers |= _offer_similar(new, sources, kin, served=served)
    carried = _carried(wanted, offers)
    offers |= _offer_equal(_without_offer(wanted, offers), carried, kin)
    return offers


def _without_offer(
    wanted: Sequence[Open], offers: Mapping[int, Offer]
) -> dict[int, Open]:
    """The messages that nothing was found for yet, by their index in ``wanted``."""
    return {
        number: message for number, message in enumerate(wanted) if number not in offers
    }


def _offer_equal(
    wanted: Mapping[int, Open], sources: Iterable[Source], kin: Kin
) -> dict[int, Offer]:
    """Offers from finished translations of the same English.

    What waits for a person to confirm it is offered by ``_offer_similar`` only.
    """
    texts = {message.entry.msgid for message in wanted.values()}
    by_text: dict[str, list[Source]] = defaultdict(list)
    for source in sources:
        if source.entry.is_finished and source.entry.msgid in texts:
            by_text[source.entry.msgid].append(source)
    offers: dict[int, Offer] = {}
    for number, message in wanted.items():
        if message.entry.msgid in by_text:
            near = kin.get(message.page, ())
            offers[number] = _equal_offer(message, by_text[message.entry.msgid], near)
    return offers


def _equal_offer(
    message: Open, sources: Sequence[Source], near: Collection[str]
) -> Offer:
    """Finished if the text moved here, or if all agree and the text is clear; else fuzzy.

    ``near`` are the pages that the page of ``message`` was made from. With
    "Note" → "注意" on three pages and "备注" on one, a new page gets "注意" as fuzzy.
    """
    moved = _moved_here(sources, near)
    if moved:
        entries = tuple(_taken_over(message.entry, source) for source in moved)
        return Offer(entries=entries, served=tuple(moved))
    counts = Counter(source.entry.msgstr for source in sources)

    def rank(source: Source) -> tuple[int, bool, str]:
        """What most pages say, then what is free.

        The text itself makes every run choose the same.
        """
        return counts[source.entry.msgstr], source.free, source.entry.msgstr

    best = max(sources, key=rank)
    if len(counts) > 1:
        return _doubtful(message, best, "other pages differ")
    # A text that is gone from where it stood has come here, however short it is.
    free = tuple(source for source in sources if source.free)
    if not free and not _is_clear(message, sources):
        return _doubtful(message, best, "too short to mean the same everywhere")
    return Offer(entries=(_taken_over(message.entry, best),), served=free)


def _is_clear(message: Open, sources: Iterable[Source]) -> bool:
    """Whether an equal text means the same on the page of ``message``: "Example" may not.

    It does if it is long, or if several pages have it in the same words.
    """
    if count_words(message.entry.msgid) >= CLEAR_WORDS:
        return True
    pages = {source.page for source in sources}
    return len(pages) >= AGREEING


def _moved_here(sources: Sequence[Source], near: Collection[str]) -> list[Source]:
    """The free translations of the nearest page that has any.

    There may be several, if a translator told contexts apart: then all of them come over.
    None if another page near has it in other words: nobody knows which of them came here.
    """
    free = [source for source in sources if source.free and source.page in near]
    if not free:
        return []
    order = list(near)  # the nearest page first
    nearest = min((source.page for source in free), key=order.index)
    moved = [source for source in free if source.page == nearest]
    return moved if _msgstrs(moved) == _msgstrs(free) else []


def _msgstrs(sources: Iterable[Source]) -> set[str]:
    """The translations of some sources, in their different words."""
    return {source.entry.msgstr for source in sources}


def _doubtful(message: Open, best: Source, why: str) -> Offer:
    """The translation of an equal text as fuzzy, because it is not sure that it fits.

    ``fuzzy: moved: the same text in guide/start, but other pages differ``: ``why`` is the
    end of the note.
    """
    entry = _with_comments(message.entry, [best])
    note = f"{FUZZY} {ChangeClass.MOVED}: the same text in {best.page}, but {why}"
    offered = replace(
        entry,
        msgstr=best.entry.msgstr,
        fuzzy=True,
        previous=entry.msgid,
        notes=(*entry.notes, note),
    )
    return Offer(entries=(offered,), served=(best,))


def _taken_over(entry: Entry, source: Source) -> Entry:
    """``entry`` with the translation of the same English as finished.

    The note says where it came from: ``carried over: the same text in guide/start``.
    """
    entry = _with_comments(entry, [source])
    note = f"{CARRIED} the same text in {source.page}"
    return replace(
        entry,
        msgstr=source.entry.msgstr,
        context=source.entry.context,
        flags=source.entry.flags,
        notes=(*entry.notes, note),
    )


def _offer_similar(
    wanted: Mapping[int, Open],
    sources: Sequence[Source],
    kin: Kin,
    *,
    served: Collection[int],
) -> dict[int, Offer]:
    """Offers from translations of similar English.

    ``served`` are ids of entries that have found their place already.
    """
    # Most runs need no look at the letters of thousands of texts.
    if not wanted:
        return {}
    new = [
        Text(page=message.page, text=message.entry.msgid) for message in wanted.values()
    ]
    old: list[Text] = []
    for source in sources:
        # What an equal text took over is not free any more for a similar one.
        is_free = source.free and id(source) not in served
        old.append(Text(page=source.page, text=source.text, free=is_free))
    numbers = list(wanted)
    offers: dict[int, Offer] = {}
    for target, match in sorted(match_texts(new, old, kin).items()):
        message = wanted[numbers[target]]
        matched = [sources[source] for source in match.sources]
        offers[numbers[target]] = _similar_offer(message, matched, match, kin)
    return offers


def _similar_offer(
    message: Open, sources: Sequence[Source], match: Match, kin: Kin
) -> Offer:
    """Finished if the translation may follow the change; else fuzzy, with what changed.

    ``sources`` are those of ``match``, in the order of the joined text if there are several.
    """
    old = " ".join(source.text for source in sources)
    new = message.entry.msgid
    entry = _with_comments(message.entry, sources)
    followed = _followed(message, sources, kin)
    if followed is not None:
        note = f"{CARRIED} {classify(old, new)}"
        carried = replace(entry, msgstr=followed, notes=(*entry.notes, note))
        return Offer(entries=(carried,), served=tuple(sources))
    change = classify(old, new)
    # The texts alone do not tell that several became one, or one several.
    if match.kind:
        change = replace(change, kind=match.kind)
    offered = replace(
        entry,
        msgstr=_joined(sources),
        fuzzy=True,
        previous=old,
        notes=(*entry.notes, f"{FUZZY} {change}"),
    )
    return Offer(entries=(offered,), served=tuple(sources))


def _followed(message: Open, sources: Sequence[Source], kin: Kin) -> str | None:
    """The translation with the change made in it, if that is right without a person; else None.

    It never is for joined texts: nobody knows where one ends and the next begins. Nor for
    a translation that waits: a person has to look at it in any case.
    """
    first = sources[0]
    if len(sources) > 1 or first.entry.fuzzy:
        return None
    # A short text of a page far away may mean something else here, even if it differs in spaces
    # only.
    is_near = first.free and first.page in (message.page, *kin.get(message.page, ()))
    if not is_near and count_words(first.text) < CLEAR_WORDS:
        return None
    return carry(first.text, message.entry.msgid, first.entry.msgstr)


def _carried(wanted: Sequence[Open], offers: Mapping[int, Offer]) -> list[Source]:
    """What the offers made that is finished and new: it followed a change of its English.

    An offer by which a text moved is not new: what has the same English was a source all
    along.
    """
    carried: list[Source] = []
    for number, offer in offers.items():
        page = wanted[number].page
        old_texts = {source.text for source in offer.served}
        carried += [
            Source(page=page, entry=entry, free=False)
            for entry in offer.entries
            if entry.is_finished and entry.msgid not in old_texts
        ]
    return carried


def _joined(sources: Sequence[Source]) -> str:
    """The translations of texts that were joined, as one: with a space where Chinese has one.

    ``"茶很烫。"``, ``"见 tea"``, ``"再等。"`` → ``"茶很烫。见 tea 再等。"``
    """
    msgstr = sources[0].entry.msgstr
    for source in sources[1:]:
        if not msgstr.endswith(_CLOSED):
            msgstr += " "
        msgstr += source.entry.msgstr
    return msgstr


def _with_comments(entry: Entry, sources: Iterable[Source]) -> Entry:
    """``entry`` with what translators noted on the old messages, and on this one, each once.

    Where the old words come from goes along with them.
    """
    old_entries = [source.entry for source in sources]
    comments = chain.from_iterable(old.comments for old in (*old_entries, entry))
    origins = chain.from_iterable(map(lasting_notes, old_entries))
    return replace(
        entry,
        comments=tuple(dict.fromkeys(comments)),
        notes=tuple(dict.fromkeys((*entry.notes, *origins))),
    )


def find_sources(plan: Plan) -> list[Source]:
    """The sources of all pages: those that are updated first, then the others by name.

    The order decides ties only, so that every run chooses the same.
    """
    renamed = set(plan.renames.values())
    catalogs = dict(plan.own)
    for page in sorted(plan.old):
        # The catalogue of a renamed page is there already, under its new name.
        if page not in plan.wanted and page not in renamed:
            catalogs[page] = plan.old[page]
    sources: list[Source] = []
    for page, catalog in catalogs.items():
        sources += _sources_of_page(page, plan, catalog)
    return sources


def _sources_of_page(page: str, plan: Plan, catalog: Catalog) -> list[Source]:
    """The sources of one page, of which ``catalog`` is the catalogue that it starts from.

    They come in the order of its entries. A renamed page stands under its new name.
    """
    texts = _remaining_texts(page, plan, catalog)
    finished = finished_in(catalog.entries)
    offered = _offered_on_page(catalog, texts)
    sources: list[Source] = []
    for entry in catalog.entries:
        # Of a spare one the finished one is a source itself.
        if not entry.msgstr or is_spare(entry, finished):
            continue
        # What somebody has taken out is for no message.
        if is_emptied(entry):
            continue
        # What a machine has made serves no other message: that one may have its own draft.
        if is_draft(entry):
            continue
        # On a page that is updated an obsolete entry comes back when its text does.
        is_used = page in plan.wanted or not entry.obsolete
        stays = is_used and entry.msgid in texts
        if entry.fuzzy and stays:
            continue  # a person has to confirm it first
        is_free = not stays and (entry.msgid, entry.msgstr) not in offered
        sources.append(Source(page=page, entry=entry, free=is_free))
    return sources


def _remaining_texts(page: str, plan: Plan, catalog: Catalog) -> set[str]:
    """The messages that a page has from now on: none if upstream dropped it.

    Of a page that is not updated nothing more is known than what its catalogue holds.
    """
    if page in plan.gone:
        return set()
    entries = plan.wanted.get(page, catalog.entries)
    return {entry.msgid for entry in entries}


def _offered_on_page(
    catalog: Catalog, texts: Collection[str]
) -> set[tuple[str | None, str]]:
    """The translations that live entries of the page wait with, each with the English it is of.

    They have found a place, so they are not free for others, whatever became of their own message.
    """
    offered: set[tuple[str | None, str]] = set()
    for entry in catalog.entries:
        if entry.is_waiting and entry.msgid in texts:
            offered.add((entry.previous, entry.msgstr))
    return offered


# Translator comments of finished translations, by msgid and msgstr.
Finished = Mapping[tuple[str, str], tuple[str, ...]]


def finished_in(entries: Iterable[Entry]) -> Finished:
    """The finished translations among ``entries``, obsolete ones included.

    ``{("Tea is hot.", "茶很烫。"): ("Mind the tone.",)}``; of two that are equal but for
    their comments the last one counts.
    """
    return {
        (entry.msgid, entry.msgstr): entry.comments
        for entry in entries
        if entry.is_finished
    }


def is_spare(entry: Entry, finished: Finished) -> bool:
    """Whether a fuzzy entry only offers a translation that is ``finished``, remarks included.

    A finished entry is never spare. A fuzzy one with a remark that the finished one lacks
    is not either: the remark would be lost.
    """
    if not entry.fuzzy:
        return False
    comments = finished.get((entry.written_for, entry.msgstr))
    return comments is not None and set(entry.comments) <= set(comments)


def keys_of(catalog: Catalog) -> set[tuple[str, ...]]:
    """What must not be lost of a catalogue, as keys: who has them too, has the same.

    That is each msgstr with its English, each remark of a translator, and who it was. A finished
    translation also stands for one that waits, not the other way round: an entry gives
    ``("waiting", "Tea is hot.", "茶很烫。")`` in any case, and if it is finished also
    ``("finished", "Tea is hot.", "茶很烫。", "")``.
    """
    keys: set[tuple[str, ...]] = set()
    for line in (*catalog.comment, catalog.header.get("Last-Translator", "")):
        if line:
            keys.add(("head", line))
    for entry in catalog.entries:
        if not entry.msgstr or is_replaceable(entry):
            continue
        for comment in entry.comments:
            keys.add(("comment", entry.msgid, comment))
        keys.add(("waiting", entry.written_for, entry.msgstr))
        # A translation that a person has confirmed is more than the same one that waits.
        if entry.fuzzy:
            continue
        # "" stands for no context. An empty one, which no tool makes, would be the same.
        keys.add(("finished", entry.msgid, entry.msgstr, entry.context or ""))
    return keys
