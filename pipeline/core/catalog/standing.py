"""Where a translation stands: its fuzzy messages by class, and how the English of two commits differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz, process

from pipeline.core.catalog.change import ChangeClass
from pipeline.core.catalog.lineage import find_kin, find_renames
from pipeline.core.catalog.update import Catalogs, fuzzy_class
from pipeline.core.document.prose import count_words
from pipeline.core.document.read import SplitPage
from pipeline.core.pin.lock import Lock, pages_of
from pipeline.core.results import PageChange, PageResult, UpdateCounts
from pipeline.entries import Catalog

OTHER = "other"  # the class of what a translator, or another tool, marked fuzzy
CLASSES = (*map(str, ChangeClass), OTHER)  # what takes a person the least time first
_CHANGED = (
    60.0  # percent of rapidfuzz's ratio from which on a message counts as changed, not as new
)


def with_classes(result: PageResult, catalog: Catalog) -> PageResult:
    """``result`` with its fuzzy messages by class, and their English words."""
    found = [
        entry for entry in catalog.entries if entry.fuzzy and entry.msgstr and not entry.obsolete
    ]
    classes = Counter(fuzzy_class(entry) or OTHER for entry in found)
    return replace(
        result,
        classes=in_order(classes),
        fuzzy_words=sum(count_words(entry.msgid) for entry in found),
    )


def update_counts(catalogs: Catalogs, page: str) -> UpdateCounts | None:
    """What the update that made ``catalogs`` did with the messages of ``page``; None if it left them alone."""
    updated = catalogs.counts.get(page)
    if updated is None:
        return None
    return UpdateCounts(
        kept=updated.kept,
        carried=updated.carried,
        fuzzy=in_order(updated.fuzzy_by_class),
        new=updated.new,
        obsolete=updated.obsolete,
        moved_from=updated.moved_from,
    )


def in_order(classes: Mapping[str, int]) -> dict[str, int]:
    """``classes`` with a count, those that take a person the least time first."""
    known = {name: classes[name] for name in CLASSES if classes.get(name)}
    return known | {
        name: count for name, count in sorted(classes.items()) if count and name not in known
    }


def changed_pages(before: Lock, after: Lock) -> tuple[str, ...]:
    """The pages that are not the same, byte for byte, in both; sorted."""
    old, new = (
        {page.name: page.files for page in pages_of(lock.files)} for lock in (before, after)
    )
    return tuple(sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name)))


def compare_pages(
    before: Sequence[SplitPage], after: Sequence[SplitPage]
) -> tuple[PageChange, ...]:
    """What differs between the pages of two commits, sorted by name; pages without any difference are left out.

    Pages that are equal as bytes need not be given. A message counts as moved if it stood on another page that is.
    """
    old = {page.page.name: _Text.of(page) for page in before}
    new = {page.page.name: _Text.of(page) for page in after}
    renames = _renames(old, new)
    everywhere = frozenset().union(*(text.messages for text in old.values()))
    remaining = frozenset().union(*(text.messages for text in new.values()))
    changes = [
        _compare(name, old.get(renames.get(name, name)), text, everywhere, remaining)
        for name, text in new.items()
    ]
    changes = [
        replace(change, appeared=change.page not in old, renamed_from=renames.get(change.page, ""))
        for change in changes
    ]
    changes += [
        PageChange(page=name, vanished=True, dropped=len(text.messages.keys() - remaining))
        for name, text in old.items()
        if name not in new
    ]
    return tuple(
        change
        for change in sorted(changes, key=lambda change: change.page)
        if change != PageChange(page=change.page)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    """What is compared of a page: msgid → words, and the code of each document."""

    messages: Mapping[str, int]
    code: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, page: SplitPage) -> _Text:
        ids = dict.fromkeys(
            message.msgid for document in page.documents for _, message in document.messages()
        )
        return cls(
            messages={msgid: count_words(msgid) for msgid in ids},
            code=tuple(document.code for document in page.documents),
        )


def _renames(old: Mapping[str, _Text], new: Mapping[str, _Text]) -> dict[str, str]:
    """New page → the vanished page that it is under another name, found as update finds it."""
    born = {name: text.messages.keys() for name, text in new.items() if name not in old}
    gone = {name: text.messages.keys() for name, text in old.items() if name not in new}
    return find_renames(born, gone, find_kin(born, gone, {}))


def _compare(
    page: str, old: _Text | None, new: _Text, everywhere: frozenset[str], remaining: frozenset[str]
) -> PageChange:
    was = old.messages if old else {}
    fresh = [msgid for msgid in new.messages if msgid not in everywhere]
    moved = sum(msgid in everywhere and msgid not in was for msgid in new.messages)
    gone = [msgid for msgid in was if msgid not in remaining]
    changed = _count_similar(fresh, gone)
    return PageChange(
        page=page,
        added=len(fresh) - changed,
        changed=changed,
        moved=moved,
        dropped=len(gone) - changed,
        words=sum(new.messages[msgid] for msgid in fresh),
        code_changed=old is not None and _comparable(old.code) != _comparable(new.code),
    )


def _comparable(code: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """The code of the document that runs: of a pair the first."""
    return code[0] if code else ()


def _count_similar(fresh: Sequence[str], gone: Sequence[str]) -> int:
    """How many of ``fresh`` have a text of their own like them among ``gone``."""
    left = dict(enumerate(gone))
    count = 0
    for msgid in fresh:
        if match := process.extractOne(msgid, left, scorer=fuzz.ratio, score_cutoff=_CHANGED):
            del left[match[2]]
            count += 1
    return count
