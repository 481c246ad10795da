"""Facts about installed packages: the origin of this one, and the objects that another one has.

A package of the docs is imported in a process of its own, with a limit of time, so that nothing
that it does on import happens here. A name that fails is left out, and so are all if the process
fails.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

from pipeline.naming import repository_on_github

DISTRIBUTION = "jax-docs-zh"
SECONDS = 120.0  # importing JAX takes three
CHILD = Path(__file__).with_name("signatures_child.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A state of a repository on GitHub: ``owner/name``, and a tag, branch or commit."""

    repository: str
    ref: str


def origin() -> Origin | None:
    """Return where pip had this pipeline from; None if that was no repository on GitHub.

    Installers write it down: https://packaging.python.org/specifications/direct-url/
    """
    from importlib import metadata

    try:
        text = metadata.distribution(DISTRIBUTION).read_text("direct_url.json")
    except metadata.PackageNotFoundError:  # run in a checkout
        return None
    return origin_of(text or "{}")


def origin_of(text: str) -> Origin | None:
    """Return the origin in a ``direct_url.json``; None for a file, a folder, another host."""
    told = json.loads(text)
    repository = repository_on_github(told.get("url", ""))
    version_control = told.get("vcs_info")
    if not repository or version_control is None:
        return None
    ref = version_control.get("requested_revision") or version_control["commit_id"]
    return Origin(repository=repository, ref=ref)


def is_installed(package: str, release: str) -> bool:
    """Return whether this release of a package is installed: another one has other names."""
    try:
        return version(package) == release
    except (PackageNotFoundError, ValueError):
        return False


def is_of_index(package: str) -> bool:
    """Return whether a package was installed from an index, where a release never changes.

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
    """Return signature and first line of each name that can be imported; a text may be empty."""
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
