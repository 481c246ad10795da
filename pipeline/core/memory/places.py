"""Where the English of a digest can be found, as far as memories tell.

A memory tells it of every message on its page, and in notes of what stood elsewhere or long ago.
"""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.core.memory.notes import Place, english_of
from pipeline.core.memory.record import Memory


def index_places(memories: Iterable[Memory]) -> dict[str, Place]:
    """Where each English message that a memory speaks of can be found, by its digest.

    Of several memories that tell it the first one counts, so that the order in which they
    come decides. A note counts less than any page that has the message itself.
    """
    places: dict[str, Place] = {}
    known = tuple(memories)
    # A page that has the message at its own commit is a better witness than a note of long ago.
    for memory in known:
        place = Place(commit=memory.commit, page=memory.page)
        for code in memory.live:
            places.setdefault(code, place)
    for memory in known:
        for entry in memory.entries:
            for code, seen in english_of(entry):
                if seen:
                    places.setdefault(code, seen)
    return places
