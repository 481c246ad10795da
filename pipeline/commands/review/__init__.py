"""review: show the translations that a branch changes, for its reviewer.

The command compares the memory files of two commits. ``reviewing`` finds the commits and the files
that differ, and adds the English, a word diff and the findings of checks. Nothing is pulled or
built.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pipeline.commands.console import print_text
from pipeline.commands.options import add_shared, locales_of, summaries_of
from pipeline.config.reader import read_settings
from pipeline.errors import ConfigError
from pipeline.log import Log
from pipeline.paths import Paths


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``review``."""
    parser.add_argument(
        "words",
        metavar="COMMIT",
        nargs="*",
        help="the branch or commit to compare with (default: the main branch), and the one to "
        "review (default: the files in the working tree)",
    )
    add_shared(parser, "--pages", "--summary")
    parser.add_argument(
        "--format",
        choices=("html", "markdown"),
        default="html",
        help="write only build/review.html, or also print Markdown for a pull request",
    )


def run_command(arguments: Namespace, log: Log) -> int:
    """Compare the memory of two commits, write ``build/review.html`` and return the exit code.

    Findings of checks do not affect the exit code; unreadable memory files do. Raises WriteError.
    """
    from pipeline.adapters.files import append_text, write_if_changed
    from pipeline.commands.review.reviewing import review_changes
    from pipeline.commands.run_lock import clear_after_kill, marked
    from pipeline.report.review import (
        STEP_SUMMARY,
        missing_english_line,
        review_html,
        review_markdown,
        title,
    )

    if arguments.json:
        raise ConfigError(
            "review cannot print JSON",
            hint="Open build/review.html, or give --format markdown.",
        )
    settings = read_settings(arguments.config)
    clear_after_kill(settings.root)
    review = review_changes(
        settings,
        arguments.words,
        locales=locales_of(arguments, settings),
        pages=tuple(arguments.pages),
    )
    paths = Paths(settings.root, "")
    with marked(paths.root):
        write_if_changed(paths.review_page, review_html(review))
    for problem in review.problems:
        log.warn(f"{problem.place}: {problem.text}")
    log.note(title(review))
    if review.lacks_english:
        log.note(missing_english_line(review))
    log.note(f"look at {paths.review_page.relative_to(paths.root).as_posix()}")
    if arguments.format == "markdown":
        print_text(review_markdown(review))
    for path in summaries_of(arguments.summary):
        append_text(path, review_markdown(review, STEP_SUMMARY))
    return review.exit_code
