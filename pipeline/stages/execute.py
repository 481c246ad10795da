"""Run the code of every notebook page once; put the outputs into each locale's merged notebook."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.adapters import files, kernel
from pipeline.config import Settings, Upstream
from pipeline.core import execution
from pipeline.core.document import is_myst_notebook
from pipeline.errors import ExecutionError, InputError, PipelineError
from pipeline.log import Log
from pipeline.model import CellFailure, Execution, Page, SourceFile, Status
from pipeline.paths import Paths


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """A page that is to run, and where the outputs of its code are kept."""

    page: Page
    document: SourceFile  # what is run; of a pair, the .ipynb
    notebook: Mapping[str, Any]
    cached: Path

    @property
    def total(self) -> int:
        return len(execution.code_cells(self.notebook))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stage:
    """What every step of one run needs to know."""

    settings: Settings
    upstream: Upstream
    paths: Paths
    locales: tuple[str, ...]


def execute(
    settings: Settings,
    upstream: Upstream,
    pages: Sequence[Page],
    *,
    log: Log,
    jobs: int | None = None,
    locales: Sequence[str] | None = None,
) -> tuple[Execution, ...]:
    """Run the notebooks among ``pages`` and write ``executed/<page>.ipynb`` for each locale, if changed.

    One Execution per notebook, in the order of ``pages``; plain pages have none. ``jobs`` is the number
    of workers, 0 one per core, default from the settings. A page that fails stops no other one.
    """
    paths = Paths(settings.root, upstream.name)
    stage = _Stage(settings=settings, upstream=upstream, paths=paths, locales=settings.locales if locales is None else tuple(locales))
    environment = kernel.environment()
    results: dict[str, Execution] = {}
    tasks: list[_Task] = []
    for page in pages:
        planned = _plan(stage, page, environment)
        if isinstance(planned, _Task):
            tasks.append(planned)
        elif planned is not None:
            results[page.name] = planned
            _remove(stage, page)
    if tasks:
        _check_version(environment, settings.jax)
    workers = kernel.worker_count(settings.execution.jobs if jobs is None else jobs)
    results |= _run(stage, tasks, log=log, workers=workers)
    return tuple(results[page.name] for page in pages if page.name in results)


def _check_version(environment: Mapping[str, str], jax: str) -> None:
    """Refuse to run code on another JAX than the pages will claim. Raises ExecutionError."""
    installed = environment.get("package jax", "none")
    if installed != jax:
        hint = f"Install it: pip install jax=={jax} jaxlib=={jax}; nox -s build does that by itself."
        raise ExecutionError(f"the pin is JAX {jax}, but {installed} is installed: no code was run", hint=hint)


def _plan(stage: _Stage, page: Page, environment: Mapping[str, str]) -> _Task | Execution | None:
    """What to do with a page: run it, leave it (with the reason), or nothing if it is no notebook."""
    try:
        found = _notebook(stage.paths.docs, page)
    except PipelineError as error:
        return Execution(page=page.name, status=Status.FAILED, reason=str(error))
    if found is None:
        return None
    document, notebook = found
    total = len(execution.code_cells(notebook))
    reason = _reason_to_skip(stage.upstream, page, notebook)
    if reason:
        return Execution(page=page.name, status=Status.SKIPPED, reason=reason, total=total)
    key = execution.execution_key(notebook, timeout=stage.settings.execution.timeout, environment=environment)
    return _Task(page=page, document=document, notebook=notebook, cached=stage.paths.cache / "execution" / f"{key}.ipynb")


def _notebook(folder: Path, page: Page) -> tuple[SourceFile, Mapping[str, Any]] | None:
    """The document of ``page`` that is run (the first notebook of its files), read from ``folder``."""
    for document in page.files:
        notebook = _read(folder / document.path)
        if notebook is not None:
            return document, notebook
    return None


def _read(path: Path) -> Mapping[str, Any] | None:
    """The notebook at ``path``, or None if that is a plain page. Raises InputError."""
    if path.suffix == ".ipynb":
        return execution.parse_notebook(files.read_bytes(path), where=str(path))
    if path.suffix != ".md":
        return None
    text = files.read_bytes(path).decode("utf-8", "replace")
    if not is_myst_notebook(text):
        return None
    try:
        return kernel.notebook_from_myst(text)
    except ValueError as error:
        raise InputError(f"cannot be read as a MyST notebook: {error}", where=str(path), hint="Mend the page, or deselect it.") from error


def _reason_to_skip(upstream: Upstream, page: Page, notebook: Mapping[str, Any]) -> str:
    rule = upstream.skip_rule(page.name)
    if rule is not None:
        return f"{rule.reason}: {rule.note}" if rule.note else rule.reason
    if not any(execution.is_run(notebook["cells"][index]) for index in execution.code_cells(notebook)):
        return "no code cells"
    name, language = execution.kernel_of(notebook)
    return "" if language in ("python", "ipython", "") else f"its kernel {name} is for {language}"


def _run(stage: _Stage, tasks: Sequence[_Task], *, log: Log, workers: int) -> dict[str, Execution]:
    """Take outputs from the cache, run the rest, longest first."""
    results: dict[str, Execution] = {}
    times = _read_times(stage)
    with log.progress("execute", total=len(tasks)) as advance:
        waiting: dict[str, _Task] = {}
        for task in tasks:
            outputs = _cached_outputs(task.cached)
            if outputs is None:
                waiting[task.page.name] = task
                continue
            results[task.page.name] = result = _finish(stage, task, outputs, cached=True, seconds=times.get(task.page.name, 0.0))
            advance(1, _line(result))
        order = sorted(waiting.values(), key=lambda task: (times.get(task.page.name, float(task.total)), task.total), reverse=True)
        for outcome in kernel.run_notebooks([_job(stage, task) for task in order], workers=workers):
            results[outcome.page] = result = _take(stage, waiting[outcome.page], outcome)
            times[outcome.page] = result.seconds
            advance(1, _line(result))
    if waiting:
        _write_times(stage, times)
    return results


def _job(stage: _Stage, task: _Task) -> kernel.Job:
    name, language = execution.kernel_of(task.notebook)
    return kernel.Job(
        page=task.page.name,
        notebook=json.dumps(task.notebook),
        folder=(stage.paths.docs / task.document.path).parent,
        kernel=kernel.PYTHON if language else name,
        timeout=stage.settings.execution.timeout,
    )


def _take(stage: _Stage, task: _Task, outcome: kernel.Outcome) -> Execution:
    """Judge what a run brought; keep the outputs if it reached its end."""
    outputs, seconds = execution.outputs_of(json.loads(outcome.notebook)), round(outcome.seconds, 1)
    if outcome.stop is None:
        files.write_if_changed(task.cached, kernel.notebook_text(outputs).encode("utf-8", "replace"))
        return _finish(stage, task, outputs, seconds=seconds)
    stop = outcome.stop
    source = execution.source_of(task.notebook["cells"][stop.cell])
    failure = execution.cell_failure(stop.cell, source, exception=stop.exception, message=stop.message, traceback=stop.traceback)
    return _finish(stage, task, outputs, seconds=seconds, failure=failure)


def _finish(
    stage: _Stage,
    task: _Task,
    outputs: Mapping[str, Any],
    *,
    cached: bool = False,
    seconds: float = 0.0,
    failure: CellFailure | None = None,
) -> Execution:
    """Write each locale's executed notebook and say how the page ended."""
    failure = failure or _unmet(stage.upstream, task, outputs)
    cells = execution.cells_run(task.notebook, failure)
    try:
        for locale in stage.locales:
            _write(stage, task, outputs, locale)
    except PipelineError as error:
        _remove(stage, task.page)
        failure = CellFailure(cell=0, source="", exception=type(error).__name__, message=str(error), traceback="", blame="environment")
    return Execution(
        page=task.page.name,
        status=Status.FAILED if failure else Status.PASSED,
        reason=execution.failure_summary(failure) if failure else "",
        cells=cells,
        total=task.total,
        seconds=seconds,
        cached=cached,
        failure=failure,
    )


def _unmet(upstream: Upstream, task: _Task, outputs: Mapping[str, Any]) -> CellFailure | None:
    acknowledged = {cell for entry in upstream.acknowledge if entry.page == task.page.name for cell in entry.cells}
    unmet = execution.unmet_expectations(outputs, acknowledged=acknowledged)
    return execution.expectation_failure(task.notebook, unmet) if unmet else None


def _write(stage: _Stage, task: _Task, outputs: Mapping[str, Any], locale: str) -> None:
    """Put the outputs into the merged notebook of ``locale``; without one there is nothing to show."""
    merged_path = stage.paths.merged(locale) / task.document.path
    target = stage.paths.executed(locale) / f"{task.page.name}.ipynb"
    merged = _read(merged_path) if merged_path.exists() else None
    if merged is None:
        target.unlink(missing_ok=True)
        return
    executed = execution.with_outputs(merged, outputs, where=f"{locale}/{task.page.name}")
    files.write_if_changed(target, kernel.notebook_text(executed).encode("utf-8", "replace"))


def _remove(stage: _Stage, page: Page) -> None:
    """Remove what an earlier run of the page left: it would pass for the state of now."""
    for locale in stage.locales:
        (stage.paths.executed(locale) / f"{page.name}.ipynb").unlink(missing_ok=True)


def _cached_outputs(path: Path) -> dict[str, Any] | None:
    """The outputs kept at ``path``; None if there are none, or if they are damaged: then the code runs again."""
    with suppress(InputError):
        return execution.parse_notebook(files.read_bytes(path), where=str(path))
    return None


def _times_path(stage: _Stage) -> Path:
    return stage.paths.cache / "execution" / f"times-{stage.upstream.name}.json"


def _read_times(stage: _Stage) -> dict[str, float]:
    """Seconds that each page took when it last ran: only for the order of the next run."""
    with suppress(OSError, ValueError):
        times = json.loads(_times_path(stage).read_text("utf-8"))
        return {str(page): float(seconds) for page, seconds in times.items()}
    return {}


def _write_times(stage: _Stage, times: Mapping[str, float]) -> None:
    files.write_if_changed(_times_path(stage), (json.dumps(times, indent=1, sort_keys=True) + "\n").encode("utf-8"))


def _line(result: Execution) -> str:
    how = "cached" if result.cached else f"{result.seconds:.1f} s"
    return f"{result.page}: {result.status} ({how})" + (f" {result.reason}" if result.reason else "")
