"""Update of a locale's catalogues to a new version of upstream.

Input: the old catalogues and the wanted entries of each page. Output: the new catalogues.

A message whose text is unchanged keeps its translation. A message whose text has changed gets the
old translation as fuzzy, which means that a person must review it. The fuzzy entry has the previous
English and a description of the change. Translations may come from any page of the locale. If a
text disappears, its translation stays as an obsolete entry, and is used again if the text returns.

The invariant: no translation is lost, and none is presented as the translation of another text.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from operator import attrgetter

from msgspec import Struct, field
from msgspec.structs import fields, replace

from pipeline.core.catalog.change_class import classify
from pipeline.core.catalog.counts import in_order
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
    reviewed_notes,
    states_of,
)
from pipeline.core.catalog.reuse import (
    Name,
    Offer,
    OpenEntry,
    find_sources,
    finished_in,
    is_spare,
    keys_of,
    reuse,
)
from pipeline.core.document.message import UNWRITABLE, Markup, Message
from pipeline.core.document.reader import Document, messages_with_code
from pipeline.core.results import UpdateCounts
from pipeline.entries import Catalog, Entry

# Function that takes the name of a page and the header of its catalogue, and returns the new
# header.
Headers = Callable[[str, Mapping[str, str]], Mapping[str, str]]

# All fields of an entry except the line that it was read from.
_content = attrgetter(*(column.name for column in fields(Entry) if column.name != "line"))


class Updated(Struct, frozen=True, kw_only=True):
    """A catalogue after the update, and the counts of this update.

    A translation counts as obsolete if it lost its message in this update and was not reused.
    """

    catalog: Catalog
    counts: UpdateCounts = field(default_factory=UpdateCounts)


def update_catalogs(
    old: Mapping[str, Catalog],
    wanted: Mapping[str, Sequence[Entry]],
    *,
    header: Headers,
    gone: Collection[str] = (),
    redirects: Mapping[str, str] | None = None,
) -> dict[str, Updated]:
    """Return new catalogues: the wanted entries with their best translations, then obsolete ones.

    ``old`` has all catalogues of the locale, ``wanted`` the entries of the pages to update. The
    function ``header`` returns the header of a catalogue. ``gone`` has the names of the pages of
    ``old`` that upstream dropped. ``redirects`` maps old pages to new ones, as a hint.

    The result has a catalogue for each page of ``wanted`` and ``gone``. An unchanged catalogue is
    the same object as in ``old``. A page without messages gets an empty catalogue. So does a
    dropped page if other catalogues contain all its translations.
    """
    plan = plan_update(old, wanted, gone=gone, redirects=redirects or {})
    # Find the slots of all pages first: a text may have moved from one page to another.
    slots = {
        page: find_slots(page, plan.start_of(page), entries) for page, entries in wanted.items()
    }
    unfilled = list(chain.from_iterable(slots[page].open.values() for page in slots))
    # Search all pages at once, so that the translation of a moved text goes to the page that fits
    # best. In most runs no message is open, so other pages need not be searched.
    sources = find_sources(plan) if unfilled else []
    offers = reuse(unfilled, sources, plan.kin) if sources else {}
    served: set[int] = set()  # ids of the reused entries
    for offer in offers.values():
        served.update(id(source.entry) for source in offer.served)
    updated: dict[str, Updated] = {}
    for page in wanted:
        updated[page] = _updated_page(
            page, plan, slots=slots[page], offers=offers, served=served, header=header
        )
    # Any of the remaining catalogues may contain the translations of a vanished page.
    standing = [update.catalog for update in updated.values()]
    for page, catalog in old.items():
        if page not in gone and page not in updated:
            standing.append(catalog)
    return updated | _updated_gone(plan, standing, served=served, header=header)


def _updated_page(
    page: str,
    plan: Plan,
    *,
    slots: Slots,
    offers: Mapping[Name, Offer],
    served: Collection[int],
    header: Headers,
) -> Updated:
    """Return the new catalogue of one page.

    The catalogue has the wanted entries in page order, then the other translations as obsolete
    entries. ``offers`` has the translations offered to open messages (see ``Slots``) of all pages.
    """
    old = plan.start_of(page)
    counts: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    live: list[Entry] = []
    for entry in slots.wanted:
        kept = slots.kept.get(entry.msgid)
        offer = offers.get((page, entry.msgid))
        if offer:  # an offer replaces a draft
            live += offer.entries
            first = offer.entries[0]
            if first.fuzzy:
                classes[fuzzy_class(first)] += 1
            else:
                counts["carried"] += 1
        elif kept:
            live += [kept_entry(entry, old_entry) for old_entry in kept]
            is_translated = any(old_entry.msgstr for old_entry in kept)
            counts["kept" if is_translated else "new"] += 1
        else:
            # Add an empty entry, with the translator comments of the old entry.
            live.append(slots.open[entry.msgid].entry)
            counts["new"] += 1
    dropped = _dropped_entries(old, slots, live)
    entries = (*live, *map(obsolete_entry, dropped))
    found = UpdateCounts(
        kept=counts["kept"],
        carried=counts["carried"],
        fuzzy=in_order(classes),
        new=counts["new"],
        obsolete=_count_lost(dropped, served),
        moved_from=plan.renames.get(page, ""),
    )
    return Updated(catalog=_with_entries(page, old, entries, header), counts=found)


def _dropped_entries(old: Catalog, slots: Slots, live: Sequence[Entry]) -> list[Entry]:
    """Return the old translations that no message of the page has any more, except spare ones.

    A fuzzy translation is spare if a finished one on the page has the same words. ``live`` are the
    new live entries, including those that came from other pages. The entries from other pages count
    as well: a second run finds them in this catalogue, and must have the same result.
    """
    kept = set(map(id, chain.from_iterable(slots.kept.values())))
    rest = [entry for entry in _translated(old) if id(entry) not in kept]
    finished = finished_in((*live, *rest))
    return [entry for entry in rest if not is_spare(entry, finished)]


def _updated_gone(
    plan: Plan, standing: Iterable[Catalog], *, served: Collection[int], header: Headers
) -> dict[str, Updated]:
    """Return the catalogues of vanished pages: obsolete entries only, or empty.

    A catalogue becomes empty if others contain all its translations. ``standing`` has the
    catalogues that remain after the update.
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
        # If two vanished pages have the same translation, only the first one keeps it.
        known |= keys
        dropped = _translated(catalog)
        entries = tuple(map(obsolete_entry, dropped))
        updated[page] = Updated(
            catalog=_with_entries(page, catalog, entries, header),
            counts=UpdateCounts(obsolete=_count_lost(dropped, served)),
        )
    return updated


def _translated(catalog: Catalog) -> list[Entry]:
    """Return the entries whose translation must not be lost: all except replaceable drafts."""
    return [entry for entry in catalog.entries if entry.msgstr and not is_replaceable(entry)]


def _count_lost(dropped: Iterable[Entry], served: Collection[int]) -> int:
    """Return how many translations lost their message in this update and were not reused.

    Entries that were obsolete before are not counted. ``served`` has the ids of reused entries.
    """
    lost = [entry for entry in dropped if not entry.obsolete]
    return sum(id(entry) not in served for entry in lost)


def _with_entries(page: str, old: Catalog, entries: tuple[Entry, ...], header: Headers) -> Catalog:
    """Return a catalogue with these entries, or ``old`` itself if nothing changed.

    The header contains the date of upstream's text. So the header changes only if the text of
    entries has changed.
    """
    # A catalogue without a header is new, or somebody wrote it by hand; it gets a header.
    if old.header and list(map(_content, old.entries)) == list(map(_content, entries)):
        return old
    # The memory stores the date, but not the notes that show code. So if only code has changed, the
    # date must stay.
    is_same_text = list(map(_text, old.entries)) == list(map(_text, entries))
    fields = old.header if is_same_text else header(page, old.header)
    return Catalog(header=dict(fields or header(page, {})), comment=old.comment, entries=entries)


def _text(entry: Entry) -> tuple[object, ...]:
    """Return all fields of an entry except its line and its notes that show code."""
    content: tuple[object, ...] = _content(without_code(entry))
    return content


class Slots(Struct, frozen=True, kw_only=True):
    """The wanted entries of a page in page order, divided into kept and open ones.

    A message is kept if the page has a translation for it; otherwise it is open. A message with a
    draft is both: a better translation replaces the draft.
    """

    wanted: Sequence[Entry]
    # Old entries, by msgid. There are several if a translator used contexts.
    kept: Mapping[str, tuple[Entry, ...]]
    open: Mapping[str, OpenEntry]  # by msgid


def find_slots(page: str, catalog: Catalog, wanted: Sequence[Entry]) -> Slots:
    """Return the slots of ``page``. ``catalog`` is the catalogue that the page starts from.

    A message is also kept if a translator has given one of its entries a context, even if no entry
    has a translation yet.
    """
    old_entries: dict[str, list[Entry]] = defaultdict(list)
    for entry in catalog.entries:
        if not is_emptied(entry):
            old_entries[entry.msgid].append(entry)
    kept: dict[str, tuple[Entry, ...]] = {}
    unfilled: dict[str, OpenEntry] = {}
    for entry in wanted:
        before = old_entries.get(entry.msgid, [])
        kept_entries = _kept_of(before)
        if kept_entries:
            kept[entry.msgid] = tuple(kept_entries)
        # A draft stays open, because a person may have translated the same text on another page.
        if kept_entries and not are_replaceable(kept_entries):
            continue
        blank = _with_comments_of(before, entry)
        is_new = all(old.obsolete for old in before)
        unfilled[entry.msgid] = OpenEntry(page=page, entry=blank, is_new=is_new)
    return Slots(wanted=wanted, kept=kept, open=unfilled)


def _kept_of(old_entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries that a message keeps; none if it is open.

    If a translator uses contexts and has not finished them all, empty entries are kept as well.
    """
    live = [entry for entry in old_entries if not entry.obsolete]
    if any(map(_is_begun, live)):
        return live
    # Only obsolete entries can have a translation here. Their text has returned, so the translation
    # is used again.
    return [entry for entry in old_entries if entry.msgstr]


def _is_begun(entry: Entry) -> bool:
    """Return whether a translator has given an entry a translation or a context."""
    return entry.msgstr != "" or entry.context is not None


def kept_entry(wanted: Entry, old: Entry) -> Entry:
    """Return ``wanted``, the new entry of a message, with the translation of the ``old`` entry.

    Notes about the state are kept only if they are still true: ``fuzzy: numbers: …`` is dropped if
    a translator has removed the fuzzy flag.
    """
    # Some tools leave a fuzzy flag on an entry without msgstr. Ignore this flag.
    is_fuzzy = old.fuzzy and old.msgstr != ""
    previous = old.previous if is_fuzzy else None
    still_true = (FUZZY, DRAFT) if is_fuzzy else (CARRIED,)
    # A draft that somebody has changed is no longer a draft, so use ``reviewed_notes``.
    notes = [note for note in reviewed_notes(old) if note.startswith(still_true)]
    if previous is not None and not notes:
        # A translator or another tool has added the flag, without a note: add the note.
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
    """Return ``entry`` as an obsolete entry, whose message is gone.

    Only the notes about its state are kept. Notes about its place on the page are out of date.
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
    """Return ``entry`` with the translator comments of the old entries of its message.

    Such a comment may be a question to the team.
    """
    comments: list[str] = []
    for old in old_entries:
        comments += old.comments
    if not comments:
        return entry  # the common case
    return replace(entry, comments=tuple(comments))


CODE = "code: "  # prefix of a note that shows a line of code


def wanted_entries(page: str, documents: Sequence[Document]) -> tuple[Entry, ...]:
    """Return the entries that a page needs, in page order, without duplicates.

    A page may have several documents: a jupytext pair is a notebook and its Markdown. The first
    note of an entry has the kind of block and its headings: ``paragraph · Pytrees``. Further notes
    show the code that follows the text: ``code: tree = {"a": 1}``.
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
    """Return an entry without the notes that show code."""
    shown = entry.notes_with(CODE)
    if not shown:
        return entry
    notes = tuple(note for note in entry.notes if note not in shown)
    return replace(entry, notes=notes)


def _note(message: Message) -> str:
    """Return the note with the kind of block, its markup language and its headings.

    ``paragraph · Pytrees``, or in reStructuredText ``paragraph (reST) · Pytrees``.
    """
    kind = str(message.kind)
    if message.markup is not Markup.MARKDOWN:
        kind = f"{kind} ({message.markup})"
    if not message.section:
        return kind
    # A heading may contain line breaks and control characters, which a comment cannot hold.
    section = UNWRITABLE.sub("?", message.section)
    return " ".join(f"{kind} · {section}".split())
