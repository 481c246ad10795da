"""pull, sync: fetch upstream's English docs at the configured ref, and write the lock.

The lock records the commit, and the digest of each pulled file. ``sync`` also builds the docs, in
the same run, which holds the run lock throughout.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from msgspec.structs import replace

from pipeline.adapters.files import read_bytes
from pipeline.commands.build import BuildOptions, build_options, build_pulled
from pipeline.commands.options import RUNNING, add_shared, run_of
from pipeline.commands.pages import docs_findings
from pipeline.commands.rollback import discard_kept
from pipeline.commands.run_lock import run_lock
from pipeline.core.pin.lock import format_lock
from pipeline.log import Log
from pipeline.report.result import RunResult
from pipeline.run import Run
from pipeline.stages.pull import stage
from pipeline.stages.pull.inventories import refresh_names


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``pull`` or ``sync``."""
    add_shared(parser, "name", "--release", "--upstream", "--ref")
    if parser.get_default("command") == "sync":
        add_shared(parser, "--pages", "--summary", "--no-execute", *RUNNING)
    add_shared(parser, "--all", "--check")


def run_command(arguments: Namespace, log: Log) -> RunResult:
    """Pull or sync one upstream and return the result."""
    run = run_of(arguments, log)
    if arguments.command == "sync":
        return sync(run, build_options(arguments, run), ref=arguments.ref)
    return pull(run, ref=arguments.ref)


def pull(run: Run, *, ref: str | None) -> RunResult:
    """Fetch upstream's docs at ``ref`` (default: the configured one) and write the lock."""
    with run_lock(run):
        result = pull_docs(run, ref=ref)
    findings = (*result.findings, *docs_findings(run, result.lock))
    return replace(result, findings=findings)


def sync(run: Run, options: BuildOptions, *, ref: str | None) -> RunResult:
    """Pull the docs, build them and return the result.

    If a dry run finds new docs, it returns the result of the pull. It cannot build the new docs,
    because it does not write them.
    """
    with run_lock(run):
        pulled = pull_docs(run, ref=ref)
        # A dry run has not written the new docs, so a build would report on the old ones.
        if run.dry and pulled.changes:
            return pulled
        result = build_pulled(run, options, pulled)
        discard_kept(run)
        return result


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
