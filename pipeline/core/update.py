"""Bring a catalogue up to date with upstream: no translation is lost, none is passed off as another's.

Equal text keeps its translation. Text that changed a little gets the old translation as fuzzy, with the
English it was written for. Text that stands on other pages as well takes over what was said there. What
upstream dropped stays as obsolete, and comes back when the text does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz, process

from pipeline.core.document import Document
from pipeline.core.prose import count_words
from pipeline.model import Catalog, Entry, Finding, PageResult

FUZZY_CUTOFF = 70.0  # percent of rapidfuzz's ratio; below, the old translation helps nobody
SHORT_CUTOFF = 85.0  # for texts shorter than SHORT characters, where few letters make another meaning
SHORT = 24
CLEAR_WORDS = 4  # an equal text of as many words means the same on every page
_STATES = ("carried over:", "fuzzy:")

# msgid → translation → pages that have it, finished
Pool = Mapping[str, Mapping[str, tuple[str, ...]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Updated:
    """A catalogue after the update, and how many of its entries came to their translation how."""

    catalog: Catalog
    kept: int = 0
    carried: int = 0
    fuzzy: int = 0
    new: int = 0
    obsolete: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogs:
    """The catalogues of one locale, by page. A page whose file cannot be read is in ``findings`` only."""

    by_page: Mapping[str, Catalog]
    findings: Mapping[str, tuple[Finding, ...]]
    changes: tuple[str, ...] = ()  # files written, relative to the root


def wanted_entries(page: str, documents: Sequence[Document]) -> tuple[Entry, ...]:
    """The entries that a page needs, in page order, each once; a jupytext pair gives one list.

    The note says what kind of block it is, and under which headings it stands.
    """
    found: dict[str, Entry] = {}
    for document in documents:
        for _, message in document.messages():
            if message.msgid not in found:
                path = " › ".join(message.headings)
                note = " ".join(f"{message.kind} · {path}".split() if path else [str(message.kind)])
                found[message.msgid] = Entry(msgid=message.msgid, notes=(note,), references=(page,))
    return tuple(found.values())


def pool_translations(catalogs: Iterable[tuple[str, Catalog]]) -> Pool:
    """Every finished translation of every page, for texts that stand on several."""
    pool: dict[str, dict[str, tuple[str, ...]]] = {}
    for page, catalog in catalogs:
        for entry in catalog.entries:
            if entry.msgstr and not entry.fuzzy and entry.context is None:
                by_text = pool.setdefault(entry.msgid, {})
                by_text[entry.msgstr] = (*by_text.get(entry.msgstr, ()), page)
    return pool


def update_catalog(old: Catalog, wanted: Sequence[Entry], *, pool: Pool | None = None, header: Mapping[str, str] | None = None) -> Updated:
    """Give every wanted entry the best translation there is; keep the rest as obsolete.

    ``header`` is used where entries changed; a catalogue that needs no change is returned as it is.
    """
    known: dict[str, list[Entry]] = {}
    for entry in old.entries:
        known.setdefault(entry.msgid, []).append(entry)
    ids = {entry.msgid for entry in wanted}
    gone = [entry for entry in old.entries if entry.msgid not in ids and entry.msgstr]
    sources = {_written_for(entry): entry for entry in gone}
    used: set[int] = set()
    counts = dict.fromkeys(("kept", "carried", "fuzzy", "new"), 0)
    live: list[Entry] = []
    for entry in wanted:
        if entry.msgid in known and any(one.msgstr for one in known[entry.msgid]):
            live += [_kept(entry, one) for one in known[entry.msgid]]
            counts["kept"] += 1
            continue
        comments = tuple(comment for one in known.get(entry.msgid, ()) for comment in one.comments)
        fresh = replace(entry, comments=comments)
        if found := _from_pool(fresh, pool or {}, gone=sources):
            counts["fuzzy" if found.fuzzy else "carried"] += 1
        elif match := _most_similar(entry.msgid, sources):
            source, ratio = match
            found = _fuzzy(fresh, sources[source], source, f"fuzzy: {ratio:.0f} % like the text it was written for")
            used.add(id(sources[source]))
            counts["fuzzy"] += 1
        else:
            counts["new"] += 1
        live.append(found or fresh)
    obsolete = [_obsolete(entry) for entry in gone if id(entry) not in used]
    entries = (*live, *obsolete)
    if [replace(entry, line=0) for entry in old.entries] == list(entries) and old.header:
        return Updated(catalog=old, **counts, obsolete=len(obsolete))
    catalog = Catalog(header=dict(header if header is not None else old.header), comment=old.comment, entries=entries)
    return Updated(catalog=catalog, **counts, obsolete=len(obsolete))


def translations_of(catalog: Catalog) -> dict[str, str]:
    """The finished translations of a catalogue: what readers may see."""
    return {entry.msgid: entry.msgstr for entry in catalog.entries if entry.is_translated}


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


def _kept(entry: Entry, old: Entry) -> Entry:
    """The old translation with the new position; what tells its state stays while it is true."""
    is_open = old.fuzzy or not old.msgstr
    states = tuple(note for note in old.notes if note.startswith(_STATES) and (is_open or not note.startswith("fuzzy:")))
    return replace(
        entry,
        msgstr=old.msgstr,
        fuzzy=old.fuzzy and bool(old.msgstr),
        previous=old.previous if old.fuzzy else None,
        context=old.context,
        comments=old.comments,
        flags=old.flags,
        notes=(*entry.notes, *states),
    )


def _from_pool(entry: Entry, pool: Pool, *, gone: Mapping[str, Entry]) -> Entry | None:
    """What other pages say for the same English: finished if all agree and the text is long enough to be clear."""
    choices = pool.get(entry.msgid)
    if not choices:
        return None
    msgstr, pages = max(choices.items(), key=lambda choice: (len(choice[1]), choice[0]))
    if len(choices) == 1 and count_words(entry.msgid) >= CLEAR_WORDS:
        return replace(entry, msgstr=msgstr, notes=(*entry.notes, f"carried over: the same text in {pages[0]}"))
    why = "other pages differ" if len(choices) > 1 else "too short to mean the same everywhere"
    notes = (*entry.notes, f"fuzzy: the same text in {pages[0]}, but {why}")
    return replace(entry, msgstr=msgstr, fuzzy=True, previous=entry.msgid, notes=notes)


def _most_similar(msgid: str, sources: Mapping[str, Entry]) -> tuple[str, float] | None:
    cutoff = SHORT_CUTOFF if len(msgid) < SHORT else FUZZY_CUTOFF
    match = process.extractOne(msgid, sources.keys(), scorer=fuzz.ratio, score_cutoff=cutoff)
    return (str(match[0]), float(match[1])) if match else None


def _fuzzy(entry: Entry, old: Entry, source: str, note: str) -> Entry:
    comments = tuple(dict.fromkeys((*old.comments, *entry.comments)))
    return replace(entry, msgstr=old.msgstr, fuzzy=True, previous=source, comments=comments, notes=(*entry.notes, note))


def _obsolete(entry: Entry) -> Entry:
    return replace(entry, obsolete=True, references=(), notes=(), line=0, previous=entry.previous if entry.fuzzy else None)


def _written_for(entry: Entry) -> str:
    """The English that a msgstr was written for."""
    return entry.previous if entry.fuzzy and entry.previous else entry.msgid
