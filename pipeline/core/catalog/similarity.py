"""Which old message each new one was made from: similar ones, and those that were joined or cut up.

Words are searched through an index, so that letters are compared only where words already agree. Every pair is scored
first; then the best pair is taken first, so that an old message goes to the new one that it fits best, in any order.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from rapidfuzz import fuzz

from pipeline.core.catalog.change import ChangeClass, plain_text

# Percent of rapidfuzz's ratio, by length in characters; below, the old translation helps nobody. In short texts few
# letters make another meaning.
CUTOFFS = ((24, 85.0), (60, 70.0))
CUTOFF = 60.0
SHORT = 24  # compared letter by letter with all others of this length, because one word may be all they have
KIN = 2.0  # how much more alike a text must be than one of the same page: on a page that this one was made from,
STRANGER = 15.0  # and on any other
SEVERAL = 2  # texts that clearly come from a page make it one that this page was made from
NEARLY = 0.9  # of a part's letters must be in the whole
PIECE = 30  # characters: a shorter one alone does not tell where it belongs
SHARE = 0.3  # of a text must be the other one, for it to be offered if nothing better is
COVERED = 0.6  # of a merged message must come from the old ones, or of an old one must be in those it was cut into

_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n")
_CLUE = 12  # characters: a shorter sentence may stand anywhere
_RARE = 12  # words of a text that are looked up, the rarest ones
_COMMON = 150  # texts; a word that more of them have tells nothing
_CANDIDATES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """An English text of a page. ``free``: it is gone from there, so that its translation may go to one other text."""

    page: str
    text: str
    free: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The old texts, by index, that a new one was made from; ``kind`` if the text alone does not tell it."""

    sources: tuple[int, ...]
    kind: ChangeClass | None = None


def match_texts(
    new: Sequence[Text], old: Sequence[Text], kin: Mapping[str, Collection[str]]
) -> dict[int, Match]:
    """For each of ``new``, by index, what it was made from, as far as that can be told.

    ``kin`` names the pages that a page was made from, besides itself. A free old text serves one new text of a page only, or
    all the parts that it was cut into.
    """
    alike = list(_alike(new, old))
    near = _near(new, old, kin, alike)
    pieces = list(_pieces(new, old, near))
    found = _joined(new, old, pieces)
    found |= _cut(new, old, [piece for piece in pieces if piece.new not in found], found.values())
    used = {source for match in found.values() for source in match.sources}
    pairs = sorted(
        (distance - pair.ratio, pair.new, pair.old)
        for pair in alike
        if (distance := _distance(pair, new, old, near)) <= pair.spare
    )
    pairs += sorted(
        (-piece.share, piece.new, piece.old)
        for piece in pieces
        if piece.share >= SHARE and _length(piece.part) >= PIECE
    )
    for _, target, source in pairs:
        if target not in found and source not in used:
            found[target] = Match(sources=(source,))
            if old[source].free:
                used.add(source)
    copies = sorted(
        (-pair.ratio, pair.new, pair.old)
        for pair in alike
        if pair.spare >= STRANGER and pair.old in used
    )
    for _, target, source in copies:  # upstream may have put one text on several pages, edited
        if old[source].page != new[target].page:
            found.setdefault(target, Match(sources=(source,)))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """A new and an old text that are alike enough; ``spare`` is how much the ratio is above the cutoff for their length."""

    new: int
    old: int
    ratio: float
    spare: float


def _alike(new: Sequence[Text], old: Sequence[Text]) -> Iterator[_Pair]:
    if not new:
        return
    by_text: dict[str, list[int]] = defaultdict(list)
    for at, text in enumerate(old):
        by_text[plain_text(text.text)].append(at)
    index = _Index(list(by_text))
    for target, text in enumerate(new):
        plain = plain_text(text.text)
        cutoff = next((cutoff for length, cutoff in CUTOFFS if len(plain) < length), CUTOFF)
        for similar in index.candidates(plain):
            if ratio := fuzz.ratio(plain, similar, score_cutoff=cutoff):
                yield from (
                    _Pair(new=target, old=source, ratio=ratio, spare=ratio - cutoff)
                    for source in by_text[similar]
                )


def _near(
    new: Sequence[Text],
    old: Sequence[Text],
    kin: Mapping[str, Collection[str]],
    alike: Iterable[_Pair],
) -> dict[str, tuple[str, ...]]:
    """For each page itself, its kin, and pages from which several of its texts clearly come, though none as it was."""
    clear: dict[tuple[str, str], set[int]] = defaultdict(set)
    for pair in alike:
        if old[pair.old].free and pair.spare >= STRANGER:
            clear[new[pair.new].page, old[pair.old].page].add(pair.new)
    near = {text.page: [text.page, *kin.get(text.page, ())] for text in new}
    for (page, source), texts in sorted(clear.items(), key=lambda item: (-len(item[1]), item[0])):
        if len(texts) >= SEVERAL:
            near[page].append(source)
    return {page: tuple(dict.fromkeys(pages)) for page, pages in near.items()}


def _distance(
    pair: _Pair, new: Sequence[Text], old: Sequence[Text], near: Mapping[str, Collection[str]]
) -> float:
    """What is taken off the ratio of two texts for where they stand."""
    page, source = new[pair.new].page, old[pair.old]
    if source.page == page and not source.free:
        return inf  # what still stands on the page is another item of the same list, however alike
    if not source.free or source.page not in near[page]:
        return STRANGER
    return 0.0 if source.page == page else KIN


class _Index:
    """Finds the few texts that share rare words with a given one; very short ones are compared with every short one."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._short = [text for text in texts if len(text) < SHORT]
        self._places: dict[str, list[int]] = defaultdict(list)
        for at, text in enumerate(texts):
            for word in set(_WORD.findall(text.casefold())):
                self._places[word].append(at)

    def candidates(self, text: str) -> Iterator[str]:
        if len(text) < SHORT:
            yield from self._short
            return
        words = (
            (len(self._places[word]), word)
            for word in set(_WORD.findall(text.casefold()))
            if word in self._places
        )
        shared: Counter[int] = Counter()
        for count, word in sorted(words)[:_RARE]:
            if count <= _COMMON:
                shared.update(self._places[word])
        best = sorted(
            shared.items(),
            key=lambda item: (-item[1], abs(len(self._texts[item[0]]) - len(text)), item[0]),
        )
        yield from (self._texts[at] for at, _ in best[:_CANDIDATES])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """A new and a free old text near it, of which one has the sentences of the other, the ``part``."""

    new: int
    old: int
    part: frozenset[str]
    is_old_inside: bool
    share: float  # of the longer one that is in the part


def _pieces(
    new: Sequence[Text], old: Sequence[Text], near: Mapping[str, Sequence[str]]
) -> Iterator[_Piece]:
    places: dict[str, list[int]] = defaultdict(list)
    sentences = {at: _sentences(text.text) for at, text in enumerate(old) if new and text.free}
    for at, parts in sentences.items():
        for sentence in parts:
            places[sentence].append(at)
    for target, text in enumerate(new):
        own = _sentences(text.text)
        candidates = {
            at
            for sentence in own
            for at in places.get(sentence, ())
            if old[at].page in near[text.page]
        }
        seen: set[str] = set()  # one text may be gone from several pages
        for at in sorted(candidates, key=lambda at: (near[text.page].index(old[at].page), at)):
            part, whole = sorted((sentences[at], own), key=_length)
            if old[at].text not in seen and _length(part & whole) >= NEARLY * _length(part):
                seen.add(old[at].text)
                share = _length(part) / _length(whole)
                yield _Piece(
                    new=target, old=at, part=part, is_old_inside=part is sentences[at], share=share
                )


def _joined(new: Sequence[Text], old: Sequence[Text], pieces: Iterable[_Piece]) -> dict[int, Match]:
    """New texts that several old ones were joined into."""
    parts: dict[int, list[int]] = defaultdict(list)
    told: dict[int, frozenset[str]] = defaultdict(frozenset)
    for piece in pieces:
        if piece.is_old_inside and not piece.part & told[piece.new]:
            parts[piece.new].append(piece.old)
            told[piece.new] |= piece.part
    found: dict[int, Match] = {}
    used: set[int] = set()
    for target, sources in parts.items():
        text = new[target].text
        free = sorted(
            (at for at in sources if at not in used),
            key=lambda at: (text.find(old[at].text[:_CLUE]), at),
        )
        if len(free) > 1 and sum(len(old[at].text) for at in free) >= COVERED * len(text):
            found[target] = Match(sources=tuple(free), kind=ChangeClass.MERGED)
            used.update(free)
    return found


def _cut(
    new: Sequence[Text], old: Sequence[Text], pieces: Iterable[_Piece], others: Iterable[Match]
) -> dict[int, Match]:
    """New texts that one old text was cut into."""
    used = {source for match in others for source in match.sources}
    parts: dict[int, list[int]] = defaultdict(list)
    for piece in pieces:
        if not piece.is_old_inside and piece.old not in used:
            parts[piece.old].append(piece.new)
    found: dict[int, Match] = {}
    for source, targets in sorted(parts.items()):
        free = [target for target in targets if target not in found]
        if len(free) > 1 and sum(len(new[target].text) for target in free) >= COVERED * len(
            old[source].text
        ):
            found |= {target: Match(sources=(source,), kind=ChangeClass.SPLIT) for target in free}
    return found


def _sentences(text: str) -> frozenset[str]:
    """The sentences that are long enough to be a clue, without mark-up and case."""
    parts = (
        " ".join(part.casefold().split()).rstrip(".:;")
        for part in _SENTENCE.split(plain_text(text))
    )
    return frozenset(part for part in parts if len(part) >= _CLUE)


def _length(sentences: Iterable[str]) -> int:
    return sum(map(len, sentences))
