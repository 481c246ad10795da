"""execute: ``build``, but code always runs. There is no option ``--no-execute``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pipeline.commands.build import build, build_options
from pipeline.commands.options import RUNNING, add_shared, run_of
from pipeline.log import Log
from pipeline.report.result import RunResult


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``execute``."""
    add_shared(parser, "name", "--release", "--pages", "--summary", *RUNNING, "--check")
    parser.set_defaults(execute=True)


def run_command(arguments: Namespace, log: Log) -> RunResult:
    """Run the code of the selected pages and return the result."""
    run = run_of(arguments, log)
    return build(run, build_options(arguments, run))
