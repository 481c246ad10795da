"""Blocks of a page: both languages of each message, its state, its changes and its authors.

The input is the landings of a document's messages (their positions in the merged document) and the
entries of its catalogue. The output is one block for each message, in the order of the document.
Changes and authors become plain values for the record of the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct, to_builtins

from pipeline.core.catalog.origins import (
    Machine,
    OriginKind,
    copy_of,
    kind_of,
    makers_of,
)
from pipeline.core.document.landing import Landing
from pipeline.core.document.message import Kind
from pipeline.core.memory.record import TOUCH, digest, translators_of
from pipeline.core.word_diff import pattern_of_words, word_diff
from pipeline.entries import Entry
from pipeline.site.credits import ADOPTED, entries_in
from pipeline.site.names import ShownState, TranslationState
from pipeline.site.plan import Site


class Block(Struct, frozen=True, kw_only=True):
    """One message of a page. ``entry`` is the entry that translates it, if there is one."""

    landed: Landing
    entry: Entry | None

    @property
    def state(self) -> ShownState:
        """State as readers see it."""
        # If the translation equals the English (`JAX`), there is only one text to show.
        if not self.landed.is_translated or self.landed.text == self.landed.english:
            return ShownState.ENGLISH
        if self.entry is not None and self.entry.fuzzy:
            return ShownState.FUZZY
        return ShownState.TRANSLATED

    @property
    def standing(self) -> TranslationState:
        """State of the translation, even if readers see the English in its place."""
        if self.entry is None or not self.entry.needs_review:
            if self.landed.is_translated:
                return TranslationState.TRANSLATED
            return TranslationState.ENGLISH
        if kind_of(self.entry) is OriginKind.DRAFT:
            return TranslationState.DRAFT
        # Without the previous English, the change cannot be shown.
        if self.entry.previous and self.entry.previous != self.landed.msgid:
            return TranslationState.STALE
        return TranslationState.UNREVIEWED

    @property
    def line(self) -> int:
        """Line of the entry in the catalogue, or 0."""
        return self.entry.line if self.entry else 0

    @property
    def origin(self) -> OriginKind | None:
        """Origin of a fuzzy block; None for other blocks, or if a person wrote it."""
        is_fuzzy = self.state is ShownState.FUZZY
        return kind_of(self.entry) if self.entry and is_fuzzy else None

    @property
    def has_place(self) -> bool:
        """Whether the message can be an element of the page.

        The text of an image is only an attribute (``alt``). Values of front matter are not shown.
        """
        return self.landed.kind not in (Kind.IMAGE, Kind.FRONT_MATTER)


def blocks_of(landings: Sequence[Landing], entries: Sequence[Entry]) -> tuple[Block, ...]:
    """Return the blocks of a document. ``entries`` are the entries of its catalogue."""
    by_msgid: dict[str, list[Entry]] = {}
    for entry in entries:
        if not entry.obsolete:
            by_msgid.setdefault(entry.msgid, []).append(entry)
    return tuple(
        Block(landed=landed, entry=_entry_for(landed, by_msgid.get(landed.msgid, ())))
        for landed in landings
    )


def _entry_for(landed: Landing, entries: Sequence[Entry]) -> Entry | None:
    """Return the entry that translates a message in its section; None if there is none."""
    # The msgctxt of an entry may name a section. The entry is then for this section only, and takes
    # precedence over an entry for all sections.
    for context in (landed.section, None):
        for entry in entries:
            if entry.context == context:
                return entry
    # The message has moved to another section: any translation is better than none.
    return next(iter(entries), None)


# Splits English into words for a diff. It has no glossary terms, because only Chinese needs them.
_ENGLISH = pattern_of_words()


class Role(StrEnum):
    """How somebody contributed to a translation."""

    PERSON = "person"  # wrote it, or edited it last
    ADOPTED = "adopted"  # wrote a translation outside the project, which was adopted
    MODEL = "model"  # drafted it; a person has confirmed or changed the draft since


class Author(Struct, frozen=True, order=True):
    """A person or model that contributed to a translation.

    ``licence`` is the licence of an adopted translation, otherwise empty.
    """

    role: Role
    name: str
    licence: str = ""


def since(blocks: Sequence[Block], entries: Sequence[Entry]) -> dict[str, Any]:
    """Return the value ``since`` of a page's record: what has changed since the translation.

    ``blocks`` are all blocks of the page; ``entries`` are the entries of the page's memory file.
    ``counts`` has the number of blocks in each state, without the blocks in sections that stay
    English by configuration. A translation with several authors counts for each of them::

        {"counts": {"translated": 9, "stale": 1, …}, "blocks": [{"id": "9a8b…", "state": "stale",
         "number": 4, "diff": [["kept", "Use "], ["removed", "this"], ["added", "that"]]}, …],
         "authors": [{"name": "Li Lei", "role": "person", "licence": "", "messages": 9}]}
    """
    # Leave out sections that stay English: they need no translation.
    asked = [block for block in blocks if not block.landed.is_rest]
    found = Counter(block.standing for block in asked)
    return {
        "counts": {str(standing): found[standing] for standing in TranslationState},
        "blocks": list(_rows_of_blocks(blocks)),
        "authors": list(_authors(entries)),
    }


def _rows_of_blocks(blocks: Sequence[Block]) -> Iterator[dict[str, Any]]:
    """Yield the blocks that are not up to date, in the order of the page."""
    number = 0
    for block in blocks:
        standing = block.standing
        is_outdated = standing is not TranslationState.TRANSLATED
        if is_outdated and not block.landed.is_rest:
            row: dict[str, Any] = {
                "id": digest(block.landed.msgid),
                "state": str(standing),
                # If the number is None, the panel has no link to the message.
                "number": number if block.has_place else None,
            }
            if standing is TranslationState.STALE and block.entry:
                previous = block.entry.previous or ""
                pieces = word_diff(previous, block.landed.msgid, _ENGLISH)
                row["diff"] = [(str(piece.part), piece.text) for piece in pieces]
            yield row
        # The number is the block's index in the page's record. The record has only messages that
        # can be elements of the page.
        number += block.has_place


def _authors(entries: Iterable[Entry]) -> Iterator[dict[str, Any]]:
    """Yield the authors of a page's translations, the most productive first."""
    counts: Counter[Author] = Counter()
    for entry in entries:
        counts.update(authors_of(entry))
    for author in sorted(counts, key=lambda author: (-counts[author], author)):
        yield {**to_builtins(author), "messages": counts[author]}


def authors_of(entry: Entry) -> Iterator[Author]:
    """Yield the authors that the notes of an entry name; none if its translation is unfinished.

    E-mail addresses are left out: ``Li Lei <li@example.org>`` → ``Li Lei``.
    """
    if not entry.is_translated:
        return
    copy = copy_of(entry)
    if copy is not None:
        name = copy.author.partition(" <")[0]
        yield Author(Role.ADOPTED, name, copy.licence)
    for maker in makers_of(entry):
        if isinstance(maker, Machine):
            yield Author(Role.MODEL, maker.model)
            break
    notes = translators_of(entry)
    touch = TOUCH.match(notes[-1]) if notes else None
    if touch:
        yield Author(Role.PERSON, touch[1].partition(" <")[0])


# Starts of the notes that name an author.
NAMING = (b"translator: ", ADOPTED, b"#. drafted: ")


def contributors(site: Site) -> dict[str, int]:
    """Return the number of messages of each translator and of each adopted author, by name."""
    counts: Counter[str] = Counter()
    folder = site.paths.memories(site.locale)
    for path in sorted(folder.rglob("*.po")):
        for entry in entries_in(path, *NAMING):
            authors = authors_of(entry)
            counts.update(author.name for author in authors if author.role is not Role.MODEL)
    return dict(counts)
