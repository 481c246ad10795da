"""status: what ``split`` would give, and how far behind another ref that is.

It is a dry run of ``split``. It writes nothing but badges, and those only if asked to.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pipeline.commands.reporting import write_badges
from pipeline.commands.split import update_pulled
from pipeline.core.catalog.comparison import Comparison
from pipeline.core.pin.lock import Lock
from pipeline.report.result import RunResult
from pipeline.run import Run
from pipeline.stages.pull import stage as pull_stage


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusOptions:
    """What else to tell than how much is translated."""

    against: str | None = None  # the ref to compare the pin with
    badges: bool = False  # write them


def status(run: Run, options: StatusOptions) -> RunResult:
    """How much of each page is translated."""
    result = update_pulled(replace(run, dry=True))
    # What a sync would write is no news here, and no reason to end with 1.
    result = replace(result, changes=(), check_only=False)
    if options.against is not None:
        comparison = _compare_with(run, result.lock, options.against)
        result = replace(result, comparison=comparison)
    if options.badges:
        result = replace(result, changes=tuple(write_badges(run, result)))
    return result


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
