"""The tables of bad and good translations that every check is tested with."""

from __future__ import annotations

import tomllib
from typing import Any

from places import TESTS

FOLDER = TESTS / "core" / "checks" / "cases"

# By module of checks, then by code. A file is called like the module that has its checks.
TABLES: dict[str, dict[str, dict[str, Any]]] = {
    path.stem: tomllib.loads(path.read_text(encoding="utf-8"))
    for path in sorted(FOLDER.glob("*.toml"))
}
