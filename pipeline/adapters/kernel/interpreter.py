"""The Python that runs the kernels: what is set for all of them, and what it is.

Whatever can change an output is among the facts, so that outputs which are kept are those that
would come out again.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping

PYTHON = "python3"  # the name of the kernel that is this interpreter

# Set for every kernel. A fixed hash seed makes printed sets come out alike on every run.
# A page does not install anything: what is installed is what the facts below say.
ENVIRONMENT: Mapping[str, str] = {
    "JAX_PLATFORMS": "cpu",
    "PYTHONHASHSEED": "0",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    "PIP_CONFIG_FILE": os.devnull,
    "PIP_NO_INDEX": "1",
}


def environment() -> dict[str, str]:
    """All facts about this interpreter that can change an output.

    They are Python, the platform, the variables above, and the version of every distribution.
    """
    from importlib.metadata import distributions

    libc, _ = platform.libc_ver()
    facts = {
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "platform": f"{platform.system()} {platform.machine()} {libc}",
    }
    for name, value in ENVIRONMENT.items():
        facts[f"variable {name}"] = value
    for package in distributions():
        facts[f"package {package.name.lower()}"] = package.version
    return facts


def worker_count(jobs: int) -> int:
    """``jobs``, or for 0 one per core this process may use."""
    if jobs:
        return jobs
    # Fewer than the machine has, in a container say.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
