"""What an adopted entry says of where it comes from, in a ``#.`` note and in comments.

``adopted: FILE, COMMIT PAGE, 0.97, by AUTHOR, LICENCE``: the copy, the version of the English that
it was made from, how sure the alignment is, and whose work it is. The note stays when a person has
confirmed the entry: whoever wrote the words is still to be named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.core.catalog.states import ADOPTED
from pipeline.entries import Entry

_NOTE = re.compile(
    rf"{ADOPTED} (?P<file>.+), (?P<commit>[0-9a-f]{{40}}) (?P<page>\S.*?), (?P<score>[01]\.\d\d)"
    r", by (?P<author>.+), (?P<licence>[^,]+)"
)
_UNSAFE = re.compile(r"[\s,\[\]{}]+")  # what parts a note, or looks like a diff


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where an adopted translation comes from, and whose it is."""

    file: str
    commit: str
    page: str  # the name of the page at that commit
    author: str
    licence: str

    def note(self, score: float) -> str:
        """The note of an entry; ``score`` is 0 to 1."""
        file = _UNSAFE.sub("_", self.file)
        place = f"{self.commit} {self.page}"
        # A score of 1 would say that nobody need look.
        sure = min(score, 0.99)
        return (
            f"{ADOPTED} {file}, {place}, {sure:.2f}, by {self.author}, {self.licence}"
        )

    def comment(self, translation: str) -> str:
        """The comment of an entry that has a translation already, with this one in it."""
        words = " ".join(translation.split("\n"))
        return (
            f"{_UNSAFE.sub('_', self.file)}, by {self.author}, {self.licence}: {words}"
        )


def origin_of(entry: Entry) -> Origin | None:
    """Where an entry was adopted from; None if it was not."""
    for note in entry.notes:
        if match := _NOTE.fullmatch(note):
            return Origin(
                file=match["file"],
                commit=match["commit"],
                page=match["page"],
                author=match["author"],
                licence=match["licence"],
            )
    return None


def credits_of(entries: Iterable[Entry]) -> dict[tuple[str, str], int]:
    """How many finished translations were adopted, by author and licence."""
    counts: dict[tuple[str, str], int] = {}
    for entry in entries:
        origin = origin_of(entry) if entry.is_translated else None
        if origin is not None:
            key = (origin.author, origin.licence)
            counts[key] = counts.get(key, 0) + 1
    return counts
