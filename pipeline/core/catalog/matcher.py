"""Matcher of texts: the old message that each new one was made from.

Texts are compared letter by letter. Texts of different pages must be more similar than texts of the
same page. To be fast, an index of rare words first selects texts that share words.

Upstream also joins and splits paragraphs. Such texts are compared by sentences: the whole has
nearly all sentences of each part. All pairs get a score before the best pairs are chosen, so the
result does not depend on the order of pages.

To change a threshold, run ``JAX_DOCS_WHOLE=1 pytest tests/core/catalog/test_release_chain.py -rP``.
This test prints the effect from release to release. After that, read the fuzzy matches.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import inf

from msgspec import Struct
from rapidfuzz import fuzz

from pipeline.core.catalog.change_class import ChangeClass, plain_text

# (length, minimum): the minimum ratio of rapidfuzz, in percent, for texts with fewer characters
# than ``length``. ``CUTOFF`` is the minimum for all other texts. Below the minimum, the old
# translation does not help. In short texts, a few letters change the meaning, so their minimum is
# higher.
CUTOFFS = ((24, 85.0), (60, 70.0))
CUTOFF = 60.0
# A new text with fewer characters than this is compared with all old texts below this length. Two
# short texts may share only a single word, so the index could miss a pair.
SHORT = 24
# For a text of another page, the ratio must exceed the minimum by this number.
KIN_PENALTY = 2.0  # for a page that this page was made from
OTHER_PAGE_PENALTY = 15.0  # for any other page
# If at least this many texts of a page clearly come from one old page, the page was made from the
# old one.
SEVERAL = 2

_WORD = re.compile(r"\w+")
_RARE = 12  # number of words of a text that are looked up, rarest first
_COMMON = 150  # a word that is in more texts than this is ignored
_CANDIDATES = 12  # at most this many texts are compared with a text, letter by letter


class Text(Struct, frozen=True, kw_only=True):
    """English text of a page.

    The text is ``free`` if the page no longer has it. Another text may take over the translation of
    a free text.
    """

    page: str
    text: str
    free: bool = False


class Pair(Struct, frozen=True, kw_only=True):
    """A new and an old text, by index, that are similar enough."""

    new: int
    old: int
    ratio: float
    spare: float  # by how much the ratio exceeds the minimum


def find_similar(new: Sequence[Text], old: Sequence[Text]) -> list[Pair]:
    """Return all pairs of a new and an old text that are similar, whatever their pages.

    Markup is ignored: "see {func}`jax.jit`" and "see `jax.jit`" are equal here.
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
                Pair(new=target, old=source, ratio=ratio, spare=spare) for source in places[similar]
            ]
    return pairs


def near_pages(
    new: Sequence[Text],
    old: Sequence[Text],
    *,
    kin: Mapping[str, Collection[str]],
    alike: Iterable[Pair],
) -> dict[str, tuple[str, ...]]:
    """Return, for each page of ``new``, the pages that its texts probably come from, best first.

    These pages are the page itself, its kin (``lineage``), and each old page that has lost several
    texts which are very similar to new texts of the page. ``alike`` is the result of
    ``find_similar``.
    """
    clear: dict[tuple[str, str], set[int]] = defaultdict(set)
    for pair in alike:
        if old[pair.old].free and pair.spare >= OTHER_PAGE_PENALTY:
            clear[new[pair.new].page, old[pair.old].page].add(pair.new)
    near = {text.page: [text.page, *kin.get(text.page, ())] for text in new}
    for (page, source), texts in sorted(clear.items(), key=lambda item: (-len(item[1]), item[0])):
        if len(texts) >= SEVERAL:
            near[page].append(source)
    return {page: tuple(dict.fromkeys(pages)) for page, pages in near.items()}


def page_penalty(new: Text, old: Text, near: Mapping[str, Collection[str]]) -> float:
    """Return by how much the ratio of two texts must exceed the minimum, given their pages.

    ``near`` is the result of ``near_pages``. The result is infinite if the texts cannot be a pair.
    """
    is_same_page = old.page == new.page
    if not old.free:
        # The old page still has the old text. If the new text is on the same page, the texts are
        # only similar, like items of one list. On another page, the new text may be a copy.
        return inf if is_same_page else OTHER_PAGE_PENALTY
    if is_same_page:
        return 0.0
    # A distant page may have lost the text without any relation to the new text.
    return KIN_PENALTY if old.page in near[new.page] else OTHER_PAGE_PENALTY


def _cutoff(text: str) -> float:
    """Return the minimum ratio for a new text: higher for shorter texts."""
    for length, cutoff in CUTOFFS:
        if len(text) < length:
            return cutoff
    return CUTOFF


class _Index:
    """Index that finds the texts which share rare words with a given text."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._short = [text for text in texts if len(text) < SHORT]
        self._places: dict[str, list[int]] = defaultdict(list)
        for at, text in enumerate(texts):
            for word in _words(text):
                self._places[word].append(at)

    def candidates(self, text: str) -> Iterator[str]:
        """Yield the texts to compare with ``text``: those that share its rarest words.

        The likeliest ones come first. For a short ``text``, yield all short texts.
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
            """Return the sort key: most shared words first, then the most similar length."""
            return -shared[at], abs(len(self._texts[at]) - len(text)), at

        # To be fast, sort only texts that can be among the first ``_CANDIDATES``.
        least = min(sorted(shared.values(), reverse=True)[:_CANDIDATES], default=0)
        likely = [at for at, words in shared.items() if words >= least]
        for at in sorted(likely, key=rank)[:_CANDIDATES]:
            yield self._texts[at]


def _words(text: str) -> set[str]:
    """Return the case-folded words of a text: ``"See jax.jit"`` has ``see``, ``jax``, ``jit``."""
    return set(_WORD.findall(text.casefold()))


# A short text counts as a part of a longer one if at least this share of its letters is in
# sentences that the longer text has, too.
NEARLY = 0.9
# The parts of a joined or split text must together have at least this share of its letters.
COVERED = 0.6

_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n")
_CLUE = 12  # a sentence with fewer characters is ignored, because it may occur anywhere


class Piece(Struct, frozen=True, kw_only=True):
    """A new text and a free old text, by index. One of them contains the other.

    ``part`` has the sentences of the contained text.
    """

    new: int
    old: int
    part: frozenset[str]
    is_old_inside: bool
    share: float  # letters of the part, divided by letters of the whole


def find_pieces(
    new: Sequence[Text], old: Sequence[Text], near: Mapping[str, Sequence[str]]
) -> list[Piece]:
    """Return, for each new text, the old texts that contain it or are contained in it.

    Texts of the nearest page come first. ``near`` is the result of ``near_pages``. Texts of pages
    that are not near are ignored, because a sentence may occur in many places.
    """
    pieces: list[Piece] = []
    # If a page still has a text, upstream has neither joined nor split it.
    sentences = {at: _sentences(text.text) for at, text in enumerate(old) if text.free}
    places: dict[str, list[int]] = defaultdict(list)
    for at, old_sentences in sentences.items():
        for sentence in old_sentences:
            places[sentence].append(at)
    for target, text in enumerate(new):
        own_sentences = _sentences(text.text)
        ranks = {page: rank for rank, page in enumerate(near[text.page])}
        sharing: set[int] = set()
        for sentence in own_sentences & places.keys():
            sharing.update(places[sentence])
        candidates = [at for at in sharing if old[at].page in ranks]
        candidates.sort(key=lambda at: (ranks[old[at].page], at))
        seen: set[str] = set()
        for source in candidates:
            if old[source].text in seen:
                continue  # several pages may have lost the same text
            piece = _piece(target, source, own_sentences, sentences[source])
            if piece:
                seen.add(old[source].text)
                pieces.append(piece)
    return pieces


def joined_texts(
    new: Sequence[Text], old: Sequence[Text], pieces: Iterable[Piece]
) -> dict[int, tuple[int, ...]]:
    """Return the new texts that upstream joined from several old texts, each with its old texts.

    ``{7: (3, 5)}``: the new text 7 begins with the old text 3 and continues with the old text 5.
    """
    parts: dict[int, list[int]] = defaultdict(list)
    covered: dict[int, frozenset[str]] = defaultdict(frozenset)
    for piece in pieces:
        # If two old texts have the same sentence, only the first one is used.
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


def split_texts(
    new: Sequence[Text], old: Sequence[Text], pieces: Iterable[Piece]
) -> dict[int, tuple[int, ...]]:
    """Return the new texts that upstream made by splitting an old text, each with its old text.

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
    """Return whether there are several parts that are together long enough (``COVERED``)."""
    return len(parts) >= 2 and sum(map(len, parts)) >= COVERED * len(whole)


def _piece(target: int, source: int, new: frozenset[str], old: frozenset[str]) -> Piece | None:
    """Return the piece that two texts form, or None if the longer one does not contain the shorter.

    ``new`` and ``old`` are the sentences of the texts. A few letters may be missing (see
    ``NEARLY``), because upstream may edit a sentence when it joins paragraphs.
    """
    is_old_inside = _letters_in(old) <= _letters_in(new)
    part, whole = (old, new) if is_old_inside else (new, old)
    if _letters_in(part & whole) < NEARLY * _letters_in(part):
        return None
    share = _letters_in(part) / _letters_in(whole)
    return Piece(new=target, old=source, part=part, is_old_inside=is_old_inside, share=share)


def _sentences(text: str) -> frozenset[str]:
    """Return the sentences of a text in lower case, without markup and final stop.

    Short sentences are left out. "Use [`jit`](jit.md) for speed. See below." →
    {"use jit for speed"}
    """
    sentences: set[str] = set()
    for sentence in _SENTENCE.split(plain_text(text)):
        words = sentence.casefold().split()
        normal = " ".join(words).rstrip(".:;")
        if len(normal) >= _CLUE:
            sentences.add(normal)
    return frozenset(sentences)


def _letters_in(sentences: Iterable[str]) -> int:
    """Return the total number of characters of sentences."""
    return sum(map(len, sentences))


# A single piece counts as a match only if it has at least this many characters, and this share of
# the whole.
PIECE = 30
SHARE = 0.3


# A pair: its cost (lower is better), and the indices of the new and the old text. Pairs of equal
# cost are sorted by their indices, so that every run chooses the same pairs.
_Ranked = tuple[float, int, int]


class Match(Struct, frozen=True, kw_only=True):
    """Old texts, by index, that a new text was made from.

    ``kind`` is set if texts were joined or split, which a comparison of two texts does not show.
    """

    sources: tuple[int, ...]
    kind: ChangeClass | None = None


def match_texts(
    new: Sequence[Text], old: Sequence[Text], kin: Mapping[str, Collection[str]]
) -> dict[int, Match]:
    """Return the match of each new text, by index. Texts without a match are left out.

    ``kin`` has the pages that each page was made from, besides itself. A free old text matches only
    one new text, or all parts that it was split into. In addition, it may match new texts of other
    pages, because upstream may have copied it there.
    """
    alike = find_similar(new, old)
    near = near_pages(new, old, kin=kin, alike=alike)
    pieces = find_pieces(new, old, near)
    matches = _joined_and_cut(new, old, pieces)
    used: set[int] = set()
    for match in matches.values():
        used.update(match.sources)
    # Similar whole texts are better evidence than similar parts, so they come first.
    ranked = (*_best_pairs(new, old, alike, near), *_best_pieces(pieces))
    for _, target, source in ranked:
        if target in matches or source in used:
            continue
        matches[target] = Match(sources=(source,))
        if old[source].free:
            # A text that is not free may match any number of new texts.
            used.add(source)
    # Upstream may have copied a text to several pages and edited the copies. So an old text that
    # already has a match may match texts of other pages, too.
    for _, target, source in _copies(alike, used):
        if old[source].page != new[target].page:
            matches.setdefault(target, Match(sources=(source,)))
    return matches


def _joined_and_cut(
    new: Sequence[Text], old: Sequence[Text], pieces: Sequence[Piece]
) -> dict[int, Match]:
    """Return the matches of new texts that upstream made by joining or splitting old texts.

    Joined texts are matched first: an old text that became a part of a new text was not split.
    """
    matches: dict[int, Match] = {}
    used: set[int] = set()
    for target, sources in joined_texts(new, old, pieces).items():
        matches[target] = Match(sources=sources, kind=ChangeClass.MERGED)
        used.update(sources)
    rest = [piece for piece in pieces if piece.new not in matches and piece.old not in used]
    for target, sources in split_texts(new, old, rest).items():
        matches[target] = Match(sources=sources, kind=ChangeClass.SPLIT)
    return matches


def _best_pairs(
    new: Sequence[Text],
    old: Sequence[Text],
    alike: Sequence[Pair],
    near: Mapping[str, Collection[str]],
) -> list[_Ranked]:
    """Return new and old texts that are similar and near enough, the best pair first.

    ``near`` is the result of ``near_pages``.
    """
    ranked: list[_Ranked] = []
    for pair in alike:
        taken_off = page_penalty(new[pair.new], old[pair.old], near)
        if taken_off <= pair.spare:
            ranked.append((taken_off - pair.ratio, pair.new, pair.old))
    return sorted(ranked)


def _best_pieces(pieces: Sequence[Piece]) -> list[_Ranked]:
    """Return pairs in which one text is a large part of the other, the largest share first.

    ``PIECE`` and ``SHARE`` say how large.
    """
    ranked = [
        (-piece.share, piece.new, piece.old)
        for piece in pieces
        if piece.share >= SHARE and _letters_in(piece.part) >= PIECE
    ]
    return sorted(ranked)


def _copies(alike: Sequence[Pair], used: Collection[int]) -> list[_Ranked]:
    """Return pairs of a new text and an old text that already has a match, the best pair first.

    The texts must be similar enough for any two pages.
    """
    ranked = [
        (-pair.ratio, pair.new, pair.old)
        for pair in alike
        if pair.spare >= OTHER_PAGE_PENALTY and pair.old in used
    ]
    return sorted(ranked)
