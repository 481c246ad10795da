"""The stage itself: plan, take outputs from the cache, run the rest, write executed notebooks.

Pages go in, executions come out in the order of the pages. Code runs once for all locales, and once
for all pages whose code is equal: pages with the same key share the outputs. A page never shows
outputs of another run than the one that its status reports.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipeline import packages
from pipeline.adapters import files, kernel
from pipeline.adapters.execution_cache import ExecutionCache
from pipeline.adapters.kernel import sandbox
from pipeline.core.execution import notebook as execution
from pipeline.core.execution.notebook import kernel_of
from pipeline.core.execution.outputs import outputs_of, with_outputs
from pipeline.core.execution.record import CacheEntry, decode_entry, encode_entry
from pipeline.core.execution.result import (
    CellFailure,
    Execution,
    Status,
    cell_failure,
    cells_run,
    expectation_failure,
    expected_exceptions,
    failure_summary,
    unmet_expectations,
)
from pipeline.core.execution.shape import FAULT, sound_outputs
from pipeline.core.pin.lock import Page
from pipeline.errors import ExecutionError, InputError, PipelineError
from pipeline.findings import Finding, Severity
from pipeline.naming import group_of
from pipeline.run import KernelOptions, Run
from pipeline.stages.execute.history import History
from pipeline.stages.execute.plan import Stage, Task, plan, read_notebook, reason_of

MEBIBYTE = 1 << 20  # the unit of the configuration's limits
# They say nothing of the page: somebody, or the system, has killed or stopped the worker, or the
# machine had no time for it. So the page is tried again the next time.
ACCIDENTS = ("WorkerDied", "WorkerStopped", "WallTimeout")


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """How the pages ran, in their order, and what else there is to say of them."""

    executions: tuple[Execution, ...] = ()
    findings: tuple[Finding, ...] = ()
    changes: tuple[str, ...] = ()  # the files written


def execute(run: Run, pages: Sequence[Page], options: KernelOptions) -> Executed:
    """Run the notebooks among ``pages``; write the executed notebook of each, in every locale.

    One Execution per notebook, in the order of ``pages``; plain pages have none. Code
    that ran before is not run again; if it failed, only with ``retry_failed``. With ``scheduler``
    (an address) a Dask cluster does the work. A page that fails stops no other one. Raises
    ExecutionError if nothing can be run at all.
    """
    stage = Stage(run=run, offline=options.offline, environment=kernel.environment())
    tasks: list[Task] = []
    results: dict[str, Execution] = {}
    for page in pages:
        try:
            planned = plan(stage, page)
        except ImportError as error:  # jupytext, which reads MyST notebooks
            raise _not_installed() from error
        if isinstance(planned, Task):
            tasks.append(planned)
        elif planned is not None:
            results[page.name] = planned
            # It may have run with an older configuration, and is not what readers should see.
            remove_executed(stage, page)
    # A project without code needs no JAX.
    if tasks:
        if packages.missing("execute"):
            raise _not_installed()
        _check_version(stage.environment, run)
        if options.offline and not sandbox.can_isolate_network():
            run.log.warn(
                "this system keeps no kernel from the network: code runs online "
                "(Linux can, where users may make namespaces)"
            )
    one_pass = _Pass(stage, options)
    results |= one_pass.run_all(tasks)
    findings: list[Finding] = []
    for page in pages:
        findings += one_pass.findings.get(page.name, ())
    return Executed(
        executions=tuple(results[page.name] for page in pages if page.name in results),
        findings=tuple(findings),
        changes=tuple(stage.changes),
    )


def _check_version(environment: Mapping[str, str], run: Run) -> None:
    """Refuse to run code on another version than pages will claim. Raises ExecutionError."""
    if not run.package:
        return  # nothing is claimed
    # The environment is that of the kernels, which are of the interpreter that runs this.
    installed = environment.get(f"package {group_of(run.package)}", "none")
    if installed != run.version:
        raise ExecutionError(
            f"the pin is {run.package} {run.version}, but {installed} is installed: "
            "no code was run",
            hint=packages.how_to_install("execute"),
        )


def _not_installed() -> ExecutionError:
    """Told before a worker is started: it would end without a word."""
    lacking = packages.names(packages.missing("execute"))
    return ExecutionError(
        f"{lacking} not installed: no code was run",
        hint=packages.how_to_install("execute"),
    )


class _Pass:
    """One pass over the tasks, with the cache and what is remembered from run to run."""

    def __init__(self, stage: Stage, options: KernelOptions) -> None:
        limit = stage.run.settings.execution.cache * MEBIBYTE
        self.stage = stage
        self.log = stage.run.log
        self.options = options
        self.cache = ExecutionCache(stage.run.paths.outputs, limit=limit)
        self.history = History(stage.run.paths)
        self.findings: dict[str, list[Finding]] = {}

    def run_all(self, tasks: Sequence[Task]) -> dict[str, Execution]:
        """Return the results of ``tasks`` by page: from the cache, then from kernels."""
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
            # Also after an interrupt: what has run is in the cache, and counts.
            self.history.save(self.log)
        # At the end only: what this run needs must not go to make room for what it brings.
        self.cache.trim()
        return results

    def _cached(self, task: Task) -> CacheEntry | None:
        """Return what is kept of an earlier run, if that is whole and good enough.

        Good enough is whatever ran to its end, and a failure unless it is to be tried again.
        """
        if not self.options.use_cache:
            return None
        entry = self._entry(task)
        # A failure is an answer as well: the same code would fail again, most of the time.
        if entry and entry.failure and self.options.retry_failed:
            return None
        return entry

    def _entry(self, task: Task) -> CacheEntry | None:
        """Return the cache entry of ``task``; None if it is missing or damaged."""
        before = len(self.cache.damaged)
        data = self.cache.get(task.key)  # it counts as used from now on
        entry = None
        if data is not None:
            try:
                entry = decode_entry(data, where=task.key)
            except InputError:
                self.cache.reject(task.key)
        # "get" has its own proofs, and rejects what fails them: both are told here.
        if len(self.cache.damaged) > before:
            self._tell(task, _damaged(task))
        return entry

    def _run(self, waiting: Mapping[str, Sequence[Task]]) -> Iterator[Execution]:
        """Run one task of each key, longest first; all tasks of the key share the outputs."""
        by_page = {tasks[0].page.name: tasks for tasks in waiting.values()}
        measured = self.history.seconds()

        def seconds(task: Task) -> float:
            return measured.get(task.page.name, task.seconds)

        # Whatever is long and begins late keeps all others waiting at the end.
        order = sorted(
            (tasks[0] for tasks in by_page.values()), key=seconds, reverse=True
        )
        for outcome in self._outcomes([_job(self.stage, task) for task in order]):
            tasks = by_page[outcome.page]
            entry = entry_of(self.stage, tasks[0], outcome)
            # Before anything is shown: a run that is killed afterwards has lost nothing.
            self._keep(tasks[0], entry)
            for task in tasks:
                yield self._finish(task, entry)

    def _outcomes(self, jobs: Sequence[kernel.Job]) -> Iterator[kernel.Outcome]:
        if not self.options.scheduler or not jobs:
            workers = kernel.worker_count(self.options.jobs)
            return kernel.run_notebooks(jobs, workers=workers)
        from pipeline.adapters.cluster import run_on_cluster

        # The cluster must have the same packages: the key says that these have run the code.
        return run_on_cluster(
            jobs, address=self.options.scheduler, environment=self.stage.environment
        )

    def _keep(self, task: Task, entry: CacheEntry) -> None:
        """Put the entry into the cache. A full disk costs the next run its time, not this page."""
        if entry.failure and entry.failure.exception in ACCIDENTS:
            return
        try:
            self.cache.put(task.key, encode_entry(entry))
        except files.WriteError as error:
            finding = Finding.of(error, page=task.page.name)
            self._tell(task, replace(finding, severity=Severity.WARNING))

    def _finish(self, task: Task, entry: CacheEntry) -> Execution:
        """Return what is done with the outputs of every page, also with those of the cache."""
        release = self.stage.run.release
        self._tell(
            task,
            *self.history.remember(task.page.name, task.key, entry, release=release),
        )
        self._tell(task, *output_findings(self.stage, task, entry))
        return finish(self.stage, task, entry)

    def _tell(self, task: Task, *findings: Finding) -> None:
        self.findings.setdefault(task.page.name, []).extend(findings)


def _job(stage: Stage, task: Task) -> kernel.Job:
    name, language = kernel_of(task.notebook)
    return kernel.Job(
        page=task.page.name,
        notebook=json.dumps(task.notebook),
        folder=(stage.run.paths.docs / task.document.path).parent,
        # A page names the kernel of whoever wrote it ("jax-dev"): ours runs all Python.
        kernel=kernel.PYTHON if language else name,
        policy=task.policy,
        scratch=Path(),
    )


def _damaged(task: Task) -> Finding:
    return Finding(
        code="cache-damaged",
        severity=Severity.NOTE,
        where=task.page.name,
        text="what was kept of its last run is damaged: its code ran again",
        page=task.page.name,
    )


def _line(result: Execution) -> str:
    """Return what a person who waits is told of a page that is done.

    For example ``guide/start: passed in interpret mode (3.2 s)``.
    """
    how = "cached" if result.cached else f"{result.seconds:.1f} s"
    note = f" {result.note}" if result.note else ""
    reason = f" {result.reason}" if result.reason else ""
    return f"{result.page}: {result.status}{note} ({how}){reason}"


def entry_of(stage: Stage, task: Task, outcome: kernel.Outcome) -> CacheEntry:
    """Return what is kept of a run, for every page that has the same key."""
    # Without prose: pages of other languages, and of other commits, share it.
    outputs = outputs_of(json.loads(outcome.notebook))
    failure = None
    if outcome.stop is not None:
        stop = outcome.stop
        # The source of the cell is filled in from the page, when the entry is read.
        failure = cell_failure(
            stop.cell,
            "",
            exception=stop.exception,
            message=stop.message,
            traceback=stop.traceback,
        )
    return CacheEntry(
        outputs=outputs,
        # Rounded, so that the entry does not tell more than can be measured.
        seconds=round(outcome.seconds, 1),
        cell_seconds=tuple(round(seconds, 3) for seconds in outcome.cell_seconds),
        failure=failure,
        exceptions=expected_exceptions(outputs),
        # For people who look into the cache: no decision is made by them.
        facts={
            "page": task.page.name,
            "release": stage.run.release,
            "python": stage.environment.get("python", ""),
        },
    )


def finish(stage: Stage, task: Task, entry: CacheEntry) -> Execution:
    """Write each locale's executed notebook and say how the page ended.

    Whether it came from the cache is not filled in.
    """
    # A page that stopped has cells that did not run: what they should raise is no matter then.
    failure = entry.failure_in(task.notebook) or _unmet(stage, task, entry.outputs)
    cells = cells_run(task.notebook, failure, until=task.rule.until)
    try:
        for locale in stage.run.locales:
            _write(stage, task, entry.outputs, locale=locale)
    except PipelineError as error:
        # Not in some locales only: there the page would pass for one that ran.
        remove_executed(stage, task.page)
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
        cell=0,  # of no cell: the page as a whole
        source="",
        exception=type(error).__name__,
        message=str(error),
        traceback="",
        blame="environment",
    )


def _judgement(task: Task, failure: CellFailure | None) -> tuple[Status, str]:
    """Status and reason. A page is said to have passed only if it ran whole."""
    if failure is not None:
        return Status.FAILED, failure_summary(failure)
    if not execution.is_partial(task.notebook, task.rule.until):
        return Status.PASSED, ""
    where = f"from {execution.cell_name(task.rule.until)} on"
    if task.rule.note:
        where = f"{where}, {task.rule.note}"
    return Status.PARTIAL, reason_of(task.rule.reason, where)


def _unmet(stage: Stage, task: Task, outputs: Mapping[str, Any]) -> CellFailure | None:
    """Return the failure of a page whose tagged cells did not raise, as they must.

    Cells that the configuration acknowledges may do without.
    """
    acknowledged: set[int] = set()
    for entry in stage.run.upstream.acknowledge:
        if entry.page == task.page.name:
            acknowledged.update(entry.cells)
    unmet = unmet_expectations(
        outputs, acknowledged=acknowledged, until=task.rule.until
    )
    if not unmet:
        return None
    return expectation_failure(task.notebook, unmet)


def _write(
    stage: Stage, task: Task, outputs: Mapping[str, Any], *, locale: str
) -> None:
    """Put the outputs into the merged notebook of ``locale``.

    Without such a notebook there is nothing to show.
    """
    merged_path = stage.run.paths.merged(locale) / task.document.path
    target = _executed(stage, task.page, locale)
    merged = read_notebook(merged_path) if merged_path.exists() else None
    # Merge could not make it, or the page is not in this locale.
    if merged is None:
        _remove(stage, target)
        return
    executed = with_outputs(merged, outputs, where=f"{locale}/{task.page.name}")
    data = kernel.notebook_text(executed).encode("utf-8", "replace")
    if files.write_if_changed(target, data):
        stage.changes.append(stage.run.shown(target))


def remove_executed(stage: Stage, page: Page) -> None:
    """Remove what an earlier run of the page left: it would pass for the state of now."""
    for locale in stage.run.locales:
        _remove(stage, _executed(stage, page, locale))


def _remove(stage: Stage, target: Path) -> None:
    if target.exists():
        target.unlink()
        stage.changes.append(stage.run.shown(target))


def _executed(stage: Stage, page: Page, locale: str) -> Path:
    # Also a MyST notebook becomes one of JSON: Markdown has no place for outputs.
    return stage.run.paths.executed(locale) / f"{page.name}.ipynb"


def output_findings(stage: Stage, task: Task, entry: CacheEntry) -> Iterator[Finding]:
    """Yield what of the outputs cannot be shown, and where they are others than upstream's.

    They are compared only if the configuration asks for that.
    """
    for number, cell in enumerate(entry.outputs["cells"], start=1):
        for fault in sound_outputs(cell["outputs"]).faults:
            yield Finding(
                code=FAULT,
                severity=Severity.WARNING,
                where=f"{task.page.name}, {execution.cell_name(number)}",
                text=fault,
                page=task.page.name,
                hint="The other outputs are shown.",
            )
    if not task.rule.compare:
        return
    from pipeline.core.execution.comparison import compare_outputs

    for difference in compare_outputs(task.notebook, entry.outputs):
        docs, here = difference.docs or "nothing", difference.here or "nothing"
        yield Finding(
            code="output-differs",
            # Most are new names of the same things; a person decides.
            severity=Severity.NOTE,
            where=f"{task.page.name}, {execution.cell_name(difference.cell)}",
            text=f"the docs say {docs!r}, {stage.run.release or 'it'} prints {here!r}",
            page=task.page.name,
            hint="Look whether the prose around it still tells the truth.",
        )
