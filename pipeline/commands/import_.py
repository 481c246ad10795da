"""import: what was done in another editor, into the catalogues (``exchange/importing.py``)."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pipeline.commands.options import add_shared, run_of
from pipeline.log import Log
from pipeline.report.result import RunResult


def add_options(parser: ArgumentParser) -> None:
    """Declare what ``import`` takes."""
    parser.add_argument(
        "words",
        metavar="FILE | FOLDER",
        nargs="+",
        help="what came back from the editor: .po",
    )
    parser.add_argument(
        "--name",
        metavar="NAME",
        help="the upstream (default: the first one configured)",
    )
    add_shared(parser, "--check")


def run_command(arguments: Namespace, log: Log) -> RunResult:
    """Take over the work in files and folders."""
    from pipeline.commands.exchange.importing import import_catalogs

    return import_catalogs(run_of(arguments, log), arguments.words)
