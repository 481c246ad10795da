"""Diff of the English of two commits, page by page.

That is what an upgrade brings, or how far behind upstream a pin is. The pages of both commits that
are not equal as bytes come in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.core.pin.lock import Lock, SourceFile

# Reports import the records from here: what compares texts is loaded in the functions below.
if TYPE_CHECKING:
    from pipeline.core.document.reader import SplitPage


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
    """The pages that are not the same, byte for byte, in both; sorted.

    Those that only one of them has are among them.
    """
    old, new = _files_by_page(before), _files_by_page(after)
    names = sorted(old.keys() | new.keys())
    return tuple(name for name in names if old.get(name) != new.get(name))


def _files_by_page(lock: Lock) -> dict[str, tuple[SourceFile, ...]]:
    """The documents of each page, with the blobs that say what is in them."""
    return {page.name: page.files for page in lock.pages}


def compare_pages(
    before: Sequence[SplitPage], after: Sequence[SplitPage]
) -> tuple[PageChange, ...]:
    """What differs between the pages of two commits, sorted by name.

    Pages without any difference are left out. Pages that are equal as bytes need not be given. A
    message counts as moved if it stood on another page that is given.
    """
    comparing = _Comparing(old=_texts_by_page(before), new=_texts_by_page(after))
    changes = list(map(comparing.page_change, comparing.new))
    changes += map(comparing.vanished, comparing.old.keys() - comparing.new.keys())
    changes.sort(key=lambda change: change.page)
    # A page may change as bytes only, where nothing is translated and nothing runs.
    return tuple(change for change in changes if change != PageChange(page=change.page))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    """What is compared of a page."""

    messages: Mapping[str, int]  # msgid → words
    code: tuple[str, ...]  # of the document that runs


def _texts_by_page(pages: Iterable[SplitPage]) -> dict[str, _Text]:
    """What is compared, by the names of the pages."""
    return {page.page.name: _text_of(page) for page in pages}


def _text_of(page: SplitPage) -> _Text:
    """The messages of all documents of a page, each once, and the code that it runs."""
    from pipeline.core.document.prose import count_words

    messages: dict[str, int] = {}
    for document in page.documents:
        for _, message in document.messages():
            if message.msgid not in messages:
                messages[message.msgid] = count_words(message.msgid)
    # Of a jupytext pair it is the first document that runs.
    code = page.documents[0].code if page.documents else ()
    return _Text(messages=messages, code=code)


class _Comparing:
    """The pages of two commits, and all that is known of where their messages went."""

    def __init__(self, *, old: Mapping[str, _Text], new: Mapping[str, _Text]) -> None:
        from pipeline.core.catalog.lineage import find_kin, find_renames

        self.old, self.new = old, new
        self._known = _all_messages(old)
        self._remaining = _all_messages(new)
        # Found as an update finds it, but without upstream's redirects.
        born, gone = _only_in(new, old), _only_in(old, new)
        self._renames = find_renames(born, gone, find_kin(born, gone, {}))

    def page_change(self, page: str) -> PageChange:
        """How a page that is there now differs from what it was, also under another name.

        Each message of the page is one of four: as it was on the page, moved here from
        another page, changed, or added.
        """
        new = self.new[page]
        renamed_from = self._renames.get(page, "")
        # A new page has no messages that could be gone, and no code that could have changed.
        nothing = _Text(messages={}, code=new.code)
        old = self.old.get(renamed_from or page, nothing)
        fresh = [msgid for msgid in new.messages if msgid not in self._known]
        moved = (new.messages.keys() - old.messages.keys()) & self._known
        # What went to another page has moved there, and is counted there.
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
        """What a page took with it that is not there any more.

        Messages that now stand on other pages are not dropped: they have moved.
        """
        dropped = self.old[page].messages.keys() - self._remaining
        return PageChange(page=page, vanished=True, dropped=len(dropped))


def _only_in(
    texts: Mapping[str, _Text], others: Mapping[str, _Text]
) -> dict[str, Mapping[str, int]]:
    """The messages of the pages of ``texts`` that ``others`` does not have."""
    return {page: texts[page].messages for page in texts if page not in others}


def _all_messages(texts: Mapping[str, _Text]) -> set[str]:
    """The messages of all pages of one commit."""
    messages: set[str] = set()
    for text in texts.values():
        messages.update(text.messages)
    return messages


def _count_similar(fresh: Sequence[str], gone: Sequence[str]) -> int:
    """How many of ``fresh`` have a text of their own like them among ``gone``.

    Each text of ``gone`` counts once. In the order of ``fresh`` the most similar one is
    taken that is left: enough for a count, where an update looks for the best pairs.
    """
    from rapidfuzz import fuzz, process

    candidates = dict(enumerate(gone))
    count = 0
    for msgid in fresh:
        match = process.extractOne(
            msgid, candidates, scorer=fuzz.ratio, score_cutoff=_CHANGED
        )
        if match:
            _, _, number = match
            del candidates[number]
            count += 1
    return count
