"""memory: prove that memory, catalogues and upstream agree, without writing.

Whoever reviews a change of the memory needs to know that it opens; CI asks it of every commit.
"""

from __future__ import annotations

from pipeline.report.result import RunResult
from pipeline.run import Run
from pipeline.stages.pull.stage import read_pulled


def verify_memory(run: Run) -> RunResult:
    """Every difference is a finding."""
    from pipeline.stages.update.verifying import verify_memory as verify

    # No lock is held: nothing is written, and a build may go on beside it.
    lock = read_pulled(run)
    return RunResult(name=run.name, lock=lock, findings=verify(run))
