"""Report files that a run writes: JSON, JUnit, HTML, summaries and badges.

``report.json`` and ``junit.xml`` do not change if a run is repeated. ``report.html`` and the
summaries also show times, and the differences from the last run.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.adapters.files import append_text, read_bytes, write_if_changed
from pipeline.report.result import RunResult
from pipeline.run import Run

if TYPE_CHECKING:
    from pipeline.commands.build import BuildOptions
    from pipeline.report.json import Previous


def write_report(run: Run, options: BuildOptions, result: RunResult) -> RunResult:
    """Write the reports, and return ``result`` with these files added to its changes.

    A dry run writes nothing.
    """
    from dataclasses import replace

    from pipeline.report.json import read_previous, run_json
    from pipeline.report.junit import to_junit

    if run.dry:
        return result
    # Read the old report before it is overwritten, to show the differences from the last run.
    paths = run.paths
    previous = None
    if paths.report.exists():
        previous = read_previous(read_bytes(paths.report))
    changes = list(result.changes)
    for path, data in (
        (paths.report, run_json(result)),
        (paths.junit, to_junit(result)),
    ):
        if write_if_changed(path, data):
            changes.append(run.shown(path))
    if options.executes:
        # The HTML page shows the times of the last run that executed code. Keep the page if this
        # run executed no code and its JSON and JUnit reports are unchanged.
        has_run = any(execution.ran_now for execution in result.executions)
        has_news = has_run or len(changes) > len(result.changes)
        if has_news or not paths.report_page.exists():
            _write_html_and_summaries(run, options, result, previous)
    # Badges show the translated share of all pages, so a run of a few pages cannot make them.
    if not run.pages:
        changes += write_badges(run, result)
    return replace(result, changes=tuple(changes))


def write_badges(run: Run, result: RunResult) -> list[str]:
    """Write the badges of every locale; return the changed files, relative to the root.

    Each badge is a JSON file for the shields.io endpoint.
    """
    from pipeline.report.json import badges_of

    files: dict[Path, bytes] = {}
    for locale in result.pages:
        folder = run.paths.badges(locale)
        for name, data in badges_of(result, locale).items():
            files[folder / f"{name}.json"] = data
    return [
        run.shown(path) for path, data in files.items() if write_if_changed(path, data)
    ]


def _write_html_and_summaries(
    run: Run, options: BuildOptions, result: RunResult, previous: Previous | None
) -> None:
    """Write the HTML report, and append the summary to the requested files."""
    from pipeline.report.markdown import to_summary
    from pipeline.report.page import to_html

    write_if_changed(run.paths.report_page, to_html(result, previous=previous))
    for path in options.summaries:
        append_text(path, to_summary(result, previous=previous))
