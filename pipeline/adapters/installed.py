"""Facts about installed distributions: the origin of this one, and releases of others."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distributions, version

from pipeline.naming import repository_on_github

DISTRIBUTION = "jax-docs-zh"


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
    record = json.loads(text)
    repository = repository_on_github(record.get("url", ""))
    version_control = record.get("vcs_info")
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


def releases_of(package: str) -> frozenset[str]:
    """Return the installed releases of a package.

    A damaged environment has several; a process imports the modules of whichever is found first.
    """
    # An empty name would mean every distribution.
    found = distributions(name=package) if package else ()
    return frozenset(one.version for one in found)


def has_distribution(name: str) -> bool:
    """Return whether any release of a distribution is installed."""
    try:
        return bool(version(name))
    except (PackageNotFoundError, ValueError):
        return False
