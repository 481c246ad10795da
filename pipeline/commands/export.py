"""export: catalogues for an editor that does not read our folders (``exchange/exporting.py``)."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from pipeline.commands.options import add_shared, run_of
from pipeline.log import Log
from pipeline.report.result import RunResult


def add_options(parser: ArgumentParser) -> None:
    """Declare what ``export`` takes."""
    add_shared(parser, "name", "--pages")
    parser.add_argument(
        "--to",
        metavar="FOLDER",
        type=Path,
        help="where to write them (default: build/export/)",
    )
    add_shared(parser, "--check")


def run_command(arguments: Namespace, log: Log) -> RunResult:
    """Export the catalogues of an upstream."""
    from pipeline.commands.exchange.exporting import export_catalogs

    run = run_of(arguments, log)
    return export_catalogs(run, folder=arguments.to or run.paths.exported)
