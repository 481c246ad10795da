"""draft: machine translations of untranslated entries, each marked as fuzzy.

``session`` runs the command, ``plan`` collects the questions, ``queue`` sends them and writes the
pages.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pipeline.commands.options import add_shared, count, run_of
from pipeline.log import Log


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``draft``."""
    add_shared(parser, "name", "--release", "--pages")
    parser.add_argument(
        "--limit",
        metavar="N",
        type=count,
        help="ask the model for so many entries at most",
    )
    parser.add_argument("--yes", action="store_true", help="go on without asking")
    parser.add_argument(
        "--stale",
        action="store_true",
        help="list the drafts made from what is not so any more, ask nothing",
    )
    parser.add_argument(
        "--stub",
        action="store_true",
        help="show the loop without a model, in a copy: build/stub/",
    )
    add_shared(parser, "--check")


def run_command(arguments: Namespace, log: Log) -> int:
    """Draft, print the result and return the exit code. The plan is printed before any request."""
    from pipeline.commands.draft.session import draft, show_draft, stub_run
    from pipeline.core.drafting import stub

    run = run_of(arguments, log)
    if arguments.stub:
        run = stub_run(run)
    result = draft(
        run,
        limit=arguments.limit,
        is_agreed=arguments.yes or arguments.stub,
        only_stale=arguments.stale,
        answer=stub.answer if arguments.stub else None,
    )
    show_draft(run, result, as_json=arguments.json)
    return result.exit_code
