"""memory: prove that memory, catalogues and upstream agree, without writing."""

from __future__ import annotations

from pipeline.report.result import RunResult
from pipeline.run import Run
from pipeline.stages import pull as pull_stage


def verify_memory(run: Run) -> RunResult:
    """Every difference is a finding."""
    from pipeline.stages.update import verifying as stage

    lock = pull_stage.read_pulled(run)
    return RunResult(name=run.name, lock=lock, findings=stage.verify_memory(run))
