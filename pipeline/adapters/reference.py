"""Reader of docstrings: runs Sphinx's autodoc in a separate process.

That process imports the documented package. If the package hangs, crashes or prints, the pipeline
is not affected. The process uses the environment of the pipeline if Sphinx and the wanted release
of the package are installed there. Otherwise it uses a virtual environment, which is cached in
``build/cache``.

If uv is installed, it creates the environments: it is fast, because it links files instead of
copying them. Otherwise venv and pip create the environments. When an environment is complete, a
file ``complete`` is written to it. An environment without that file is created again.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.adapters.installed import releases_of
from pipeline.adapters.memo import digest_of
from pipeline.errors import PipelineError, UpstreamError
from pipeline.limits import REFERENCE_BYTES
from pipeline.packages import is_there

CHILD = Path(__file__).with_name("reference_child.py")
SPHINX = "sphinx<9"  # the child uses classes of autodoc that version 9 changes
SECONDS = 3600.0  # a busy machine may need ten times the usual minute


def read_reference(
    request: Mapping[str, Any],
    *,
    package: str,
    version: str,
    path: Path | None,
    needs: Sequence[str],
    environments: Path,
) -> bytes:
    """Return, as JSON, the docstrings of ``package`` that ``request`` lists.

    ``reference_child`` answers the request. It reads the package in the folder ``path``. If
    ``path`` is None, it reads the installed release ``version``. ``needs`` are distributions that
    the package imports, but does not require. Cached environments are in the folder
    ``environments``. Raises UpstreamError and UnmadeEnvironmentError.
    """
    requirements = [SPHINX, *needs]
    if path is None:
        requirements.append(f"{package}=={version}")
    has_package = path is not None or releases_of(package) == {version}
    has_package &= all(map(releases_of, needs))
    python = Path(sys.executable)
    if not has_package or not is_there("sphinx"):
        python = python_with(requirements, environments)
    # Leave out variables such as JAX_ENABLE_X64: the child would record their values as the
    # defaults of the package's options.
    own = f"{package.upper()}_" if package else "\0"
    environment = {key: os.environ[key] for key in os.environ if not key.startswith(own)}
    # autodoc only inspects the package, so hide accelerators.
    environment |= {"PYTHONHASHSEED": "0", "CUDA_VISIBLE_DEVICES": ""}
    if path:
        environment["PYTHONPATH"] = str(path)
    return _run(
        # "-P" keeps the folder of the script off the import path: its modules, such as
        # ``sphinx``, have the names of libraries.
        [str(python), "-P", str(CHILD)],
        partial(_unread, package),
        timeout=SECONDS,
        input=json.dumps(request).encode(),
        env=environment,
    )


def _unread(package: str, reason: str) -> UpstreamError:
    return UpstreamError(
        f"the docstrings cannot be read: {reason}",
        where=package,
        hint="Import the package by hand to see why; the pages of the guides are not affected.",
    )


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
        make = [uv, "venv", "--quiet", "--python", sys.executable, str(place)]
        install = [uv, "pip", "install", "--quiet", "--python", str(python)]
    else:
        make = [sys.executable, "-m", "venv", str(place)]
        install = [str(python), "-m", "pip", "install", "--quiet"]
    for command in (make, [*install, *requirements]):
        _run(command, _failure, timeout=_SECONDS)
    complete.touch()
    return python


def _run(command: Sequence[str], failure: Callable[[str], PipelineError], **options: Any) -> bytes:
    """Return the output of a command, which is run with ``options`` of ``subprocess.run``.

    If the command fails, raise the error that ``failure`` makes from the last line of its messages.
    """
    try:
        ended = subprocess.run(command, capture_output=True, check=False, **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise failure(str(error)) from error
    if ended.returncode or len(ended.stdout) > REFERENCE_BYTES:
        said = ended.stderr.decode("utf-8", "replace").strip().splitlines()
        raise failure(said[-1] if said else f"exit code {ended.returncode}")
    output: bytes = ended.stdout
    return output


def _failure(reason: str) -> UnmadeEnvironmentError:
    return UnmadeEnvironmentError(
        f"no environment can be created: {reason}",
        hint="Check the connection to the package index. Files pulled before are kept.",
    )
