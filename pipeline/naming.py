"""Spellings of names: packages, upstreams and their releases, repositories on GitHub."""

from __future__ import annotations

import re

_EXACT = re.compile(r"([A-Za-z0-9][\w.-]*)\s*==\s*([\w.]+)")
_ON_GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")


def group_of(package: str) -> str:
    """Return the normalized name of a package's dependency group: ``My_Docs`` → ``my-docs``."""
    return re.sub(r"[-_.]+", "-", package).lower()


def beside_name(name: str, release: str) -> str:
    """Return the name of a release that is shown beside the pinned one: ``jax@0.11.0``."""
    return f"{name}@{release}"


def upstream_of(name: str) -> str:
    """Return the upstream in a name: ``jax`` for ``jax`` and for ``jax@0.11.0``."""
    return name.partition("@")[0]


def release_of(name: str) -> str:
    """Return the release in a name: ``0.11.0`` for ``jax@0.11.0``, "" for ``jax``."""
    return name.partition("@")[2]


def exact_pin(requirement: str) -> tuple[str, str] | None:
    """Return the name and version of an exact pin such as ``flax == 0.12.0``; None otherwise."""
    match = _EXACT.fullmatch(requirement)
    return (match[1], match[2]) if match else None


def repository_on_github(url: str) -> str:
    """Return ``owner/name`` of ``https://github.com/owner/name.git``, or "" for another address."""
    match = _ON_GITHUB.fullmatch(url)
    return match[1] if match else ""
