"""Index of all catalogues of a locale, and the changes of a branch.

It answers questions about similar translations, the progress of each page, and the review queue.
Nothing is read before the first question, because pages open before that. The changes are those
that ``review`` lists: the memory has the old and the new version, the catalogues the current one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pipeline.core.word_diff import Part
from pipeline.core.workbench.editing import Seen
from pipeline.core.workbench.suggestions import Suggestion, TranslationMemory
from pipeline.entries import Catalog, Entry

if TYPE_CHECKING:
    from pipeline.report.review import Message
    from pipeline.run import Run

Name = tuple[str | None, str]  # msgctxt and msgid
Counts = tuple[int, int, int]  # finished, waiting for a person, all


class Library:
    """Index of the catalogues of ``pages``; ``read`` returns the current catalogue of a page."""

    def __init__(self, pages: Sequence[str], read: Callable[[str], Catalog]) -> None:
        self._pages = pages
        self._read = read
        # A lock of its own, so that other actions are not delayed while this is loading.
        self._reading = threading.Lock()
        self._memory: TranslationMemory | None = None
        self._counts: dict[str, Counts] = {}
        self._waiting: dict[str, list[Entry]] = {}
        self._entries: dict[str, dict[Name, Entry]] = {}

    def similar(self, page: str, english: str) -> tuple[Suggestion, ...]:
        """Return translations of English similar to a message of ``page``, the best first."""
        with self._reading:
            return self._loaded().search(page, english)

    def counts(self) -> dict[str, Counts]:
        """Return the progress of each page."""
        with self._reading:
            self._loaded()
            return {page: self._counts[page] for page in self._pages}

    def waiting(self, page: str = "") -> list[tuple[str, Entry]]:
        """Return the entries that wait for a person on one page, or on all pages in order."""
        with self._reading:
            self._loaded()
            found: list[tuple[str, Entry]] = []
            for name in [page] if page else self._pages:
                found += ((name, entry) for entry in self._waiting[name])
            return found

    def entries(self) -> Mapping[str, Mapping[Name, Entry]]:
        """Return the live entries of each page."""
        with self._reading:
            self._loaded()
            return dict(self._entries)

    def refresh(self, page: str) -> None:
        """Read the changed catalogue of a page again."""
        with self._reading:
            if page in self._pages and self._memory is not None:
                catalog = self._read(page)
                self._memory.replace(page, catalog)
                self._take(page, catalog)

    def _loaded(self) -> TranslationMemory:
        if self._memory is None:
            catalogs = {page: self._read(page) for page in self._pages}
            self._memory = TranslationMemory(catalogs)
            for page, catalog in catalogs.items():
                self._take(page, catalog)
        return self._memory

    def _take(self, page: str, catalog: Catalog) -> None:
        live = [entry for entry in catalog.entries if not entry.obsolete]
        waiting = [entry for entry in live if entry.needs_review]
        finished = sum(entry.is_translated for entry in live)
        self._waiting[page] = waiting
        self._entries[page] = {(entry.context, entry.msgid): entry for entry in live}
        self._counts[page] = (finished, len(waiting), len(live))


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Changes since the commit called ``base``, in the order of ``review``."""

    base: str
    messages: Mapping[tuple[str, Name], Message]  # by page and entry
    _decided: set[tuple[str, Name]] = field(default_factory=set)

    def waiting(
        self, entries: Mapping[str, Mapping[Name, Entry]]
    ) -> list[tuple[str, Entry, Message]]:
        """Return the undecided changes whose entries still exist in ``entries``."""
        found = []
        for (page, name), message in self.messages.items():
            entry = entries.get(page, {}).get(name)
            if entry is not None and (page, name) not in self._decided:
                found.append((page, entry, message))
        return found

    def before(self, page: str, seen: Seen) -> Entry | None:
        """Return the base's entry for the same English, or None."""
        message = self.messages.get((page, (seen.context, seen.msgid)))
        return message.before if message else None

    def decided(self, page: str, entry: Seen | Entry) -> None:
        """Mark an entry as decided."""
        self._decided.add((page, (entry.context, entry.msgid)))

    def undone(self, page: str, entry: Seen | Entry) -> None:
        """Mark an entry as undecided again."""
        self._decided.discard((page, (entry.context, entry.msgid)))


def read_changes(run: Run, locale: str, base: str) -> Changes:
    """Return the changes that ``review`` lists; an empty base means the main branch.

    First the catalogues are updated from the memory, which a merge or checkout may have changed.
    Raises ConfigError for an unknown commit.
    """
    from pipeline.commands.review.reviewing import review_changes
    from pipeline.commands.run_lock import run_lock
    from pipeline.commands.split import update_pulled

    with run_lock(run):
        update_pulled(run)
    words = [base] if base else []
    review = review_changes(run.settings, words, locales=(locale,))
    for problem in review.problems:
        run.log.note(f"{problem.where}: {problem.text}")
    folder = run.shown(run.paths.memories(locale))
    messages = {
        (message.page, (message.context or None, message.english)): message
        for message in review.messages
        if message.file.startswith(f"{folder}/")
    }
    return Changes(base=review.base_name, messages=messages)


def change_json(message: Message, entry: Entry) -> dict[str, Any]:
    """Return what happened to an entry, with the word diff from the base."""
    pieces = [(piece.part, piece.text) for piece in message.pieces]
    if not pieces or message.new != entry.msgstr:
        # There is only one version, or somebody has written another translation meanwhile.
        both = ((Part.REMOVED, message.old), (Part.ADDED, entry.msgstr))
        pieces = [(part, text) for part, text in both if text]
    return {
        "happened": str(message.happened),
        "pieces": pieces,
        "translator": message.translator,
    }
