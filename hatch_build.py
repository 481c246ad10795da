"""Build hook of hatchling: make the package's extras from dependency groups of pyproject.toml.

So each list of packages, and the JAX pin that ``upgrade`` moves, is written only once, in a
dependency group. ``pip install '.[execute]'`` cannot name a group, so the package needs extras.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from dependency_groups import resolve
from hatchling.metadata.plugin.interface import MetadataHookInterface

if sys.version_info >= (3, 11):
    import tomllib
else:  # tomli comes with hatchling. pip can then report that Python is too old.
    import tomli as tomllib


class Extras(MetadataHookInterface):
    """Hook that makes an extra of each group in ``[tool.hatch.metadata.hooks.custom] extras``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the extras to the project's ``metadata``, a dictionary that hatchling reads."""
        pyproject = Path(self.root, "pyproject.toml").read_text(encoding="utf-8")
        groups = tomllib.loads(pyproject)["dependency-groups"]
        metadata["optional-dependencies"] = {
            name: list(resolve(groups, name)) for name in self.config["extras"]
        }
