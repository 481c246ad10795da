"""Bring the catalogues of a locale up to date with upstream.

Old catalogues and wanted entries come in; new catalogues go out.

Equal text keeps its translation. Text that changed gets the old translation as fuzzy, with the
English it was written for and what changed, wherever in the locale it was. What upstream dropped
stays as obsolete, and comes back when the text does. So no translation is lost, and none is passed
off as another's.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import chain
from operator import attrgetter

from pipeline.core.catalog.change import classify
from pipeline.core.catalog.lineage import Plan, plan_update
from pipeline.core.catalog.origins import (
    CARRIED,
    DRAFT,
    FUZZY,
    are_replaceable,
    fuzzy_class,
    is_emptied,
    is_replaceable,
    lasting_notes,
    settled_notes,
    states_of,
)
from pipeline.core.catalog.reuse import (
    Offer,
    Open,
    find_sources,
    finished_in,
    is_spare,
    keys_of,
    reuse,
)
from pipeline.core.document.message import UNWRITABLE, Markup, Message
from pipeline.core.document.reader import Document, messages_with_code
from pipeline.entries import Catalog, Entry
from pipeline.findings import Finding

# The header of a page's catalogue, given what is in the header now
Headers = Callable[[str, Mapping[str, str]], Mapping[str, str]]

# All of an entry but the line that it was read from.
_content = attrgetter(
    *(column.name for column in fields(Entry) if column.name != "line")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Updated:
    """A catalogue after the update, and how its wanted entries came to their translations.

    ``obsolete`` counts the translations that lost their message by this update and serve no other
    one.
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
    """The catalogues of one locale, by page.

    A page whose file cannot be read is in ``findings``, and in ``unreadable`` if it has a memory.

    ``counts`` has the pages that were updated, and those that upstream dropped. ``data`` is what
    their files hold now, as far as that is known: a file that someone saved meanwhile is left out.
    """

    by_page: Mapping[str, Catalog]
    findings: Mapping[str, tuple[Finding, ...]]
    changes: tuple[str, ...] = ()  # files written or removed, relative to the root
    counts: Mapping[str, Updated] = field(default_factory=dict)
    data: Mapping[str, bytes] = field(default_factory=dict)
    wanted: Mapping[str, Sequence[Entry]] = field(
        default_factory=dict
    )  # of those updated
    # What the memory holds of pages whose file cannot be read: to be shown, not to be written.
    unreadable: Mapping[str, Catalog] = field(default_factory=dict)

    def shown(self, page: str) -> Catalog | None:
        """Return the catalogue that readers get of a page; None if it has none."""
        return self.by_page.get(page) or self.unreadable.get(page)


def update_catalogs(
    old: Mapping[str, Catalog],
    wanted: Mapping[str, Sequence[Entry]],
    *,
    header: Headers,
    gone: Collection[str] = (),
    redirects: Mapping[str, str] | None = None,
) -> dict[str, Updated]:
    """Give every wanted entry the best translation that the locale has; keep the rest as obsolete.

    ``old`` holds all catalogues of the locale, ``wanted`` the entries of the pages to update.
    ``gone`` names the pages of ``old`` that upstream dropped; ``redirects`` (old page to new page)
    is a hint.

    The result has a catalogue for each page of ``wanted`` and of ``gone``. One that needs no change
    is the very object given. It is empty if a page needs none, or was dropped and all that it had
    lives on in others.
    """
    plan = plan_update(old, wanted, gone=gone, redirects=redirects or {})
    # All pages come before any is finished: a text may have moved from one to another.
    slots = {
        page: find_slots(page, plan.start_of(page), entries)
        for page, entries in wanted.items()
    }
    reused = _reuse(plan, slots)
    updated = {
        page: _updated_page(page, plan, slots=slots[page], reused=reused, header=header)
        for page in wanted
    }
    # What a vanished page had may live on anywhere.
    standing = [update.catalog for update in updated.values()]
    for page, catalog in old.items():
        if page not in gone and page not in updated:
            standing.append(catalog)
    return updated | _updated_gone(plan, standing, reused=reused, header=header)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reused:
    """What open messages take over, by page and msgid, and the ids of the entries it came from."""

    offers: Mapping[str, Mapping[str, Offer]]
    served: Collection[int]


def _reuse(plan: Plan, slots: Mapping[str, Slots]) -> _Reused:
    """Find translations for the messages that have none, on all pages at once.

    So a text that moved goes to the page that it fits best, not to the first one.
    """
    unfilled: list[Open] = []
    offers: dict[str, dict[str, Offer]] = {}
    for page, page_slots in slots.items():
        unfilled += page_slots.open.values()
        offers[page] = {}
    served: set[int] = set()
    # Most runs leave nothing open, and then need not look at the translations of other pages.
    sources = find_sources(plan) if unfilled else []
    if not sources:
        return _Reused(offers=offers, served=served)
    for number, offer in reuse(unfilled, sources, plan.kin).items():
        message = unfilled[number]
        offers[message.page][message.entry.msgid] = offer
        served.update(id(source.entry) for source in offer.served)
    return _Reused(offers=offers, served=served)


def _updated_page(
    page: str, plan: Plan, *, slots: Slots, reused: _Reused, header: Headers
) -> Updated:
    """The catalogue of one page, with its wanted entries and what it had besides.

    The first come in page order, the second are obsolete.
    """
    old = plan.start_of(page)
    offers = reused.offers[page]
    counts: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    live: list[Entry] = []
    for entry in slots.wanted:
        kept = slots.kept.get(entry.msgid)
        offer = offers.get(entry.msgid)
        if offer:  # if there is a draft as well, it gives way
            live += offer.entries
            first = offer.entries[0]
            counts["fuzzy" if first.fuzzy else "carried"] += 1
            if first.fuzzy:
                classes[fuzzy_class(first)] += 1
        elif kept:
            live += [kept_entry(entry, old_entry) for old_entry in kept]
            is_translated = any(old_entry.msgstr for old_entry in kept)
            counts["kept" if is_translated else "new"] += 1
        else:
            # Blank, but with what translators noted on it.
            live.append(slots.open[entry.msgid].entry)
            counts["new"] += 1
    dropped = _dropped_entries(old, slots, live)
    entries = (*live, *map(obsolete_entry, dropped))
    return Updated(
        catalog=_renewed(page, old, entries, header),
        **counts,
        obsolete=_count_lost(dropped, reused.served),
        fuzzy_by_class=dict(sorted(classes.items())),
        moved_from=plan.renames.get(page, ""),
    )


def _dropped_entries(old: Catalog, slots: Slots, live: Sequence[Entry]) -> list[Entry]:
    """The old translations that have no place on the page any more, but for spare ones.

    What came from another page counts as finished too. Else a second run, which finds it
    here, would drop more than the first one.
    """
    kept = set(map(id, chain.from_iterable(slots.kept.values())))
    rest = [entry for entry in _translated(old) if id(entry) not in kept]
    finished = finished_in((*live, *rest))
    return [entry for entry in rest if not is_spare(entry, finished)]


def _updated_gone(
    plan: Plan, standing: Iterable[Catalog], *, reused: _Reused, header: Headers
) -> dict[str, Updated]:
    """The catalogues of vanished pages: obsolete throughout, or empty if others have all of it.

    ``standing`` are the catalogues that remain, as the update leaves them.
    """
    updated: dict[str, Updated] = {}
    gone = sorted(set(plan.gone) & set(plan.old))
    if not gone:
        return updated
    known: set[tuple[str, ...]] = set()
    for catalog in standing:
        known |= keys_of(catalog)
    for page in gone:
        catalog = plan.old[page]
        keys = keys_of(catalog)
        if keys <= known:
            updated[page] = Updated(catalog=Catalog())
            continue
        # Of two vanished pages with the same translation one keeps it.
        known |= keys
        dropped = _translated(catalog)
        entries = tuple(map(obsolete_entry, dropped))
        updated[page] = Updated(
            catalog=_renewed(page, catalog, entries, header),
            obsolete=_count_lost(dropped, reused.served),
        )
    return updated


def _translated(catalog: Catalog) -> list[Entry]:
    """The entries with words that must not be lost: a draft goes with its message."""
    return [
        entry for entry in catalog.entries if entry.msgstr and not is_replaceable(entry)
    ]


def _count_lost(dropped: Iterable[Entry], served: Collection[int]) -> int:
    """How many translations lose their message now, and serve no other one.

    One that was obsolete before this update had lost it earlier. ``served`` are ids.
    """
    lost = [entry for entry in dropped if not entry.obsolete]
    return sum(id(entry) not in served for entry in lost)


def _renewed(
    page: str, old: Catalog, entries: tuple[Entry, ...], header: Headers
) -> Catalog:
    """A catalogue with these entries; the old one itself if it has them already.

    The header says when upstream's text was made: so it is renewed with the entries only.
    """
    # A catalogue without a header was written by hand, or is no catalogue yet.
    if old.header and list(map(_content, old.entries)) == list(map(_content, entries)):
        return old
    # The memory keeps the header's date, and knows nothing of code: it shall not change for that.
    is_same_text = list(map(_text, old.entries)) == list(map(_text, entries))
    fields = old.header if is_same_text else header(page, old.header)
    return Catalog(
        header=dict(fields or header(page, {})), comment=old.comment, entries=entries
    )


def _text(entry: Entry) -> tuple[object, ...]:
    """All of an entry but its line, and the code that it leads to."""
    content: tuple[object, ...] = _content(without_code(entry))
    return content


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """The wanted entries of a page in page order, and what the page itself has for them.

    Messages whose entries are drafts are both kept and open: a draft is there, and gives way.
    """

    wanted: Sequence[Entry]
    # By msgid; several if a translator told contexts apart.
    kept: Mapping[str, tuple[Entry, ...]]
    open: Mapping[str, Open]  # by msgid


def find_slots(page: str, catalog: Catalog, wanted: Sequence[Entry]) -> Slots:
    """The slots of ``page``, filled from the catalogue that it starts from.

    A message that the page had is kept, also without a translation if a translator has
    told its contexts apart. All others are open.
    """
    old_entries: dict[str, list[Entry]] = defaultdict(list)
    for entry in catalog.entries:
        if not is_emptied(entry):
            old_entries[entry.msgid].append(entry)
    kept: dict[str, tuple[Entry, ...]] = {}
    unfilled: dict[str, Open] = {}
    for entry in wanted:
        before = old_entries.get(entry.msgid, [])
        kept_entries = _kept_of(before)
        if kept_entries:
            kept[entry.msgid] = tuple(kept_entries)
        # A draft is kept until a person has translated the same text elsewhere.
        if kept_entries and not are_replaceable(kept_entries):
            continue
        blank = _with_comments_of(before, entry)
        is_new = all(old.obsolete for old in before)
        unfilled[entry.msgid] = Open(page=page, entry=blank, is_new=is_new)
    return Slots(wanted=wanted, kept=kept, open=unfilled)


def _kept_of(old_entries: Sequence[Entry]) -> list[Entry]:
    """What a message keeps of the entries that its page had for it; nothing if it is open.

    A translator may have told contexts apart, and not be done with all of them: then the
    entries that are still empty stay, too.
    """
    live = [entry for entry in old_entries if not entry.obsolete]
    if any(map(_is_begun, live)):
        return live
    # Only obsolete ones can have a translation here: the text is back, and so is that.
    return [entry for entry in old_entries if entry.msgstr]


def _is_begun(entry: Entry) -> bool:
    """Whether a translator has given an entry a translation, or a context to give one for."""
    return entry.msgstr != "" or entry.context is not None


def kept_entry(wanted: Entry, old: Entry) -> Entry:
    """The old translation in its place of today.

    The note that tells its state stays while it is true: once a translator has removed the
    fuzzy mark, ``fuzzy: numbers: …`` goes.
    """
    # A fuzzy mark on an empty msgstr, as some tools leave it, says nothing.
    is_fuzzy = old.fuzzy and old.msgstr != ""
    previous = old.previous if is_fuzzy else None
    still_true = (FUZZY, DRAFT) if is_fuzzy else (CARRIED,)
    # A draft that somebody has changed is one no more.
    notes = [note for note in settled_notes(old) if note.startswith(still_true)]
    if previous is not None and not notes:
        # Another tool, or a translator, has marked it fuzzy and left what changed for us to tell.
        notes.append(f"{FUZZY} {classify(previous, wanted.msgid)}")
    return replace(
        wanted,
        msgstr=old.msgstr,
        fuzzy=is_fuzzy,
        previous=previous,
        context=old.context,
        comments=old.comments,
        flags=old.flags,
        notes=(*wanted.notes, *notes, *lasting_notes(old)),
    )


def obsolete_entry(entry: Entry) -> Entry:
    """``entry`` as one that has lost its message.

    Only its state is still worth a note: what the message was on the page is past.
    """
    return replace(
        entry,
        obsolete=True,
        references=(),
        notes=states_of(entry),
        line=0,
        previous=entry.previous if entry.fuzzy else None,
    )


def _with_comments_of(old_entries: Sequence[Entry], entry: Entry) -> Entry:
    """``entry`` with what translators noted on it before they translated it.

    A question to the team, for example, that stands on an entry without a translation.
    """
    comments: list[str] = []
    for old in old_entries:
        comments += old.comments
    if not comments:
        return entry  # nearly always
    return replace(entry, comments=tuple(comments))


CODE = "code: "  # what a note begins with that shows a line of code


def wanted_entries(page: str, documents: Sequence[Document]) -> tuple[Entry, ...]:
    """The entries that a page needs, in page order, each once; a jupytext pair gives one list.

    The first note says what kind of block it is, and under which headings it stands: ``paragraph ·
    Pytrees``. Others show the code that it leads to: ``code: tree = {"a": 1}``.
    """
    entries: dict[str, Entry] = {}
    for document in documents:
        for message, code in messages_with_code(document):
            if message.msgid not in entries:
                entries[message.msgid] = Entry(
                    msgid=message.msgid,
                    notes=(_note(message), *(f"{CODE}{line}" for line in code)),
                    references=(page,),
                )
    return tuple(entries.values())


def without_code(entry: Entry) -> Entry:
    """An entry without the notes that show code."""
    shown = entry.notes_with(CODE)
    if not shown:
        return entry
    notes = tuple(note for note in entry.notes if note not in shown)
    return replace(entry, notes=notes)


def _note(message: Message) -> str:
    """What kind of block a message is, in which mark-up, and under which headings.

    ``paragraph · Pytrees``, or in reStructuredText ``paragraph (reST) · Pytrees``.
    """
    kind = str(message.kind)
    if message.markup is not Markup.MARKDOWN:
        kind = f"{kind} ({message.markup})"
    if not message.section:
        return kind
    # A heading may hold line breaks and odd characters, and a comment may not.
    section = UNWRITABLE.sub("?", message.section)
    return " ".join(f"{kind} · {section}".split())
