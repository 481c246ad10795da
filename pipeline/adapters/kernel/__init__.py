"""Execution of notebooks by papermill: a pool of workers, their kernels and their limits.

``run_notebooks`` takes jobs and yields outcomes. A page cannot stop another page. When the outcome
of a page is yielded, none of the page's processes and files remain. Caches, pages and the project's
configuration do not belong here.
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
