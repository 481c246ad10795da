"""upgrade: move to another release, pin and docs together, and back if that fails.

``upgrading`` is the verb. ``moving`` has the pin that is to be moved, ``comparing`` tells what the
move means, ``restoring`` has the scratch copy to try it in and the way back.
"""

from __future__ import annotations

from argparse import ArgumentParser, BooleanOptionalAction, Namespace

from pipeline.commands.options import add_shared, run_of, summaries_of
from pipeline.log import Log
from pipeline.report.result import RunResult


def add_options(parser: ArgumentParser) -> None:
    """Declare what ``upgrade`` takes."""
    parser.add_argument(
        "target",
        metavar="REF",
        help="a release (v1.2.3), its version (1.2.3), latest,"
        " or any ref with --package-version",
    )
    add_shared(parser, "name", "--upstream", "--summary")
    parser.add_argument(
        "--package-version",
        metavar="VERSION",
        help="the version that goes with a ref that is no release",
    )
    add_shared(parser, "--dry-run")
    parser.add_argument(
        "--execute",
        action=BooleanOptionalAction,
        help="for nox: whether code runs on the new version afterwards",
    )
    add_shared(parser, "--check")


def run_command(arguments: Namespace, log: Log) -> RunResult:
    """Move one upstream to another release."""
    from pipeline.adapters.files import append_text
    from pipeline.commands.upgrade.upgrading import UpgradeOptions, upgrade
    from pipeline.report.upgrade import upgrade_summary

    options = UpgradeOptions(
        target=arguments.target,
        config=arguments.config,
        version=arguments.package_version,
        dry_run=arguments.dry_run,
        runs_code=arguments.execute,
    )
    result = upgrade(run_of(arguments, log), options)
    # A workflow goes on if there is a summary: its file is for moves only.
    summary = arguments.summary if result.comparison else None
    for path in summaries_of(summary):
        append_text(path, upgrade_summary(result))
    return result
