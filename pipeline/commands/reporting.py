"""What a run leaves for people and programs.

``report.json`` and ``junit.xml`` are equal for equal runs. ``report.html`` and the summaries tell
what varies as well: times, and what is new since the last run. Badges are for other pages.
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
    """Write what is to be written of ``result``; return it with these files among its changes.

    A dry run writes nothing.
    """
    from dataclasses import replace

    from pipeline.report.json import read_previous, run_json
    from pipeline.report.junit import to_junit

    if run.dry:
        return result
    # Read before it is overwritten: people want to know what is new.
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
        # The page shows the times of the last run that ran something: one that did nothing leaves
        # it as it is.
        has_run = any(execution.ran_now for execution in result.executions)
        has_news = has_run or len(changes) > len(result.changes)
        if has_news or not paths.report_page.exists():
            _tell_readers(run, options, result, previous)
    # A few pages say nothing of how much of the docs is translated.
    if not run.pages:
        changes += write_badges(run, result)
    return replace(result, changes=tuple(changes))


def write_badges(run: Run, result: RunResult) -> list[str]:
    """Write the badges of every locale; return those that changed, relative to the root.

    Each is the JSON that shields.io asks for.
    """
    from pipeline.report.badges import badges_of

    lock, comparison = result.lock, result.comparison
    files: dict[Path, bytes] = {}
    for locale, pages in result.pages.items():
        folder = run.paths.badges(locale)
        badges = badges_of(
            pages,
            version=lock.version,
            package=lock.package,
            locale=locale,
            comparison=comparison,
        )
        for name, data in badges.items():
            files[folder / f"{name}.json"] = data
    return [
        run.shown(path) for path, data in files.items() if write_if_changed(path, data)
    ]


def _tell_readers(
    run: Run, options: BuildOptions, result: RunResult, previous: Previous | None
) -> None:
    """The report as a page, and in short where that was asked for."""
    from pipeline.report.markdown import to_summary
    from pipeline.report.page import to_html

    write_if_changed(run.paths.report_page, to_html(result, previous=previous))
    for path in options.summaries:
        append_text(path, to_summary(result, previous=previous))
