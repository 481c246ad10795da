"""All catalogues of a locale, as far as somebody wants to know of them who is on one page.

That is which translations are similar, how far each page is, and what waits for a reviewer. Nothing
is read until the first question, and pages are open before that.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence

from pipeline.core.workbench.suggestions import Suggestion, TranslationMemory
from pipeline.entries import Catalog, Entry

Name = tuple[str | None, str]  # msgctxt and msgid
Counts = tuple[int, int, int]  # finished, waiting for a person, all that there are


class Library:
    """The catalogues of ``pages``, each of which ``read`` gives as it is now."""

    def __init__(self, pages: Sequence[str], read: Callable[[str], Catalog]) -> None:
        self._pages = pages
        self._read = read
        # A lock of its own: what somebody types is answered while this is being read.
        self._reading = threading.Lock()
        self._memory: TranslationMemory | None = None
        self._counts: dict[str, Counts] = {}
        self._waiting: dict[str, list[Entry]] = {}
        self._entries: dict[str, dict[Name, Entry]] = {}

    def similar(self, page: str, english: str) -> tuple[Suggestion, ...]:
        """Translations of English like that of a message of ``page``, the best first."""
        with self._reading:
            return self._loaded().search(page, english)

    def counts(self) -> dict[str, Counts]:
        """How far each page is."""
        with self._reading:
            self._loaded()
            return {page: self._counts[page] for page in self._pages}

    def waiting(self, page: str = "") -> list[tuple[str, Entry]]:
        """What waits for a person on a page, or on all of them, in the order of the pages."""
        with self._reading:
            self._loaded()
            found: list[tuple[str, Entry]] = []
            for name in [page] if page else self._pages:
                found += ((name, entry) for entry in self._waiting[name])
            return found

    def entries(self) -> Mapping[str, Mapping[Name, Entry]]:
        """The live entries of each page."""
        with self._reading:
            self._loaded()
            return dict(self._entries)

    def learn(self, page: str) -> None:
        """Read the catalogue of a page again, which has changed."""
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
        waiting = [entry for entry in live if entry.is_waiting]
        finished = sum(entry.is_translated for entry in live)
        self._waiting[page] = waiting
        self._entries[page] = {(entry.context, entry.msgid): entry for entry in live}
        self._counts[page] = (finished, len(waiting), len(live))
