"""Reader of tables of words and texts: TOML files beside the modules that use them."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any


def read_table(module: str, name: str) -> dict[str, Any]:
    """Return the content of ``NAME.toml`` in the folder of ``module`` (a ``__name__``)."""
    package = module.rpartition(".")[0]
    path = resources.files(package) / f"{name}.toml"
    return tomllib.loads(path.read_text("utf-8"))
