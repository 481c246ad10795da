"""The Python that runs the kernels: what is set for all of them, and what it is.

Whatever can change an output is among the facts, so that outputs which are kept are those that
would come out again.
"""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterator, Mapping

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

_FIELD = re.compile(r"^(Name|Version):[ \t]*(.*?)[ \t]*$", re.MULTILINE)


def environment() -> dict[str, str]:
    """Return all facts about this interpreter that can change an output.

    They are Python, the platform, the variables above, and the version of every distribution.
    """
    libc, _ = platform.libc_ver()
    facts = {
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "platform": f"{platform.system()} {platform.machine()} {libc}",
    }
    for name, value in ENVIRONMENT.items():
        facts[f"variable {name}"] = value
    for name, version in _packages():
        facts[f"package {name.lower()}"] = version
    return facts


def _packages() -> Iterator[tuple[str, str]]:
    """Yield the name and version of every distribution.

    They stand in the head of its metadata. ``importlib.metadata`` parses all of it, which takes ten
    times as long.
    """
    from importlib.metadata import distributions

    for package in distributions():
        texts = map(package.read_text, ("METADATA", "PKG-INFO", ""))
        text = next(filter(None, texts), "")
        fields = dict(_FIELD.findall(text.partition("\n\n")[0]))
        if len(fields) == 2:  # otherwise it is a folder that was left half removed
            yield fields["Name"], fields["Version"]


def worker_count(jobs: int) -> int:
    """``jobs``, or for 0 one per core this process may use."""
    if jobs:
        return jobs
    # Fewer than the machine has, in a container say.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
