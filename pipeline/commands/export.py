"""export: write the catalogues as POT and PO files for other translation editors.

The files are ``<name>/templates/<page>.pot`` and ``<name>/<locale>/<page>.po``. This is the layout
of Pontoon; Weblate and Crowdin accept it as well. A copy of each exported catalogue is saved under
``build/``. A later ``import`` uses the copy as the base of its three-way merge.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
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
        help="the folder to write the files to (default: build/export/)",
    )
    add_shared(parser, "--check")


def run_command(arguments: Namespace, log: Log) -> RunResult:
    """Export the catalogues of one upstream."""
    run = run_of(arguments, log)
    return export_catalogs(run, folder=arguments.to or run.paths.exported)


TEMPLATES = "templates"


def export_catalogs(run: Run, *, folder: Path) -> RunResult:
    """Write the catalogues of all locales below ``folder``, and a template for each page.

    An unreadable catalogue becomes a finding. The folder may hold other files, so old exports are
    not removed. Raises ConfigError if there are no catalogues yet.
    """
    files: dict[Path, bytes] = {}
    sent: dict[Path, bytes] = {}  # the bases for `import`
    findings: list[Finding] = []
    with run_lock(run):
        lock = read_pulled(run)
        for locale, page, path in _catalogs(run):
            try:
                data = read_bytes(path)
                catalog = po.read_catalog(data, where=run.shown(path)).catalog
            except InputError as error:
                findings.append(Finding.of(error, page=page))
                continue
            sent[run.paths.last_export(locale, page)] = data
            target = folder / run.name / locale / f"{page}.po"
            template = folder / run.name / TEMPLATES / f"{page}.pot"
            files[target] = po.format_catalog(catalog)
            files[template] = po.format_catalog(_template_of(catalog))
        if not files:
            raise ConfigError(
                "there are no catalogues yet",
                hint=f"Run: {how_to_run('sync', run.name, '--no-execute')}",
            )
        changes = _write(files, dry=run.dry)
        _write(sent, dry=run.dry)
    return RunResult.of(run, lock, changes=changes, findings=findings)


def _catalogs(run: Run) -> Iterator[tuple[str, str, Path]]:
    """Yield locale, page and file of each selected catalogue."""
    for locale in run.locales:
        folder = run.paths.catalogs(locale)
        for path in sorted(folder.rglob("*.po")):
            page = path.relative_to(folder).as_posix().removesuffix(".po")
            if run.selects(page):
                yield locale, page, path


def _template_of(catalog: Catalog) -> Catalog:
    """Return the catalogue without translations, language or obsolete entries."""
    nobody = {"Language": "", "Last-Translator": "", "Language-Team": ""}
    live = catalog.live
    return Catalog(
        header={**catalog.header, **nobody, "PO-Revision-Date": NEUTRAL_DATE},
        entries=tuple(map(_blank, live)),
    )


def _blank(entry: Entry) -> Entry:
    """Return the entry without its translation, and without notes about the translation."""
    return Entry(
        msgid=entry.msgid,
        context=entry.context,
        notes=tuple(note for note in entry.notes if note not in states_of(entry)),
        references=entry.references,
    )


def _write(files: Mapping[Path, bytes], *, dry: bool) -> tuple[str, ...]:
    """Write the files that changed and return their paths. With ``dry``, write nothing."""
    return tuple(
        path.as_posix() for path, data in files.items() if write_if_changed(path, data, dry=dry)
    )
