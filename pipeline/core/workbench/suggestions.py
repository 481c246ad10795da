"""Search for translations of similar English texts on all pages of a locale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from pipeline.core.catalog.change_class import plain_text
from pipeline.core.catalog.matcher import CUTOFF
from pipeline.entries import Catalog

_WANTED = 5  # maximum number of suggestions


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """Translation of a similar English text."""

    score: int  # similarity of the English, up to 100 for the same words
    page: str
    english: str
    msgstr: str


class TranslationMemory:
    """Index of all finished translations of a locale."""

    def __init__(self, catalogs: Mapping[str, Catalog]) -> None:
        """Index the translations of ``catalogs``, which are keyed by page."""
        self._of_page: dict[str, list[Suggestion]] = {}
        self._all: list[Suggestion] = []
        self._plain: list[str] = []
        for page, catalog in catalogs.items():
            self._of_page[page] = _finished(page, catalog)
        self._index()

    def replace(self, page: str, catalog: Catalog) -> None:
        """Update the index with the current catalogue of a page."""
        self._of_page[page] = _finished(page, catalog)
        self._index()

    def search(self, page: str, english: str) -> tuple[Suggestion, ...]:
        """Return the translations of the most similar texts, best first and each once.

        The translation of ``english`` itself on ``page`` is left out.
        """
        found = process.extract(
            plain_text(english),
            self._plain,
            scorer=fuzz.ratio,
            score_cutoff=CUTOFF,
            limit=_WANTED * 4,
        )
        by_text: dict[str, Suggestion] = {}
        for _, score, at in found:
            known = self._all[at]
            if (known.page, known.english) == (page, english):
                continue
            suggestion = Suggestion(
                score=int(score),
                page=known.page,
                english=known.english,
                msgstr=known.msgstr,
            )
            by_text.setdefault(known.msgstr, suggestion)
        return tuple(by_text.values())[:_WANTED]

    def _index(self) -> None:
        self._all = [known for page in self._of_page.values() for known in page]
        self._plain = [plain_text(known.english) for known in self._all]


def _finished(page: str, catalog: Catalog) -> list[Suggestion]:
    return [
        Suggestion(score=100, page=page, english=entry.msgid, msgstr=entry.msgstr)
        for entry in catalog.entries
        if entry.is_translated
    ]
