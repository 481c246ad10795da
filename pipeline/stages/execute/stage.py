"""Execution of pages: plan, take outputs from the cache, run the rest, write executed notebooks.

``execute`` takes pages and returns their executions in the same order. Translations do not change
code, so one run of the code serves all locales. Pages with equal code share a cache key, and
therefore the outputs. The invariant: the status and the outputs of a page come from the same run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from pipeline import packages
from pipeline.adapters import files, kernel
from pipeline.adapters.execution_cache import ExecutionCache
from pipeline.adapters.kernel import sandbox
from pipeline.core.execution import code_cells as execution
from pipeline.core.execution.code_cells import kernel_of
from pipeline.core.execution.outputs import outputs_of, with_outputs
from pipeline.core.execution.result import (
    CacheEntry,
    CellFailure,
    Execution,
    Status,
    cell_failure,
    cells_run,
    decode_entry,
    encode_entry,
    expectation_failure,
    expected_exceptions,
    failure_summary,
    unmet_expectations,
)
from pipeline.core.execution.shape import sound_outputs
from pipeline.core.pin.lock import Page
from pipeline.errors import ExecutionError, InputError, PipelineError
from pipeline.findings import Finding, Severity
from pipeline.naming import group_of
from pipeline.run import KernelOptions, Run
from pipeline.stages.execute.plan import (
    ExecutionContext,
    Task,
    plan,
    read_notebook,
    reason_of,
)
from pipeline.stages.execute.run_history import History

MEBIBYTE = 1 << 20  # bytes; unit of the limits in the configuration
MOST_PATHS = 3  # maximum number of paths in a finding
# Failures that do not depend on the page: the worker was killed or stopped, or the machine was too
# busy. They are not cached, so the next run tries the page again.
ACCIDENTS = ("WorkerDied", "WorkerStopped", "WallTimeout")


class Executed(Struct, frozen=True, kw_only=True):
    """Result of the stage."""

    executions: tuple[Execution, ...] = ()  # in the order of the pages
    findings: tuple[Finding, ...] = ()
    # Written and removed files, relative to the project's root.
    changes: tuple[str, ...] = ()


def execute(run: Run, pages: Sequence[Page], options: KernelOptions) -> Executed:
    """Run the notebooks among ``pages``, and write an executed notebook for every locale.

    Return an Execution for each notebook; plain pages have none. Code whose outputs are cached does
    not run again, unless the code failed and ``options.retry_failed`` is set. If
    ``options.scheduler`` is the address of a Dask cluster, the code runs there. A failing page does
    not stop the others. Raises ExecutionError if no page can run.
    """
    context = ExecutionContext(run=run, offline=options.offline, environment=kernel.environment())
    tasks: list[Task] = []
    results: dict[str, Execution] = {}
    for page in pages:
        try:
            planned = plan(context, page)
        except ImportError as error:  # jupytext, which reads MyST notebooks, is missing
            raise _not_installed() from error
        if isinstance(planned, Task):
            tasks.append(planned)
        elif planned is not None:
            results[page.name] = planned
            # The page may have run under an earlier configuration. Remove the outputs of that run.
            remove_executed(context, page)
    # Check the packages only if code will run: a project without code needs no JAX.
    if tasks:
        if packages.missing("execute"):
            raise _not_installed()
        _check_version(context.environment, run)
        if options.offline and not sandbox.can_isolate_network():
            run.log.warn(
                "code runs with network access, because this system cannot block the network "
                "for it (Linux can, if users may create namespaces)"
            )
    one_pass = _Pass(context, options)
    results |= one_pass.run_all(tasks)
    findings: list[Finding] = []
    for page in pages:
        findings += one_pass.findings.get(page.name, ())
    return Executed(
        executions=tuple(results[page.name] for page in pages if page.name in results),
        findings=tuple(findings),
        changes=tuple(context.changes),
    )


def _check_version(environment: Mapping[str, str], run: Run) -> None:
    """Raise ExecutionError unless the pinned version is installed: pages name this version."""
    if not run.package:
        return  # no package is pinned, so pages name no version
    # The kernels use this interpreter and its packages.
    installed = environment.get(f"package {group_of(run.package)}", "none")
    if installed != run.version:
        raise ExecutionError(
            f"the pin is {run.package} {run.version}, but {installed} is installed: "
            "no code was run",
            hint=packages.how_to_install("execute"),
        )


def _not_installed() -> ExecutionError:
    """Return the error for missing packages. Workers themselves would end without a message."""
    lacking = packages.names(packages.missing("execute"))
    return ExecutionError(
        f"{lacking} not installed: no code was run",
        hint=packages.how_to_install("execute"),
    )


class _Pass:
    """One pass over the tasks, with the cache and the history; collects findings by page."""

    def __init__(self, context: ExecutionContext, options: KernelOptions) -> None:
        limit = context.run.settings.execution.cache * MEBIBYTE
        self.context = context
        self.log = context.run.log
        self.options = options
        self.cache = ExecutionCache(context.run.paths.outputs, limit=limit)
        self.history = History(context.run.paths)
        self.findings: dict[str, list[Finding]] = {}

    def run_all(self, tasks: Sequence[Task]) -> dict[str, Execution]:
        """Return the results of ``tasks`` by page: first from the cache, then from kernels."""
        results: dict[str, Execution] = {}
        waiting: dict[str, list[Task]] = {}
        try:
            with self.log.progress("execute", total=len(tasks)) as advance:
                for task in tasks:
                    entry = self._cached(task)
                    if entry is None:
                        waiting.setdefault(task.key, []).append(task)
                        continue
                    result = replace(self._finish(task, entry), cached=True)
                    results[task.page.name] = result
                    advance(1, _line(result))
                for result in self._run(waiting):
                    results[result.page] = result
                    advance(1, _line(result))
        finally:
            # Save the history after Ctrl-C, too, because completed pages are in the cache.
            self.history.save(self.log)
        # Trim at the end, so that new entries do not evict entries that this run still needs.
        self.cache.trim()
        return results

    def _cached(self, task: Task) -> CacheEntry | None:
        """Return the cache entry that this run may use for ``task``, or None."""
        if not self.options.use_cache:
            return None
        entry = self._entry(task)
        # Failures are cached as well, because the same code would usually fail again.
        if entry and entry.failure and self.options.retry_failed:
            return None
        return entry

    def _entry(self, task: Task) -> CacheEntry | None:
        """Return the cache entry of ``task``, or None if it is missing or damaged."""
        before = len(self.cache.damaged)
        data = self.cache.get(task.key)
        entry = None
        if data is not None:
            try:
                entry = decode_entry(data, where=task.key)
            except InputError:
                self.cache.reject(task.key)
        # ``get`` returns None both for a missing entry and for an entry with a wrong digest, which
        # it adds to ``damaged``. So compare the number of damaged entries before and after.
        if len(self.cache.damaged) > before:
            page = task.page.name
            damaged = Finding.from_table("cache-damaged", where=page, page=page)
            self._add_findings(task, damaged)
        return entry

    def _run(self, waiting: Mapping[str, Sequence[Task]]) -> Iterator[Execution]:
        """Run one task for each key, slow ones first; yield the results of all tasks."""
        # Of all tasks with the same key, only the first one runs. Its outcome names the page that
        # ran. Map this page to all tasks with that key.
        by_page = {tasks[0].page.name: tasks for tasks in waiting.values()}
        measured = self.history.seconds()

        def seconds(task: Task) -> float:
            return measured.get(task.page.name, task.seconds)

        # If a slow page started last, all other workers would wait for it.
        order = sorted((tasks[0] for tasks in by_page.values()), key=seconds, reverse=True)
        for outcome in self._outcomes([_job(self.context, task) for task in order]):
            tasks = by_page[outcome.page]
            self._add_findings(tasks[0], *_changes(outcome))
            entry = entry_of(self.context, tasks[0], outcome)
            # Cache the entry first, so that it is not lost if the run is killed.
            self._cache_entry(tasks[0], entry)
            for task in tasks:
                yield self._finish(task, entry)

    def _outcomes(self, jobs: Sequence[kernel.Job]) -> Iterator[kernel.Outcome]:
        """Run jobs on this machine or on the cluster; return an iterator over their outcomes."""
        if not self.options.scheduler or not jobs:
            workers = kernel.worker_count(self.options.jobs)
            return kernel.run_notebooks(jobs, workers=workers)
        from pipeline.adapters.cluster import run_on_cluster

        # Workers must have the packages of this machine, because the keys contain their versions.
        return run_on_cluster(
            jobs, address=self.options.scheduler, environment=self.context.environment
        )

    def _cache_entry(self, task: Task, entry: CacheEntry) -> None:
        """Put the entry into the cache, unless the page failed by accident.

        If the cache cannot be written, add a warning. The page will run again next time.
        """
        if entry.failure and entry.failure.exception in ACCIDENTS:
            return
        try:
            self.cache.put(task.key, encode_entry(entry))
        except files.WriteError as error:
            finding = Finding.of(error, page=task.page.name)
            self._add_findings(task, replace(finding, severity=Severity.WARNING))

    def _finish(self, task: Task, entry: CacheEntry) -> Execution:
        """Record new or cached outputs of a task, write its notebooks, return its execution."""
        release = self.context.run.release
        self._add_findings(
            task,
            *self.history.remember(task.page.name, task.key, entry, release=release),
        )
        self._add_findings(task, *output_findings(self.context, task, entry))
        return finish(self.context, task, entry)

    def _add_findings(self, task: Task, *findings: Finding) -> None:
        self.findings.setdefault(task.page.name, []).extend(findings)


def _job(context: ExecutionContext, task: Task) -> kernel.Job:
    name, language = kernel_of(task.notebook)
    return kernel.Job(
        page=task.page.name,
        notebook=json.dumps(task.notebook),
        folder=(context.run.paths.docs / task.document.path).parent,
        # A Python page may name a kernel of its author ("jax-dev"). Run the page in our kernel.
        kernel=kernel.PYTHON if language else name,
        policy=task.policy,
        project=context.run.paths.root,
    )


def _changes(outcome: kernel.Outcome) -> Iterator[Finding]:
    """Yield a finding for each cell that may have changed files of the project."""
    for number, paths in outcome.changed:
        named = ", ".join(paths[:MOST_PATHS])
        if len(paths) > MOST_PATHS:
            named += f" and {len(paths) - MOST_PATHS} more"
        where = f"{outcome.page}, {execution.cell_name(number)}"
        yield Finding.from_table("project-changed", where=where, page=outcome.page, files=named)


def _line(result: Execution) -> str:
    """Return a progress line for a page: ``guide/start: passed in interpret mode (3.2 s)``."""
    how = "cached" if result.cached else f"{result.seconds:.1f} s"
    note = f" {result.note}" if result.note else ""
    reason = f" {result.reason}" if result.reason else ""
    return f"{result.page}: {result.status}{note} ({how}){reason}"


def entry_of(context: ExecutionContext, task: Task, outcome: kernel.Outcome) -> CacheEntry:
    """Return the cache entry of a run. It is valid for every page with the same key."""
    # Leave out prose, because pages of other languages and commits share the entry.
    outputs = outputs_of(json.loads(outcome.notebook))
    failure = None
    if outcome.stop is not None:
        stop = outcome.stop
        # The source of the cell stays "": ``failure_in`` takes it from the page.
        failure = cell_failure(
            stop.cell,
            "",
            exception=stop.exception,
            message=stop.message,
            traceback=stop.traceback,
        )
    return CacheEntry(
        outputs=outputs,
        # Timings are not more precise than this.
        seconds=round(outcome.seconds, 1),
        cell_seconds=tuple(round(seconds, 3) for seconds in outcome.cell_seconds),
        failure=failure,
        exceptions=expected_exceptions(outputs),
        # These facts are for people who inspect the cache. No code reads them.
        facts={
            "page": task.page.name,
            "release": context.run.release,
            "python": context.environment.get("python", ""),
        },
    )


def finish(context: ExecutionContext, task: Task, entry: CacheEntry) -> Execution:
    """Write the executed notebook of each locale, and return the execution.

    The caller sets ``Execution.cached``.
    """
    # If the page stopped early, do not check whether later cells raised as expected.
    failure = entry.failure_in(task.notebook) or _unmet(context, task, entry.outputs)
    cells = cells_run(task.notebook, failure, until=task.rule.until)
    try:
        for locale in context.run.locales:
            _write(context, task, entry.outputs, locale=locale)
    except PipelineError as error:
        # Remove the notebooks of all locales. An older notebook would look like a current one.
        remove_executed(context, task.page)
        failure = _not_written(error)
    status, reason = _judgement(task, failure)
    return Execution(
        page=task.page.name,
        status=status,
        reason=reason,
        cells=cells,
        total=task.total,
        seconds=entry.seconds,
        failure=failure,
        note=task.note,
        cell_seconds=entry.cell_seconds,
    )


def _not_written(error: PipelineError) -> CellFailure:
    return CellFailure(
        cell=0,  # the failure concerns the page, not a cell
        source="",
        exception=type(error).__name__,
        message=str(error),
        traceback="",
        blame="environment",
    )


def _judgement(task: Task, failure: CellFailure | None) -> tuple[Status, str]:
    """Return the status and its reason. A page has passed only if all its code cells ran."""
    if failure is not None:
        return Status.FAILED, failure_summary(failure)
    if not execution.is_partial(task.notebook, task.rule.until):
        return Status.PASSED, ""
    where = f"from {execution.cell_name(task.rule.until)} on"
    if task.rule.note:
        where = f"{where}, {task.rule.note}"
    return Status.PARTIAL, reason_of(task.rule.reason, where)


def _unmet(context: ExecutionContext, task: Task, outputs: Mapping[str, Any]) -> CellFailure | None:
    """Return the failure of a page whose cells should have raised an exception, but did not.

    Such cells have the tag ``raises-exception``. Return None if all of them raised. Cells
    that the configuration lists under the key ``acknowledge`` are not checked.
    """
    acknowledged: set[int] = set()
    for entry in context.run.upstream.acknowledge:
        if entry.page == task.page.name:
            acknowledged.update(entry.cells)
    unmet = unmet_expectations(outputs, acknowledged=acknowledged, until=task.rule.until)
    if not unmet:
        return None
    return expectation_failure(task.notebook, unmet)


def _write(
    context: ExecutionContext, task: Task, outputs: Mapping[str, Any], *, locale: str
) -> None:
    """Write the executed notebook of ``locale``: the merged notebook with ``outputs``.

    If there is no merged notebook, remove the executed one.
    """
    merged_path = context.run.paths.merged(locale) / task.document.path
    target = _executed(context, task.page, locale)
    merged = read_notebook(merged_path) if merged_path.exists() else None
    # The merge has failed, or this locale does not have the page.
    if merged is None:
        _remove(context, target)
        return
    executed = with_outputs(merged, outputs, where=f"{locale}/{task.page.name}")
    data = kernel.notebook_text(executed).encode("utf-8", "replace")
    if files.write_if_changed(target, data):
        context.changes.append(context.run.shown(target))


def remove_executed(context: ExecutionContext, page: Page) -> None:
    """Remove the executed notebooks of a page in all locales, because they are outdated."""
    for locale in context.run.locales:
        _remove(context, _executed(context, page, locale))


def _remove(context: ExecutionContext, target: Path) -> None:
    if target.exists():
        target.unlink()
        context.changes.append(context.run.shown(target))


def _executed(context: ExecutionContext, page: Page, locale: str) -> Path:
    # A MyST notebook becomes an .ipynb too, because Markdown cannot contain outputs.
    return context.run.paths.executed(locale) / f"{page.name}.ipynb"


def output_findings(context: ExecutionContext, task: Task, entry: CacheEntry) -> Iterator[Finding]:
    """Yield a finding for each output that cannot be shown.

    If the page's rule has ``compare``, also yield one for each difference from upstream's outputs.
    """
    page = task.page.name
    for number, cell in enumerate(entry.outputs["cells"], start=1):
        where = f"{page}, {execution.cell_name(number)}"
        for fault in sound_outputs(cell["outputs"]).faults:
            yield Finding.from_table("output-fault", where=where, page=page, fault=fault)
    if not task.rule.compare:
        return
    from pipeline.core.execution.comparison import compare_outputs

    for difference in compare_outputs(task.notebook, entry.outputs):
        yield Finding.from_table(
            "output-differs",
            where=f"{page}, {execution.cell_name(difference.cell)}",
            page=page,
            docs=difference.docs or "nothing",
            release=context.run.release or "the code",
            here=difference.here or "nothing",
        )
