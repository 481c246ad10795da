"""Texts that are a piece of another one: upstream joins paragraphs, and cuts them up.

Letters do not tell it, because the whole is so much longer than the piece. Sentences do: a piece
has its sentences in the whole, word by word.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pipeline.core.catalog.change import plain_text
from pipeline.core.catalog.similarity import Text

NEARLY = 0.9  # of a part's letters must be in the whole
# Of a joined text so much must come from the old ones; of a text that was cut up so much must be in
# the new ones.
COVERED = 0.6

_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n")
_CLUE = 12  # characters: a shorter sentence may stand anywhere


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A new and a free old text near it, by index, of which one is in the other: the ``part``."""

    new: int
    old: int
    part: frozenset[str]
    is_old_inside: bool
    share: float  # of the longer one that is in the part

    @property
    def length(self) -> int:
        """Characters of the part."""
        return _length(self.part)


def find_pieces(
    new: Sequence[Text], old: Sequence[Text], near: Mapping[str, Sequence[str]]
) -> list[Piece]:
    """For each new text the old ones that are in it or that it is in, from the nearest page on.

    ``near`` is what ``near_pages`` gives. Texts of other pages do not count: a sentence
    may stand in many places.
    """
    pieces: list[Piece] = []
    index = _SentenceIndex(old)
    for target, text in enumerate(new):
        own_sentences = _sentences(text.text)
        ranks = {page: rank for rank, page in enumerate(near[text.page])}
        candidates = [
            at for at in index.sharing(own_sentences) if old[at].page in ranks
        ]
        candidates.sort(key=lambda at: (ranks[old[at].page], at))
        seen: set[str] = set()
        for source in candidates:
            if old[source].text in seen:
                continue  # one text may be gone from several pages
            piece = _piece(target, source, own_sentences, index.sentences[source])
            if piece:
                seen.add(old[source].text)
                pieces.append(piece)
    return pieces


class _SentenceIndex:
    """Finds the free old texts that share a sentence with a given one."""

    def __init__(self, old: Sequence[Text]) -> None:
        self.sentences: dict[int, frozenset[str]] = {}
        self._places: dict[str, list[int]] = defaultdict(list)
        for at, text in enumerate(old):
            if not text.free:
                # What still stands where it stood was neither joined nor cut up.
                continue
            self.sentences[at] = _sentences(text.text)
            for sentence in self.sentences[at]:
                self._places[sentence].append(at)

    def sharing(self, sentences: Iterable[str]) -> set[int]:
        """The old texts, by index, with any of ``sentences``: those worth a closer look."""
        sharing: set[int] = set()
        for sentence in sentences:
            if sentence in self._places:
                sharing.update(self._places[sentence])
        return sharing


def joined_texts(
    new: Sequence[Text], old: Sequence[Text], pieces: Iterable[Piece]
) -> dict[int, tuple[int, ...]]:
    """New texts that several old ones were joined into.

    The old ones come in the order in which they stand in the new one. ``{7: (3, 5)}``:
    the new text 7 begins with the old text 3, and goes on with the old text 5.
    """
    parts: dict[int, list[int]] = defaultdict(list)
    covered: dict[int, frozenset[str]] = defaultdict(frozenset)
    for piece in pieces:
        # Two old texts with one sentence cannot both be where it stands.
        if piece.is_old_inside and not piece.part & covered[piece.new]:
            parts[piece.new].append(piece.old)
            covered[piece.new] |= piece.part
    joined: dict[int, tuple[int, ...]] = {}
    used: set[int] = set()
    for target, sources in parts.items():
        text = new[target].text
        unused = [source for source in sources if source not in used]
        if not _make_up(text, [old[source].text for source in unused]):
            continue
        unused.sort(key=lambda source: (text.find(old[source].text[:_CLUE]), source))
        joined[target] = tuple(unused)
        used.update(unused)
    return joined


def cut_texts(
    new: Sequence[Text], old: Sequence[Text], pieces: Iterable[Piece]
) -> dict[int, tuple[int, ...]]:
    """New texts that one old text was cut into, each with that old one.

    ``{4: (2,), 5: (2,)}``: the old text 2 became the new texts 4 and 5.
    """
    parts: dict[int, list[int]] = defaultdict(list)
    for piece in pieces:
        if not piece.is_old_inside:
            parts[piece.old].append(piece.new)
    cut: dict[int, tuple[int, ...]] = {}
    for source, targets in sorted(parts.items()):
        unmatched = [target for target in targets if target not in cut]
        if _make_up(old[source].text, [new[target].text for target in unmatched]):
            cut.update(dict.fromkeys(unmatched, (source,)))
    return cut


def _make_up(whole: str, parts: Sequence[str]) -> bool:
    """Whether several texts are together long enough for one that has them all."""
    return len(parts) >= 2 and sum(map(len, parts)) >= COVERED * len(whole)


def _piece(
    target: int, source: int, new: frozenset[str], old: frozenset[str]
) -> Piece | None:
    """The piece that two texts make, if the shorter one is nearly all in the longer one.

    ``new`` and ``old`` are their sentences. A sentence that upstream edited while it joined
    two paragraphs may be missing in the whole (see ``NEARLY``).
    """
    is_old_inside = _length(old) <= _length(new)
    part, whole = (old, new) if is_old_inside else (new, old)
    if _length(part & whole) < NEARLY * _length(part):
        return None
    share = _length(part) / _length(whole)
    return Piece(
        new=target, old=source, part=part, is_old_inside=is_old_inside, share=share
    )


def _sentences(text: str) -> frozenset[str]:
    """The sentences that are long enough to be a clue, without mark-up, case and full stop.

    ``"Use [`jit`](jit.md) for speed. See below."`` → ``{"use jit for speed"}``
    """
    sentences: set[str] = set()
    for sentence in _SENTENCE.split(plain_text(text)):
        words = sentence.casefold().split()
        normal = " ".join(words).rstrip(".:;")
        if len(normal) >= _CLUE:
            sentences.add(normal)
    return frozenset(sentences)


def _length(sentences: Iterable[str]) -> int:
    """Characters of some sentences together."""
    return sum(map(len, sentences))
