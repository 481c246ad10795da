"""build: from what is pulled to what readers see, without touching upstream. It is what CI runs.

``merge`` and ``execute`` are shorter and longer forms of the same: they differ in the last stage
only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.commands.holding import only_this_run
from pipeline.commands.known import Known
from pipeline.commands.pages import pages_of_run
from pipeline.commands.reporting import write_report
from pipeline.commands.updating import UpdatedLocale, update_locale
from pipeline.core.execution.result import Execution, Status
from pipeline.core.pin.lock import Lock, Page
from pipeline.core.results import PageResult
from pipeline.errors import PublishError
from pipeline.findings import Finding
from pipeline.report.result import RunResult
from pipeline.run import KernelOptions, Run
from pipeline.stages import goes_as_far_as
from pipeline.stages.pull.stage import read_pulled

if TYPE_CHECKING:
    from pipeline.core.document.read import SplitPage


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """How far to go (a stage), how to run code, and which files get the run in short, as Markdown."""

    last: str = "publish"
    is_thorough: bool = False  # look at every catalogue, and count what became of its entries
    kernels: KernelOptions = KernelOptions()
    summaries: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedLocale:
    """The pages of one locale after their merge, what is left of pages that upstream dropped, and
    the files written."""

    pages: tuple[PageResult, ...]
    gone: tuple[PageResult, ...]
    changes: tuple[str, ...] = ()


def build(run: Run, options: BuildOptions) -> RunResult:
    """Split, update, merge, execute and publish at the current pin, as far as ``options.last``."""
    with only_this_run(run):
        return build_pulled(run, options, read_pulled(run))


def build_pulled(
    run: Run, options: BuildOptions, lock: Lock, *, changes: tuple[str, ...] = ()
) -> RunResult:
    """From pulled pages to the report. ``changes`` are the files that pulling them has written."""
    pages = pages_of_run(run, lock)
    merged = {
        locale: _merge_locale(run, options, pages, lock=lock, locale=locale)
        for locale in run.locales
    }
    for made in merged.values():
        changes += made.changes
    result = RunResult(
        name=run.name,
        lock=lock,
        pages={locale: made.pages for locale, made in merged.items()},
        gone={locale: made.gone for locale, made in merged.items()},
        changes=changes,
        check_only=run.dry,
    )
    if goes_as_far_as(options.last, "execute") and not run.dry:
        result = _execute(run, options, result, pages)
        result = _publish(run, result)
    return write_report(run, options, result)


def _merge_locale(
    run: Run, options: BuildOptions, pages: Sequence[Page], *, lock: Lock, locale: str
) -> MergedLocale:
    """Split, update and merge for one locale, as far as something has changed since the last run."""
    from pipeline.stages.merge.prune import prune
    from pipeline.stages.merge.stage import ToMerge, merge

    known = Known(run, locale)
    updated = update_locale(
        run, pages, known, locale=locale, lock=lock, thorough=options.is_thorough
    )

    def read(page: Page) -> SplitPage:
        from pipeline.stages.split import split_page

        return updated.splits.get(page.name) or split_page(run.paths, page)

    work = ToMerge(
        pages=pages,
        read=read,
        catalogs=updated.catalogs,
        findings={name: page.row.findings for name, page in updated.pages.items()},
        linked=_linked(updated),
        code=known.code,
    )
    merged = merge(run, work, locale=locale, lock=lock, memo=known.merged)
    changes = updated.changes + merged.changes
    if not run.pages:
        # A run of a few pages cannot tell what is left over.
        changes += prune(run, pages, locale=locale)
    by_page = {row.page: replace(row, update=None) for row in merged.rows}
    kept = {name: replace(page, merged=by_page[name]) for name, page in updated.pages.items()}
    known.keep(pages, kept, updated.dropped)
    return MergedLocale(pages=merged.rows, gone=updated.dropped, changes=changes)


def _linked(updated: UpdatedLocale) -> dict[str, frozenset[str]]:
    """The fragments that links of all pages point to, by page."""
    linked: dict[str, set[str]] = {}
    for page in updated.pages.values():
        for target, fragment in page.links:
            linked.setdefault(target, set()).add(fragment)
    return {target: frozenset(fragments) for target, fragments in linked.items()}


def _execute(
    run: Run, options: BuildOptions, result: RunResult, pages: Sequence[Page]
) -> RunResult:
    """Run the code, once for all locales."""
    from pipeline.stages.execute import execute

    kernels = options.kernels
    if run.pages:
        # Who names pages wants to see them run, also those that failed the last time.
        kernels = replace(kernels, retry_failed=True)
    with run.log.step("execute") as step:
        executed = execute(run, pages, kernels)
        by_page = {execution.page: execution for execution in executed.executions}
        step.result = _counts(executed.executions)
    with_execution = {
        locale: tuple(replace(page, execution=by_page.get(page.page)) for page in rows)
        for locale, rows in result.pages.items()
    }
    return replace(result, pages=with_execution, findings=(*result.findings, *executed.findings))


def _counts(executions: Sequence[Execution]) -> str:
    """``5 passed, 0 failed, 2 skipped``; pages that ran in part are named only where there are
    some."""
    counts = []
    for state in Status:
        count = sum(execution.status == state for execution in executions)
        if count or state is not Status.PARTIAL:
            counts.append(f"{count} {state}")
    return ", ".join(counts)


def _publish(run: Run, result: RunResult) -> RunResult:
    """The preview of every page, in every locale. A page that cannot be rendered is a finding."""
    from pipeline.stages.publish.stage import render

    findings = result.findings
    for locale, rows in result.pages.items():
        try:
            with run.log.step("render"):
                render(run, rows, locale=locale)
        except PublishError as error:
            findings += (Finding.of(error),)
    return replace(result, findings=findings)
