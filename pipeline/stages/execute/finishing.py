"""From what a run brought to what people see.

In goes the outcome of a kernel, or what the cache kept of an earlier one. Out come the entry of the
cache, executed notebooks, the status of the page and findings. A page never shows outputs of
another run than the one that its status tells of.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.adapters import files, kernel
from pipeline.core.execution import notebook as execution
from pipeline.core.execution.entry import CacheEntry
from pipeline.core.execution.failure import (
    cell_failure,
    expectation_failure,
    expected_exceptions,
    failure_summary,
    unmet_expectations,
)
from pipeline.core.execution.placing import outputs_of, with_outputs
from pipeline.core.execution.result import CellFailure, Execution, Status
from pipeline.core.execution.shape import FAULT, sound_outputs
from pipeline.core.pin.lock import Page
from pipeline.errors import PipelineError
from pipeline.findings import Finding, Severity
from pipeline.stages.execute.planning import Stage, Task, read_notebook, reason_of


def entry_of(stage: Stage, task: Task, outcome: kernel.Outcome) -> CacheEntry:
    """What is kept of a run, for every page that has the same key."""
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
    cells = execution.cells_run(task.notebook, failure, until=task.rule.until)
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
    """The failure of a page whose tagged cells did not raise, as they must.

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
    """What of the outputs cannot be shown, and where they are others than upstream's.

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
    from pipeline.core.execution.outputs import compare_outputs

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
