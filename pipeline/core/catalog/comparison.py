"""How the English of two commits differs, page by page.

That is what an upgrade brings, or how far behind upstream a pin is. What comes in are the pages of
both commits that are not equal as bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pipeline.core.catalog.lineage import find_kin, find_renames
from pipeline.core.document.prose import count_words
from pipeline.core.pin.lock import Lock, pages_of

if TYPE_CHECKING:  # heavy, and reports take nothing but the records from here
    from pipeline.core.document.read import SplitPage

# Percent of rapidfuzz's ratio from which on a message counts as changed, not as new.
_CHANGED = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PageChange:
    """How the English of one page differs between two commits, in messages.

    Equal pages have none.
    """

    page: str
    appeared: bool = False
    vanished: bool = False
    renamed_from: str = ""  # the vanished page that most of the text stood on
    added: int = 0  # messages that stood nowhere before
    changed: int = 0  # messages like one that stood on the page before
    moved: int = 0  # messages that stood on another page
    dropped: int = 0
    words: int = 0  # English words of what was added or changed
    code_changed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two commits of one upstream.

    ``commits`` counts those on the way there and those on the way back. None: the history between
    them is not known.
    """

    before: Lock
    after: Lock
    pages: tuple[PageChange, ...]
    commits: tuple[int, int] | None = None


def changed_pages(before: Lock, after: Lock) -> tuple[str, ...]:
    """The pages that are not the same, byte for byte, in both; sorted."""
    old = {page.name: page.files for page in pages_of(before.files)}
    new = {page.name: page.files for page in pages_of(after.files)}
    names = sorted(old.keys() | new.keys())
    return tuple(name for name in names if old.get(name) != new.get(name))


def compare_pages(
    before: Sequence[SplitPage], after: Sequence[SplitPage]
) -> tuple[PageChange, ...]:
    """What differs between the pages of two commits, sorted by name.

    Pages without any difference are left out. Pages that are equal as bytes need not be given. A
    message counts as moved if it stood on another page that is given.
    """
    old = {page.page.name: _text_of(page) for page in before}
    new = {page.page.name: _text_of(page) for page in after}
    renames = _renames(old, new)
    known = frozenset().union(*(text.messages for text in old.values()))
    remaining = frozenset().union(*(text.messages for text in new.values()))
    changes: list[PageChange] = []
    for name, text in new.items():
        old_text = old.get(renames.get(name, name))
        change = _compare(name, old_text, text, known=known, remaining=remaining)
        changes.append(
            replace(change, appeared=name not in old, renamed_from=renames.get(name, ""))
        )
    for name, text in old.items():
        if name not in new:
            dropped = len(text.messages.keys() - remaining)
            changes.append(PageChange(page=name, vanished=True, dropped=dropped))
    changes.sort(key=lambda change: change.page)
    return tuple(change for change in changes if change != PageChange(page=change.page))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    """What is compared of a page."""

    messages: Mapping[str, int]  # msgid → words
    code: tuple[str, ...]  # of the document that runs


def _text_of(page: SplitPage) -> _Text:
    messages: dict[str, int] = {}
    for document in page.documents:
        for _, message in document.messages():
            if message.msgid not in messages:
                messages[message.msgid] = count_words(message.msgid)
    # Of a jupytext pair it is the first document that runs.
    code = page.documents[0].code if page.documents else ()
    return _Text(messages=messages, code=code)


def _renames(old: Mapping[str, _Text], new: Mapping[str, _Text]) -> dict[str, str]:
    """New page → the vanished page that it is under another name, found as an update finds it."""
    born = {name: text.messages.keys() for name, text in new.items() if name not in old}
    gone = {name: text.messages.keys() for name, text in old.items() if name not in new}
    return find_renames(born, gone, find_kin(born, gone, {}))


def _compare(
    page: str,
    old: _Text | None,
    new: _Text,
    *,
    known: Collection[str],
    remaining: Collection[str],
) -> PageChange:
    """How ``page`` differs from what it was.

    ``known`` are the messages of all old pages, ``remaining`` those of all new ones.
    """
    old_messages = old.messages if old else {}
    fresh = [msgid for msgid in new.messages if msgid not in known]
    moved = [msgid for msgid in new.messages if msgid in known and msgid not in old_messages]
    gone = [msgid for msgid in old_messages if msgid not in remaining]
    changed = _count_similar(fresh, gone)
    return PageChange(
        page=page,
        added=len(fresh) - changed,
        changed=changed,
        moved=len(moved),
        dropped=len(gone) - changed,
        words=sum(new.messages[msgid] for msgid in fresh),
        code_changed=old is not None and old.code != new.code,
    )


def _count_similar(fresh: Sequence[str], gone: Sequence[str]) -> int:
    """How many of ``fresh`` have a text of their own like them among ``gone``."""
    from rapidfuzz import fuzz, process

    candidates = dict(enumerate(gone))
    count = 0
    for msgid in fresh:
        match = process.extractOne(msgid, candidates, scorer=fuzz.ratio, score_cutoff=_CHANGED)
        if match:
            _, _, number = match
            del candidates[number]
            count += 1
    return count
