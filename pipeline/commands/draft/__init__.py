"""draft: machine translations for what nobody has translated yet, each as safe as an empty entry.

``session`` is the verb, ``plan`` finds what is to be asked, ``queue`` asks it and writes the pages.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pipeline.commands.options import add_shared, count, run_of
from pipeline.log import Log


def add_options(parser: ArgumentParser) -> None:
    """Declare what ``draft`` takes."""
    add_shared(parser, "name", "--pages")
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
    """Draft, and print what came of it; the plan is printed before anything is asked."""
    from pipeline.commands.draft.session import (
        draft,
        rehearsal,
        show_draft,
    )
    from pipeline.core.drafting import stub

    run = run_of(arguments, log)
    if arguments.stub:
        run = rehearsal(run)
    result = draft(
        run,
        limit=arguments.limit,
        is_agreed=arguments.yes or arguments.stub,
        only_stale=arguments.stale,
        answer=stub.answer if arguments.stub else None,
    )
    show_draft(run, result, as_json=arguments.json)
    return result.exit_code
