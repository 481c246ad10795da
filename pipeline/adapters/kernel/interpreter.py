"""Python interpreter of the kernels: its fixed variables, and the facts that identify it.

The facts include everything that can change an output. So if the facts are the same, a new run
would give the same outputs as the cached ones.
"""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterator, Mapping

PYTHON = "python3"  # name of the kernel with this interpreter

# Set for every kernel. A fixed hash seed makes printed sets equal in every run. The last two keep
# pip from finding packages, because an installation would make the facts below wrong.
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

    These are Python, the platform, the variables above, and the version of every distribution.
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
    """Yield name and version of every distribution.

    Both are in the header of the distribution's metadata file. ``importlib.metadata`` parses the
    whole file, which takes ten times as long.
    """
    from importlib.metadata import distributions

    for package in distributions():
        texts = map(package.read_text, ("METADATA", "PKG-INFO", ""))
        text = next(filter(None, texts), "")
        fields = dict(_FIELD.findall(text.partition("\n\n")[0]))
        # Without both fields, the folder is left over from an incomplete removal.
        if len(fields) == 2:
            yield fields["Name"], fields["Version"]


def worker_count(jobs: int) -> int:
    """Return ``jobs``, or for 0 the number of cores that this process may use."""
    if jobs:
        return jobs
    # In a container, for example, this may be fewer cores than the machine has.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
