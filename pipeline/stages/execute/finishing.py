"""From what a run brought to what people see: the entry of the cache, executed notebooks, status,
findings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pipeline.adapters import files, kernel
from pipeline.core.execution import notebook as execution
from pipeline.core.execution.entry import CacheEntry, without_prose
from pipeline.core.execution.failure import (
    cell_failure,
    expectation_failure,
    expected_exceptions,
    failure_summary,
    unmet_expectations,
)
from pipeline.core.execution.placing import outputs_of, with_outputs
from pipeline.core.execution.result import CellFailure, Execution, Status
from pipeline.core.pin.lock import Page
from pipeline.errors import PipelineError
from pipeline.findings import Finding, Severity
from pipeline.stages.execute.planning import Stage, Task, read_notebook, reason_of


def entry_of(stage: Stage, task: Task, outcome: kernel.Outcome) -> CacheEntry:
    """What is kept of a run."""
    outputs = outputs_of(json.loads(outcome.notebook))
    return CacheEntry(
        outputs=outputs,
        seconds=round(outcome.seconds, 1),
        cell_seconds=tuple(round(seconds, 3) for seconds in outcome.cell_seconds),
        failure=_failure(task, outcome.stop) if outcome.stop else None,
        exceptions=expected_exceptions(outputs),
        facts={
            "page": task.page.name,
            "jax": stage.run.settings.jax,
            "python": stage.environment.get("python", ""),
        },
    )


def _failure(task: Task, stop: kernel.Stop) -> CellFailure:
    failure = cell_failure(
        stop.cell, "", exception=stop.exception, message=stop.message, traceback=stop.traceback
    )
    return without_prose(failure, task.notebook)


def finish(stage: Stage, task: Task, entry: CacheEntry) -> Execution:
    """Write each locale's executed notebook and say how the page ended. What is of this run only is
    not filled in."""
    failure = entry.failure_in(task.notebook) or _unmet(stage, task, entry.outputs)
    cells = execution.cells_run(task.notebook, failure, until=task.rule.until)
    try:
        for locale in stage.run.locales:
            _write(stage, task, entry.outputs, locale)
    except PipelineError as error:
        remove_executed(stage, task.page)
        failure = CellFailure(
            cell=0,
            source="",
            exception=type(error).__name__,
            message=str(error),
            traceback="",
            blame="environment",
        )
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


def _judgement(task: Task, failure: CellFailure | None) -> tuple[Status, str]:
    """A page is said to have passed only if it ran whole."""
    if failure is not None:
        return Status.FAILED, failure_summary(failure)
    if execution.is_partial(task.notebook, task.rule.until):
        where = f"from code cell {task.rule.until} on"
        return Status.PARTIAL, reason_of(
            task.rule.reason, f"{where}, {task.rule.note}" if task.rule.note else where
        )
    return Status.PASSED, ""


def _unmet(stage: Stage, task: Task, outputs: Mapping[str, Any]) -> CellFailure | None:
    acknowledged = {
        cell
        for entry in stage.run.upstream.acknowledge
        if entry.page == task.page.name
        for cell in entry.cells
    }
    unmet = unmet_expectations(outputs, acknowledged=acknowledged, until=task.rule.until)
    return expectation_failure(task.notebook, unmet) if unmet else None


def _write(stage: Stage, task: Task, outputs: Mapping[str, Any], locale: str) -> None:
    """Put the outputs into the merged notebook of ``locale``; without one there is nothing to show."""
    merged_path = stage.run.paths.merged(locale) / task.document.path
    target = stage.run.paths.executed(locale) / f"{task.page.name}.ipynb"
    merged = read_notebook(merged_path) if merged_path.exists() else None
    if merged is None:
        target.unlink(missing_ok=True)
        return
    executed = with_outputs(merged, outputs, where=f"{locale}/{task.page.name}")
    files.write_if_changed(target, kernel.notebook_text(executed).encode("utf-8", "replace"))


def remove_executed(stage: Stage, page: Page) -> None:
    """Remove what an earlier run of the page left: it would pass for the state of now."""
    for locale in stage.run.locales:
        (stage.run.paths.executed(locale) / f"{page.name}.ipynb").unlink(missing_ok=True)


def output_findings(stage: Stage, task: Task, entry: CacheEntry) -> tuple[Finding, ...]:
    """Where the page prints something else than upstream's notebook says, if the configuration asks
    for that."""
    if not task.rule.compare:
        return ()
    from pipeline.core.execution.outputs import compare_outputs

    return tuple(
        Finding(
            code="output-differs",
            severity=Severity.NOTE,  # most are new names of the same things; a person decides
            where=f"{task.page.name}, code cell {found.cell}",
            text=f"the docs say {found.docs or 'nothing'!r}, JAX {stage.run.settings.jax} prints {found.here or 'nothing'!r}",
            page=task.page.name,
            hint="Look whether the prose around it still tells the truth.",
        )
        for found in compare_outputs(task.notebook, entry.outputs)
    )
