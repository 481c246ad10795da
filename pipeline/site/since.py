"""What has changed since a page was translated, and who wrote its words: for its panel.

The blocks of a page and the entries of its memory come in; plain values for the record of the page
go out, from which the panel and ``freshness.json`` are made. Nothing here is HTML yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pipeline.core.catalog.origins import Machine, copy_of, origins_of
from pipeline.core.memory.record import TOUCH, digest, translators_of
from pipeline.core.word_diff import Words, word_diff
from pipeline.entries import Entry
from pipeline.site.blocks import Block
from pipeline.site.names import Standing

_ENGLISH = Words.of(())  # spaces part its words: no term need be known
# What a reader who looks for news is told of, block by block.
_TOLD = (Standing.STALE, Standing.UNREVIEWED, Standing.DRAFT, Standing.ENGLISH)


class Role(StrEnum):
    """What somebody has to do with a translation."""

    PERSON = "person"  # has written it, or was the last to touch it
    ADOPTED = "adopted"  # has written it elsewhere: it was taken over from a copy
    MODEL = "model"  # drafted it; a person has confirmed or changed it since


@dataclass(frozen=True, slots=True, order=True)
class Author:
    """Somebody, or a model, whose words a page has. ``licence`` is that of a copy."""

    role: Role
    name: str
    licence: str = ""


def since(blocks: Sequence[Block], entries: Sequence[Entry]) -> dict[str, Any]:
    """What the record of a page holds at ``since``.

    ``blocks`` are all of the page; ``entries`` those of its memory. The counts of all standings
    add up to the number of blocks, and those of the authors to what is translated at the least::

        {"counts": {"translated": 9, "stale": 1, …}, "blocks": [{"id": "9a8b…", "state": "stale",
         "number": 4, "diff": [["kept", "Use "], ["removed", "this"], ["added", "that"]]}, …],
         "authors": [{"name": "Li Lei", "role": "person", "licence": "", "messages": 9}]}
    """
    # Nobody is to translate the rest.
    asked = [block for block in blocks if not block.landed.is_rest]
    found = Counter(block.standing for block in asked)
    return {
        "counts": {str(standing): found[standing] for standing in Standing},
        "blocks": list(_blocks_to_tell(blocks)),
        "authors": list(_authors(entries)),
    }


def _blocks_to_tell(blocks: Sequence[Block]) -> Iterator[dict[str, Any]]:
    """The blocks that are not as they should be, in the order of the page."""
    number = 0
    for block in blocks:
        if block.standing in _TOLD and not block.landed.is_rest:
            row: dict[str, Any] = {
                "id": digest(block.landed.msgid),
                "state": str(block.standing),
                # There may be nothing on the page that one could be led to.
                "number": number if block.has_place else None,
            }
            if block.standing is Standing.STALE:
                pieces = word_diff(block.previous, block.landed.msgid, _ENGLISH)
                row["diff"] = [(str(piece.part), piece.text) for piece in pieces]
            yield row
        # As the record numbers them, which leaves out what has no place.
        number += block.has_place


def _authors(entries: Iterable[Entry]) -> Iterator[dict[str, Any]]:
    """Whose translations a page has, those with the most first."""
    counts: Counter[Author] = Counter()
    for entry in entries:
        counts.update(authors_of(entry))
    for author in sorted(counts, key=lambda author: (-counts[author], author)):
        yield {
            "name": author.name,
            "role": str(author.role),
            "licence": author.licence,
            "messages": counts[author],
        }


def authors_of(entry: Entry) -> Iterator[Author]:
    """Whose words a finished translation is, as its memory tells; often nobody is named.

    Addresses are left out: ``Li Lei <li@example.org>`` → ``Li Lei``.
    """
    if not entry.is_translated:
        return
    copy = copy_of(entry)
    if copy is not None:
        name = copy.author.partition(" <")[0]
        yield Author(Role.ADOPTED, name, copy.licence)
    for origin in origins_of(entry):
        if isinstance(origin.maker, Machine):
            yield Author(Role.MODEL, origin.maker.model)
            break
    notes = translators_of(entry)
    touch = TOUCH.match(notes[-1]) if notes else None
    if touch:
        yield Author(Role.PERSON, touch[1].partition(" <")[0])
