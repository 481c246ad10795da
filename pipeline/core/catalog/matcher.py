"""Matcher of texts: which old message each new one was made from.

Texts are alike letter by letter; the further apart two stand, the more alike they must be. They are
looked up by their rare words, so that letters are compared only where words already agree. Upstream
also joins paragraphs and cuts them up: there sentences tell, because a piece has its sentences in
the whole, word by word. Every pair is scored first, and the best pair is taken first, whatever
order the pages come in.

Whoever changes a threshold here runs ``JAX_DOCS_WHOLE=1 pytest
tests/core/catalog/test_release_chain.py -rP``, which prints what happens from release to release,
and reads the fuzzy matches.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from rapidfuzz import fuzz

from pipeline.core.catalog.change import ChangeClass, plain_text

# Percent of rapidfuzz's ratio, by length in characters. Below the cutoff the old translation helps
# nobody. In short texts few letters make another meaning.
CUTOFFS = ((24, 85.0), (60, 70.0))
CUTOFF = 60.0
# A shorter text is compared with all others that are as short, because one word may be all that
# they share.
SHORT = 24
# How much more alike a text must be than one of the same page:
KIN = 2.0  # if it stands on a page that this one was made from,
STRANGER = 15.0  # and if it stands on any other
# Texts that clearly come from a page make it one that this page was made from.
SEVERAL = 2

_WORD = re.compile(r"\w+")
_RARE = 12  # words of a text that are looked up, the rarest ones
_COMMON = 150  # texts; a word that more of them have tells nothing
_CANDIDATES = 12  # texts that letters are compared with


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """An English text of a page.

    It is ``free`` if it is gone from there, so that its translation may go to one other text.
    """

    page: str
    text: str
    free: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A new and an old text, by index, that are alike enough."""

    new: int
    old: int
    ratio: float
    spare: float  # how much the ratio is above the cutoff for their length


def find_alike(new: Sequence[Text], old: Sequence[Text]) -> list[Pair]:
    """All pairs whose ratio reaches the cutoff, wherever they stand.

    Mark-up does not count: "see {func}`jax.jit`" and "see `jax.jit`" are equal here.
    """
    pairs: list[Pair] = []
    places: dict[str, list[int]] = defaultdict(list)
    for source, old_text in enumerate(old):
        places[plain_text(old_text.text)].append(source)
    index = _Index(list(places))
    for target, new_text in enumerate(new):
        plain = plain_text(new_text.text)
        cutoff = _cutoff(plain)
        for similar in index.candidates(plain):
            ratio = fuzz.ratio(plain, similar, score_cutoff=cutoff)
            if not ratio:
                continue
            spare = ratio - cutoff
            pairs += [
                Pair(new=target, old=source, ratio=ratio, spare=spare)
                for source in places[similar]
            ]
    return pairs


def near_pages(
    new: Sequence[Text],
    old: Sequence[Text],
    *,
    kin: Mapping[str, Collection[str]],
    alike: Iterable[Pair],
) -> dict[str, tuple[str, ...]]:
    """For each page of ``new`` those that its text probably comes from, the likeliest first.

    These are the page itself, its kin, and pages that several of its texts clearly come from,
    though none as it was.
    """
    clear: dict[tuple[str, str], set[int]] = defaultdict(set)
    for pair in alike:
        if old[pair.old].free and pair.spare >= STRANGER:
            clear[new[pair.new].page, old[pair.old].page].add(pair.new)
    near = {text.page: [text.page, *kin.get(text.page, ())] for text in new}
    for (page, source), texts in sorted(
        clear.items(), key=lambda item: (-len(item[1]), item[0])
    ):
        if len(texts) >= SEVERAL:
            near[page].append(source)
    return {page: tuple(dict.fromkeys(pages)) for page, pages in near.items()}


def distance(new: Text, old: Text, near: Mapping[str, Collection[str]]) -> float:
    """What is taken off the ratio of two texts for where they stand.

    ``near`` is what ``near_pages`` gives. Infinite: the two are no pair, however alike.
    """
    is_same_page = old.page == new.page
    if not old.free:
        # What still stands on the page is another item of the same list, however alike. What
        # stands on another page has not moved, but may have been copied.
        return inf if is_same_page else STRANGER
    if is_same_page:
        return 0.0
    # A text that is gone from a page far away may be gone for good.
    return KIN if old.page in near[new.page] else STRANGER


def _cutoff(text: str) -> float:
    """The ratio that a pair must reach if ``text`` is its new one: the shorter, the higher."""
    for length, cutoff in CUTOFFS:
        if len(text) < length:
            return cutoff
    return CUTOFF


class _Index:
    """Finds the few texts that share rare words with a given one."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._short = [text for text in texts if len(text) < SHORT]
        self._places: dict[str, list[int]] = defaultdict(list)
        for at, text in enumerate(texts):
            for word in _words(text):
                self._places[word].append(at)

    def candidates(self, text: str) -> Iterator[str]:
        """The texts worth comparing, the likeliest first; for a very short one every short one.

        Those are texts that share some of the rarest words of ``text``.
        """
        if len(text) < SHORT:
            yield from self._short
            return
        known = list(_words(text) & self._places.keys())
        known.sort(key=lambda word: (len(self._places[word]), word))
        shared: Counter[int] = Counter()
        for word in known[:_RARE]:
            if len(self._places[word]) <= _COMMON:
                shared.update(self._places[word])

        def rank(at: int) -> tuple[int, int, int]:
            """Most words shared first, then the most similar length."""
            return -shared[at], abs(len(self._texts[at]) - len(text)), at

        # Only those are ranked that share as many words as the last one that is taken.
        least = min(sorted(shared.values(), reverse=True)[:_CANDIDATES], default=0)
        likely = [at for at, words in shared.items() if words >= least]
        for at in sorted(likely, key=rank)[:_CANDIDATES]:
            yield self._texts[at]


def _words(text: str) -> set[str]:
    """The words of a text, whatever their case: ``"See jax.jit"`` has ``see``, ``jax``, ``jit``."""
    return set(_WORD.findall(text.casefold()))


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
        return _letters_in(self.part)


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
    is_old_inside = _letters_in(old) <= _letters_in(new)
    part, whole = (old, new) if is_old_inside else (new, old)
    if _letters_in(part & whole) < NEARLY * _letters_in(part):
        return None
    share = _letters_in(part) / _letters_in(whole)
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


def _letters_in(sentences: Iterable[str]) -> int:
    """Characters of some sentences together."""
    return sum(map(len, sentences))


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
    return _by_rank(ranked)


def _best_pieces(pieces: Sequence[Piece]) -> list[tuple[int, int]]:
    """New and old texts of which one is a good part of the other, the largest part first.

    A good part is long enough to be no chance, and a fair share of the whole.
    """
    ranked = [
        (-piece.share, piece.new, piece.old)
        for piece in pieces
        if piece.share >= SHARE and piece.length >= PIECE
    ]
    return _by_rank(ranked)


def _copies(alike: Sequence[Pair], used: Collection[int]) -> list[tuple[int, int]]:
    """New texts that are clearly alike one that is used already, the best pair first.

    Clearly: so much that they would be a pair from anywhere in the docs.
    """
    ranked = [
        (-pair.ratio, pair.new, pair.old)
        for pair in alike
        if pair.spare >= STRANGER and pair.old in used
    ]
    return _by_rank(ranked)


def _by_rank(ranked: Iterable[_Ranked]) -> list[tuple[int, int]]:
    """New and old texts by index, those of the lowest rank first.

    Of equal ranks the indices decide, so that every run chooses the same.
    """
    return [(target, source) for _, target, source in sorted(ranked)]
