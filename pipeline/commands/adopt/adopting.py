"""The verb: read copies, find out what they are of, bring what holds into the catalogues.

Copies are taken one after the other; one that is refused stops no other. Files are written at the
end, all catalogues together, and then the memory is brought up to date as after any edit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.adapters.encoder import encoder
from pipeline.adapters.upstream.history import Tag
from pipeline.commands.adopt.copies import CopyFile, find_files, read_file
from pipeline.commands.adopt.filling import Filling
from pipeline.commands.adopt.importing import import_catalog
from pipeline.commands.adopt.matching import Asked, Matcher
from pipeline.commands.adopt.versions import open_versions
from pipeline.commands.holding import only_this_run
from pipeline.commands.known import Known
from pipeline.commands.pages import pages_of_run
from pipeline.commands.updating import update_locale
from pipeline.core.adoption.audit import audit_code
from pipeline.core.adoption.history import Version, moment
from pipeline.core.adoption.result import AdoptedCopy, AdoptResult
from pipeline.core.catalog.origins import Copy
from pipeline.core.catalog.update import Updated
from pipeline.errors import ConfigError, InputError
from pipeline.findings import Finding, Severity
from pipeline.run import Run
from pipeline.stages.pull.stage import read_pulled
from pipeline.stages.update.files import CatalogFiles

# What parts a note of an entry, or would look like a diff in one.
_UNFIT = re.compile(r"[,\[\]{}\n\r]")
# Licences under which work may be passed on with the project's own.
_KNOWN_LICENCES = (
    *("Apache-2.0", "MIT", "BSD-2-Clause", "BSD-3-Clause", "ISC"),
    *("CC0-1.0", "CC-BY-3.0", "CC-BY-4.0", "Unlicense", "0BSD"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdoptOptions:
    """What to adopt, and what a person knows of it."""

    files: tuple[str, ...]
    asked: Asked
    author: str = ""
    licence: str = ""
    dry_run: bool = False
    audit: bool = False  # tell about the copies, and carry nothing

    @property
    def is_dry(self) -> bool:
        """Whether no catalogue may be written."""
        return self.dry_run or self.audit


def adopt(run: Run, options: AdoptOptions) -> AdoptResult:
    """Bring what the copies translate into the catalogues, as suggestions that wait for a person.

    Raises ConfigError before anything is read, if something is missing or names nothing, and
    ImportError without the encoder.
    """
    locale = _locale(run)
    _check_owner(run, options)
    paths = find_files(options.files)
    read = encoder()
    run = replace(run, dry=run.dry or options.is_dry)
    with only_this_run(run):
        lock = read_pulled(run)
        pages = pages_of_run(run, lock)
        updated = update_locale(
            run, pages, Known(run, locale), locale=locale, lock=lock
        )
        files = CatalogFiles(run=run, locale=locale)
        files.read_all()
        if updated.catalogs is not None:
            # A dry run has not written what the update has made.
            files.stand_in(updated.catalogs.by_page)
        filling = Filling(catalogs=files.catalogs.copy())
        with open_versions(run, lock) as versions:
            matcher = Matcher(versions=versions, encoder=read)
            copies, findings = _Adopting(run, options, matcher, filling).take(paths)
        changes = [*updated.changes]
        if not options.audit:
            filled = {page: filling.catalogs[page] for page in sorted(filling.changed)}
            written = files.write(
                {page: Updated(catalog=catalog) for page, catalog in filled.items()}
            )
            changes += written
            for page in filled:
                findings += _refused(files.findings.get(page, ()))
            if written and not run.dry:
                again = update_locale(
                    run, pages, Known(run, locale), locale=locale, lock=lock
                )
                changes += again.changes
    return AdoptResult(
        name=run.name,
        locale=locale,
        ref=lock.ref or lock.commit[:12],
        copies=tuple(copies),
        findings=tuple(findings),
        changes=tuple(dict.fromkeys(changes)),
        dry_run=options.dry_run,
    )


@dataclass(frozen=True)
class _Adopting:
    """One run over all copies."""

    run: Run
    options: AdoptOptions
    matcher: Matcher
    filling: Filling

    def take(self, paths: Sequence[Path]) -> tuple[list[AdoptedCopy], list[Finding]]:
        """Take in every file; say why one was not."""
        copies: list[AdoptedCopy] = []
        findings: list[Finding] = []
        with self.run.log.step("adopt") as step:
            for path in paths:
                try:
                    copies.append(self._take_file(read_file(path)))
                except InputError as error:
                    findings.append(Finding.of(error))
            step.result = f"{len(copies)} of {len(paths)} copies understood"
        return copies, findings

    def _take_file(self, file: CopyFile) -> AdoptedCopy:
        versions = self.matcher.versions
        if file.form is None:
            return import_catalog(file, self.filling, versions, self._origin)
        copy, choice = self.matcher.match(file, self.options.asked)
        version = choice.candidate.version
        cells = audit_code(
            choice.candidate.blocks,
            copy,
            choice.pairs,
            then=versions.reference(version),
            now=versions.reference(None),
            # As code imports it: "my-docs" is spelt with an underscore there.
            package=versions.lock.package.lower().replace("-", "_"),
            usual=self.run.upstream.usual_names,
        )
        return AdoptedCopy(
            file=file.name,
            form=file.shown_form,
            encoding=file.encoding,
            page=version.page.name,
            version=version,
            as_good=choice.as_good,
            release=_release_of(version, versions.releases),
            behind=_releases_behind(version, versions.releases, versions.lock.date),
            rows=self.filling.fill(copy, choice, self._origin(file.name, version)),
            cells=cells,
            share=choice.share,
        )

    def _origin(self, file: str, version: Version) -> Copy:
        return Copy(
            file=Path(file).name,
            commit=version.first,
            page=version.page.name,
            author=self.options.author or "nobody yet",
            licence=self.options.licence or "no licence yet",
        )


def _locale(run: Run) -> str:
    """Return the one locale that copies are adopted into."""
    chinese = [locale for locale in run.locales if locale.startswith("zh")]
    if len(chinese) != 1:
        raise ConfigError(
            "adopt reads copies in Chinese, into one locale",
            hint=f"Name one that begins with zh: --locale LOCALE. Here: {', '.join(run.locales)}.",
        )
    return chinese[0]


def _check_owner(run: Run, options: AdoptOptions) -> None:
    """Raise ConfigError unless it is known whose work is taken over, and on what terms."""
    for name, value in (("--author", options.author), ("--license", options.licence)):
        if not value.strip() and not options.is_dry:
            raise ConfigError(
                f"{name} is missing: whose work is it, and may it be passed on?",
                hint="Give --author 'NAME <address>' and --license ID (of SPDX, like CC-BY-4.0); "
                "--dry-run and --audit need neither.",
            )
        if _UNFIT.search(value):
            raise ConfigError(
                f"{name} has a character that no note can hold: {value!r}",
                hint="Leave out commas, brackets and line breaks.",
            )
    if options.licence and options.licence not in _KNOWN_LICENCES:
        run.log.warn(
            f"{options.licence!r} is none of the licences known to go with this project's "
            f"({', '.join(_KNOWN_LICENCES[:5])} …): make sure that the work may be passed on"
        )


def _release_of(version: Version, releases: Sequence[Tag]) -> str:
    """Return the first release that had the version; empty if none had."""
    for release in releases:
        if moment(release.date) >= moment(version.since):
            is_later = version.until and moment(release.date) >= moment(version.until)
            return "" if is_later else release.name
    return ""


def _releases_behind(version: Version, releases: Sequence[Tag], pin: str) -> int:
    """Return how many releases came after the version was replaced, up to the date of the pin."""
    if not version.until:
        return 0
    until, last = moment(version.until), moment(pin)
    return sum(until <= moment(release.date) <= last for release in releases)


def _refused(found: Iterable[Finding]) -> Iterator[Finding]:
    """Yield what says that a catalogue was not written: for whoever adopts that is an error."""
    for finding in found:
        if finding.code == "catalogue-edited":
            yield replace(finding, severity=Severity.ERROR)
