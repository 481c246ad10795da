"""Candidates: the pages and versions that a copy may translate, and the choice among them.

First, ``NameIndex`` guesses the page: it compares identifiers and numbers in the copy with the raw
documents. It does not parse the documents, because parsing upstream's whole history would take too
long.

Then ``choose`` compares the lines of code in the copy with those of each version. Each line that
only one of the two has adds 1 to the cost of the version. Among equally good versions, ``choose``
first prefers a page that exists at the pin, then the version that was current longest, because most
copies were made from such a version.

``read_history`` returns the versions of each page from the changed files of each commit. All names
that a page has ever had form its *family*.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from math import fsum, log, sqrt
from pathlib import PurePosixPath

from msgspec import Struct, field
from msgspec.structs import replace

from pipeline.core.adoption.alignment import Encoder, Pair, align
from pipeline.core.adoption.blocks import (
    HAN,
    Block,
    BlockKind,
    code_lines,
    count_han,
    lines_in,
    words_of,
)
from pipeline.core.pin.lock import PAGE_SUFFIXES, Page, SourceFile, page_path, pages_of

# A pair of passages with at least this score proves that the copy translates this page. Scores are
# logarithms of odds (see ``alignment``): 3.5 means 33 to 1.
_CLEAR = 3.5


# A line of code, and which occurrence on the page it is: 1 for the first line with this text.
Line = tuple[str, int]
# Names that are typical of a page: identifiers, and numbers of several digits.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}|\d+\.\d+|\d{3,}")
# base64 data of an image in the outputs.
_PAYLOAD = re.compile(r"[A-Za-z0-9+/=]{200,}")


class Candidate(Struct, frozen=True, eq=False):
    """Parsed version of a page, with its lines of code, in order."""

    version: Version
    blocks: tuple[Block, ...]
    lines: tuple[Line, ...]

    @classmethod
    def of(cls, version: Version, blocks: tuple[Block, ...]) -> Candidate:
        """Return the candidate with its lines of code."""
        return cls(version, blocks, tuple(_lines_of(blocks)))


class Choice(Struct, frozen=True, kw_only=True):
    """Version that a copy translates, and its alignment with the copy."""

    candidate: Candidate
    # All versions of the page that fit equally well, including the chosen one, oldest first.
    as_good: tuple[Version, ...]
    pairs: tuple[Pair, ...]
    share: float  # share of the copy's Chinese that clearly belongs to the page, 0 to 1


def rank(copy: Sequence[Block], candidates: Sequence[Candidate]) -> list[tuple[int, Candidate]]:
    """Return the candidates with their costs (see ``_cost``), the cheapest first."""
    known = frozenset[Line]().union(*(candidate.lines for candidate in candidates))
    found = _found_in(copy, known)
    costs = [_cost(candidate.lines, found) for candidate in candidates]
    ranked = zip(costs, candidates, strict=True)
    return sorted(ranked, key=lambda pair: pair[0])


def choose(
    copy: Sequence[Block],
    candidates: Sequence[Candidate],
    encoder: Encoder,
    *,
    pinned: frozenset[str],
) -> Choice:
    """Return the version that ``copy`` translates, aligned with it.

    ``pinned`` has the names of the pages at the pin.
    """
    ranked = rank(copy, candidates)
    cheapest = ranked[0][0]
    fitting = [candidate for cost, candidate in ranked if cost == cheapest]

    # Prefer a page that exists at the pin, then the version that was current longest, then the
    # newest.
    def worth(candidate: Candidate) -> tuple[bool, float, str]:
        version = candidate.version
        return version.page.name in pinned, version.days, version.since

    best = max(fitting, key=worth)
    page = best.version.page.name
    versions = [candidate.version for candidate in fitting]
    as_good = [version for version in versions if version.page.name == page]
    similar = encoder(block.text for block in words_of([*best.blocks, *copy]))
    pairs = tuple(align(best.blocks, copy, similar))
    return Choice(
        candidate=best,
        as_good=tuple(sorted(as_good, key=lambda version: moment(version.since))),
        pairs=pairs,
        share=share_of(copy, pairs),
    )


def share_of(copy: Sequence[Block], pairs: Sequence[Pair]) -> float:
    """Return the share of a copy's Chinese characters that are in pairs above ``_CLEAR``, 0 to 1.

    Comments in code are not counted.
    """
    clear: list[Block] = []
    for pair in pairs:
        if pair.english and pair.score >= _CLEAR:
            clear += [copy[number] for number in pair.copy]
    return _count_han(clear) / max(1, _count_han(copy))


def _count_han(blocks: Iterable[Block]) -> int:
    return sum(count_han(block.text) for block in words_of(blocks))


def _lines_of(blocks: Iterable[Block]) -> Iterator[Line]:
    """Yield the lines of code of a page, each with the number of its occurrence (see ``Line``)."""
    counts: Counter[str] = Counter()
    for block in blocks:
        if block.kind is BlockKind.CODE:
            for line in code_lines(block.text):
                counts[line] += 1
                yield line, counts[line]


def _found_in(copy: Iterable[Block], known: Collection[Line]) -> frozenset[Line]:
    """Return the ``known`` lines that occur in a copy.

    If the copy has the line ``x=1`` twice, the result has ``("x=1", 1)`` and ``("x=1", 2)``.
    """
    lines = frozenset(line for line, _ in known)
    counts: Counter[str] = Counter()
    for block in copy:
        # A copy may have lost its fences, so code may look like prose without Chinese.
        if block.kind is BlockKind.CODE or not HAN.search(block.text):
            counts += lines_in(block.text, lines)
    return frozenset((line, number) for line, number in known if counts[line] >= number)


def _cost(lines: Sequence[Line], found: frozenset[Line]) -> int:
    """Return how many lines of code only the version or only the copy has.

    ``lines`` are the lines of the version. ``found`` are the lines of the copy that any version
    has. The copy may be an excerpt, so lines of the version before the first and after the last
    common line do not count.
    """
    places = [at for at, line in enumerate(lines) if line in found]
    # The number of lines of the copy that this version lacks, but another version has.
    strange = len(found) - len(places)
    if not places:
        return strange
    lacking = places[-1] + 1 - places[0] - len(places)
    return strange + lacking


class NameIndex(Struct):
    """Index of the names (identifiers and numbers) on each page, in some of its versions."""

    # By page: the names in each version.
    names: dict[str, list[frozenset[str]]] = field(default_factory=dict)

    def add(self, page: str, text: str) -> None:
        """Add the text of one version of a page."""
        names = frozenset(_NAME.findall(_PAYLOAD.sub("", text)))
        self.names.setdefault(page, []).append(names)

    def guesses(self, copy: Sequence[Block], *, most: int) -> list[str]:
        """Return up to ``most`` pages that are similar to a copy, the most similar first.

        The similarity of a page is that of its most similar version.
        """
        counts: Counter[str] = Counter()
        for versions in self.names.values():
            counts.update(frozenset[str]().union(*versions))
        total = len(self.names) + 1
        # A name has a higher weight if fewer pages have it (inverse document frequency).
        weights = {name: log(total / count) ** 2 for name, count in counts.items()}
        text = "\n".join(block.text for block in copy)
        asked = weights.keys() & set(_NAME.findall(text))
        likeness: dict[str, float] = {}
        for page, versions in sorted(self.names.items()):
            likeness[page] = max(_likeness(asked, names, weights) for names in versions)
        pages = sorted(likeness, key=likeness.__getitem__, reverse=True)
        return [page for page in pages[:most] if likeness[page] > 0]


def _likeness(asked: Iterable[str], names: frozenset[str], weights: Mapping[str, float]) -> float:
    """Return a similarity of two sets of names, to compare pages with each other."""
    # This is the cosine similarity without the norm of ``asked``, which is equal for all pages.
    # ``fsum`` rounds only once. The result of ``sum`` would depend on the order of the set, which
    # differs between runs.
    shared = fsum(weights[name] for name in names.intersection(asked))
    return shared / sqrt(fsum(weights[name] for name in names) or 1.0)


# Change of one document: its path, its blob ("" if deleted), and its old path ("" unless renamed).
Change = tuple[str, str, str]
# Commit of the docs: its id, its date in ISO 8601, and its changes.
Commit = tuple[str, str, Sequence[Change]]

# Approximate number of versions of a page that ``History.samples`` returns.
_SAMPLES = 4
_OLDEST = datetime.min.replace(tzinfo=UTC)


class Version(Struct, frozen=True, kw_only=True):
    """Version of a page."""

    page: Page
    first: str  # first commit with this version
    last: str  # last commit with this version
    since: str  # date of ``first``
    until: str = ""  # date of the next version; "" if this version is still current

    @property
    def blob(self) -> str:
        """Return the blob of the version's first document, the notebook in a jupytext pair."""
        return self.page.files[0].blob

    @property
    def days(self) -> float:
        """Return how many days the version was current; infinity if it still is."""
        if not self.until:
            return float("inf")
        return (moment(self.until) - moment(self.since)).total_seconds() / 86400


class History(Struct, frozen=True, kw_only=True):
    """All versions of all pages."""

    versions: Mapping[str, tuple[Version, ...]]  # by page, the oldest first
    # By page: all names that the page has had.
    families: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def family(self, page: str) -> tuple[Version, ...]:
        """Return the versions of a page under all names of its family, the oldest first."""
        pages = sorted(self.families.get(page, {page}))
        found = chain.from_iterable(self.versions.get(name, ()) for name in pages)
        return tuple(sorted(found, key=lambda version: moment(version.since)))

    def samples(self) -> list[Version]:
        """Return a few versions of every page, spread over its history.

        The first and the last version are always included.
        """
        samples: list[Version] = []
        for versions in self.versions.values():
            step = max(1, len(versions) // _SAMPLES)
            samples += dict.fromkeys([*versions[::step], versions[-1]])
        return samples


def moment(date: str) -> datetime:
    """Parse the date of a commit; an invalid date comes before all others."""
    try:
        read = datetime.fromisoformat(date)
    except ValueError:
        return _OLDEST
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def read_history(commits: Sequence[Commit]) -> History:
    """Return the versions of all pages. ``commits`` are in git's order, the newest first."""
    versions: dict[str, list[Version]] = defaultdict(list)
    current: dict[str, Version] = {}
    blobs: dict[str, dict[str, str]] = defaultdict(dict)
    renames: list[tuple[str, str]] = []
    last = ""  # id of the preceding commit
    for commit_id, date, changes in reversed(commits):
        for name in _apply(changes, blobs, renames):
            files = sorted(blobs[name].items())
            pages = pages_of([SourceFile(path=path, blob=blob) for path, blob in files])
            known = current.pop(name, None)
            if known and pages and pages[0] == known.page:
                current[name] = known  # only the mode of a file has changed
                continue
            if known:
                versions[name].append(replace(known, last=last, until=date))
            if pages:
                current[name] = only_version(pages[0], commit_id, date)
        last = commit_id
    for name, version in current.items():
        versions[name].append(replace(version, last=last))
    return History(
        versions={page: tuple(found) for page, found in versions.items()},
        families=_families(renames),
    )


def _apply(
    changes: Sequence[Change],
    blobs: dict[str, dict[str, str]],
    renames: list[tuple[str, str]],
) -> list[str]:
    """Apply the changes of a commit to the ``blobs`` of each page, and add its ``renames``.

    Return the names of the changed pages.
    """
    touched: dict[str, None] = {}
    for changed, blob, renamed in changes:
        path = PurePosixPath(changed)
        if path.suffix not in PAGE_SUFFIXES:
            continue
        name = page_path(str(path.with_suffix("")))
        touched[name] = None
        if blob:
            blobs[name][changed] = blob
        else:
            blobs[name].pop(changed, None)
        before = PurePosixPath(renamed)
        if before.suffix in PAGE_SUFFIXES:
            renames.append((str(before.with_suffix("")), name))
    return list(touched)


def only_version(page: Page, commit: str, date: str) -> Version:
    """Return a page at one commit as its only version."""
    return Version(page=page, first=commit, last=commit, since=date)


def _families(renames: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """Return, for each renamed page, all of its names.

    The renames a → b and b → c make one family of three names.
    """
    families: dict[str, set[str]] = {}
    for before, after in renames:
        joined = families.get(before, {before}) | families.get(after, {after})
        for name in joined:
            families[name] = joined
    return {name: frozenset(family) for name, family in families.items()}
