"""The tables of bad and good translations that every check is tested with."""

from __future__ import annotations

import tomllib
from typing import Any

from places import ROOT, TESTS

FOLDER = TESTS / "core" / "checks" / "cases"

# What the checks are called in Chinese, and their explanations, by code; also "texts".
CHINESE: dict[str, dict[str, str]] = tomllib.loads(
    (ROOT / "pipeline/core/checks/chinese.toml").read_text(encoding="utf-8")
)


def _with_words(table: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The cases of each code, with its title and its explanation."""
    return {code: CHINESE[code] | record for code, record in table.items()}


# By module of checks, then by code. A file is called like the module that has its checks.
TABLES: dict[str, dict[str, dict[str, Any]]] = {
    path.stem: _with_words(tomllib.loads(path.read_text(encoding="utf-8")))
    for path in sorted(FOLDER.glob("*.toml"))
}
