"""Small package with docstrings, and the Chinese of its messages."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
PACKAGE: str = _TABLE["package"]
CHINESE: Mapping[str, str] = _TABLE["chinese"]
