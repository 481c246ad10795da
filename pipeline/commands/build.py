"""build, merge, execute: build the pulled docs without contacting upstream. CI runs ``build``.

``merge`` stops after the pages are merged with their translations. ``execute`` always runs code,
and has no option ``--no-execute``. The input is the lock, which lists the pulled files. The output
is one result. For each locale, the result has a row of the report for each page. Code runs once for
all locales.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from pipeline import packages
from pipeline.adapters.files import append_text, read_bytes, write_if_changed
from pipeline.adapters.installed import is_installed
from pipeline.commands.options import (
    RUNNING,
    add_shared,
    kernels_of,
    run_of,
    summaries_of,
)
from pipeline.commands.pages import docs_findings, pages_of_run, rule_findings
from pipeline.commands.rollback import discard_kept
from pipeline.commands.run_lock import run_lock
from pipeline.commands.update import (
    LocaleMemos,
    UpdatedLocale,
    UpdatedPage,
    update_locale,
)
from pipeline.core.execution.result import Execution, Status
from pipeline.core.pin.lock import Page
from pipeline.core.results import PageResult
from pipeline.errors import PublishError
from pipeline.findings import Finding, Severity
from pipeline.log import Log
from pipeline.naming import group_of
from pipeline.report.counts import written_text
from pipeline.report.result import RunResult, apart
from pipeline.run import KernelOptions, Run
from pipeline.stages import includes_stage
from pipeline.stages.pull.stage import read_pulled
from pipeline.stages.update.locale import Locale

if TYPE_CHECKING:
    from pipeline.core.document.reader import SplitPage


class BuildOptions(Struct, frozen=True, kw_only=True):
    """Options of a build: its last stage, whether code runs, and where summaries go."""

    last: str = "publish"  # last stage, one of ``stages.ORDER``
    # If false, no code runs, and pages show the outputs of earlier runs.
    runs_code: bool = True
    # If true, also read the catalogues of unchanged pages, and count the changes of their entries.
    is_thorough: bool = False
    kernels: KernelOptions = field(default_factory=KernelOptions)
    summaries: tuple[Path, ...] = ()  # files to append a Markdown summary to

    @property
    def executes(self) -> bool:
        """Return whether the build runs code."""
        return self.runs_code and includes_stage(self.last, "execute")


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``build``, ``merge`` or ``execute``."""
    add_shared(parser, "name", "--release", "--pages")
    match parser.get_default("command"):
        case "build":
            add_shared(parser, "--summary", "--no-execute", *RUNNING)
        case "execute":
            add_shared(parser, "--summary", *RUNNING)
            parser.set_defaults(execute=True)
    add_shared(parser, "--check")


def run_command(arguments: Namespace, log: Log) -> RunResult:
    """Build one upstream and return the result."""
    run = run_of(arguments, log)
    if arguments.command == "merge":
        return build(run, BuildOptions(last="merge"))
    return build(run, build_options(arguments, run))


def build_options(arguments: Namespace, run: Run) -> BuildOptions:
    """Return the build options for the arguments of a command that can run code."""
    return BuildOptions(
        runs_code=arguments.execute and _can_run(run),
        kernels=kernels_of(arguments, run.settings),
        summaries=summaries_of(arguments.summary),
    )


def _can_run(run: Run) -> bool:
    """Return whether code can run. For a release beside the pin, its package must be installed.

    Usually only the pinned version is installed. If that of the release is not, print a note.
    """
    if not run.upstream.is_beside or is_installed(group_of(run.package), run.version):
        return True
    run.log.note(f"no code runs: {run.release} is not installed")
    return False


def build(run: Run, options: BuildOptions) -> RunResult:
    """Build the pulled docs up to the stage ``options.last``, and return the result."""
    with run_lock(run):
        result = build_pulled(run, options, RunResult.of(run, read_pulled(run)))
        discard_kept(run)
        return result


def build_pulled(run: Run, options: BuildOptions, pulled: RunResult) -> RunResult:
    """Build the pulled pages, write the report and return the result.

    The caller holds the run lock. ``pulled`` has the lock file's content, and the changes and
    findings of a pull in the same run, if there was one.
    """
    lock, result = pulled.lock, pulled
    run = run.with_lock(lock.markdown, substitutions=lock.substitutions)
    pages = pages_of_run(run, lock)
    for locale in run.locales:
        result = _merge_locale(run, options, pages, result, locale=locale)
    # Check the rules about running code only if code runs: otherwise they have no effect.
    rules: tuple[Finding, ...] = ()
    if options.executes:
        # Import it only here, because only runs of code need it.
        from pipeline.stages.execute.startup import startup_findings

        rules = (*rule_findings(run, lock), *startup_findings(run))
    guides, reference = apart(result.pages, is_named=bool(run.pages))
    result = replace(
        result,
        pages=guides,
        reference=reference,
        findings=(
            *pulled.findings,
            *docs_findings(run, lock),
            *rules,
        ),
        only=run.pages,
    )
    # A dry run ends here: it has not merged anything that could be executed or rendered.
    if options.executes and not run.dry:
        result = _execute(run, options, result, pages)
    if includes_stage(options.last, "publish") and not run.dry:
        result = _publish(run, options, result)
    return write_report(run, options, result)


def _merge_locale(
    run: Run,
    options: BuildOptions,
    pages: Sequence[Page],
    result: RunResult,
    *,
    locale: str,
) -> RunResult:
    """Split, update and merge the pages of one locale that have changed since the last run.

    Return ``result`` with the rows of the locale, and with the files written.
    """
    from pipeline.stages.merge.stage import MergeInput, merge, prune

    lock, files = result.lock, Locale(run, locale)
    memos = LocaleMemos(files)
    updated = update_locale(files, pages, memos, lock=lock, thorough=options.is_thorough)

    # The update skips unchanged pages. Such a page may still need a merge, if it links to a page
    # that has changed. ``read`` then splits it.
    def read(page: Page) -> SplitPage:
        """Return the page's messages. Use the result of ``update_locale`` if it has the page."""
        from pipeline.stages.split import split_page

        return updated.splits.get(page.name) or split_page(run.paths, page, run.upstream.reading)

    work = MergeInput(
        pages=pages,
        read=read,
        catalog=files.shown_catalog,
        catalog_bytes=files.shown_bytes,
        findings={name: page.row.findings for name, page in updated.pages.items()},
        updates=updated.updates,
        linked=_linked(updated, memos.links_elsewhere(pages)),
        code=memos.code,
    )
    merged = merge(run, work, locale=locale, lock=lock, memo=memos.merged)
    changes = (*result.changes, *files.changes, *merged.changes)
    if not run.pages:
        # Remove merged files that belong to no page. Only a run of all pages knows which these are.
        changes += prune(run, pages, locale=locale)
    kept: dict[str, UpdatedPage] = {}
    for row in merged.rows:
        # Do not remember this page, so that the next run reads the damaged catalogue again.
        if row.page in files.unreadable:
            continue
        # The memo must not hold the counts of the update: they describe this run only.
        kept[row.page] = replace(updated.pages[row.page], merged=replace(row, update=None))
    memos.record(pages, kept, updated.dropped)
    return replace(
        result,
        pages={**result.pages, locale: merged.rows},
        gone={**result.gone, locale: updated.dropped},
        changes=changes,
    )


def _linked(
    updated: UpdatedLocale, elsewhere: Sequence[tuple[str, str]]
) -> dict[str, frozenset[str]]:
    """Return, for each page, the fragments (``#section``) that links on any page point to.

    ``elsewhere`` has the links of pages outside this run, taken from the memo.
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
    """Run the pages' code once for all locales, and return the result with the executions."""
    from pipeline.stages.execute.stage import execute

    kernels = options.kernels
    if run.pages:
        # A user who names pages wants them to run, even those that failed the last time.
        kernels = replace(kernels, retry_failed=True)
    with run.log.step("execute") as step:
        executed = execute(run, pages, kernels)
        by_page = {execution.page: execution for execution in executed.executions}
        step.result = _counts(executed.executions)
    # All locales share the executions, because their code is equal. Pages without code have none.
    with_execution: dict[str, tuple[PageResult, ...]] = {}
    for locale, rows in result.pages.items():
        executed_rows = (replace(page, execution=by_page.get(page.page)) for page in rows)
        with_execution[locale] = tuple(executed_rows)
    return replace(
        result,
        pages=with_execution,
        findings=(*result.findings, *executed.findings),
        changes=(*result.changes, *executed.changes),
    )


def _counts(executions: Sequence[Execution]) -> str:
    """Return the counts by status: ``5 passed, 0 failed, 2 skipped``.

    The count of pages that ran in part appears only if it is not 0.
    """
    counts = dict.fromkeys(Status, 0)
    for execution in executions:
        counts[execution.status] += 1
    if not counts[Status.PARTIAL]:
        del counts[Status.PARTIAL]
    return ", ".join(f"{count} {status}" for status, count in counts.items())


def _publish(run: Run, options: BuildOptions, result: RunResult) -> RunResult:
    """Render the preview, stand-alone HTML, of every page in every locale.

    A page that cannot be rendered becomes a finding.
    """
    lacking = packages.missing("preview")
    if lacking:
        error = PublishError(
            f"no preview is made: {packages.names(lacking)} not installed",
            where=run.name,
            hint=packages.how_to_install("preview"),
        )
        # If no code runs, a warning is enough: such a run makes the committed files, and these do
        # not depend on the preview.
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


def write_report(run: Run, options: BuildOptions, result: RunResult) -> RunResult:
    """Write JSON, JUnit, HTML, summaries and badges; return ``result`` with the changed files.

    ``report.json`` and ``junit.xml`` do not change if a run is repeated. ``report.html`` and the
    summaries also show times, and the differences from the last run. A dry run writes nothing.
    """
    from pipeline.report.json import read_previous, run_json
    from pipeline.report.junit import to_junit

    if run.dry:
        return result
    # Read the old report before it is overwritten, to show the differences from the last run.
    paths = run.paths
    previous = None
    if paths.report.exists():
        previous = read_previous(read_bytes(paths.report))
    changes = list(result.changes)
    for path, data in (
        (paths.report, run_json(result)),
        (paths.junit, to_junit(result)),
    ):
        if write_if_changed(path, data):
            changes.append(run.shown(path))
    if options.executes:
        # The HTML page shows the times of the last run that executed code. Keep the page if this
        # run executed no code and its JSON and JUnit reports are unchanged.
        has_run = any(execution.ran_now for execution in result.executions)
        has_news = has_run or len(changes) > len(result.changes)
        if has_news or not paths.report_page.exists():
            from pipeline.report.page import to_html, to_summary

            write_if_changed(paths.report_page, to_html(result, previous=previous))
            for path in options.summaries:
                append_text(path, to_summary(result, previous=previous))
    # Badges show the translated share of all pages, so a run of a few pages cannot make them.
    if not run.pages:
        changes += write_badges(run, result)
    return replace(result, changes=tuple(changes))


def write_badges(run: Run, result: RunResult) -> list[str]:
    """Write the badges of every locale; return the changed files, relative to the root.

    Each badge is a JSON file for the shields.io endpoint.
    """
    from pipeline.report.json import badges_of

    files: dict[Path, bytes] = {}
    for locale in result.pages:
        folder = run.paths.badges(locale)
        for name, data in badges_of(result, locale).items():
            files[folder / f"{name}.json"] = data
    return [run.shown(path) for path, data in files.items() if write_if_changed(path, data)]
