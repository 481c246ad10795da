"""pull: fetch upstream's English docs at the ref, and write down what was fetched.

Out comes the lock of what is there now. ``sync`` and ``upgrade`` begin with the same.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import dataclass

from pipeline.commands.holding import only_this_run
from pipeline.commands.options import add_shared, run_of
from pipeline.commands.pages import name_findings
from pipeline.core.pin.lock import Lock, format_lock
from pipeline.findings import Finding
from pipeline.log import Log
from pipeline.report.result import RunResult
from pipeline.run import Run
from pipeline.stages.pull import stage
from pipeline.stages.pull.names import refresh_names


def add_options(parser: ArgumentParser) -> None:
    """Declare what ``pull`` takes."""
    add_shared(parser, "name", "--upstream", "--ref", "--all", "--check")


def run_command(arguments: Namespace, log: Log) -> RunResult:
    """Pull one upstream."""
    return pull(run_of(arguments, log), ref=arguments.ref)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulled:
    """What was pulled, and the lock files that changed by that, or would."""

    lock: Lock
    changes: tuple[str, ...]
    findings: tuple[Finding, ...] = ()


def pull(run: Run, *, ref: str | None) -> RunResult:
    """Fetch upstream's docs at ``ref`` (default: the configured one) and write the lock."""
    with only_this_run(run):
        pulled = pull_docs(run, ref=ref)
    return RunResult(
        name=run.name,
        lock=pulled.lock,
        changes=pulled.changes,
        findings=(*pulled.findings, *name_findings(run, pulled.lock)),
        check_only=run.dry,
    )


def pull_docs(run: Run, *, ref: str | None) -> Pulled:
    """The first stage, and what other sites document of what the docs ask for."""
    before = lock_bytes(run)
    lock = stage.pull(run, ref=ref)
    # Of a dry run what would be written: nothing has been.
    after = format_lock(lock) if run.dry else lock_bytes(run)
    # The lock names the content of every file: it changes if and only if any file does.
    changes: tuple[str, ...] = ()
    if after != before:
        changes = (run.shown(run.paths.lock),)
    if run.dry:
        return Pulled(lock=lock, changes=changes)
    refreshed = refresh_names(run, lock)
    return Pulled(
        lock=lock, changes=changes + refreshed.changes, findings=refreshed.findings
    )


def lock_bytes(run: Run) -> bytes:
    """The lock file as it lies there; empty if there is none."""
    # The stage says what is wrong with a lock; here it only matters whether it changes.
    path = run.paths.lock
    return path.read_bytes() if path.is_file() else b""
