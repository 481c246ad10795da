"""draft: translate untranslated entries with a language model. Each draft is marked as fuzzy.

``session`` runs the command. ``plan`` lists the questions to the model, one for each entry.
``queue`` sends them in batches and writes the drafts into the catalogues.
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
        help="send at most N entries to the model",
    )
    parser.add_argument(
        "--yes", action="store_true", help="send requests without asking first"
    )
    parser.add_argument(
        "--stale",
        action="store_true",
        help="list the drafts made with another model, prompt or glossary, and send nothing",
    )
    parser.add_argument(
        "--stub",
        action="store_true",
        help="try the command without a model, on a copy of the project in build/stub/",
    )
    add_shared(parser, "--check")


def run_command(arguments: Namespace, log: Log) -> int:
    """Draft translations, print the result and return the exit code."""
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
