"""One copy: its page, its version, and which passage of it is the translation of what.

In goes the text of a copy, out comes the choice among upstream's versions, or an InputError that
says why there is none. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.commands.adopt.copies import CopyFile
from pipeline.commands.adopt.versions import Versions
from pipeline.config.suggesting import did_you_mean
from pipeline.core.adoption.blocks import Block, words_of
from pipeline.core.adoption.choosing import Candidate, Choice, choose, rank
from pipeline.core.adoption.evidence import HAN
from pipeline.core.adoption.history import Version
from pipeline.core.adoption.pairing import Encoder
from pipeline.core.adoption.reading import read_copy
from pipeline.errors import ConfigError, InputError

_GUESSES = 8  # pages that are looked at …
_FEW = 5  # … in so many versions
# Share of the Chinese that must clearly be the page's; less if a person has named that.
_SHARE, _NAMED_SHARE = 0.4, 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a person has said of a copy: its page, and the version that it was made from."""

    page: str | None = None
    ref: str | None = None


@dataclass(kw_only=True)
class Matcher:
    """Finds out what copies are of."""

    versions: Versions
    encoder: Encoder

    def match(self, file: CopyFile, asked: Asked) -> tuple[tuple[Block, ...], Choice]:
        """Return the blocks of a copy, and what they are of. Raises InputError, ConfigError."""
        copy = _blocks_of(file)
        candidates = self._candidates(file, copy, asked)
        pinned = frozenset(page.name for page in self.versions.lock.pages)
        choice = choose(copy, candidates, self.encoder, pinned=pinned)
        is_named = asked.page or asked.ref
        if choice.share < (_NAMED_SHARE if is_named else _SHARE):
            raise _no_page(file, choice, asked)
        return copy, choice

    def _candidates(
        self, file: CopyFile, copy: Sequence[Block], asked: Asked
    ) -> list[Candidate]:
        """Return the versions that a copy may be of, as far as a person has said it.

        Raises ConfigError, InputError if what was said names nothing.
        """
        history = self.versions.history
        if asked.page is not None and asked.page not in history.versions:
            raise ConfigError(
                f"upstream never had a page {asked.page!r}",
                hint=f"{did_you_mean(asked.page, history.versions)}"
                "Pages are named by their path without suffix.",
            )
        if asked.ref is not None:
            found = self._at_ref(file, copy, asked.ref, asked.page or "")
        elif asked.page is not None:
            found = list(history.family(asked.page))
        else:
            page = self._likeliest_page(file, copy)
            found = list(history.family(page))
        return self._readable(file, found)

    def _at_ref(
        self, file: CopyFile, copy: Sequence[Block], ref: str, page: str
    ) -> list[Version]:
        """Return the versions at a ref: of ``page``, or of the pages that are likely.

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

    def _likeliest_page(self, file: CopyFile, copy: Sequence[Block]) -> str:
        """Return the page that a few versions of the likeliest ones show to be the one.

        Names alone do not decide between a page and one that was cut out of it.
        """
        samples: dict[str, Version] = {}
        for page in self._guessed(file, copy):
            family = self.versions.history.family(page)
            step = max(1, len(family) // _FEW)
            for version in [*family[::step], family[-1]]:
                samples.setdefault(version.blob, version)
        ranked = rank(copy, self._readable(file, list(samples.values())))
        return ranked[0][1].version.page.name

    def _guessed(self, file: CopyFile, copy: Sequence[Block]) -> list[str]:
        """Return the pages that a copy is likely to be of, and those called as its file is."""
        names = self.versions.index.guesses(copy, most=_GUESSES)
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
        """Return those of the versions that can be read. Raises InputError if none can.

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


def _no_page(file: CopyFile, choice: Choice, asked: Asked) -> InputError:
    """Return why a copy is refused whose Chinese is not that of the page."""
    page = choice.candidate.version.page.name
    what = f"is none of upstream's pages; closest is {page!r}"
    hint = f"If it is that page all the same: --page {page}."
    if asked.page or asked.ref:
        what = f"is no translation of {asked.page or page!r}"
        hint = "Leave --page and --at out: page and version are found by themselves."
    share = f"{100 * choice.share:.0f} % of its text fits"
    return InputError(f"{what}: {share}", where=file.name, hint=hint)


def _blocks_of(file: CopyFile) -> tuple[Block, ...]:
    """Return the blocks of a copy that is no catalogue.

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
