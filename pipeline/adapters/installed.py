"""Facts about installed packages: the origin of this one, and the objects of documented ones.

A documented package is imported in a separate process with a time limit, so that its import has no
effect here. Names that fail are left out; if the process fails, all are.
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
SECONDS = 120.0  # seconds; importing JAX takes 3
CHILD = Path(__file__).with_name("signatures_child.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A state of a repository on GitHub: ``owner/name``, and a tag, branch or commit."""

    repository: str
    ref: str


def origin() -> Origin | None:
    """Return where pip installed this package from; None unless from a GitHub repository.

    Installers record it: https://packaging.python.org/specifications/direct-url/
    """
    from importlib import metadata

    try:
        text = metadata.distribution(DISTRIBUTION).read_text("direct_url.json")
    except metadata.PackageNotFoundError:  # running from a checkout
        return None
    return origin_of(text or "{}")


def origin_of(text: str) -> Origin | None:
    """Return the origin in a ``direct_url.json``; None for files, folders and other hosts."""
    told = json.loads(text)
    repository = repository_on_github(told.get("url", ""))
    version_control = told.get("vcs_info")
    if not repository or version_control is None:
        return None
    ref = version_control.get("requested_revision") or version_control["commit_id"]
    return Origin(repository=repository, ref=ref)


def is_installed(package: str, release: str) -> bool:
    """Return whether this release of a package is installed; others have other names."""
    try:
        return version(package) == release
    except (PackageNotFoundError, ValueError):
        return False


def has_distribution(name: str) -> bool:
    """Return whether any release of a distribution is installed."""
    try:
        return bool(version(name))
    except (PackageNotFoundError, ValueError):
        return False


def is_of_index(package: str) -> bool:
    """Return whether a package was installed from an index, where a release never changes.

    A package installed from a folder may be edited without a change of version. pip and uv record
    the folder: https://packaging.python.org/en/latest/specifications/direct-url/
    """
    try:
        return distribution(package).read_text("direct_url.json") is None
    except (PackageNotFoundError, ValueError):
        return False


def describe(
    names: Sequence[str], *, seconds: float = SECONDS
) -> Mapping[str, tuple[str, str]]:
    """Return signature and first docstring line of each name that can be imported.

    Both may be empty. ``seconds`` is the time limit for all names.
    """
    # Only the API is inspected, so no accelerator is needed.
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
