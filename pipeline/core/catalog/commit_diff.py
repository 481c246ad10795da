"""Diff of the English of two commits, page by page.

The diff shows what an upgrade brings, or how far the pinned commit is behind upstream. The input is
every page whose bytes differ between the commits. The output counts messages and words of each
page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from pipeline.core.pin.lock import Lock, SourceFile

# Reports import the records of this module. To keep that fast, the functions below import the heavy
# modules themselves.
if TYPE_CHECKING:
    from pipeline.core.document.reader import SplitPage


# Minimum ratio of rapidfuzz, in percent, between a new message and an old one. If no old message
# reaches it, the new message counts as added, otherwise as changed.
_CHANGED = 60.0


class PageChange(Struct, frozen=True, kw_only=True):
    """Difference of one page's English between two commits, counted in messages.

    All counts are 0 if the page is equal at both commits.
    """

    page: str
    appeared: bool = False
    vanished: bool = False
    renamed_from: str = ""  # the old name of the page, if upstream renamed it
    added: int = 0  # messages that no page had before
    changed: int = 0  # messages similar to one that this page had before
    moved: int = 0  # messages that another page had before
    dropped: int = 0  # messages that no page has any more
    words: int = 0  # English words of added and changed messages
    code_changed: bool = False


class Comparison(Struct, frozen=True, kw_only=True):
    """Comparison of two commits of one upstream.

    ``commits`` is a pair: the number of commits that only ``after`` has, and the number that only
    ``before`` has. It is None if the history is unknown.
    """

    before: Lock
    after: Lock
    pages: tuple[PageChange, ...]
    commits: tuple[int, int] | None = None


def changed_pages(before: Lock, after: Lock) -> tuple[str, ...]:
    """Return the names of pages whose bytes differ between two locks, sorted.

    Pages that only one of the locks has are included.
    """
    old, new = _files_by_page(before), _files_by_page(after)
    names = sorted(old.keys() | new.keys())
    return tuple(name for name in names if old.get(name) != new.get(name))


def _files_by_page(lock: Lock) -> dict[str, tuple[SourceFile, ...]]:
    """Return the documents of each page, with the blob ids of their content."""
    return {page.name: page.files for page in lock.pages}


def compare_pages(
    before: Sequence[SplitPage], after: Sequence[SplitPage]
) -> tuple[PageChange, ...]:
    """Return the differences between the pages of two commits, sorted by name.

    Pages without a difference are left out, so the caller may omit pages with equal bytes. A
    message counts as moved if another page of ``before`` had it.
    """
    comparing = _Comparison(old=_texts_by_page(before), new=_texts_by_page(after))
    changes = list(map(comparing.page_change, comparing.new))
    changes += map(comparing.vanished, comparing.old.keys() - comparing.new.keys())
    changes.sort(key=lambda change: change.page)
    # A page may have changed outside its messages and code. Such a change is left out.
    return tuple(change for change in changes if change != PageChange(page=change.page))


class _Text(Struct, frozen=True, kw_only=True):
    """The parts of a page that this module compares."""

    messages: Mapping[str, int]  # msgid → number of words
    code: tuple[str, ...]  # code of the document that is executed


def _texts_by_page(pages: Iterable[SplitPage]) -> dict[str, _Text]:
    """Return the compared parts of each page, by name."""
    return {page.page.name: _text_of(page) for page in pages}


def _text_of(page: SplitPage) -> _Text:
    """Return the distinct messages of all documents of a page, and the code that it runs."""
    from pipeline.core.document.prose import count_words

    messages: dict[str, int] = {}
    for document in page.documents:
        for _, message in document.messages():
            if message.msgid not in messages:
                messages[message.msgid] = count_words(message.msgid)
    # The first document of a jupytext pair is the one that is executed.
    code = page.documents[0].code if page.documents else ()
    return _Text(messages=messages, code=code)


class _Comparison:
    """Comparison in progress: the pages of two commits and the renames between them."""

    def __init__(self, *, old: Mapping[str, _Text], new: Mapping[str, _Text]) -> None:
        from pipeline.core.catalog.lineage import find_kin, find_renames

        self.old, self.new = old, new
        self._known = _all_messages(old)
        self._remaining = _all_messages(new)
        # Find renames as an update does, but without upstream's redirects (``{}``), which are only
        # a hint.
        born, gone = _only_in(new, old), _only_in(old, new)
        self._renames = find_renames(born, gone, find_kin(born, gone, {}))

    def page_change(self, page: str) -> PageChange:
        """Return the difference between a current page and its old version.

        The old version may have another name. Each current message is unchanged, moved here from
        another page, changed, or added.
        """
        new = self.new[page]
        renamed_from = self._renames.get(page, "")
        # Treat the old version of a new page as a page without messages. Give this empty page the
        # new code, so that the code does not count as changed.
        nothing = _Text(messages={}, code=new.code)
        old = self.old.get(renamed_from or page, nothing)
        fresh = [msgid for msgid in new.messages if msgid not in self._known]
        moved = (new.messages.keys() - old.messages.keys()) & self._known
        # A message that moved to another page is counted on its new page.
        gone = [msgid for msgid in old.messages if msgid not in self._remaining]
        changed = _count_similar(fresh, gone)
        return PageChange(
            page=page,
            appeared=page not in self.old,
            renamed_from=renamed_from,
            added=len(fresh) - changed,
            changed=changed,
            moved=len(moved),
            dropped=len(gone) - changed,
            words=sum(new.messages[msgid] for msgid in fresh),
            code_changed=old.code != new.code,
        )

    def vanished(self, page: str) -> PageChange:
        """Return the difference for a page that no longer exists.

        A message that another page has now is moved, not dropped.
        """
        dropped = self.old[page].messages.keys() - self._remaining
        return PageChange(page=page, vanished=True, dropped=len(dropped))


def _only_in(
    texts: Mapping[str, _Text], others: Mapping[str, _Text]
) -> dict[str, Mapping[str, int]]:
    """Return the messages, by page, of the pages that are in ``texts`` but not in ``others``."""
    return {page: texts[page].messages for page in texts if page not in others}


def _all_messages(texts: Mapping[str, _Text]) -> set[str]:
    """Return the messages of all pages of one commit."""
    messages: set[str] = set()
    for text in texts.values():
        messages.update(text.messages)
    return messages


def _count_similar(fresh: Sequence[str], gone: Sequence[str]) -> int:
    """Return how many of ``fresh`` are similar to a text of ``gone``.

    Each text of ``gone`` is used once. The matching is greedy: each message takes the most similar
    text that is not used yet. That is exact enough for a count. An update searches for the best
    pairs.
    """
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
