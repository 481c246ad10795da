"""Reuse of translations: what an untranslated message can take over from other messages.

- Another message with the same English gives a finished translation where that is safe, otherwise a
  fuzzy one. A person must review a fuzzy translation.
- Another message with similar English gives a fuzzy translation. If the two messages differ only in
  details that readers do not see, such as the target of a link, the translation may be finished
  (``marks.follow_change``).
- In the API reference, another message that differs only in its atoms, such as code and roles,
  gives a finished translation with the new atoms (``templates``).

A *source* is an existing translation that may be taken over. A draft is no source, nor are words
that somebody removed from a message. A fuzzy translation is a source only if its message is gone. A
source is *free* if the message that it translates is gone from its page.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from pipeline.core.catalog.change_class import ChangeClass, classify
from pipeline.core.catalog.lineage import CLEAR_WORDS, Plan
from pipeline.core.catalog.marks import Followed, follow_change
from pipeline.core.catalog.matcher import Match, Text, match_texts
from pipeline.core.catalog.origins import (
    CARRIED,
    FUZZY,
    is_draft,
    is_emptied,
    is_replaceable,
    lasting_notes,
)
from pipeline.core.catalog.templates import (
    Pattern,
    Template,
    fill_pattern,
    pattern_of,
    template_of,
)
from pipeline.core.document.prose import count_words
from pipeline.core.pin.lock import is_reference
from pipeline.entries import Catalog, Entry

# If at least this many pages have the same translation of a short text, the text is unambiguous.
AGREEING = 2
# A page counts as copied from another page if at least this many of its new texts are on that page,
# too.
COPIED = 3
_CLOSED = tuple("。！？；：，、）」』”…")  # in Chinese, no space follows these

Kin = Mapping[str, Collection[str]]  # page → the old pages that it was made from
Name = tuple[str, str]  # page and msgid


class Source(Struct, frozen=True, kw_only=True):
    """An existing translation that other messages may take over.

    It is ``free`` if the message that it translates is gone from its page.
    """

    page: str
    entry: Entry
    free: bool

    @property
    def text(self) -> str:
        """Return the English that the msgstr was written for."""
        return self.entry.source_text


class OpenEntry(Struct, frozen=True, kw_only=True):
    """An entry of the updated page that has no translation, or only a draft.

    ``is_new`` is true if this update added the message to its page.
    """

    page: str
    entry: Entry
    is_new: bool

    @property
    def name(self) -> Name:
        """Return page and msgid, which no other open entry has."""
        return self.page, self.entry.msgid


class Offer(Struct, frozen=True, kw_only=True):
    """Replacement for an open entry: ``entries`` with a translation from other messages.

    There are several entries if a translator gave the old message several contexts. ``served`` has
    the sources that count as reused.
    """

    entries: tuple[Entry, ...]
    served: tuple[Source, ...]


def reuse(messages: Iterable[OpenEntry], sources: Sequence[Source], kin: Kin) -> dict[Name, Offer]:
    """Return the best offer for each of ``messages``, by its name.

    Messages without an offer are left out. Translations of equal texts are offered first, then
    translations of sentences with the same template. Translations of similar texts are offered
    last, and only to new messages. The finished translations of the last two steps become sources
    for further messages.

    For pages of the API reference, these steps are repeated until they find no more. If such a page
    has no memory, the next update in a fresh clone treats all its messages as new again. Without
    the repetition, this update could find translations that other clones do not have.
    """
    wanted = {message.name: message for message in messages}
    mothers = _find_mothers(wanted.values(), sources)
    offers = _offer_equal(wanted, sources, kin, mothers)
    known = [*sources]
    new = {name for name, message in wanted.items() if message.is_new}
    while True:
        found = _offer_templates(_without_offer(wanted, offers), known)
        offers |= found
        known += _carried(found)
        # Offer similar texts to new messages only: a message that was on the page before has
        # nothing to do with a text that disappears now.
        unserved = _without_offer(wanted, offers)
        found = _offer_similar(
            {name: unserved[name] for name in unserved if name in new},
            known,
            kin,
            mothers,
            served={id(source) for offer in offers.values() for source in offer.served},
        )
        offers |= found
        carried = _carried(found)
        if not carried:
            return offers
        offers |= _offer_equal(_without_offer(wanted, offers), carried, kin, mothers)
        known += carried
        new = {name for name in new if is_reference(wanted[name].page)}


def _without_offer(
    wanted: Mapping[Name, OpenEntry], offers: Mapping[Name, Offer]
) -> dict[Name, OpenEntry]:
    """Return the messages that have no offer yet."""
    return {name: message for name, message in wanted.items() if name not in offers}


def _offer_equal(
    wanted: Mapping[Name, OpenEntry], sources: Iterable[Source], kin: Kin, mothers: Kin
) -> dict[Name, Offer]:
    """Return offers made from finished translations of the same English.

    Fuzzy translations of the same English are offered by ``_offer_similar``.
    """
    by_text = _finished_by_text(wanted.values(), sources)
    offers: dict[Name, Offer] = {}
    for name, message in wanted.items():
        if message.entry.msgid in by_text:
            offers[name] = _equal_offer(
                message,
                by_text[message.entry.msgid],
                near=kin.get(message.page, ()),
                mothers=mothers.get(message.page, ()),
            )
    return offers


def _finished_by_text(
    wanted: Iterable[OpenEntry], sources: Iterable[Source]
) -> dict[str, list[Source]]:
    """Return the finished sources that have the English of a wanted message, by that English."""
    texts = {message.entry.msgid for message in wanted}
    by_text: dict[str, list[Source]] = defaultdict(list)
    for source in sources:
        if source.entry.is_finished and source.entry.msgid in texts:
            by_text[source.entry.msgid].append(source)
    return by_text


def _find_mothers(wanted: Collection[OpenEntry], sources: Sequence[Source]) -> dict[str, list[str]]:
    """Return, for each page, the pages that it was probably copied from, the likeliest first.

    The code calls them mothers. A mother may still have the texts that both pages share. In
    contrast, kin (``lineage``) are pages that lost their texts to this page. Short texts do not
    count, because they may be equal by chance.
    """
    by_text = _finished_by_text(wanted, sources)
    shared: dict[str, Counter[str]] = defaultdict(Counter)
    for message in wanted:
        text = message.entry.msgid
        if text in by_text and count_words(text) >= CLEAR_WORDS:
            shared[message.page].update({source.page for source in by_text[text]})
    mothers: dict[str, list[str]] = {}
    for page, counts in shared.items():
        likely = [mother for mother in counts if counts[mother] >= COPIED]
        mothers[page] = sorted(likely, key=lambda mother: (-counts[mother], mother))
    return mothers


def _equal_offer(
    message: OpenEntry,
    sources: Sequence[Source],
    *,
    near: Collection[str],
    mothers: Collection[str],
) -> Offer:
    """Return a finished offer if the text moved here or is unambiguous; otherwise a fuzzy one.

    ``sources`` are the translations of the same English. ``near`` has the pages that lost texts to
    the page of the message, ``mothers`` the pages that this page was copied from. If "Note" is
    "注意" on three other pages and "备注" on one, a new page gets "注意" as fuzzy.
    """
    moved = _moved_here(sources, near) or _copied_here(sources, mothers)
    if moved:
        entries = tuple(_with_translation(message.entry, source) for source in moved)
        return Offer(entries=entries, served=tuple(moved))
    counts = Counter(source.entry.msgstr for source in sources)

    def rank(source: Source) -> tuple[int, bool, str]:
        """Return the sort key: the most frequent translation wins, then a free source.

        If two sources are equal in both, the text of the translation decides. So every run chooses
        the same one.
        """
        return counts[source.entry.msgstr], source.free, source.entry.msgstr

    best = max(sources, key=rank)
    if len(counts) > 1:
        return _fuzzy_offer(message, best, "other pages differ")
    # If a source is free, its text has probably moved here, even if the text is short.
    free = tuple(source for source in sources if source.free)
    if not free and not _is_clear(message, sources):
        return _fuzzy_offer(message, best, "too short to mean the same everywhere")
    return Offer(entries=(_with_translation(message.entry, best),), served=free)


def _is_clear(message: OpenEntry, sources: Collection[Source]) -> bool:
    """Return whether the text of a message certainly means the same here as on other pages.

    The meaning is certain if the text is long, if several pages have the same translation, or if
    the text is a name that stays English, such as "CUDA". A short text, such as "Example", may mean
    something else on this page.
    """
    if _msgstrs(sources) == {message.entry.msgid}:
        return True
    if count_words(message.entry.msgid) >= CLEAR_WORDS:
        return True
    pages = {source.page for source in sources}
    return len(pages) >= AGREEING


def _moved_here(sources: Sequence[Source], near: Collection[str]) -> list[Source]:
    """Return the free translations of the nearest page that has any.

    If a translator used contexts, there are several, and all of them move. Return an empty list if
    another near page has a different translation: in that case it is unknown which translation
    belongs here.
    """
    free = [source for source in sources if source.free and source.page in near]
    if not free:
        return []
    order = list(near)  # nearest page first
    nearest = min((source.page for source in free), key=order.index)
    moved = [source for source in free if source.page == nearest]
    return moved if _msgstrs(moved) == _msgstrs(free) else []


def _copied_here(sources: Sequence[Source], mothers: Collection[str]) -> list[Source]:
    """Return the translations of the first of ``mothers`` that has any.

    This page shares many texts with its mother, so even a short text means the same on both pages.
    """
    for mother in mothers:
        copied = [source for source in sources if source.page == mother]
        if copied:
            return copied
    return []


def _msgstrs(sources: Iterable[Source]) -> set[str]:
    """Return the distinct translations of sources."""
    return {source.entry.msgstr for source in sources}


def _fuzzy_offer(message: OpenEntry, best: Source, why: str) -> Offer:
    """Return a fuzzy offer: the translation of an equal text, which may not fit here.

    ``why`` is the end of the note:
    ``fuzzy: moved: the same text in guide/start, but other pages differ``.
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


def _with_translation(entry: Entry, source: Source) -> Entry:
    """Return ``entry`` with the finished translation of the same English.

    The note names the source: ``carried over: the same text in guide/start``.
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


def _offer_templates(
    wanted: Mapping[Name, OpenEntry], sources: Sequence[Source]
) -> dict[Name, Offer]:
    """Return offers made from finished translations of sentences with the same template.

    A template is a sentence without its atoms, such as code and roles. Only messages of the API
    reference get these offers, because docstrings repeat sentences for many names.
    """
    templates: dict[Name, Template] = {}
    for name, message in wanted.items():
        template = template_of(message.entry.msgid)
        if template and is_reference(message.page):
            templates[name] = template
    if not templates:
        return {}
    patterns = _patterns_by_template(sources)
    offers: dict[Name, Offer] = {}
    for name, template in templates.items():
        pattern = _usual_pattern(patterns.get(template, {}))
        if pattern is not None:
            served = patterns[template][pattern]
            offers[name] = _template_offer(wanted[name], pattern, served)
    return offers


def _patterns_by_template(
    sources: Iterable[Source],
) -> dict[Template, dict[Pattern, list[Source]]]:
    """Return the finished translations of the API reference by template, then by pattern.

    The template is the English without its atoms, and the pattern is the translation without them.
    If people have translated "See :func:`dim`." as "见 :func:`dim`。" and as "参见 :func:`dim`。",
    its template has two patterns.
    """
    patterns: dict[Template, dict[Pattern, list[Source]]] = defaultdict(lambda: defaultdict(list))
    for source in sources:
        entry = source.entry
        is_usable = entry.is_finished and entry.context is None
        if not is_usable or not is_reference(source.page):
            continue
        template = template_of(entry.msgid)
        pattern = pattern_of(entry.msgstr, entry.msgid)
        if template and pattern:
            patterns[template][pattern].append(source)
    return patterns


def _usual_pattern(patterns: Mapping[Pattern, Sequence[Source]]) -> Pattern | None:
    """Return the pattern of one template that most translations have.

    ``patterns`` has the translations with each pattern. Return None if there is no pattern, or if
    no pattern is more frequent than all others: in that case a person must choose.
    """
    ranked = sorted(patterns, key=lambda pattern: -len(patterns[pattern]))
    if not ranked:
        return None
    is_tied = len(ranked) > 1 and len(patterns[ranked[0]]) == len(patterns[ranked[1]])
    return None if is_tied else ranked[0]


def _template_offer(message: OpenEntry, pattern: Pattern, sources: Sequence[Source]) -> Offer:
    """Return a finished offer: the words of ``pattern`` with the atoms of ``message``.

    ``sources`` are the translations that have this pattern. The note names the page of the first
    one: ``carried over: the same sentence as in _api/lamps, other code``.
    """
    # If a text with this template is gone from the same page, upstream has changed that text to the
    # new one. So its translation counts as reused.
    served = [source for source in sources if source.free and source.page == message.page]
    entry = _with_comments(message.entry, served or sources[:1])
    note = f"{CARRIED} the same sentence as in {sources[0].page}, other code"
    offered = replace(
        entry,
        msgstr=fill_pattern(pattern, entry.msgid),
        notes=(*entry.notes, note),
    )
    return Offer(entries=(offered,), served=tuple(served))


def _offer_similar(
    wanted: Mapping[Name, OpenEntry],
    sources: Sequence[Source],
    kin: Kin,
    mothers: Kin,
    *,
    served: Collection[int],
) -> dict[Name, Offer]:
    """Return offers made from translations of similar English.

    ``served`` has the ids (``id()``) of the sources that earlier offers took over.
    """
    # In most runs no new message is open. Then no texts need to be compared.
    if not wanted:
        return {}
    new = [Text(page=page, text=msgid) for page, msgid in wanted]
    old: list[Text] = []
    for source in sources:
        # A source that an earlier offer took over is no longer free.
        is_free = source.free and id(source) not in served
        old.append(Text(page=source.page, text=source.text, free=is_free))
    messages = list(wanted.values())
    offers: dict[Name, Offer] = {}
    for target, match in sorted(match_texts(new, old, kin).items()):
        message = messages[target]
        matched = [sources[source] for source in match.sources]
        near: Collection[str] = mothers.get(message.page, ())
        if matched[0].free:
            near = (message.page, *near, *kin.get(message.page, ()))
        offers[message.name] = _similar_offer(message, matched, match, near)
    return offers


def _similar_offer(
    message: OpenEntry, sources: Sequence[Source], match: Match, near: Collection[str]
) -> Offer:
    """Return a finished offer if ``follow_change`` is certain, otherwise a fuzzy one.

    ``sources`` are the sources of ``match``. There are several if upstream joined their texts to
    the new text. Their order is that of the new text.
    """
    old = " ".join(source.text for source in sources)
    new = message.entry.msgid
    entry = _with_comments(message.entry, sources)
    change = classify(old, new)
    # ``classify`` does not see that messages were joined or split.
    if match.kind:
        change = replace(change, kind=match.kind)
    if sources[0].page != message.page:
        change = replace(change, page=sources[0].page)
    followed = _followed(message, sources, near)
    if followed and followed.is_certain:
        note = f"{CARRIED} {change}"
        carried = replace(entry, msgstr=followed.msgstr, notes=(*entry.notes, note))
        return Offer(entries=(carried,), served=tuple(sources))
    offered = replace(
        entry,
        msgstr=followed.msgstr if followed else _joined(sources),
        fuzzy=True,
        previous=old,
        notes=(*entry.notes, f"{FUZZY} {change}"),
    )
    return Offer(entries=(offered,), served=tuple(sources))


def _followed(
    message: OpenEntry, sources: Sequence[Source], near: Collection[str]
) -> Followed | None:
    """Return the translation with the change applied, or None if a person must apply it.

    Return None also for a fuzzy translation, because a person must review it anyway. For joined
    texts, return None because it is unknown which part of a translation belongs to which text.
    """
    first = sources[0]
    if len(sources) > 1 or first.entry.fuzzy:
        return None
    # A short text of a distant page may mean something else here, even if only spaces differ.
    if first.page not in near and count_words(first.text) < CLEAR_WORDS:
        return None
    return follow_change(first.text, message.entry.msgid, first.entry.msgstr)


def _carried(offers: Mapping[Name, Offer]) -> list[Source]:
    """Return the finished translations in ``offers`` as new sources.

    Offers that took over a translation of equal English are left out, because that translation is
    already a source.
    """
    carried: list[Source] = []
    for (page, _), offer in offers.items():
        old_texts = {source.text for source in offer.served}
        carried += [
            Source(page=page, entry=entry, free=False)
            for entry in offer.entries
            if entry.is_finished and entry.msgid not in old_texts
        ]
    return carried


def _joined(sources: Sequence[Source]) -> str:
    """Join the translations of joined texts, with a space where Chinese needs one.

    ``"茶很烫。"``, ``"见 tea"``, ``"再等。"`` → ``"茶很烫。见 tea 再等。"``
    """
    msgstr = sources[0].entry.msgstr
    for source in sources[1:]:
        if not msgstr.endswith(_CLOSED):
            msgstr += " "
        msgstr += source.entry.msgstr
    return msgstr


def _with_comments(entry: Entry, sources: Iterable[Source]) -> Entry:
    """Return ``entry`` with the translator comments of its sources, without duplicates.

    Add also the notes of the sources that name the copy or machine that their words came from.
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
    """Return the sources of all pages: updated pages first, then the others by name.

    If several sources are equally good for a message, their order decides. So every run chooses
    the same one.
    """
    renamed = set(plan.renames.values())
    catalogs = dict(plan.own)
    for page in sorted(plan.old):
        # ``plan.own`` has the catalogue of a renamed page, under its new name.
        if page not in plan.wanted and page not in renamed:
            catalogs[page] = plan.old[page]
    sources: list[Source] = []
    for page, catalog in catalogs.items():
        sources += _sources_of_page(page, plan, catalog)
    return sources


def _sources_of_page(page: str, plan: Plan, catalog: Catalog) -> list[Source]:
    """Return the sources of one page, in the order of its entries.

    ``catalog`` is the catalogue that the page starts from. If the page was renamed, ``page`` is its
    new name.
    """
    texts = _remaining_texts(page, plan, catalog)
    finished = finished_in(catalog.entries)
    offered = _offered_on_page(catalog, texts)
    sources: list[Source] = []
    for entry in catalog.entries:
        # A spare entry repeats a finished translation, which is a source itself.
        if not entry.msgstr or is_spare(entry, finished):
            continue
        # Somebody removed these words, so they must not come back.
        if is_emptied(entry):
            continue
        # A draft is not reused, because a machine can make a new draft for the other message.
        if is_draft(entry):
            continue
        # On an updated page, an obsolete entry becomes live again if its text returns.
        is_used = page in plan.wanted or not entry.obsolete
        stays = is_used and entry.msgid in texts
        if entry.fuzzy and stays:
            continue  # a person must confirm the translation first
        is_free = not stays and (entry.msgid, entry.msgstr) not in offered
        sources.append(Source(page=page, entry=entry, free=is_free))
    return sources


def _remaining_texts(page: str, plan: Plan, catalog: Catalog) -> set[str]:
    """Return the messages that a page has after the update; none if upstream dropped the page.

    For a page that is not updated, these are the messages of its catalogue.
    """
    if page in plan.gone:
        return set()
    entries = plan.wanted.get(page, catalog.entries)
    return {entry.msgid for entry in entries}


def _offered_on_page(catalog: Catalog, texts: Collection[str]) -> set[tuple[str | None, str]]:
    """Return the fuzzy translations of live entries, each with its previous English.

    ``texts`` are the messages that the page has after the update. An obsolete entry may have the
    same translation. Such an obsolete entry is not free, because the live entry already uses the
    translation.
    """
    offered: set[tuple[str | None, str]] = set()
    for entry in catalog.entries:
        if entry.needs_review and entry.msgid in texts:
            offered.add((entry.previous, entry.msgstr))
    return offered


# Translator comments of finished translations, by msgid, then by msgstr.
Finished = Mapping[str, Mapping[str, tuple[str, ...]]]


def finished_in(entries: Iterable[Entry]) -> Finished:
    """Return the finished translations among ``entries``, obsolete ones included.

    ``{"Tea is hot.": {"茶很烫。": ("Mind the tone.",)}}``. If two entries differ only in their
    comments, the last entry counts.
    """
    finished: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for entry in entries:
        if entry.is_finished:
            finished[entry.msgid][entry.msgstr] = entry.comments
    return finished


def is_spare(entry: Entry, finished: Finished) -> bool:
    """Return whether an entry is fuzzy and only repeats a ``finished`` translation.

    Return False if the entry has a comment that the finished one lacks: the comment would be lost.
    """
    if not entry.fuzzy:
        return False
    comments = finished.get(entry.source_text, {}).get(entry.msgstr)
    return comments is not None and set(entry.comments) <= set(comments)


def keys_of(catalog: Catalog) -> set[tuple[str, ...]]:
    """Return keys for all work in a catalogue that an update must not lose.

    The work is each msgstr with its English, each translator comment, the comments above the
    header, and the last translator. If other catalogues have all keys, they contain all the work.
    A fuzzy entry has the key ``("waiting", "Tea is hot.", "茶很烫。")``. A finished entry also has
    the key ``("finished", "Tea is hot.", "茶很烫。", "")``.
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
        keys.add(("waiting", entry.source_text, entry.msgstr))
        # A finished translation is worth more than a fuzzy one with the same words, so it has a
        # second key.
        if entry.fuzzy:
            continue
        # "" means no context; tools never write an empty one.
        keys.add(("finished", entry.msgid, entry.msgstr, entry.context or ""))
    return keys
