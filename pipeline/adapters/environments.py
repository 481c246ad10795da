"""Virtual environments with other releases of a package, cached in ``build/cache``.

If uv is installed, it creates the environments: it is fast, because it links files instead of
copying them. Otherwise venv and pip create the environments. When an environment is complete, a
file ``complete`` is written to it. An environment without that file is created again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from pipeline.adapters.memo import digest_of
from pipeline.errors import PipelineError

_SECONDS = 900.0  # time limit for each command


class UnmadeEnvironmentError(PipelineError):
    """An environment cannot be created."""


def python_with(requirements: Sequence[str], folder: Path) -> Path:
    """Return the Python program of an environment in ``folder`` that has ``requirements``.

    Create the environment if it is missing; this downloads packages. Raises
    UnmadeEnvironmentError.
    """
    version = ".".join(map(str, sys.version_info[:2]))
    place = folder / digest_of(version, *sorted(requirements))[:16]
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    complete = place / "complete"
    if complete.exists():
        return python
    shutil.rmtree(place, ignore_errors=True)
    uv = shutil.which("uv")
    if uv:
        _run([uv, "venv", "--quiet", "--python", sys.executable, str(place)])
        install = [uv, "pip", "install", "--quiet", "--python", str(python)]
    else:
        _run([sys.executable, "-m", "venv", str(place)])
        install = [str(python), "-m", "pip", "install", "--quiet"]
    _run([*install, *requirements])
    complete.touch()
    return python


def _run(words: Sequence[str]) -> None:
    """Run a command without showing its output.

    If the command fails, raise UnmadeEnvironmentError with the last line of its error output.
    """
    try:
        ended = subprocess.run(
            words,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _failure(str(error)) from error
    if ended.returncode:
        said = [line for line in ended.stderr.splitlines() if line.strip()]
        raise _failure(said[-1] if said else f"exit code {ended.returncode}")


def _failure(reason: str) -> UnmadeEnvironmentError:
    return UnmadeEnvironmentError(
        f"no environment can be created: {reason}",
        hint="Check the connection to the package index. Files pulled before are kept.",
    )
