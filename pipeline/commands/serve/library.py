"""Index of all catalogues of a locale, and the changes of a branch to review.

``Library`` finds similar translations, the progress of each page, and the entries that need review.
It reads all catalogues only when it is first used, so that the first page opens fast. ``Changes``
has the changed translations that ``review`` lists. The changes come from the memory, and the
current translations from the catalogues.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace
from rapidfuzz import fuzz, process

from pipeline.core.catalog.change_class import plain_text
from pipeline.core.catalog.matcher import CUTOFF
from pipeline.core.word_diff import Part
from pipeline.core.workbench.editing import Seen
from pipeline.entries import Catalog, Entry

if TYPE_CHECKING:
    from pipeline.report.review import Message
    from pipeline.run import Run

Name = tuple[str | None, str]  # msgctxt and msgid
Counts = tuple[int, int, int]  # finished, waiting for a person, all
_WANTED = 5  # maximum number of suggestions


class Suggestion(Struct, frozen=True, kw_only=True):
    """Translation of a similar English text."""

    score: int  # similarity of the English, up to 100 for the same words
    page: str
    english: str
    msgstr: str


class Library:
    """Index of the catalogues of all pages. ``read`` returns a page's current catalogue."""

    def __init__(self, pages: Sequence[str], read: Callable[[str], Catalog]) -> None:
        self._pages = pages
        self._read = read
        # This lock is separate from the desk's: other actions must not wait while the catalogues
        # are read.
        self._reading = threading.Lock()
        # By page: the finished translations, each with its English without markup.
        self._finished: dict[str, dict[Suggestion, str]] = {}
        self._counts: dict[str, Counts] = {}
        self._waiting: dict[str, list[Entry]] = {}
        self._entries: dict[str, dict[Name, Entry]] = {}

    def similar(self, page: str, english: str) -> tuple[Suggestion, ...]:
        """Return the translations of the most similar texts, best first and each once.

        The translation of ``english`` itself on ``page`` is left out.
        """
        texts: dict[Suggestion, str] = {}
        with self._reading:
            self._load()
            for finished in self._finished.values():
                texts |= finished
        found = process.extract(
            plain_text(english),
            texts,
            scorer=fuzz.ratio,
            score_cutoff=CUTOFF,
            limit=_WANTED * 4,
        )
        by_text: dict[str, Suggestion] = {}
        for _, score, known in found:
            if (known.page, known.english) != (page, english):
                by_text.setdefault(known.msgstr, replace(known, score=int(score)))
        return tuple(by_text.values())[:_WANTED]

    def counts(self) -> dict[str, Counts]:
        """Return the numbers of finished entries, entries that need review, and all entries."""
        with self._reading:
            self._load()
            return {page: self._counts[page] for page in self._pages}

    def waiting(self, page: str = "") -> list[tuple[str, Entry]]:
        """Return the entries that need review, on one page or on all pages in order."""
        with self._reading:
            self._load()
            found: list[tuple[str, Entry]] = []
            for name in [page] if page else self._pages:
                found += ((name, entry) for entry in self._waiting[name])
            return found

    def entries(self) -> Mapping[str, Mapping[Name, Entry]]:
        """Return the live entries by page and name."""
        with self._reading:
            self._load()
            return dict(self._entries)

    def refresh(self, page: str) -> None:
        """Read the changed catalogue of a page again."""
        with self._reading:
            if page in self._finished:
                self._take(page, self._read(page))

    def _load(self) -> None:
        """Read all catalogues, unless an earlier call has read them."""
        if not self._finished:
            for page in self._pages:
                self._take(page, self._read(page))

    def _take(self, page: str, catalog: Catalog) -> None:
        """Store the entries of a page, their counts, and those that need review."""
        live = catalog.live
        waiting = [entry for entry in live if entry.needs_review]
        finished = [entry for entry in live if entry.is_translated]
        self._finished[page] = {}
        for entry in finished:
            known = Suggestion(score=100, page=page, english=entry.msgid, msgstr=entry.msgstr)
            self._finished[page][known] = plain_text(entry.msgid)
        self._waiting[page] = waiting
        self._entries[page] = {(entry.context, entry.msgid): entry for entry in live}
        self._counts[page] = (len(finished), len(waiting), len(live))


class Changes(Struct, frozen=True, kw_only=True):
    """Changed translations since the commit ``base``, in review order."""

    base: str  # as the user named it
    messages: Mapping[tuple[str, Name], Message]  # by page and entry
    _decided: set[tuple[str, Name]] = field(default_factory=set)

    def waiting(
        self, entries: Mapping[str, Mapping[Name, Entry]]
    ) -> list[tuple[str, Entry, Message]]:
        """Return the changes to decide: page, current entry and change.

        Changes whose entry no longer exists are left out.
        """
        found = []
        for (page, name), message in self.messages.items():
            entry = entries.get(page, {}).get(name)
            if entry is not None and (page, name) not in self._decided:
                found.append((page, entry, message))
        return found

    def before(self, page: str, seen: Seen) -> Entry | None:
        """Return the entry as it was at the base, or None if its message did not exist there."""
        message = self.messages.get((page, (seen.context, seen.msgid)))
        return message.before if message else None

    def decided(self, page: str, entry: Seen | Entry) -> None:
        """Mark an entry as accepted or rejected."""
        self._decided.add((page, (entry.context, entry.msgid)))

    def undone(self, page: str, entry: Seen | Entry) -> None:
        """Mark an entry as not yet decided, after an undo."""
        self._decided.discard((page, (entry.context, entry.msgid)))


def read_changes(run: Run, locale: str, base: str) -> Changes:
    """Return the changes that ``review`` lists; an empty base means the main branch.

    First update the catalogues from the memory, because git may have changed the memory in a merge
    or checkout. Raises ConfigError for an unknown commit.
    """
    from pipeline.commands.review.reviewing import review_changes
    from pipeline.commands.run_lock import run_lock
    from pipeline.commands.update import update_pulled

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
    """Return the kind of change, the word diff from the base, and the translator, as JSON."""
    pieces = [(piece.part, piece.text) for piece in message.pieces]
    if not pieces or message.new != entry.msgstr:
        # If there is no word diff, or if the translation has changed since the diff was made, show
        # the whole old and new text.
        both = ((Part.REMOVED, message.old), (Part.ADDED, entry.msgstr))
        pieces = [(part, text) for part, text in both if text]
    return {
        "happened": str(message.happened),
        "pieces": pieces,
        "translator": message.translator,
    }
