"""Bring the catalogues of a locale up to date with upstream: no translation is lost, none is passed off as another's.

Equal text keeps its translation. Text that changed gets the old translation as fuzzy, with the English it was
written for and what changed, wherever in the locale it was. What upstream dropped stays as obsolete, and comes back
when the text does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pipeline.core.catalog.change import classify
from pipeline.core.catalog.lineage import find_kin, find_renames
from pipeline.core.catalog.reuse import CARRIED, FUZZY, Offer, Open, Source, reuse, written_for
from pipeline.core.document.message import Markup
from pipeline.core.document.prose import count_words
from pipeline.core.document.read import Document
from pipeline.core.results import PageResult
from pipeline.entries import Catalog, Entry
from pipeline.findings import Finding

# The header of a page's catalogue, given what is in the header now
Headers = Callable[[str, Mapping[str, str]], Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Updated:
    """A catalogue after the update, and how many of its wanted entries came to their translation how.

    ``obsolete`` counts the translations that lost their message by this update and serve no other one.
    """

    catalog: Catalog
    kept: int = 0
    carried: int = 0
    fuzzy: int = 0
    new: int = 0
    obsolete: int = 0
    fuzzy_by_class: Mapping[str, int] = field(default_factory=dict)
    moved_from: str = ""  # the page that upstream renamed to this one


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogs:
    """The catalogues of one locale, by page. A page whose file cannot be read is in ``findings`` only.

    ``counts`` has the pages that were updated, and those that upstream dropped; ``data`` what their files hold now, as far
    as that is known: a file that someone saved meanwhile is left out.
    """

    by_page: Mapping[str, Catalog]
    findings: Mapping[str, tuple[Finding, ...]]
    changes: tuple[str, ...] = ()  # files written or removed, relative to the root
    counts: Mapping[str, Updated] = field(default_factory=dict)
    data: Mapping[str, bytes] = field(default_factory=dict)


def wanted_entries(page: str, documents: Sequence[Document]) -> tuple[Entry, ...]:
    """The entries that a page needs, in page order, each once; a jupytext pair gives one list.

    The note says what kind of block it is, and under which headings it stands.
    """
    found: dict[str, Entry] = {}
    for document in documents:
        for _, message in document.messages():
            if message.msgid not in found:
                path = message.section
                what = (
                    str(message.kind)
                    if message.markup is Markup.MARKDOWN
                    else f"{message.kind} ({message.markup})"
                )
                note = " ".join(f"{what} · {path}".split() if path else [what])
                found[message.msgid] = Entry(msgid=message.msgid, notes=(note,), references=(page,))
    return tuple(found.values())


def update_catalogs(
    old: Mapping[str, Catalog],
    wanted: Mapping[str, Sequence[Entry]],
    *,
    header: Headers,
    gone: Collection[str] = (),
    redirects: Mapping[str, str] | None = None,
) -> dict[str, Updated]:
    """Give every wanted entry the best translation that the locale has; keep the rest as obsolete.

    ``old`` holds all catalogues of the locale, ``wanted`` the entries of the pages to update, ``gone`` names the pages
    of ``old`` that upstream dropped; ``redirects`` (old page to new page) is a hint. The result has a catalogue for
    each page of ``wanted`` and of ``gone``; one that needs no change is the very object given. It is empty if a page
    needs none, or was dropped and all that it had lives on in others.
    """
    plan = _plan(old, wanted, gone, redirects or {})
    slots = {
        page: _Slots.of(plan.own.get(page, Catalog()), entries) for page, entries in wanted.items()
    }
    open_ones = [
        Open(page=page, entry=entry, is_new=is_new)
        for page, slot in slots.items()
        for entry, is_new in slot.open
    ]
    sources = list(_sources(plan, old, wanted, gone)) if open_ones else []
    offers = reuse(open_ones, sources, plan.kin) if sources else {}
    taken: dict[str, dict[str, Offer]] = {page: {} for page in wanted}
    for at, offer in offers.items():
        taken[open_ones[at].page][open_ones[at].entry.msgid] = offer
    served = {id(source.entry) for offer in offers.values() for source in offer.served}
    result = {
        page: _updated(page, plan, slot, taken[page], served, header)
        for page, slot in slots.items()
    }
    standing = [catalog for page, catalog in old.items() if page not in gone and page not in result]
    standing += [updated.catalog for updated in result.values()]
    return result | _dropped(old, sorted(set(gone) & set(old)), standing, served, header)


def translations_of(catalog: Catalog) -> dict[str, str]:
    """The finished translations of a catalogue: what readers may see.

    An entry with a msgctxt stands under gettext's key for it, ``context \\4 msgid``; the first one also serves where none fits.
    """
    found: dict[str, str] = {}
    for entry in catalog.entries:
        if entry.is_translated and entry.context is not None:
            found[f"{entry.context}\4{entry.msgid}"] = entry.msgstr
            found.setdefault(entry.msgid, entry.msgstr)
    return found | {
        entry.msgid: entry.msgstr
        for entry in catalog.entries
        if entry.is_translated and entry.context is None
    }


def fuzzy_class(entry: Entry) -> str:
    """The class of change that a fuzzy entry waits for, a ``ChangeClass``; empty if no note tells."""
    note = next((note for note in entry.notes if note.startswith(FUZZY)), "") if entry.fuzzy else ""
    return note.removeprefix(FUZZY).partition(":")[0].strip()


def count_catalog(result: PageResult, catalog: Catalog) -> PageResult:
    """``result`` with its messages and English words counted by state."""
    live = [(entry, count_words(entry.msgid)) for entry in catalog.entries if not entry.obsolete]
    return replace(
        result,
        messages=len(live),
        words=sum(words for _, words in live),
        translated=sum(entry.is_translated for entry, _ in live),
        translated_words=sum(words for entry, words in live if entry.is_translated),
        fuzzy=sum(entry.fuzzy and bool(entry.msgstr) for entry, _ in live),
        obsolete=len(catalog.entries) - len(live),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """Which catalogue each page starts from: its own, or that of the page that it was called before."""

    own: Mapping[str, Catalog]
    kin: Mapping[str, tuple[str, ...]]
    renames: Mapping[str, str]


def _plan(
    old: Mapping[str, Catalog],
    wanted: Mapping[str, Sequence[Entry]],
    gone: Collection[str],
    redirects: Mapping[str, str],
) -> _Plan:
    had = {
        page: {entry.msgid for entry in catalog.entries if not entry.obsolete}
        for page, catalog in old.items()
    }
    ids = {page: {entry.msgid for entry in entries} for page, entries in wanted.items()}
    new = {page: fresh for page, texts in ids.items() if (fresh := texts - had.get(page, set()))}
    lost = {
        page: left
        for page, texts in had.items()
        if (left := texts - ids.get(page, texts if page not in gone else set()))
    }
    kin = find_kin(new, lost, redirects) if new else {}
    unborn = {page: texts for page, texts in new.items() if page not in old}
    renames = find_renames(
        unborn, {page: texts for page, texts in lost.items() if page in gone}, kin
    )
    own = {page: old[renames.get(page, page)] for page in wanted if renames.get(page, page) in old}
    return _Plan(own=own, kin=kin, renames=renames)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Slots:
    """The wanted entries of a page: each with the old entries that it keeps, or open."""

    wanted: Sequence[Entry]
    kept: Mapping[str, tuple[Entry, ...]]
    open: tuple[tuple[Entry, bool], ...]  # and whether the page did not have it so far

    @classmethod
    def of(cls, catalog: Catalog, wanted: Sequence[Entry]) -> _Slots:
        known: dict[str, list[Entry]] = {}
        for entry in catalog.entries:
            known.setdefault(entry.msgid, []).append(entry)
        kept: dict[str, tuple[Entry, ...]] = {}
        left: list[tuple[Entry, bool]] = []
        for entry in wanted:
            before = known.get(entry.msgid, [])
            live = [one for one in before if not one.obsolete]
            if any(one.msgstr or one.context is not None for one in live):
                kept[entry.msgid] = tuple(live)  # a translator may have told contexts apart
            elif revived := tuple(one for one in before if one.msgstr):
                kept[entry.msgid] = revived
            else:
                comments = tuple(comment for one in before for comment in one.comments)
                left.append((replace(entry, comments=comments), not live))
        return cls(wanted=wanted, kept=kept, open=tuple(left))


def _sources(
    plan: _Plan,
    old: Mapping[str, Catalog],
    wanted: Mapping[str, Sequence[Entry]],
    gone: Collection[str],
) -> Iterator[Source]:
    """Every translation of the locale; not those that wait for a person to confirm them."""
    left = {
        page: old[page]
        for page in sorted(old)
        if page not in wanted and page not in plan.renames.values()
    }
    for page, catalog in {**plan.own, **left}.items():
        ids = {entry.msgid for entry in wanted.get(page, () if page in gone else catalog.entries)}
        finished = _finished(catalog.entries)
        offered = {
            (entry.previous, entry.msgstr)
            for entry in catalog.entries
            if entry.fuzzy and not entry.obsolete and entry.msgid in ids
        }
        for entry in catalog.entries:
            stays = entry.msgid in ids and (page in wanted or not entry.obsolete)
            if entry.msgstr and not (entry.fuzzy and (stays or _is_spare(entry, finished))):
                yield Source(
                    page=page,
                    entry=entry,
                    free=not stays and (entry.msgid, entry.msgstr) not in offered,
                )


def _updated(
    page: str,
    plan: _Plan,
    slots: _Slots,
    offers: Mapping[str, Offer],
    served: Collection[int],
    header: Headers,
) -> Updated:
    old = plan.own.get(page, Catalog())
    blank = {entry.msgid: entry for entry, _ in slots.open}
    counts = dict.fromkeys(("kept", "carried", "fuzzy", "new"), 0)
    classes: Counter[str] = Counter()
    live: list[Entry] = []
    for entry in slots.wanted:
        if kept := slots.kept.get(entry.msgid):
            live += [_kept(entry, one) for one in kept]
            counts["kept" if any(one.msgstr for one in kept) else "new"] += 1
        elif offer := offers.get(entry.msgid):
            live += offer.entries
            classes.update(fuzzy_class(one) for one in offer.entries[:1] if one.fuzzy)
            counts["fuzzy" if offer.entries[0].fuzzy else "carried"] += 1
        else:
            live.append(blank[entry.msgid])
            counts["new"] += 1
    chosen = {id(one) for kept in slots.kept.values() for one in kept}
    left = [one for one in old.entries if one.msgstr and id(one) not in chosen]
    finished = _finished(
        (*live, *left)
    )  # what came from another page counts too: a second run would find it here
    dropped = [one for one in left if not _is_spare(one, finished)]
    entries = (*live, *map(_obsolete, dropped))
    return Updated(
        catalog=_renewed(page, old, entries, header),
        **counts,
        obsolete=sum(not one.obsolete and id(one) not in served for one in dropped),
        fuzzy_by_class=dict(sorted(classes.items())),
        moved_from=plan.renames.get(page, ""),
    )


def _dropped(
    old: Mapping[str, Catalog],
    gone: Sequence[str],
    standing: Iterable[Catalog],
    served: Collection[int],
    header: Headers,
) -> dict[str, Updated]:
    """The catalogues of vanished pages: obsolete throughout, or empty if others have all of it."""
    result: dict[str, Updated] = {}
    if not gone:
        return result
    known = {key for catalog in standing for key in _keys(catalog)}
    for page in gone:
        catalog = old[page]
        own = _keys(catalog)
        if own <= known:
            result[page] = Updated(catalog=Catalog())
            continue
        known |= own
        dropped = [entry for entry in catalog.entries if entry.msgstr]
        lost = sum(not entry.obsolete and id(entry) not in served for entry in dropped)
        result[page] = Updated(
            catalog=_renewed(page, catalog, tuple(map(_obsolete, dropped)), header), obsolete=lost
        )
    return result


def _renewed(page: str, old: Catalog, entries: tuple[Entry, ...], header: Headers) -> Catalog:
    """A catalogue with these entries; the old one itself if it has them already."""
    if old.header and [replace(entry, line=0) for entry in old.entries] == list(entries):
        return old
    return Catalog(header=dict(header(page, old.header)), comment=old.comment, entries=entries)


def _kept(entry: Entry, old: Entry) -> Entry:
    """The old translation with the new position; what tells its state stays while it is true."""
    fuzzy = old.fuzzy and bool(old.msgstr)
    states = [note for note in old.notes if note.startswith(FUZZY if fuzzy else CARRIED)]
    if fuzzy and old.previous is not None and not states:
        states = [f"{FUZZY} {classify(old.previous, entry.msgid)}"]
    return replace(
        entry,
        msgstr=old.msgstr,
        fuzzy=fuzzy,
        previous=old.previous if fuzzy else None,
        context=old.context,
        comments=old.comments,
        flags=old.flags,
        notes=(*entry.notes, *states),
    )


def _obsolete(entry: Entry) -> Entry:
    states = tuple(note for note in entry.notes if note.startswith((CARRIED, FUZZY)))
    return replace(
        entry,
        obsolete=True,
        references=(),
        notes=states,
        line=0,
        previous=entry.previous if entry.fuzzy else None,
    )


def _finished(entries: Iterable[Entry]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Translator comments of the finished translations, by msgid and msgstr."""
    return {
        (entry.msgid, entry.msgstr): entry.comments
        for entry in entries
        if entry.msgstr and not entry.fuzzy
    }


def _is_spare(entry: Entry, finished: Mapping[tuple[str, str], tuple[str, ...]]) -> bool:
    """Whether a fuzzy entry holds nothing but an offer of what the catalogue has as finished."""
    comments = finished.get((written_for(entry), entry.msgstr)) if entry.fuzzy else None
    return comments is not None and set(entry.comments) <= set(comments)


def _keys(catalog: Catalog) -> set[tuple[str, ...]]:
    """What must not be lost of a catalogue: each msgstr with its English, each remark of a translator, and who it was.

    A finished translation also stands for one that waits, not the other way round.
    """
    keys: set[tuple[str, ...]] = {
        ("head", line) for line in (*catalog.comment, catalog.header.get("Last-Translator")) if line
    }
    for entry in catalog.entries:
        if entry.msgstr:
            keys.update(("comment", entry.msgid, comment) for comment in entry.comments)
            keys.add(("waiting", written_for(entry), entry.msgstr))
            if not entry.fuzzy:
                keys.add(("finished", entry.msgid, entry.msgstr, *filter(None, [entry.context])))
    return keys
