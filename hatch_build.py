"""The extras of the package: dependency groups of pyproject.toml, which are stated there once.

``pip install '.[execute]'`` has no way to name a group, and an extra could not hold the one JAX pin
that ``upgrade`` moves. So hatchling asks this when it builds.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from dependency_groups import resolve
from hatchling.metadata.plugin.interface import MetadataHookInterface

if sys.version_info >= (3, 11):
    import tomllib
else:  # hatchling brings it: so that pip comes as far as to say which Python is wanted
    import tomli as tomllib


class Extras(MetadataHookInterface):
    """Makes an extra of each group in ``[tool.hatch.metadata.hooks.custom] extras``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the extras to the project's ``metadata``."""
        pyproject = Path(self.root, "pyproject.toml").read_text(encoding="utf-8")
        groups = tomllib.loads(pyproject)["dependency-groups"]
        metadata["optional-dependencies"] = {
            name: list(resolve(groups, name)) for name in self.config["extras"]
        }
