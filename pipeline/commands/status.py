"""status: what ``split`` would give, and how far behind another ref that is.

It is a dry run of ``split``. It writes nothing but badges, and those only if asked to.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pipeline.adapters.files import read_bytes
from pipeline.commands.pages import pages_of_run
from pipeline.commands.reporting import write_badges
from pipeline.commands.split import update_pulled
from pipeline.core.catalog.comparison import Comparison
from pipeline.core.document.contents import distances
from pipeline.core.execution.notebook import text_with_contents
from pipeline.core.pin.lock import Lock, SourceFile
from pipeline.errors import InputError
from pipeline.report.result import RunResult
from pipeline.run import Run
from pipeline.site.roots import root_page
from pipeline.stages.pull import stage as pull_stage


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusOptions:
    """What else to tell than how much is translated."""

    against: str | None = None  # the ref to compare the pin with
    badges: bool = False  # write them
    lists_all: bool = False  # list every page, not only those that come next


def status(run: Run, options: StatusOptions) -> RunResult:
    """How much of each page is translated."""
    result = update_pulled(replace(run, dry=True))
    # What a sync would write is no news here, and no reason to end with 1.
    result = replace(result, changes=(), check_only=False)
    # Of all pages: those that are asked for may be far from the first one.
    whole = replace(run, pages=())
    result = replace(
        result,
        distances=_distances(whole, result.lock),
        # Who names pages wants to see them.
        lists_all=options.lists_all or bool(run.pages),
    )
    if options.against is not None:
        comparison = _compare_with(run, result.lock, options.against)
        result = replace(result, comparison=comparison)
    if options.badges:
        result = replace(result, changes=tuple(write_badges(run, result)))
    return result


def _distances(run: Run, lock: Lock) -> dict[str, int]:
    """How far each page is from the first one."""
    texts = {}
    for page in pages_of_run(run, lock):
        # Of a pair, both documents have the same tables of contents.
        texts[page.name] = _text(run, page.files[-1])
    tops = lock.docs.prefixes
    first = root_page(list(texts), run.upstream.site.root, tops=tops)
    return distances(texts, first=first, tops=tops)


def _text(run: Run, document: SourceFile) -> str:
    """What a document says besides code; empty if it cannot be read, which ``split`` has told."""
    try:
        data = read_bytes(run.paths.docs / document.path)
        return text_with_contents(document.path, data)
    except InputError:
        return ""


def _compare_with(run: Run, lock: Lock, ref: str) -> Comparison:
    """How the English of the pages asked for differs at ``ref`` from what is pulled."""
    from pipeline.commands.upgrade.comparing import compare

    pull_stage.check_has_refs(run)
    after = pull_stage.read_at(run, ref=ref)
    before = pull_stage.read_at(run, ref=lock.commit)
    # It was asked for by its commit; people know it by the ref of the lock.
    before = replace(before, lock=replace(before.lock, ref=lock.ref))
    comparison = compare(run, before, after)
    pages = tuple(change for change in comparison.pages if run.asks_for(change.page))
    commits = pull_stage.count_commits(run, lock, after.lock)
    return replace(comparison, pages=pages, commits=commits)
