"""The version that a copy is of, and the alignment with it.

Candidates go in: versions of pages with their blocks. The features of code and prose come first
(``versions``). What fits equally well by them is aligned, and a version with paragraphs that the
copy has not, or without some that it has, falls behind. Of those that are left the one that stood
longest is taken: most copies are of that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import log

from pipeline.core.adoption.alignment import Pair, align
from pipeline.core.adoption.blocks import Block, words_of
from pipeline.core.adoption.evidence import HAN, count_han
from pipeline.core.adoption.history import Version, moment
from pipeline.core.adoption.lexicon import Lexicon
from pipeline.core.adoption.pairing import Passage, Scorer, Similar, rarity_of
from pipeline.core.adoption.versions import Features, features_of, fits_of, tolerance

_CLEAR = 3.5  # nats from which on a pair shows that this is the page
_ALIGNED = 12  # different texts that fit equally well and are aligned with the copy
_ODD = 3.5  # what a paragraph costs that only one side has, where few are lost
_FEWEST_LOST = 0.02


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
    """The candidates with what they cost, the cheapest first."""
    fits = fits_of(copy, [candidate.features for candidate in candidates])
    pairs = [
        (fit.cost, candidate) for fit, candidate in zip(fits, candidates, strict=True)
    ]
    return sorted(pairs, key=lambda pair: pair[0])


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
    aligned = _align_each(copy, fitting, judges)
    fewest = min(_odd(copy, candidate, pairs) for _, candidate, pairs in aligned)
    lost = fewest / max(1, len(words_of(copy)))
    price = _ODD * min(1.0, log(max(lost, _FEWEST_LOST)) / log(_FEWEST_LOST))
    costs = [
        cost + price * (_odd(copy, candidate, pairs) - fewest)
        for cost, candidate, pairs in aligned
    ]
    limit = min(costs) + tolerance(min(costs))
    left = [row for cost, row in zip(costs, aligned, strict=True) if cost <= limit]

    def worth(
        row: tuple[float, Candidate, tuple[Pair, ...]],
    ) -> tuple[bool, float, str]:
        version = row[1].version
        return version.page.name in pinned, version.days, version.since

    _, candidate, pairs = max(left, key=worth)
    as_good = [row[1].version for row in left]
    return Choice(
        candidate=candidate,
        as_good=_on_page(as_good, candidate.version),
        pairs=pairs,
        share=share_of(copy, pairs),
    )


def share_of(copy: Sequence[Block], pairs: Sequence[Pair]) -> float:
    """How much of the Chinese of a copy is in pairs that are clear, 0 to 1."""
    # Code has Chinese in its comments, which nobody looks for.
    counts = [count_han(block.text) * block.is_words for block in copy]
    clear = [pair for pair in pairs if pair.english and pair.score >= _CLEAR]
    found = sum(counts[at] for at in chain.from_iterable(pair.copy for pair in clear))
    return found / max(1, sum(counts))


def scorer_of(english: Sequence[Block], copy: Sequence[Block], judge: Judge) -> Scorer:
    """The scorer for a page and a copy."""
    passages = [Passage((block,)) for block in words_of(english)]
    has_headings = any(block.is_words and block.kind == "heading" for block in copy)
    tokens = frozenset[str]().union(
        *(Passage((block,)).tokens for block in words_of(copy))
    )
    lasting = frozenset[str]().union(*(passage.lasting for passage in passages))
    kept = len(lasting & tokens) / max(1, len(lasting))
    return Scorer(
        lexicon=judge.lexicon,
        rarity=rarity_of(passages),
        kept=max(0.3, kept),
        has_headings=has_headings,
        similar=judge.similar,
    )


def _align_each(
    copy: Sequence[Block],
    fitting: Sequence[tuple[float, Candidate]],
    judges: Judges,
) -> list[tuple[float, Candidate, tuple[Pair, ...]]]:
    """Align every candidate; those with the same text share one alignment."""
    known: dict[tuple[Block, ...], tuple[Pair, ...]] = {}
    rows: list[tuple[float, Candidate, tuple[Pair, ...]]] = []
    for cost, candidate in fitting:
        text = candidate.blocks
        if text not in known:
            if len(known) == _ALIGNED:
                continue
            scorer = scorer_of(text, copy, judges(text))
            known[text] = tuple(align(text, copy, scorer))
        rows.append((cost, candidate, known[text]))
    return rows


def _odd(copy: Sequence[Block], candidate: Candidate, pairs: Sequence[Pair]) -> int:
    """How many blocks of words stand on one side only, between others that stand on both."""
    both = [at for at, pair in enumerate(pairs) if pair.english and pair.copy]
    between = pairs[both[0] : both[-1] + 1] if both else pairs
    missing = [pair.english[0] for pair in between if not pair.copy]
    strange = [copy[pair.copy[0]] for pair in between if not pair.english]
    # What a copy has besides in English may be an output, or a name.
    remarks = [block for block in words_of(strange) if HAN.search(block.text)]
    return len(remarks) + sum(candidate.blocks[at].is_words for at in missing)


def _on_page(versions: Sequence[Version], chosen: Version) -> tuple[Version, ...]:
    """The versions of the chosen page, in the order of time."""
    of_page = [version for version in versions if version.page.name == chosen.page.name]
    return tuple(sorted(of_page, key=lambda version: moment(version.since)))
