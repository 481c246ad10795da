"""pull: fetch upstream's English docs at the configured ref, and write the lock.

The lock records the commit, and the digest of each pulled file. ``sync`` and ``upgrade`` start with
the same step.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import replace

from pipeline.adapters.files import read_bytes
from pipeline.commands.options import add_shared, run_of
from pipeline.commands.pages import name_findings, reference_findings
from pipeline.commands.run_lock import run_lock
from pipeline.core.pin.lock import format_lock
from pipeline.log import Log
from pipeline.report.result import RunResult
from pipeline.run import Run
from pipeline.stages.pull import stage
from pipeline.stages.pull.inventories import refresh_names


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``pull``."""
    add_shared(parser, "name", "--release", "--upstream", "--ref", "--all", "--check")


def run_command(arguments: Namespace, log: Log) -> RunResult:
    """Pull one upstream and return the result."""
    return pull(run_of(arguments, log), ref=arguments.ref)


def pull(run: Run, *, ref: str | None) -> RunResult:
    """Fetch upstream's docs at ``ref`` (default: the configured one) and write the lock."""
    with run_lock(run):
        result = pull_docs(run, ref=ref)
    findings = (
        *result.findings,
        *name_findings(run, result.lock),
        *reference_findings(run, result.lock),
    )
    return replace(result, findings=findings)


def pull_docs(run: Run, *, ref: str | None) -> RunResult:
    """Pull the docs, and refresh the table of names. The caller holds the run lock."""
    result = pull_pages(run, ref=ref)
    return result if run.dry else with_names(run, result)


def pull_pages(run: Run, *, ref: str | None) -> RunResult:
    """Pull the docs.

    Return a result with the lock, and with the files that changed or, in a dry run, would change.
    """
    before = lock_bytes(run)
    lock = stage.pull(run, ref=ref)
    # A dry run does not write the new lock. So format it, and compare it with the old one.
    after = format_lock(lock) if run.dry else lock_bytes(run)
    # The lock has a digest of every file, so it changes if and only if a file does.
    changes = [run.shown(run.paths.lock)] if after != before else []
    return RunResult.of(run, lock, changes=changes)


def with_names(run: Run, result: RunResult) -> RunResult:
    """Refresh the table of names that other sites document; return the result with its files."""
    refreshed = refresh_names(run, result.lock)
    return replace(
        result,
        changes=result.changes + refreshed.changes,
        findings=result.findings + refreshed.findings,
    )


def lock_bytes(run: Run) -> bytes:
    """Return the content of the lock file, or empty bytes if there is none.

    The content may be invalid, because most callers only compare it. Raises InputError if the file
    cannot be read.
    """
    path = run.paths.lock
    return read_bytes(path) if path.is_file() else b""
