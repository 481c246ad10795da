"""The verb: read copies, find out what they are of, bring what holds into the catalogues.

Copies are taken one after the other; one that is refused stops no other. Files are written at the
end, all catalogues together, and then the memory is brought up to date as after any edit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.adapters import po
from pipeline.adapters.encoder import encoder, has_encoder
from pipeline.adapters.files import replace_if_unchanged, write_if_changed
from pipeline.commands.adopt.copies import CopyFile, each_file, find_files
from pipeline.commands.adopt.filling import Filling
from pipeline.commands.adopt.importing import import_catalog
from pipeline.commands.adopt.matching import Asked, Matcher
from pipeline.commands.adopt.versions import Versions, open_versions
from pipeline.commands.holding import only_this_run
from pipeline.commands.known import Known
from pipeline.commands.pages import pages_of_run
from pipeline.commands.terms import read_terms
from pipeline.commands.updating import update_locale
from pipeline.core.adoption.audit import CodeCell, audit_code
from pipeline.core.adoption.blocks import Block
from pipeline.core.adoption.choosing import Choice
from pipeline.core.adoption.history import Version, moment
from pipeline.core.adoption.result import AdoptedCopy, AdoptResult, Release
from pipeline.core.catalog.origins import Copy
from pipeline.errors import ConfigError, InputError
from pipeline.findings import Finding, Severity
from pipeline.report.adoption import to_html
from pipeline.run import Run
from pipeline.stages.pull.stage import read_pulled
from pipeline.stages.update.files import CatalogFiles

# What parts a note of an entry, or would look like a diff in one.
_UNFIT = re.compile(r"[,\[\]{}\n\r]")
_UNFIT_FOR_A_FILE = re.compile(r"[^\w.-]+")
# Licences under which work may be passed on with the project's own.
_KNOWN_LICENCES = (
    "Apache-2.0",
    "MIT",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "CC0-1.0",
    "CC-BY-3.0",
    "CC-BY-4.0",
    "Unlicense",
    "0BSD",
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

    Raises ConfigError before anything is read, if something is missing or names nothing.
    """
    locale = _locale(run)
    _check_owner(run, options)
    paths = find_files(options.files)
    run = replace(run, dry=run.dry or options.is_dry)
    with only_this_run(run):
        lock = read_pulled(run)
        pages = pages_of_run(run, lock)
        updated = update_locale(
            run, pages, Known(run, locale), locale=locale, lock=lock
        )
        files = CatalogFiles(run=run, locale=locale)
        files.read_all()
        # A dry run has not written what the update has made.
        catalogs = dict(files.catalogs)
        if updated.catalogs is not None:
            catalogs.update(updated.catalogs.by_page)
        filling = Filling(
            catalogs=catalogs, glossary=read_terms(run.paths.glossaries(locale))
        )
        with open_versions(run, lock) as versions:
            work = _Adopting(run, options, versions, filling, locale)
            copies, findings = work.take(paths)
        changes = [*updated.changes]
        if not options.audit:
            written, edited = _write_catalogs(run, locale, filling, files.data)
            changes += written
            findings += edited
            if written and not run.dry:
                again = update_locale(
                    run, pages, Known(run, locale), locale=locale, lock=lock
                )
                changes += again.changes
        copies = [_with_report(run, locale, copy, options) for copy in copies]
    return AdoptResult(
        name=run.name,
        locale=locale,
        ref=lock.ref or lock.commit[:12],
        copies=tuple(copies),
        findings=tuple(findings),
        changes=tuple(dict.fromkeys(changes)),
        dry_run=options.dry_run,
        is_audit=options.audit,
        encoder=has_encoder(),
    )


@dataclass(frozen=True)
class _Adopting:
    """One run over all copies."""

    run: Run
    options: AdoptOptions
    versions: Versions
    filling: Filling
    locale: str

    def take(self, paths: Sequence[Path]) -> tuple[list[AdoptedCopy], list[Finding]]:
        """Take in every file; say why one was not."""
        copies: list[AdoptedCopy] = []
        findings: list[Finding] = []
        matcher = self._matcher()
        with self.run.log.step("adopt") as step:
            for _, file in each_file(paths):
                try:
                    if isinstance(file, InputError):
                        raise file
                    copies.append(self._take_file(file, matcher))
                except InputError as error:
                    findings.append(Finding.of(error))
            step.result = f"{len(copies)} of {len(paths)} copies understood"
        return copies, findings

    def _take_file(self, file: CopyFile, matcher: Matcher) -> AdoptedCopy:
        if file.form is None:
            return import_catalog(file, self.filling, self.versions, self._origin)
        copy, choice = matcher.match(file, self.options.asked)
        version = choice.candidate.version
        origin = self._origin(file.name, version)
        rows = self.filling.fill(copy, choice, origin)
        return AdoptedCopy(
            file=file.name,
            form=file.shown_form,
            encoding=file.encoding,
            page=version.page.name,
            version=version,
            as_good=choice.as_good,
            release=_release_of(version, self.versions.releases),
            behind=_releases_behind(version, self.versions),
            is_named=self.options.asked.ref is not None,
            rows=rows,
            cells=self._cells(copy, choice),
            share=choice.share,
        )

    def _cells(self, copy: Sequence[Block], choice: Choice) -> tuple[CodeCell, ...]:
        version = choice.candidate.version
        package = self.versions.lock.package
        return audit_code(
            choice.candidate.blocks,
            copy,
            choice.pairs,
            then=self.versions.reference(version),
            now=self.versions.reference(None),
            # As code imports it: "my-docs" is spelt with an underscore there.
            package=package.lower().replace("-", "_"),
            usual=self.run.upstream.usual_names,
        )

    def _origin(self, file: str, version: Version) -> Copy:
        return Copy(
            file=Path(file).name,
            commit=version.first,
            page=version.page.name,
            author=self.options.author or "nobody yet",
            licence=self.options.licence or "no licence yet",
        )

    def _matcher(self) -> Matcher:
        known = [
            (entry.msgid, entry.msgstr)
            for catalog in self.filling.catalogs.values()
            for entry in catalog.entries
            if entry.is_translated
        ]
        glossary = self.filling.glossary
        terms = [] if glossary is None else glossary.terms
        return Matcher(
            versions=self.versions,
            known=known,
            terms=[
                (term.english, one.text) for term in terms for one in term.renderings
            ],
            encoder=encoder() if has_encoder() else None,
        )


def _locale(run: Run) -> str:
    """The one locale that copies are adopted into."""
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


def _release_of(version: Version, releases: Sequence[Release]) -> str:
    """The first release that had the version; empty if none had."""
    for release in releases:
        if moment(release.date) >= moment(version.since):
            is_later = version.until and moment(release.date) >= moment(version.until)
            return "" if is_later else release.name
    return ""


def _releases_behind(version: Version, versions: Versions) -> int:
    """How many releases came after the version was replaced, up to the pin."""
    if not version.until:
        return 0
    until, pin = moment(version.until), moment(versions.lock.date)
    return sum(until <= moment(release.date) <= pin for release in versions.releases)


def _write_catalogs(
    run: Run, locale: str, filling: Filling, before: Mapping[str, bytes]
) -> tuple[list[str], list[Finding]]:
    """Write the catalogues that have changed. One that somebody saved meanwhile stays as it is."""
    written: list[str] = []
    findings: list[Finding] = []
    for page in sorted(filling.changed):
        path = run.paths.catalog(locale, page)
        data = po.format_catalog(filling.catalogs[page])
        if run.dry or replace_if_unchanged(path, data, before=before.get(page)):
            written.append(run.shown(path))
            continue
        findings.append(
            Finding(
                code="catalogue-edited",
                severity=Severity.ERROR,
                where=run.shown(path),
                text="the catalogue was saved by someone else during this run; it is left as it is",
                page=page,
                hint="Run adopt again: it takes up the edit.",
            )
        )
    return written, findings


def _with_report(
    run: Run, locale: str, copy: AdoptedCopy, options: AdoptOptions
) -> AdoptedCopy:
    """The copy with the path of its report, which is written."""
    name = _UNFIT_FOR_A_FILE.sub("-", copy.file).strip("-.") or "copy"
    path = run.paths.adoption(locale) / f"{name}.html"
    copy = replace(copy, report=run.shown(path))
    write_if_changed(path, to_html(copy, is_audit=options.audit))
    return copy
