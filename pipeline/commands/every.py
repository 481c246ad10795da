"""``--all``: run one command on every release in turn, and print one table of all results."""

from __future__ import annotations

import gc
import json
from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from pipeline.adapters.files import read_bytes, write_if_changed
from pipeline.commands.console import (
    exit_code_of,
    print_json,
    print_report,
    show_changes,
    show_findings,
    terminal,
)
from pipeline.commands.options import locales_of
from pipeline.commands.run_lock import marked
from pipeline.config.reader import read_settings
from pipeline.config.settings import Settings
from pipeline.errors import INTERRUPTED, ConfigError, worst
from pipeline.limits import OWN_BYTES
from pipeline.log import Log
from pipeline.paths import Paths
from pipeline.report.json import run_json
from pipeline.report.result import RunResult
from pipeline.report.run import UpstreamRow, overview_json, overview_report, row_of

_RunCommand = Callable[[Namespace, Log], RunResult | int]


def run_on_every(run_command: _RunCommand, arguments: Namespace, log: Log) -> int:
    """Run a command on every release of the named upstream, or of all upstreams.

    Return the highest-priority exit code of these runs. A failure does not stop the remaining runs;
    Ctrl-C does.
    """
    _check_words(arguments)
    settings = read_settings(arguments.config)
    locales = locales_of(arguments, settings)
    names = list(settings.upstreams)
    if arguments.name is not None:
        names = [release.name for release in settings.releases_of(arguments.name)]
    rows = []
    for number, name in enumerate(names, start=1):
        log.note(f"{name} ({number} of {len(names)})")
        rows.append(_run_on(name, run_command, arguments, log))
        if rows[-1].exit_code == INTERRUPTED:
            return INTERRUPTED
        # Free the memory of this run before the next one starts.
        gc.collect()
    if arguments.json:
        print_json(overview_json(rows))
    else:
        print_report(overview_report(rows, locales), terminal())
    # Sites of several upstreams get a common first page, which links to each of them.
    if arguments.command == "site" and arguments.name is None:
        page = _write_front_page(settings, locales)
        if page is not None:
            log.note(f"look at {page.relative_to(settings.root).as_posix()}")
    return worst(row.exit_code for row in rows)


def _check_words(arguments: Namespace) -> None:
    """Raise ConfigError for an option that applies to one release only."""
    for name in ("release", "upstream", "ref", "pages", "against"):
        if getattr(arguments, name, None):
            raise ConfigError(
                f"--{name} applies to one release, and --all to every one",
                hint="Give only one of the two options.",
            )


def _run_on(name: str, run_command: _RunCommand, arguments: Namespace, log: Log) -> UpstreamRow:
    """Run the command on the release ``name``, and return the release's row of the table."""
    own = Namespace(**{**vars(arguments), "name": name, "is_one_of_many": True})
    row = UpstreamRow(name=name)

    def run() -> int:
        nonlocal row
        result = run_command(own, log)
        assert isinstance(result, RunResult)  # true for every command with --all
        show_findings(result, log)
        report = run_json(result).decode("utf-8") if own.json else ""
        row = row_of(result, report=report)
        show_changes(own.command, result, log)
        return result.exit_code

    code = exit_code_of(run, verbose=own.verbose > 0)
    # Return the worse of the two exit codes: they differ if the run succeeded, and printing its
    # result failed.
    return replace(row, exit_code=worst((row.exit_code, code)))


def _write_front_page(settings: Settings, locales: Sequence[str]) -> Path | None:
    """Write the page that links to the sites of all upstreams.

    Return its path, or None if no site has been built.
    """
    from pipeline.site.progress import SiteSummary, front_page

    sites = []
    for upstream in settings.upstreams.values():
        # Link only to the pinned release's site, which links to the other releases.
        if upstream.is_beside:
            continue
        paths = Paths(settings.root, upstream.name)
        # A site build writes ``progress.json`` last. If this file is missing, the site is missing
        # or incomplete.
        record = paths.site / "progress.json"
        if record.is_file():
            title = upstream.site.title or upstream.name
            progress = json.loads(read_bytes(record, limit=OWN_BYTES))
            sites.append(SiteSummary(name=upstream.name, title=title, progress=progress))
    if not sites:
        return None
    page = Paths(settings.root, "").sites / "index.html"
    with marked(settings.root):
        write_if_changed(page, front_page(sites, locale=locales[0]).encode("utf-8"))
    return page
