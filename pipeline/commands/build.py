"""build: from what is pulled to what readers see, without touching upstream. It is what CI runs.

``merge`` and ``execute`` are shorter and longer forms of the same: they differ in the last stage.
In goes the lock, out comes one result with the rows of every locale. Code runs once for all.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline import packages
from pipeline.commands.holding import only_this_run
from pipeline.commands.options import (
    RUNNING,
    add_shared,
    kernels_of,
    run_of,
    summaries_of,
)
from pipeline.commands.pages import name_findings, pages_of_run, rule_findings
from pipeline.commands.reporting import write_report
from pipeline.commands.update import Known, UpdatedLocale, UpdatedPage, update_locale
from pipeline.core.execution.result import Execution, Status
from pipeline.core.pin.lock import Lock, Page
from pipeline.core.results import PageResult
from pipeline.errors import PublishError
from pipeline.findings import Finding, Severity
from pipeline.log import Log
from pipeline.report.counts import written_text
from pipeline.report.result import RunResult
from pipeline.run import KernelOptions, Run
from pipeline.stages import goes_as_far_as
from pipeline.stages.pull.stage import read_pulled

if TYPE_CHECKING:
    from pipeline.core.document.reader import SplitPage


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """How far to go, and how."""

    last: str = "publish"  # a stage, of ``stages.ORDER``
    runs_code: bool = (
        True  # False: pages are shown as they are, with outputs of earlier runs
    )
    # Look at every catalogue, and count what became of its entries.
    is_thorough: bool = False
    kernels: KernelOptions = field(default_factory=KernelOptions)
    summaries: tuple[Path, ...] = ()  # files that get the run in short, as Markdown

    @property
    def executes(self) -> bool:
        """Whether code is run."""
        return self.runs_code and goes_as_far_as(self.last, "execute")


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedLocale:
    """One locale after its merge."""

    pages: tuple[PageResult, ...]
    gone: tuple[PageResult, ...]  # what is left of pages that upstream dropped
    changes: tuple[str, ...] = ()  # the files written


def add_options(parser: ArgumentParser) -> None:
    """Declare what ``build`` takes."""
    add_shared(parser, "name", "--pages", "--summary", "--no-execute")
    add_shared(parser, *RUNNING, "--check")


def run_command(arguments: Namespace, log: Log) -> RunResult:
    """Build one upstream."""
    run = run_of(arguments, log)
    return build(run, build_options(arguments, run))


def build_options(arguments: Namespace, run: Run) -> BuildOptions:
    """Return how code is run, by the options of all commands that run any."""
    return BuildOptions(
        runs_code=arguments.execute,
        kernels=kernels_of(arguments, run.settings),
        summaries=summaries_of(arguments.summary),
    )


def build(run: Run, options: BuildOptions) -> RunResult:
    """Split, update, merge, execute and publish at the current pin, as far as ``options.last``."""
    with only_this_run(run):
        return build_pulled(run, options, read_pulled(run))


def build_pulled(
    run: Run,
    options: BuildOptions,
    lock: Lock,
    *,
    changes: tuple[str, ...] = (),
    findings: tuple[Finding, ...] = (),
) -> RunResult:
    """From pulled pages to the report.

    ``changes`` are the files that pulling them has written, and ``findings`` what it has found.
    """
    run = run.reading_as(lock.markdown, substitutions=lock.substitutions)
    pages = pages_of_run(run, lock)
    merged: dict[str, tuple[PageResult, ...]] = {}
    gone: dict[str, tuple[PageResult, ...]] = {}
    for locale in run.locales:
        made = _merge_locale(run, options, pages, lock=lock, locale=locale)
        merged[locale] = made.pages
        gone[locale] = made.gone
        changes += made.changes
    # Nobody else goes by these rules.
    rules = _rule_findings(run, lock) if options.executes else ()
    result = RunResult(
        name=run.name,
        lock=lock,
        pages=merged,
        gone=gone,
        findings=(*findings, *name_findings(run, lock), *rules),
        changes=changes,
        check_only=run.dry,
        only=run.pages,
    )
    # A dry run has merged nothing that could be run or shown.
    if options.executes and not run.dry:
        result = _execute(run, options, result, pages)
    if goes_as_far_as(options.last, "publish") and not run.dry:
        result = _publish(run, options, result)
    return write_report(run, options, result)


def _rule_findings(run: Run, lock: Lock) -> tuple[Finding, ...]:
    """What is wrong with the rules about running code: their pages, their start-up files."""
    # Running code loads what nobody else needs.
    from pipeline.stages.execute.startup import startup_findings

    return (*rule_findings(run, lock), *startup_findings(run))


def _merge_locale(
    run: Run, options: BuildOptions, pages: Sequence[Page], *, lock: Lock, locale: str
) -> MergedLocale:
    """Split, update and merge for one locale, as far as anything has changed since the last run."""
    from pipeline.stages.merge.stage import ToMerge, merge, prune

    known = Known(run, locale)
    updated = update_locale(
        run, pages, known, locale=locale, lock=lock, thorough=options.is_thorough
    )

    # A page whose catalogue is up to date may have to be merged anew: the page it links to changed.
    def read(page: Page) -> SplitPage:
        """The page in messages: as update has split it, or split now."""
        from pipeline.stages.split import split_page

        return updated.splits.get(page.name) or split_page(
            run.paths, page, run.upstream.reading
        )

    work = ToMerge(
        pages=pages,
        read=read,
        catalogs=updated.catalogs,
        findings={name: page.row.findings for name, page in updated.pages.items()},
        linked=_linked(updated, known.links_elsewhere(pages)),
        code=known.code,
    )
    merged = merge(run, work, locale=locale, lock=lock, memo=known.merged)
    changes = updated.changes + merged.changes
    if not run.pages:
        # A run of a few pages cannot tell what is left over.
        changes += prune(run, pages, locale=locale)
    kept: dict[str, UpdatedPage] = {}
    readable = updated.readable
    for row in merged.rows:
        if row.page not in readable:
            continue
        # What became of the entries is of this run only: nothing becomes of them in the next one.
        kept[row.page] = replace(readable[row.page], merged=replace(row, update=None))
    known.keep(pages, kept, updated.dropped, changes=updated.changes)
    return MergedLocale(pages=merged.rows, gone=updated.dropped, changes=changes)


def _linked(
    updated: UpdatedLocale, elsewhere: Sequence[tuple[str, str]]
) -> dict[str, frozenset[str]]:
    """The fragments that links of all pages point to, by page.

    Of all pages, also those that the run has not read or is not about: the memo has their links.
    """
    links = [*elsewhere]
    for page in updated.pages.values():
        links += page.links
    linked: dict[str, set[str]] = {}
    for target, fragment in links:
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
    # Every locale has the same notebooks. Plain pages have no execution.
    with_execution: dict[str, tuple[PageResult, ...]] = {}
    for locale, rows in result.pages.items():
        told = (replace(page, execution=by_page.get(page.page)) for page in rows)
        with_execution[locale] = tuple(told)
    return replace(
        result,
        pages=with_execution,
        findings=(*result.findings, *executed.findings),
        changes=(*result.changes, *executed.changes),
    )


def _counts(executions: Sequence[Execution]) -> str:
    """``5 passed, 0 failed, 2 skipped``; pages that ran in part are named only if there are any."""
    counts = dict.fromkeys(Status, 0)
    for execution in executions:
        counts[execution.status] += 1
    if not counts[Status.PARTIAL]:
        del counts[Status.PARTIAL]
    return ", ".join(f"{count} {status}" for status, count in counts.items())


def _publish(run: Run, options: BuildOptions, result: RunResult) -> RunResult:
    """The preview of every page, in every locale. A page that cannot be rendered is a finding."""
    lacking = packages.missing("preview")
    if lacking:
        error = PublishError(
            f"no preview is made: {packages.names(lacking)} not installed",
            where=run.name,
            hint=packages.how_to_install("preview"),
        )
        # Who runs no code may do without: what is committed does not need it.
        severity = Severity.ERROR if options.executes else Severity.WARNING
        finding = replace(Finding.of(error), severity=severity)
        return replace(result, findings=(*result.findings, finding))
    from pipeline.stages.publish.stage import render

    findings, changes = result.findings, result.changes
    for locale, rows in result.pages.items():
        with run.log.step("render") as step:
            published = render(run, rows, locale=locale)
            step.result = written_text(len(published.changes))
        findings += published.findings
        changes += published.changes
    return replace(result, findings=findings, changes=changes)
