"""The pipeline as an installed package: which repository it came from."""

from __future__ import annotations

import json
from dataclasses import dataclass

from pipeline.naming import repository_on_github

DISTRIBUTION = "jax-docs-zh"


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
    repository = repository_on_github(told.get("url", ""))
    version_control = told.get("vcs_info")
    if not repository or version_control is None:
        return None
    ref = version_control.get("requested_revision") or version_control["commit_id"]
    return Origin(repository=repository, ref=ref)
