"""status: report how much of each page is translated; optionally compare the pin with a ref.

The command is a dry run of ``split``. It writes only badges, and these only with ``--badges``.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from msgspec.structs import replace

from pipeline.adapters.files import read_bytes
from pipeline.commands.build import write_badges
from pipeline.commands.options import add_shared, run_of
from pipeline.commands.pages import pages_of_run
from pipeline.commands.run_lock import clear_after_kill, marked
from pipeline.commands.update import update_pulled
from pipeline.core.catalog.commit_diff import Comparison
from pipeline.core.document.contents import distances
from pipeline.core.execution.code_cells import text_with_contents
from pipeline.core.pin.lock import Lock, SourceFile
from pipeline.errors import InputError
from pipeline.log import Log
from pipeline.report.result import RunResult
from pipeline.run import Run
from pipeline.site.outline import root_page
from pipeline.stages.pull import stage as pull_stage


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``status``."""
    add_shared(parser, "name", "--release", "--upstream", "--pages")
    parser.add_argument(
        "--against",
        metavar="REF",
        help="also report how far the pin is behind this tag, branch or commit",
    )
    parser.add_argument(
        "--every-page",
        action="store_true",
        help="list every page, not only the ten to translate next",
    )
    add_shared(parser, "--all")
    parser.add_argument("--badges", action="store_true", help="write build/badges/")


def run_command(arguments: Namespace, log: Log) -> RunResult:
    """Return how much of each page is translated.

    ``--against`` also compares the pin with another ref.
    """
    run = run_of(arguments, log)
    if arguments.badges:
        clear_after_kill(run.settings.root)
    # Drop the files that a real run would write: they must not cause exit code 1.
    result = update_pulled(replace(run, dry=True))
    result = replace(
        result,
        changes=(),
        check_only=False,
        # Over all pages: distances start at the root page, which ``--pages`` may exclude.
        distances=_distances(replace(run, pages=()), result.lock),
        # A user who names pages wants to see all of them.
        lists_all=arguments.every_page or bool(run.pages),
    )
    if arguments.against is not None:
        comparison = _compare_with(run, result.lock, arguments.against)
        result = replace(result, comparison=comparison)
    if arguments.badges:
        with marked(run.settings.root):
            result = replace(result, changes=tuple(write_badges(run, result)))
    return result


def _distances(run: Run, lock: Lock) -> dict[str, int]:
    """Return each page's distance from the root page, in links of the tables of contents.

    The report lists pages near the root page first.
    """
    texts = {}
    for page in pages_of_run(run, lock):
        # If a page has two documents, both have the same table of contents.
        texts[page.name] = _text(run, page.files[-1])
    tops = lock.docs.prefixes
    first = root_page(list(texts), run.upstream.site.root, tops=tops)
    return distances(texts, first=first, tops=tops)


def _text(run: Run, document: SourceFile) -> str:
    """Return a document's text without code, or an empty string if it is unreadable.

    ``split`` has already reported an unreadable document.
    """
    try:
        data = read_bytes(run.paths.docs / document.path)
        return text_with_contents(document.path, data)
    except InputError:
        return ""


def _compare_with(run: Run, lock: Lock, ref: str) -> Comparison:
    """Return how the English of the requested pages differs between the pin and ``ref``."""
    from pipeline.commands.upgrade import compare

    pull_stage.check_has_refs(run)
    after = pull_stage.read_at(run, ref=ref)
    before = pull_stage.read_at(run, ref=lock.commit)
    # Reports show the lock's ref, because people do not recognize commit ids.
    before = replace(before, lock=replace(before.lock, ref=lock.ref))
    comparison = compare(run, before, after)
    pages = tuple(change for change in comparison.pages if run.selects(change.page))
    commits = pull_stage.count_commits(run, lock, after.lock)
    return replace(comparison, pages=pages, commits=commits)
