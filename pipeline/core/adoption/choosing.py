"""The version that a copy is of, and the alignment with it.

Candidates go in: versions of pages with their blocks. The features of code and prose come first
(``versions``). What fits equally well by them is aligned, and a version with paragraphs that the
copy has not, or without some that it has, falls behind. Of those that are left the one that stood
longest is taken: most copies are of that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import log

from pipeline.core.adoption.alignment import Pair, align
from pipeline.core.adoption.blocks import Block, BlockKind, words_of
from pipeline.core.adoption.evidence import HAN, count_han
from pipeline.core.adoption.history import Version, moment
from pipeline.core.adoption.lexicon import Lexicon
from pipeline.core.adoption.pairing import Passage, Scorer, Similar, rarity_of
from pipeline.core.adoption.versions import Features, features_of, fits_of, tolerance

_CLEAR = 3.5  # nats from which on a pair shows that this is the page
_ALIGNED = 12  # different texts that fit equally well and are aligned with the copy
_ODD = 3.5  # what a paragraph costs that only one side has, where few are lost
_FEWEST_LOST = 0.02
_FEWEST_KEPT = 0.3  # share of names and numbers: where most are lost, one more still says something


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """What is known of words: which Chinese goes with them, and what texts mean."""

    lexicon: Lexicon
    similar: Similar | None = None


# The judge for the text of a version.
Judges = Callable[[Sequence[Block]], Judge]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A version of a page, read."""

    version: Version
    blocks: tuple[Block, ...]
    features: Features = field(default=())

    @classmethod
    def of(cls, version: Version, blocks: tuple[Block, ...]) -> Candidate:
        """The candidate with its features."""
        return cls(version, blocks, features_of(blocks))


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The version that was chosen, what fits as well, and which block is the translation of which.

    ``share`` says how much of the copy's Chinese clearly belongs to the page, 0 to 1.
    """

    candidate: Candidate
    as_good: tuple[Version, ...]  # the chosen one among them, from the oldest on
    pairs: tuple[Pair, ...]
    share: float


def rank(
    copy: Sequence[Block], candidates: Sequence[Candidate]
) -> list[tuple[float, Candidate]]:
    """The candidates with what they cost, the cheapest first.

    Of those that cost the same the order is that of ``candidates``.
    """
    fits = fits_of(copy, [candidate.features for candidate in candidates])
    costs = [fit.cost for fit in fits]
    ranked = zip(costs, candidates, strict=True)
    return sorted(ranked, key=lambda pair: pair[0])


def choose(
    copy: Sequence[Block],
    candidates: Sequence[Candidate],
    judges: Judges,
    *,
    pinned: frozenset[str],
) -> Choice:
    """The version that ``copy`` is of. ``pinned`` are the pages that upstream has at the pin."""
    ranked = rank(copy, candidates)
    cheapest = ranked[0][0]
    fitting = [pair for pair in ranked if pair[0] <= cheapest + tolerance(cheapest)]
    left = _without_odd(_align_each(copy, fitting, judges), words=len(words_of(copy)))

    def worth(row: _Aligned) -> tuple[bool, float, str]:
        version = row.candidate.version
        return version.page.name in pinned, version.days, version.since

    best = max(left, key=worth)
    as_good = [row.candidate.version for row in left]
    return Choice(
        candidate=best.candidate,
        as_good=_on_page(as_good, best.candidate.version),
        pairs=best.pairs,
        share=share_of(copy, best.pairs),
    )


def _without_odd(aligned: Sequence[_Aligned], *, words: int) -> list[_Aligned]:
    """Those that fit as well as any once paragraphs count that only one side has.

    ``words`` is how many blocks of words the copy has. Where it has lost or added many in any case,
    one more says less.
    """
    fewest = min(row.odd for row in aligned)
    lost = max(fewest / max(1, words), _FEWEST_LOST)
    price = _ODD * min(1.0, log(lost) / log(_FEWEST_LOST))
    costs = [row.cost + price * (row.odd - fewest) for row in aligned]
    limit = min(costs) + tolerance(min(costs))
    rows = zip(costs, aligned, strict=True)
    return [row for cost, row in rows if cost <= limit]


def share_of(copy: Sequence[Block], pairs: Sequence[Pair]) -> float:
    """How much of the Chinese of a copy is in pairs that are clear, 0 to 1.

    Code has Chinese in its comments, which nobody looks for.
    """
    whole = sum(count_han(block.text) for block in words_of(copy))
    found = 0
    for pair in pairs:
        if not pair.english or pair.score < _CLEAR:
            continue
        passage = words_of(copy[number] for number in pair.copy)
        found += sum(count_han(block.text) for block in passage)
    return found / max(1, whole)


def scorer_of(english: Sequence[Block], copy: Sequence[Block], judge: Judge) -> Scorer:
    """The scorer for a page and a copy."""
    passages = [Passage((block,)) for block in words_of(english)]
    words = words_of(copy)
    lasting = frozenset[str]().union(*(passage.lasting for passage in passages))
    tokens = Passage(tuple(words)).tokens
    kept = len(lasting & tokens) / max(1, len(lasting))
    return Scorer(
        lexicon=judge.lexicon,
        rarity=rarity_of(passages),
        kept=max(_FEWEST_KEPT, kept),
        has_headings=any(block.kind is BlockKind.HEADING for block in words),
        similar=judge.similar,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Aligned:
    """A candidate with its cost, and the alignment of its blocks with those of the copy.

    ``odd`` is how many blocks of words stand on one side only.
    """

    cost: float
    candidate: Candidate
    pairs: tuple[Pair, ...]
    odd: int


def _align_each(
    copy: Sequence[Block],
    fitting: Sequence[tuple[float, Candidate]],
    judges: Judges,
) -> list[_Aligned]:
    """Align every candidate; those with the same text share one alignment."""
    known: dict[tuple[Block, ...], tuple[tuple[Pair, ...], int]] = {}
    aligned: list[_Aligned] = []
    for cost, candidate in fitting:
        text = candidate.blocks
        if text not in known and len(known) == _ALIGNED:
            continue
        if text not in known:
            pairs = tuple(align(text, copy, scorer_of(text, copy, judges(text))))
            known[text] = pairs, _count_odd(text, copy, pairs)
        pairs, odd = known[text]
        aligned.append(_Aligned(cost=cost, candidate=candidate, pairs=pairs, odd=odd))
    return aligned


def _count_odd(
    english: Sequence[Block], copy: Sequence[Block], pairs: Sequence[Pair]
) -> int:
    """How many blocks of words stand on one side only, between others that stand on both.

    What a copy has besides in English is none of them: it may be an output, or a name.
    """
    odd = 0
    for pair in _between(pairs):
        if not pair.copy:
            odd += english[pair.english[0]].is_words
        elif not pair.english:
            strange = copy[pair.copy[0]]
            odd += strange.is_words and HAN.search(strange.text) is not None
    return odd


def _between(pairs: Sequence[Pair]) -> Sequence[Pair]:
    """The pairs from the first to the last that has two sides; all if none has.

    Where a copy begins later or ends earlier than the page does, that is one accident, and where
    there is more around it, that is the blog's.
    """
    both = [at for at, pair in enumerate(pairs) if pair.english and pair.copy]
    if not both:
        return pairs
    first, last = both[0], both[-1]
    return pairs[first : last + 1]


def _on_page(versions: Sequence[Version], chosen: Version) -> tuple[Version, ...]:
    """The versions of the page that was chosen, in the order of time: not those of its family.

    Under another name it is another page to a reader of the report.
    """
    name = chosen.page.name
    of_page = [version for version in versions if version.page.name == name]
    return tuple(sorted(of_page, key=lambda version: moment(version.since)))
