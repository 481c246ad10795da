"""Readable cases in files: texts, and what is expected of them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any


def read_cases(path: Path, *, parts: int = 2) -> dict[str, tuple[str, ...]]:
    """Return the parts of every case by its title.

    A case is its title, its parts between lines with a dot, and a blank line. ``→`` is a tab, and
    ``␠`` a trailing space.
    """
    text = path.read_text(encoding="utf-8").replace("→", "\t").replace("␠", " ")
    lines = text.split("\n")
    cases: dict[str, tuple[str, ...]] = {}
    at = 0
    while at < len(lines) and lines[at]:
        title = lines[at]
        assert title not in cases, f"{path}:{at + 1}"
        at += 1
        found: list[str] = []
        for _ in range(parts):
            assert lines[at] == ".", f"{path}:{at + 1}"
            end = lines.index(".", at + 1)
            found.append("".join(f"{line}\n" for line in lines[at + 1 : end]))
            at = end
        cases[title] = tuple(found)
        at += 2
    return cases


def read_tables(test_file: str) -> dict[str, Any]:
    """Return the tables in the TOML file beside a test file, by the names of their tests."""
    path = Path(test_file).with_suffix(".toml")
    tables: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return tables
