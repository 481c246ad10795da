"""memory: prove that memory, catalogues and upstream agree, without writing."""

from __future__ import annotations

from pipeline.report.result import RunResult
from pipeline.run import Run
from pipeline.stages.pull.stage import read_pulled


def verify_memory(run: Run) -> RunResult:
    """Every difference is a finding."""
    from pipeline.stages.update import verifying as stage

    lock = read_pulled(run)
    return RunResult(name=run.name, lock=lock, findings=stage.verify_memory(run))
