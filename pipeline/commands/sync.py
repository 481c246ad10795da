"""sync: ``pull`` and ``build`` in one run, which holds the run lock throughout."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pipeline.commands.build import BuildOptions, build_options, build_pulled
from pipeline.commands.options import RUNNING, add_shared, run_of
from pipeline.commands.pull import pull_docs
from pipeline.commands.rollback import discard_kept
from pipeline.commands.run_lock import run_lock
from pipeline.log import Log
from pipeline.report.result import RunResult
from pipeline.run import Run


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``sync``."""
    add_shared(
        parser, "name", "--release", "--upstream", "--ref", "--pages", "--summary"
    )
    add_shared(parser, "--no-execute", *RUNNING, "--all", "--check")


def run_command(arguments: Namespace, log: Log) -> RunResult:
    """Sync one upstream and return the result."""
    run = run_of(arguments, log)
    return sync(run, build_options(arguments, run), ref=arguments.ref)


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
