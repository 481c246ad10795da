"""split: split the pulled pages into messages, and update the catalogues.

``status`` calls the same code as a dry run.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import replace

from pipeline.commands.options import add_shared, run_of
from pipeline.commands.pages import pages_of_run
from pipeline.commands.run_lock import run_lock
from pipeline.commands.update import LocaleMemos, update_locale
from pipeline.core.results import PageResult
from pipeline.log import Log
from pipeline.report.result import RunResult, apart
from pipeline.run import Run
from pipeline.stages.pull.stage import read_pulled
from pipeline.stages.update.locale import Locale


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``split``."""
    add_shared(parser, "name", "--release", "--pages", "--check")


def run_command(arguments: Namespace, log: Log) -> RunResult:
    """Split the pages of one upstream."""
    return split(run_of(arguments, log))


def split(run: Run) -> RunResult:
    """Split the pages and update the catalogues, under the run lock."""
    with run_lock(run):
        return update_pulled(run)


def update_pulled(run: Run) -> RunResult:
    """Update the catalogues of all locales, and return the result. The caller holds the lock."""
    lock = read_pulled(run)
    run = run.with_lock(lock.markdown, substitutions=lock.substitutions)
    pages = pages_of_run(run, lock)
    by_locale: dict[str, tuple[PageResult, ...]] = {}
    changes: list[str] = []
    for name in run.locales:
        # This command does not merge, but the memos have earlier merge results of unchanged pages.
        # Keep these.
        locale = Locale(run, name)
        memos = LocaleMemos(locale)
        updated = update_locale(locale, pages, memos, lock=lock)
        # Do not remember pages with damaged catalogues, so that the next run reads them again.
        known = {
            page: made
            for page, made in updated.pages.items()
            if page not in locale.unreadable
        }
        memos.record(pages, known, updated.dropped)
        rows = []
        for page in pages:
            made = updated.pages[page.name]
            # Prefer the row after a merge: it counts rejected translations as missing, because
            # readers do not see them.
            rows.append(made.merged or made.row)
        by_locale[name] = tuple(rows)
        changes += locale.changes
    guides, reference = apart(by_locale, is_named=bool(run.pages))
    result = RunResult.of(run, lock, changes=changes)
    return replace(result, pages=guides, reference=reference)
