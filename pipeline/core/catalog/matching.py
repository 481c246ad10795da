"""Which old message each new one was made from: similar ones, and those that were joined or cut up.

Every pair is scored first. Then the best pair is taken first, so that an old message goes to the
new one that it fits best, whatever order the pages come in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pipeline.core.catalog.change import ChangeClass
from pipeline.core.catalog.pieces import Piece, cut_texts, find_pieces, joined_texts
from pipeline.core.catalog.similarity import (
    STRANGER,
    Pair,
    Text,
    distance,
    find_alike,
    near_pages,
)

PIECE = 30  # characters: a shorter one alone does not tell where it belongs
# Of a text must be the other one, for it to be offered if nothing better is.
SHARE = 0.3


_Ranked = tuple[float, int, int]  # what counts, the lower the better; new; old


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The old texts, by index, that a new one was made from.

    ``kind`` is the class of the change, if the texts alone do not tell it.
    """

    sources: tuple[int, ...]
    kind: ChangeClass | None = None


def match_texts(
    new: Sequence[Text], old: Sequence[Text], kin: Mapping[str, Collection[str]]
) -> dict[int, Match]:
    """For each of ``new``, by index, what it was made from, as far as that can be told.

    ``kin`` names the pages that a page was made from, besides itself. A free old text serves one
    new text of a page only, or all the parts that it was cut into.
    """
    alike = find_alike(new, old)
    near = near_pages(new, old, kin=kin, alike=alike)
    pieces = find_pieces(new, old, near)
    matches = _joined_and_cut(new, old, pieces)
    used: set[int] = set()
    for match in matches.values():
        used.update(match.sources)
    # A pair that is alike as a whole says more than one of which a part is alike.
    for target, source in (*_best_pairs(new, old, alike, near), *_best_pieces(pieces)):
        if target in matches or source in used:
            continue
        matches[target] = Match(sources=(source,))
        if old[source].free:
            # What still stands on a page may serve any number of others.
            used.add(source)
    # Upstream may have put one text on several pages, edited: then a text that is used serves other
    # pages again.
    for target, source in _copies(alike, used):
        if old[source].page != new[target].page:
            matches.setdefault(target, Match(sources=(source,)))
    return matches


def _joined_and_cut(
    new: Sequence[Text], old: Sequence[Text], pieces: Sequence[Piece]
) -> dict[int, Match]:
    """The texts that are certain: their sentences prove it, so they come before all others.

    Joined texts come first: an old one that went into another is no source of parts.
    """
    matches: dict[int, Match] = {}
    used: set[int] = set()
    for target, sources in joined_texts(new, old, pieces).items():
        matches[target] = Match(sources=sources, kind=ChangeClass.MERGED)
        used.update(sources)
    rest = [
        piece for piece in pieces if piece.new not in matches and piece.old not in used
    ]
    for target, sources in cut_texts(new, old, rest).items():
        matches[target] = Match(sources=sources, kind=ChangeClass.SPLIT)
    return matches


def _best_pairs(
    new: Sequence[Text],
    old: Sequence[Text],
    alike: Sequence[Pair],
    near: Mapping[str, Collection[str]],
) -> list[tuple[int, int]]:
    """New and old texts that are alike and stand near enough, the best pair first.

    ``near`` is what ``near_pages`` gives.
    """
    ranked: list[_Ranked] = []
    for pair in alike:
        taken_off = distance(new[pair.new], old[pair.old], near)
        if taken_off <= pair.spare:
            ranked.append((taken_off - pair.ratio, pair.new, pair.old))
    return _in_order(ranked)


def _best_pieces(pieces: Sequence[Piece]) -> list[tuple[int, int]]:
    """New and old texts of which one is a good part of the other, the largest part first.

    A good part is long enough to be no chance, and a fair share of the whole.
    """
    ranked = [
        (-piece.share, piece.new, piece.old)
        for piece in pieces
        if piece.share >= SHARE and piece.length >= PIECE
    ]
    return _in_order(ranked)


def _copies(alike: Sequence[Pair], used: Collection[int]) -> list[tuple[int, int]]:
    """New texts that are clearly alike one that is used already, the best pair first.

    Clearly: so much that they would be a pair from anywhere in the docs.
    """
    ranked = [
        (-pair.ratio, pair.new, pair.old)
        for pair in alike
        if pair.spare >= STRANGER and pair.old in used
    ]
    return _in_order(ranked)


def _in_order(ranked: Iterable[_Ranked]) -> list[tuple[int, int]]:
    """New and old texts by index, those of the lowest rank first.

    Of equal ranks the indices decide, so that every run chooses the same.
    """
    return [(target, source) for _, target, source in sorted(ranked)]
