"""What the objects of an installed package say of themselves: signature and first line of the doc.

Names come in, two texts for each come out. The package is imported in a process of its own, with a
limit of time, so that nothing that it does on being imported happens here; a name that fails is
left out, and so are all if the process does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

SECONDS = 120.0  # importing JAX takes three
CHILD = Path(__file__).with_name("signatures_child.py")


def is_installed(package: str, release: str) -> bool:
    """Whether this very release of a package is installed here: another one has other names."""
    try:
        return version(package) == release
    except (PackageNotFoundError, ValueError):
        return False


def is_of_index(package: str) -> bool:
    """Whether a package was installed from an index, where a release never changes.

    What was installed from a folder may be edited, and have the same version still. pip and uv note
    where that is: https://packaging.python.org/en/latest/specifications/direct-url/
    """
    try:
        return distribution(package).read_text("direct_url.json") is None
    except (PackageNotFoundError, ValueError):
        return False


def describe(
    names: Sequence[str], *, seconds: float = SECONDS
) -> Mapping[str, tuple[str, str]]:
    """Signature and first line of each name that can be imported; a text may be empty."""
    # What is asked for is the API, and not what a machine can compute with.
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    try:
        ended = subprocess.run(
            [sys.executable, str(CHILD)],
            input=json.dumps(list(names)).encode(),
            env=environment,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
        told = json.loads(ended.stdout)
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return {}
    return {name: (signature, line) for name, (signature, line) in told.items()}
