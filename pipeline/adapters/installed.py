"""Facts about installed packages: where the pipeline came from, and releases of other packages."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, distributions, version

from msgspec import Struct

from pipeline.naming import repository_on_github

DISTRIBUTION = "jax-docs-zh"


class Origin(Struct, frozen=True, kw_only=True):
    """A version of a repository on GitHub."""

    repository: str  # "owner/name"
    ref: str  # tag, branch or commit


def origin() -> Origin | None:
    """Return the GitHub repository that the pipeline was installed from, or None.

    Installers record the address: https://packaging.python.org/specifications/direct-url/
    """
    from importlib import metadata

    try:
        text = metadata.distribution(DISTRIBUTION).read_text("direct_url.json")
    except metadata.PackageNotFoundError:  # running from a checkout
        return None
    return origin_of(text or "{}")


def origin_of(text: str) -> Origin | None:
    """Return the origin in the text of a ``direct_url.json``; None unless it is on GitHub."""
    record = json.loads(text)
    repository = repository_on_github(record.get("url", ""))
    version_control = record.get("vcs_info")
    if not repository or version_control is None:
        return None
    ref = version_control.get("requested_revision") or version_control["commit_id"]
    return Origin(repository=repository, ref=ref)


def is_installed(package: str, release: str) -> bool:
    """Return whether ``package`` is installed in exactly this release: ``"0.10.2"``."""
    try:
        return version(package) == release
    except (PackageNotFoundError, ValueError):
        return False


def releases_of(package: str) -> frozenset[str]:
    """Return the installed releases of a package; empty if the package is not installed.

    A damaged environment may have several releases. A process may then import modules from any of
    them.
    """
    # With an empty name, ``distributions`` would return all packages.
    found = distributions(name=package) if package else ()
    return frozenset(one.version for one in found)
