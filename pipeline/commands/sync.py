"""sync: the whole job, from upstream to what readers see.

It is ``pull`` and ``build``, in one run that nothing else comes between.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pipeline.commands.build import BuildOptions, build_options, build_pulled
from pipeline.commands.holding import only_this_run
from pipeline.commands.options import RUNNING, add_shared, run_of
from pipeline.commands.pull import pull_docs
from pipeline.log import Log
from pipeline.report.result import RunResult
from pipeline.run import Run


def add_options(parser: ArgumentParser) -> None:
    """Declare what ``sync`` takes."""
    add_shared(parser, "name", "--upstream", "--ref", "--pages", "--summary")
    add_shared(parser, "--no-execute", *RUNNING, "--all", "--check")


def run_command(arguments: Namespace, log: Log) -> RunResult:
    """Do the whole job for one upstream."""
    run = run_of(arguments, log)
    return sync(run, build_options(arguments, run), ref=arguments.ref)


def sync(run: Run, options: BuildOptions, *, ref: str | None) -> RunResult:
    """Pull, then everything that ``build`` does.

    A dry run cannot go on from docs that it has not written: if the lock would change, that is all
    it says.
    """
    with only_this_run(run):
        pulled = pull_docs(run, ref=ref)
        # What is checked out is not what would be built.
        if run.dry and pulled.changes:
            return RunResult(
                name=run.name, lock=pulled.lock, changes=pulled.changes, check_only=True
            )
        return build_pulled(
            run,
            options,
            pulled.lock,
            changes=pulled.changes,
            findings=pulled.findings,
        )
