"""One copy: its page, its version, and which passage of it is the translation of what.

In goes the text of a copy, out comes the choice among upstream's versions, or an InputError that
says why there is none. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from pipeline.commands.adopt.copies import CopyFile
from pipeline.commands.adopt.versions import Versions
from pipeline.config.suggesting import did_you_mean
from pipeline.core.adoption.blocks import Block, words_of
from pipeline.core.adoption.choosing import Candidate, Choice, Judge, choose, rank
from pipeline.core.adoption.evidence import HAN, count_han
from pipeline.core.adoption.history import Version
from pipeline.core.adoption.lexicon import Lexicon, learn
from pipeline.core.adoption.lexicon import Pair as Known
from pipeline.core.adoption.pairing import Similar
from pipeline.core.adoption.reading import read_copy
from pipeline.errors import ConfigError, InputError

_GUESSES = 8  # pages that are looked at
_FEW = 5  # versions of each of them, to choose the page
_NEAR = 40.0  # nats: pages that cost no more above the best one are looked at in all versions
# Share of the Chinese that must clearly be the page's; less if a person has named that.
_SHARE, _NAMED_SHARE = 0.4, 0.15
_REST = 0.25  # share of the Chinese that, left over in one piece, may be another page


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a person has said of a copy: its page, and the version that it was made from."""

    page: str | None = None
    ref: str | None = None


@dataclass(kw_only=True)
class Matcher:
    """Finds out what copies are of.

    ``known`` are translations that exist, ``terms`` the rows of the glossary: what goes with what.
    ``similar`` makes a measure of likeness for some texts, where an encoder is installed.
    """

    versions: Versions
    known: Sequence[Known]
    terms: Sequence[Known]
    encoder: Callable[[Iterable[str]], Similar] | None = None

    @cached_property
    def pinned(self) -> frozenset[str]:
        """The pages that upstream has at the pin.

        Of pages that fit as well one that still exists is taken.
        """
        return frozenset(page.name for page in self.versions.lock.pages)

    def match(self, file: CopyFile, asked: Asked) -> tuple[tuple[Block, ...], Choice]:
        """The blocks of a copy, and what they are of. Raises InputError, ConfigError."""
        copy = _blocks_of(file)
        choice = self._choose(copy, self._candidates(file, copy, asked))
        if not asked.page and choice.share >= _NAMED_SHARE:
            self._refuse_two_pages(file, copy, choice)
        is_named = asked.page or asked.ref
        if choice.share < (_NAMED_SHARE if is_named else _SHARE):
            raise self._no_page(file, choice, asked)
        return copy, choice

    def _candidates(
        self, file: CopyFile, copy: Sequence[Block], asked: Asked
    ) -> list[Candidate]:
        """The versions that a copy may be of, as far as a person has said it.

        Raises ConfigError, InputError if what was said names nothing.
        """
        if asked.page is not None:
            self._check_page(asked.page)
        if asked.ref is not None:
            found = self._at_ref(file, copy, asked.ref, asked.page or "")
        elif asked.page is not None:
            found = list(self.versions.history.family(asked.page))
        else:
            return self._of_best_pages(file, copy)
        return self._readable(file, found)

    def _at_ref(
        self, file: CopyFile, copy: Sequence[Block], ref: str, page: str
    ) -> list[Version]:
        """The versions at a ref: of ``page``, or of those pages that the copy is likely to be of.

        Raises InputError if there is no such page then.
        """
        found = self.versions.at(ref, page)
        if not found:
            raise InputError(
                f"upstream has no page {page!r} at {ref!r}",
                where=file.name,
                hint="Leave --at out: the version is found by itself.",
            )
        if page:
            return found
        names = set(self._guessed(file, copy))
        return [version for version in found if version.page.name in names] or found

    def _of_best_pages(self, file: CopyFile, copy: Sequence[Block]) -> list[Candidate]:
        """All versions of the pages that a few versions of each show to be the likeliest.

        Names alone do not decide between a page and one that was cut out of it.
        """
        history = self.versions.history
        samples: dict[str, Version] = {}
        for page in self._guessed(file, copy):
            family = history.family(page)
            step = max(1, len(family) // _FEW)
            for version in [*family[::step], family[-1]]:
                samples.setdefault(version.blob, version)
        ranked = rank(copy, self._readable(file, list(samples.values())))
        limit = ranked[0][0] + _NEAR
        near = [candidate for cost, candidate in ranked if cost <= limit]
        families = [history.family(found.version.page.name) for found in near]
        versions = dict.fromkeys(chain.from_iterable(families))
        return self._readable(file, list(versions))

    def _guessed(self, file: CopyFile, copy: Sequence[Block]) -> list[str]:
        """The names of pages that a copy is likely to be of, and those called as its file is."""
        guesses = self.versions.index.guesses(copy, most=_GUESSES)
        names = [guess.page for guess in guesses if guess.likeness > 0]
        stem = file.stem.lower()
        pages = self.versions.history.versions
        names += [page for page in pages if page.rpartition("/")[2].lower() == stem]
        if not names:
            raise InputError(
                "has no name, number or code that could tell which page it is of",
                where=file.name,
                hint="Name the page: --page PAGE.",
            )
        return list(dict.fromkeys(names))

    def _readable(self, file: CopyFile, versions: Sequence[Version]) -> list[Candidate]:
        """Those of the versions that can be read. Raises InputError if none can.

        What upstream itself broke for a while is left out in silence.
        """
        candidates = self.versions.candidates(versions)
        if not candidates:
            raise InputError(
                "upstream's page cannot be read at any version",
                where=file.name,
                hint="Name another page: --page PAGE.",
            )
        return candidates

    def _check_page(self, page: str) -> None:
        """Raise ConfigError if upstream never had a page of that name.

        It tells the nearest name that there was.
        """
        pages = self.versions.history.versions
        if page not in pages:
            raise ConfigError(
                f"upstream never had a page {page!r}",
                hint=f"{did_you_mean(page, pages)}Pages are named by their path without suffix.",
            )

    def _choose(self, copy: Sequence[Block], candidates: Sequence[Candidate]) -> Choice:
        """The version among the candidates, with the alignment.

        What is learnt of words for the first one serves all: versions of a page differ little.
        """
        chinese = [block.text for block in words_of(copy)]
        learnt: list[Lexicon] = []

        def judge(english: Sequence[Block]) -> Judge:
            texts = [block.text for block in words_of(english)]
            if not learnt:
                learnt.append(
                    learn(self.known, self.terms, english=texts, chinese=chinese)
                )
            similar = self.encoder([*texts, *chinese]) if self.encoder else None
            return Judge(lexicon=learnt[0], similar=similar)

        return choose(copy, candidates, judge, pinned=self.pinned)

    def _no_page(self, file: CopyFile, choice: Choice, asked: Asked) -> InputError:
        """Why a copy is refused whose Chinese is not that of the page.

        It names the page that came closest, and how to insist on it.
        """
        page = choice.candidate.version.page.name
        share = f"{100 * choice.share:.0f} % of its text fits"
        if asked.page or asked.ref:
            return InputError(
                f"is no translation of {asked.page or page!r}: {share}",
                where=file.name,
                hint="Leave --page and --at out: page and version are found by themselves.",
            )
        return InputError(
            f"is none of upstream's pages; closest is {page!r}: {share}",
            where=file.name,
            hint=f"If it is that page all the same: --page {page}.",
        )

    def _refuse_two_pages(
        self, file: CopyFile, copy: Sequence[Block], choice: Choice
    ) -> None:
        """Raise InputError if what is left over in one piece is another page.

        Half of it would be taken for the translator's own remarks.
        """
        rest = _longest_rest(copy, choice)
        if _count_han(rest) < _REST * _count_han(copy):
            return
        try:
            other = self._choose(rest, self._of_best_pages(file, rest))
        except InputError:
            return
        here = choice.candidate.version.page.name
        there = other.candidate.version.page.name
        if other.share >= _SHARE and there != here:
            raise InputError(
                f"holds two pages: {here!r}, and from {rest[0].place} on {there!r}",
                where=file.name,
                hint=f"Cut it in two, or take one of them: --page {here}.",
            )


def _blocks_of(file: CopyFile) -> tuple[Block, ...]:
    """The blocks of a copy that is no catalogue.

    Raises InputError if it cannot be read, or has no Chinese prose: comments in code are none.
    """
    assert file.form is not None
    try:
        copy = read_copy(file.text, file.form)
    except InputError as error:
        raise InputError(error.what, where=file.name, hint=error.hint) from error
    if not any(HAN.search(block.text) for block in words_of(copy)):
        raise InputError(
            "has no Chinese outside of its code",
            where=file.name,
            hint="Give the translated page; English is pulled from upstream.",
        )
    return copy


def _count_han(blocks: Iterable[Block]) -> int:
    """The Chinese characters of the prose among some blocks.

    Those in comments of code do not count: nobody translates those here.
    """
    return sum(count_han(block.text) for block in words_of(blocks))


def _longest_rest(copy: Sequence[Block], choice: Choice) -> list[Block]:
    """The longest run of blocks that belong to no message.

    It goes on over messages that the copy lacks, and ends where the next pair is.
    """
    runs: list[list[Block]] = [[]]
    for pair in choice.pairs:
        if not pair.english:
            runs[-1] += [copy[number] for number in pair.copy]
        elif pair.copy and pair.score > 0:
            runs.append([])
    return max(runs, key=len)
