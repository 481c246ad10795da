"""How names are spelt where one thing has several spellings."""

from __future__ import annotations

import re

_EXACT = re.compile(r"([A-Za-z0-9][\w.-]*)\s*==\s*([\w.]+)")
_ON_GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")


def group_of(package: str) -> str:
    """The name of a package's dependency group, spelt as indexes do: ``My_Docs`` → ``my-docs``."""
    return re.sub(r"[-_.]+", "-", package).lower()


def exact_pin(requirement: str) -> tuple[str, str] | None:
    """Name and version that a requirement pins: ``flax == 0.12.0``; None if it is none of those."""
    match = _EXACT.fullmatch(requirement)
    return (match[1], match[2]) if match else None


def repository_on_github(url: str) -> str:
    """``owner/name`` of ``https://github.com/owner/name.git``; empty for any other address."""
    match = _ON_GITHUB.fullmatch(url)
    return match[1] if match else ""
