"""Notebooks run by papermill: a pool of workers, their kernels and their limits.

Jobs go in, outcomes come out. Whatever a page does, it stops no other page, and nothing of it is
left on the machine when its outcome is there: no process, no file.
"""

from pipeline.adapters.kernel.interpreter import (
    ENVIRONMENT,
    PYTHON,
    environment,
    worker_count,
)
from pipeline.adapters.kernel.job import Job, Outcome, Policy, Startup, Stop
from pipeline.adapters.kernel.notebook import notebook_from_myst, notebook_text
from pipeline.adapters.kernel.pool import run_notebooks

__all__ = [
    "ENVIRONMENT",
    "PYTHON",
    "Job",
    "Outcome",
    "Policy",
    "Startup",
    "Stop",
    "environment",
    "notebook_from_myst",
    "notebook_text",
    "run_notebooks",
    "worker_count",
]
