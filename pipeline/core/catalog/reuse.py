"""What a message without a translation can take over from the catalogues of the locale, and as what."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.core.catalog.change import Change, ChangeClass, carry, classify, diff
from pipeline.core.catalog.similarity import Match, Text, match_texts
from pipeline.core.document.prose import count_words
from pipeline.entries import Entry

CLEAR_WORDS = 4  # an equal text of as many words means the same on every page
AGREEING = 2  # pages that translate a shorter text alike make it clear as well
CARRIED, FUZZY = "carried over:", "fuzzy:"  # what a note that tells an entry's state starts with
_CLOSED = "。！？；：，、）」』”…"  # no space follows these in Chinese


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A translation that exists. ``free``: its own message is gone from its page, so that others may have it."""

    page: str
    entry: Entry
    free: bool

    @property
    def text(self) -> str:
        """The English that the msgstr was written for."""
        return written_for(self.entry)


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """A wanted entry that has no translation yet. ``is_new``: its page did not have it so far."""

    page: str
    entry: Entry
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """The entries that take the place of an open one (several if a translator told contexts apart), and whence."""

    entries: tuple[Entry, ...]
    served: tuple[Source, ...]


def written_for(entry: Entry) -> str:
    """The English that a msgstr was written for."""
    return entry.previous if entry.fuzzy and entry.previous else entry.msgid


def reuse(
    wanted: Sequence[Open], sources: Sequence[Source], kin: Mapping[str, Collection[str]]
) -> dict[int, Offer]:
    """For each of ``wanted``, by index, the best that ``sources`` have for it, if anything.

    Equal text comes first. The new ones among the rest take what is similar. What then followed a change by itself is
    finished, and so serves equal texts again.
    """
    offers = _equal(wanted, sources, kin)
    served = {id(source) for offer in offers.values() for source in offer.served}
    offers |= _similar(
        {at: one for at, one in enumerate(wanted) if one.is_new and at not in offers},
        sources,
        kin,
        served,
    )
    carried = [
        Source(page=wanted[at].page, entry=entry, free=False)
        for at, offer in offers.items()
        for entry in offer.entries
        if not entry.fuzzy and entry.msgid not in {source.text for source in offer.served}
    ]
    return _equal(wanted, carried, kin) | offers if carried else offers


def _equal(
    wanted: Sequence[Open], sources: Iterable[Source], kin: Mapping[str, Collection[str]]
) -> dict[int, Offer]:
    by_text: dict[str, list[Source]] = defaultdict(list)
    texts = {one.entry.msgid for one in wanted}
    for source in sources:
        if source.entry.msgid in texts and not source.entry.fuzzy:
            by_text[source.entry.msgid].append(source)
    return {
        at: _same(one, by_text[one.entry.msgid], kin)
        for at, one in enumerate(wanted)
        if one.entry.msgid in by_text
    }


def _same(one: Open, sources: Sequence[Source], kin: Mapping[str, Collection[str]]) -> Offer:
    """Equal English elsewhere: finished if it moved here, or if all agree and the text is long enough to be clear."""
    near = kin.get(one.page, ())
    home = next(
        (page for page in near if any(source.free and source.page == page for source in sources)),
        "",
    )
    moved = [source for source in sources if source.free and source.page == home]
    choices = Counter(source.entry.msgstr for source in sources)
    said = {source.entry.msgstr for source in moved}
    if moved and all(
        source.entry.msgstr in said for source in sources if source.free and source.page in near
    ):
        return Offer(
            entries=tuple(_taken_over(one.entry, source) for source in moved), served=tuple(moved)
        )
    best = max(
        sources, key=lambda source: (choices[source.entry.msgstr], source.free, source.entry.msgstr)
    )
    clear = (
        count_words(one.entry.msgid) >= CLEAR_WORDS
        or len({source.page for source in sources}) >= AGREEING
    )
    if len(choices) == 1 and (clear or any(source.free for source in sources)):
        return Offer(
            entries=(_taken_over(one.entry, best),),
            served=tuple(source for source in sources if source.free),
        )
    why = "other pages differ" if len(choices) > 1 else "too short to mean the same everywhere"
    note = f"{FUZZY} {ChangeClass.MOVED}: the same text in {best.page}, but {why}"
    return Offer(entries=(_offered(one.entry, best, note),), served=(best,))


def _similar(
    wanted: Mapping[int, Open],
    sources: Sequence[Source],
    kin: Mapping[str, Collection[str]],
    served: Collection[int],
) -> dict[int, Offer]:
    new = [Text(page=one.page, text=one.entry.msgid) for one in wanted.values()]
    old = (
        [
            Text(page=source.page, text=source.text, free=source.free and id(source) not in served)
            for source in sources
        ]
        if new
        else []
    )
    found = match_texts(new, old, kin)
    numbers = list(wanted)
    return {
        numbers[at]: _made_from(
            wanted[numbers[at]], [sources[source] for source in match.sources], match, kin
        )
        for at, match in sorted(found.items())
    }


def _made_from(
    one: Open, sources: Sequence[Source], match: Match, kin: Mapping[str, Collection[str]]
) -> Offer:
    first = sources[0]
    text = " ".join(source.text for source in sources)
    is_near = first.free and first.page in (one.page, *kin.get(one.page, ()))
    if (
        len(sources) == 1
        and not first.entry.fuzzy
        and (is_near or count_words(text) >= CLEAR_WORDS)
    ):
        msgstr = carry(text, one.entry.msgid, first.entry.msgstr)
        if msgstr is not None:
            entry = _with_comments(one.entry, sources)
            note = f"{CARRIED} {classify(text, one.entry.msgid)}"
            return Offer(
                entries=(replace(entry, msgstr=msgstr, notes=(*entry.notes, note)),),
                served=tuple(sources),
            )
    change = (
        Change(kind=match.kind, diff=diff(text, one.entry.msgid))
        if match.kind
        else classify(text, one.entry.msgid)
    )
    entry = replace(
        _with_comments(one.entry, sources), msgstr=_joined(sources), fuzzy=True, previous=text
    )
    return Offer(
        entries=(replace(entry, notes=(*entry.notes, f"{FUZZY} {change}")),), served=tuple(sources)
    )


def _joined(sources: Sequence[Source]) -> str:
    msgstr = sources[0].entry.msgstr
    for source in sources[1:]:
        msgstr += ("" if msgstr.endswith(tuple(_CLOSED)) else " ") + source.entry.msgstr
    return msgstr


def _taken_over(entry: Entry, source: Source) -> Entry:
    entry = _with_comments(entry, [source])
    note = f"{CARRIED} the same text in {source.page}"
    return replace(
        entry,
        msgstr=source.entry.msgstr,
        context=source.entry.context,
        flags=source.entry.flags,
        notes=(*entry.notes, note),
    )


def _offered(entry: Entry, source: Source, note: str) -> Entry:
    entry = _with_comments(entry, [source])
    return replace(
        entry,
        msgstr=source.entry.msgstr,
        fuzzy=True,
        previous=entry.msgid,
        notes=(*entry.notes, note),
    )


def _with_comments(entry: Entry, sources: Iterable[Source]) -> Entry:
    """What translators noted on the old messages, and on this one."""
    found = (comment for source in sources for comment in source.entry.comments)
    return replace(entry, comments=tuple(dict.fromkeys((*found, *entry.comments))))
