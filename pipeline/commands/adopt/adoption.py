"""Adoption of copies: find the page and version of each copy, and fill the catalogues.

Copies are processed one by one; a rejected copy does not stop the others. All catalogues are
written at the end. The memory is then updated from them, as after any edit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from pipeline.adapters.copies import encoder
from pipeline.adapters.upstream.commit_log import Tag
from pipeline.commands.adopt.catalogs import CatalogFiller, import_catalog
from pipeline.commands.adopt.copy_files import CopyFile, find_files, read_file
from pipeline.commands.adopt.versions import Versions, open_versions
from pipeline.commands.pages import pages_of_run
from pipeline.commands.run_lock import run_lock
from pipeline.commands.update import LocaleMemos, update_locale, update_pulled
from pipeline.core.adoption.alignment import Encoder
from pipeline.core.adoption.blocks import HAN, Block, words_of
from pipeline.core.adoption.candidates import (
    Candidate,
    Choice,
    Version,
    choose,
    moment,
    rank,
)
from pipeline.core.adoption.copy_reader import read_copy
from pipeline.core.adoption.result import AdoptedCopy, AdoptResult, audit_code
from pipeline.core.catalog.origins import Copy
from pipeline.errors import ConfigError, InputError, did_you_mean
from pipeline.findings import Finding, Severity
from pipeline.run import Run
from pipeline.stages.pull.stage import read_pulled
from pipeline.stages.update.locale import Locale

# Characters that author and licence must not have: in a note they would separate its parts, or look
# like a diff.
_UNFIT = re.compile(r"[,\[\]{}\n\r]")
# Licences that allow us to distribute a translation with this project; others cause a warning.
_KNOWN_LICENCES = (
    *("Apache-2.0", "MIT", "BSD-2-Clause", "BSD-3-Clause", "ISC"),
    *("CC0-1.0", "CC-BY-3.0", "CC-BY-4.0", "Unlicense", "0BSD"),
)
_GUESSES = 8  # number of guessed pages to examine
_FEW = 5  # number of versions to examine of each guessed page
# Share of the copy's Chinese that must clearly match the page: 0 to 1. ``_NAMED_SHARE`` applies if
# the user has named the page or the commit.
_SHARE, _NAMED_SHARE = 0.4, 0.15


class AdoptOptions(Struct, frozen=True, kw_only=True):
    """Command-line values of ``adopt``: the files, and facts about them that the user knows."""

    files: tuple[str, ...]
    page: str | None = None
    ref: str | None = None  # the commit that the copies were made from
    author: str = ""
    licence: str = ""
    dry_run: bool = False
    audit: bool = False  # report on the copies, and write nothing

    @property
    def is_dry(self) -> bool:
        """Return whether the run must not write catalogues."""
        return self.dry_run or self.audit


def adopt(run: Run, options: AdoptOptions) -> AdoptResult:
    """Add the translations in copies to the catalogues, as suggestions for a person to review.

    Raises ConfigError, before any file is read, for a missing or invalid option. Raises ImportError
    if the text encoder, which compares Chinese with English, is not installed.
    """
    name = _locale(run)
    _check_owner(run, options)
    paths = find_files(options.files)
    read = encoder()
    run = replace(run, dry=run.dry or options.is_dry)
    with run_lock(run):
        lock = read_pulled(run)
        pages = pages_of_run(run, lock)
        locale = Locale(run, name)
        update_locale(locale, pages, LocaleMemos(locale), lock=lock)
        filler = CatalogFiller(catalogs=locale.readable_catalogs())
        copies: list[AdoptedCopy] = []
        findings: list[Finding] = []
        with open_versions(run, lock) as versions, run.log.step("adopt") as step:
            matcher = Matcher(versions=versions, encoder=read)
            for path in paths:
                try:
                    copies.append(_adopted(read_file(path), options, matcher, filler))
                except InputError as error:
                    findings.append(Finding.of(error))
            step.result = f"{len(copies)} of {len(paths)} copies matched"
        for page in () if options.audit else sorted(filler.changed):
            if not locale.write_catalog(page, filler.catalogs[page]):
                # Somebody saved the catalogue during the run, so it was not written. For other
                # commands this is a warning; here it is an error, because the translations were not
                # adopted.
                edited = locale.findings_of(page)[-1]
                findings.append(replace(edited, severity=Severity.ERROR))
        changes = [*locale.changes]
        if filler.changed and not run.dry:
            changes += update_pulled(replace(run, locales=(name,))).changes
    return AdoptResult(
        name=run.name,
        locale=name,
        ref=lock.ref or lock.commit[:12],
        copies=tuple(copies),
        findings=tuple(findings),
        changes=tuple(dict.fromkeys(changes)),
        dry_run=options.dry_run,
    )


def _adopted(
    file: CopyFile, options: AdoptOptions, matcher: Matcher, filler: CatalogFiller
) -> AdoptedCopy:
    """Adopt a translated page or a catalogue, and return its part of the report."""
    versions, origin = matcher.versions, partial(_origin, options)
    if file.form is None:
        return import_catalog(file, filler, versions.lock, origin)
    copy, choice = matcher.match(file, page=options.page, ref=options.ref)
    version = choice.candidate.version
    return AdoptedCopy(
        file=file.name,
        form=file.shown_form,
        encoding=file.encoding,
        page=version.page.name,
        version=version,
        as_good=choice.as_good,
        release=_release_of(version, versions.releases),
        behind=_releases_behind(version, versions.releases, versions.lock.date),
        rows=filler.fill(copy, choice, origin(file.name, version)),
        cells=audit_code(choice.candidate.blocks, copy, choice.pairs),
        share=choice.share,
    )


def _origin(options: AdoptOptions, file: str, version: Version) -> Copy:
    """Return the origin that entries record: the file, the English version, the author."""
    return Copy(
        file=Path(file).name,
        commit=version.first,
        page=version.page.name,
        author=options.author or "nobody yet",
        licence=options.licence or "no licence yet",
    )


def _locale(run: Run) -> str:
    """Return the Chinese locale of the run. Raises ConfigError for none or several."""
    chinese = [locale for locale in run.locales if locale.startswith("zh")]
    if len(chinese) != 1:
        raise ConfigError(
            "adopt adds Chinese copies to one locale",
            hint=f"Choose one that begins with zh: --locale LOCALE ({', '.join(run.locales)}).",
        )
    return chinese[0]


def _check_owner(run: Run, options: AdoptOptions) -> None:
    """Raise ConfigError unless author and licence are given and valid, or the run is dry."""
    for name, value in (("--author", options.author), ("--license", options.licence)):
        if not value.strip() and not options.is_dry:
            raise ConfigError(
                f"{name} is missing: adopt records the translator and the licence",
                hint="Give --author 'NAME <address>' and --license ID (of SPDX, like CC-BY-4.0); "
                "--dry-run and --audit need neither.",
            )
        if _UNFIT.search(value):
            raise ConfigError(
                f"{name} has a character that a note in a catalogue cannot contain: {value!r}",
                hint="Leave out commas, brackets and line breaks.",
            )
    if options.licence and options.licence not in _KNOWN_LICENCES:
        run.log.warn(
            f"{options.licence!r} is not one of the licences known to be compatible "
            f"({', '.join(_KNOWN_LICENCES[:5])} …): make sure that you may distribute the work"
        )


def _release_of(version: Version, releases: Sequence[Tag]) -> str:
    """Return the name of the first release with this version of the page, or an empty string."""
    for release in releases:
        if moment(release.date) >= moment(version.since):
            is_later = version.until and moment(release.date) >= moment(version.until)
            return "" if is_later else release.name
    return ""


def _releases_behind(version: Version, releases: Sequence[Tag], pin: str) -> int:
    """Return how many releases came after upstream replaced the version, up to the date ``pin``."""
    if not version.until:
        return 0
    until, last = moment(version.until), moment(pin)
    return sum(until <= moment(release.date) <= last for release in releases)


class Matcher(Struct, kw_only=True):
    """Finder of the page and version of a copy, and of the English of its passages."""

    versions: Versions
    encoder: Encoder

    def match(
        self, file: CopyFile, *, page: str | None = None, ref: str | None = None
    ) -> tuple[tuple[Block, ...], Choice]:
        """Return the blocks of a copy, and the version of a page that it translates.

        ``page`` and ``ref`` (a tag, branch or commit) are given if the user has named them. Raises
        InputError for a rejected copy, ConfigError for an unknown page, UpstreamError for an
        unknown ref.
        """
        copy = _blocks_of(file)
        versions = self._versions(file, copy, page, ref)
        candidates = self._readable(file, versions)
        pinned = frozenset(page.name for page in self.versions.lock.pages)
        choice = choose(copy, candidates, self.encoder, pinned=pinned)
        if choice.share < (_NAMED_SHARE if page or ref else _SHARE):
            raise _no_page(file, choice, page, is_named=bool(page or ref))
        return copy, choice

    def _versions(
        self, file: CopyFile, copy: Sequence[Block], page: str | None, ref: str | None
    ) -> Sequence[Version]:
        """Return the versions that the copy may translate, limited to ``page`` and ``ref``."""
        history = self.versions.history
        if page is not None and page not in history.versions:
            raise ConfigError(
                f"upstream never had a page {page!r}",
                hint=f"{did_you_mean(page, history.versions)}"
                "Pages are named by their path without suffix.",
            )
        if ref is None:
            return history.family(page or self._likeliest_page(file, copy))
        found = self.versions.at(ref, page or "")
        if not found:
            raise InputError(
                f"upstream has no page {page!r} at {ref!r}",
                where=file.name,
                hint="Run again without --at: the version is then detected.",
            )
        if page:
            return found
        names = set(self._guessed(file, copy))
        return [version for version in found if version.page.name in names] or found

    def _likeliest_page(self, file: CopyFile, copy: Sequence[Block]) -> str:
        """Return the guessed page whose lines of code fit best, compared in a few of its versions.

        Identifiers in the code do not suffice: if upstream has split a page in two, both new pages
        may use the same identifiers.
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
        """Return pages whose code uses the same identifiers, and pages named like the file."""
        names = self.versions.index.guesses(copy, most=_GUESSES)
        stem = Path(file.name).name.partition(".")[0].lower()
        pages = self.versions.history.versions
        names += [page for page in pages if page.rpartition("/")[2].lower() == stem]
        if not names:
            raise InputError(
                "has no names, numbers or code from which its page can be detected",
                where=file.name,
                hint="Name the page: --page PAGE.",
            )
        return list(dict.fromkeys(names))

    def _readable(self, file: CopyFile, versions: Sequence[Version]) -> list[Candidate]:
        """Return the versions that can be parsed, as candidates. Raises InputError if none can.

        Some versions were broken in upstream's repository; they are skipped silently.
        """
        candidates = self.versions.candidates(versions)
        if not candidates:
            raise InputError(
                "upstream's page cannot be read at any version",
                where=file.name,
                hint="Name another page: --page PAGE.",
            )
        return candidates


def _no_page(file: CopyFile, choice: Choice, page: str | None, *, is_named: bool) -> InputError:
    """Return the error for a copy whose Chinese does not match any page.

    ``page`` is the one that the user has named; ``is_named`` is true for a named commit as well.
    """
    closest = choice.candidate.version.page.name
    what = f"matches none of upstream's pages; closest is {closest!r}"
    hint = f"If it translates that page, run again with --page {closest}."
    if is_named:
        what = f"is no translation of {page or closest!r}"
        hint = "Run again without --page and --at: page and version are then detected."
    share = f"{100 * choice.share:.0f} % of the copy's text fits"
    return InputError(f"{what}: {share}", where=file.name, hint=hint)


def _blocks_of(file: CopyFile) -> tuple[Block, ...]:
    """Return the blocks of a copy that is not a catalogue.

    Raises InputError if the copy is unreadable, or has no Chinese outside code.
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
