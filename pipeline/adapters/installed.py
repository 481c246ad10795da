"""The pipeline as an installed package: which repository it came from."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

DISTRIBUTION = "jax-docs-zh"
_ON_GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A state of a repository on GitHub: ``owner/name``, and a tag, branch or commit."""

    repository: str
    ref: str


def origin() -> Origin | None:
    """Where pip had this pipeline from; None if that was no repository on GitHub.

    Installers write it down: https://packaging.python.org/specifications/direct-url/
    """
    from importlib import metadata

    try:
        text = metadata.distribution(DISTRIBUTION).read_text("direct_url.json")
    except metadata.PackageNotFoundError:  # run in a checkout
        return None
    return origin_of(text or "{}")


def origin_of(text: str) -> Origin | None:
    """The origin that a ``direct_url.json`` tells; None for a file, a folder, another host."""
    told = json.loads(text)
    address = _ON_GITHUB.fullmatch(told.get("url", ""))
    version_control = told.get("vcs_info")
    if address is None or version_control is None:
        return None
    ref = version_control.get("requested_revision") or version_control["commit_id"]
    return Origin(repository=address[1], ref=ref)
