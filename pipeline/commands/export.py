"""export: write the catalogues as POT and PO files for other translation editors.

Each exported catalogue is also saved, as the base for a later ``import``. The layout is that of
Pontoon, which Weblate and Crowdin accept as well: ``<name>/templates/<page>.pot`` and
``<name>/<locale>/<page>.po``.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes, write_if_changed
from pipeline.commands.options import add_shared, run_of
from pipeline.commands.run_lock import run_lock
from pipeline.core.catalog.origins import states_of
from pipeline.entries import NEUTRAL_DATE, Catalog, Entry
from pipeline.errors import ConfigError, InputError
from pipeline.findings import Finding
from pipeline.log import Log
from pipeline.packages import how_to_run
from pipeline.report.result import RunResult
from pipeline.run import Run
from pipeline.stages.pull.stage import read_pulled


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``export``."""
    add_shared(parser, "name", "--release", "--pages")
    parser.add_argument(
        "--to",
        metavar="FOLDER",
        type=Path,
        help="where to write them (default: build/export/)",
    )
    add_shared(parser, "--check")


def run_command(arguments: Namespace, log: Log) -> RunResult:
    """Export the catalogues of one upstream."""
    run = run_of(arguments, log)
    return export_catalogs(run, folder=arguments.to or run.paths.exported)


TEMPLATES = "templates"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Exporting:
    """State of one export: its target folder, the files to write and the findings so far."""

    run: Run
    folder: Path
    written: dict[Path, bytes] = field(default_factory=dict)
    sent: dict[Path, bytes] = field(default_factory=dict)  # the bases for `import`
    findings: list[Finding] = field(default_factory=list)


def export_catalogs(run: Run, *, folder: Path) -> RunResult:
    """Write the catalogues of all locales below ``folder``, with one template for each.

    An unreadable catalogue becomes a finding. Nothing is removed, because the folder may hold other
    files. Raises ConfigError if there are no catalogues yet.
    """
    exporting = _Exporting(run=run, folder=folder / run.name)
    with run_lock(run):
        lock = read_pulled(run)
        for locale in run.locales:
            _export_locale(exporting, locale)
        if not exporting.written:
            raise ConfigError(
                "there are no catalogues yet",
                hint=f"Run: {how_to_run('sync', run.name, '--no-execute')}",
            )
        changes = _write(exporting)
    return RunResult(
        name=run.name,
        lock=lock,
        findings=tuple(exporting.findings),
        changes=changes,
        check_only=run.dry,
    )


def _export_locale(exporting: _Exporting, locale: str) -> None:
    """Prepare the files of one locale, and the copies that ``import`` will need."""
    run = exporting.run
    catalogs = run.paths.catalogs(locale)
    for path in sorted(catalogs.rglob("*.po")):
        page = path.relative_to(catalogs).as_posix().removesuffix(".po")
        if not run.selects(page):
            continue
        where = run.shown(path)
        try:
            data = read_bytes(path)
            catalog = po.read_catalog(data, where=where).catalog
        except InputError as error:
            exporting.findings.append(Finding.of(error, page=page))
            continue
        exporting.sent[run.paths.last_export(locale, page)] = data
        target = exporting.folder / locale / f"{page}.po"
        template = exporting.folder / TEMPLATES / f"{page}.pot"
        exporting.written[target] = po.format_catalog(catalog)
        exporting.written[template] = po.format_catalog(_template_of(catalog))


def _template_of(catalog: Catalog) -> Catalog:
    """Return the catalogue without translations, language or obsolete entries."""
    nobody = {"Language": "", "Last-Translator": "", "Language-Team": ""}
    live = [entry for entry in catalog.entries if not entry.obsolete]
    return Catalog(
        header={**catalog.header, **nobody, "PO-Revision-Date": NEUTRAL_DATE},
        entries=tuple(map(_blank, live)),
    )


def _blank(entry: Entry) -> Entry:
    """Return the entry without its translation and the notes of one language."""
    return Entry(
        msgid=entry.msgid,
        context=entry.context,
        notes=tuple(note for note in entry.notes if note not in states_of(entry)),
        references=entry.references,
    )


def _write(exporting: _Exporting) -> tuple[str, ...]:
    """Write the files that changed and return their paths, without the copies for ``import``."""
    dry = exporting.run.dry
    changed: list[str] = []
    for path, data in exporting.written.items():
        if write_if_changed(path, data, dry=dry):
            changed.append(path.as_posix())
    for path, data in exporting.sent.items():
        write_if_changed(path, data, dry=dry)
    return tuple(changed)
