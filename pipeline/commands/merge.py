"""merge: ``build``, but stop after the pages are merged with their translations."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pipeline.commands.build import BuildOptions, build
from pipeline.commands.options import add_shared, run_of
from pipeline.log import Log
from pipeline.report.result import RunResult


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``merge``."""
    add_shared(parser, "name", "--release", "--pages", "--check")


def run_command(arguments: Namespace, log: Log) -> RunResult:
    """Merge the selected pages and return the result."""
    return build(run_of(arguments, log), BuildOptions(last="merge"))
