"""The stage itself: plan, take from the cache, run the rest, remember."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.adapters import files, kernel
from pipeline.adapters.execution_cache import ExecutionCache
from pipeline.adapters.kernel import sandbox
from pipeline.core.execution.entry import CacheEntry, decode_entry, encode_entry
from pipeline.core.execution.notebook import kernel_of
from pipeline.core.execution.result import Execution
from pipeline.core.execution.shards import shard as share
from pipeline.core.pin.lock import Page
from pipeline.errors import ExecutionError, InputError
from pipeline.findings import Finding, Severity
from pipeline.run import KernelOptions, Run
from pipeline.stages.execute.finishing import entry_of, finish, output_findings, remove_executed
from pipeline.stages.execute.planning import Stage, Task, plan
from pipeline.stages.execute.remembering import History

MEBIBYTE = 1 << 20
# Says nothing of the page: somebody or the system has killed the worker. So it is tried again next
# time.
ACCIDENTS = ("WorkerDied",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """How the pages ran, in their order, and what else there is to say of them."""

    executions: tuple[Execution, ...] = ()
    findings: tuple[Finding, ...] = ()


def execute(run: Run, pages: Sequence[Page], options: KernelOptions) -> Executed:
    """Run the notebooks among ``pages`` and write ``executed/<page>.ipynb`` for each locale, if
    changed.

    One Execution per notebook, in the order of ``pages``; plain pages have none, nor have those of
    other shards. Code that ran before is not run again; if it failed, only with ``retry_failed``.
    With ``scheduler`` (an address) a Dask cluster does the work. A page that fails stops no other
    one. Raises ExecutionError if nothing can be run at all.
    """
    stage = Stage(run=run, offline=options.offline, environment=kernel.environment())
    planned = {page.name: found for page in pages if (found := plan(stage, page)) is not None}
    tasks = [found for found in planned.values() if isinstance(found, Task)]
    results = {name: found for name, found in planned.items() if isinstance(found, Execution)}
    for page in pages:
        if page.name in results:
            remove_executed(stage, page)
    if tasks:
        _check_version(stage.environment, run.settings.jax)
    if tasks and options.offline and not sandbox.can_isolate_network():
        run.log.warn(
            "this system keeps no kernel from the network: code runs online (Linux can, where users may make namespaces)"
        )
    passing = _Pass(stage, options)
    results |= passing.all(_of_shard(tasks, options.shard))
    return Executed(
        executions=tuple(results[page.name] for page in pages if page.name in results),
        findings=tuple(
            finding for page in pages for finding in passing.findings.get(page.name, ())
        ),
    )


def _check_version(environment: Mapping[str, str], jax: str) -> None:
    """Refuse to run code on another JAX than the pages will claim. Raises ExecutionError."""
    installed = environment.get("package jax", "none")
    if installed != jax:
        hint = (
            f"Install it: pip install jax=={jax} jaxlib=={jax}; nox -s build does that by itself."
        )
        raise ExecutionError(
            f"the pin is JAX {jax}, but {installed} is installed: no code was run", hint=hint
        )


def _of_shard(tasks: Sequence[Task], shard: tuple[int, int] | None) -> list[Task]:
    """The tasks of this machine. What is in the cache here may not be there on others, so it plays
    no part."""
    if shard is None:
        return list(tasks)
    chosen = set(share({task.page.name: task.seconds for task in tasks}, *shard))
    return [task for task in tasks if task.page.name in chosen]


class _Pass:
    """One pass over the tasks, with the cache and what is remembered from run to run."""

    def __init__(self, stage: Stage, options: KernelOptions) -> None:
        self.stage = stage
        self.log = stage.run.log
        self.options = options
        self.cache = ExecutionCache(
            stage.run.paths.outputs, limit=stage.run.settings.execution.cache * MEBIBYTE
        )
        self.history = History(stage.run.paths)
        self.findings: dict[str, list[Finding]] = {}
        self.began = time.time()

    def all(self, tasks: Sequence[Task]) -> dict[str, Execution]:
        """The results of ``tasks`` by page: from the cache, then from kernels, as they come."""
        results: dict[str, Execution] = {}
        waiting: dict[str, list[Task]] = {}
        try:
            with self.log.progress("execute", total=len(tasks)) as advance:
                for task in tasks:
                    entry = self._cached(task) if self.options.use_cache else None
                    if entry is None:
                        waiting.setdefault(task.key, []).append(task)
                        continue
                    results[task.page.name] = result = replace(
                        self._finish(task, entry), cached=True
                    )
                    advance(1, _line(result))
                for task, result in self._ran(waiting):
                    results[task.page.name] = result
                    advance(1, _line(result))
        finally:
            self.history.save(self.log)
        self.cache.trim()
        return results

    def _cached(self, task: Task) -> CacheEntry | None:
        """What is kept of an earlier run, if that is whole and good enough."""
        before = len(self.cache.damaged)
        data = self.cache.get(task.key)
        entry = None
        if data is not None:
            try:
                entry = decode_entry(data, where=task.key)
            except InputError:
                self.cache.reject(task.key)
        if len(self.cache.damaged) > before:
            text = "what was kept of its last run is damaged: its code ran again"
            self._tell(
                task,
                Finding(
                    code="cache-damaged",
                    severity=Severity.NOTE,
                    where=task.page.name,
                    text=text,
                    page=task.page.name,
                ),
            )
        return None if entry and entry.failure and self.options.retry_failed else entry

    def _ran(self, waiting: Mapping[str, Sequence[Task]]) -> Iterator[tuple[Task, Execution]]:
        """Run one task of each key, longest first; all tasks of the key share the outputs."""
        by_page = {tasks[0].page.name: tasks for tasks in waiting.values()}
        times = self.history.seconds()
        first = [tasks[0] for tasks in by_page.values()]
        order = sorted(
            first, key=lambda task: times.get(task.page.name, task.seconds), reverse=True
        )
        for outcome in self._outcomes([_job(self.stage, task) for task in order]):
            tasks = by_page[outcome.page]
            entry = entry_of(self.stage, tasks[0], outcome)
            self._keep(tasks[0], entry)
            for task in tasks:
                result = self._finish(task, entry)
                yield (
                    task,
                    replace(
                        result,
                        started=max(0.0, outcome.started - self.began),
                        worker=outcome.worker,
                    ),
                )

    def _outcomes(self, jobs: Sequence[kernel.Job]) -> Iterator[kernel.Outcome]:
        if not self.options.scheduler or not jobs:
            workers = kernel.worker_count(self.options.jobs)
            return kernel.run_notebooks(jobs, workers=workers)
        from pipeline.adapters.cluster.scheduler import run_on_cluster

        return run_on_cluster(
            jobs, address=self.options.scheduler, environment=self.stage.environment
        )

    def _keep(self, task: Task, entry: CacheEntry) -> None:
        if entry.failure and entry.failure.exception in ACCIDENTS:
            return
        try:
            self.cache.put(task.key, encode_entry(entry))
        except files.WriteError as error:
            self._tell(
                task, replace(Finding.of(error, page=task.page.name), severity=Severity.WARNING)
            )

    def _finish(self, task: Task, entry: CacheEntry) -> Execution:
        changed = self.history.remember(
            task.page.name, task.key, entry, jax=self.stage.run.settings.jax
        )
        self._tell(task, *changed, *output_findings(self.stage, task, entry))
        return finish(self.stage, task, entry)

    def _tell(self, task: Task, *findings: Finding) -> None:
        self.findings.setdefault(task.page.name, []).extend(findings)


def _job(stage: Stage, task: Task) -> kernel.Job:
    name, language = kernel_of(task.notebook)
    return kernel.Job(
        page=task.page.name,
        notebook=json.dumps(task.notebook),
        folder=(stage.run.paths.docs / task.document.path).parent,
        kernel=kernel.PYTHON if language else name,
        policy=task.policy,
        scratch=Path(),
    )


def _line(result: Execution) -> str:
    how = "cached" if result.cached else f"{result.seconds:.1f} s"
    note = f" {result.note}" if result.note else ""
    return f"{result.page}: {result.status}{note} ({how})" + (
        f" {result.reason}" if result.reason else ""
    )
