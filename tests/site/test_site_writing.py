"""Files that our extension writes inside Sphinx: completely or not at all."""

from __future__ import annotations

import re

from places import ROOT

_WRITES = re.compile(r"\.write_(?:text|bytes)\(|(?<![\w.])open\(")


def test_only_the_adapter_writes_files() -> None:
    """It writes another file and renames it (``tests/adapters/test_files.py``)."""
    sources = sorted((ROOT / "pipeline" / "site").rglob("*.py"))
    assert len(sources) > 40
    assert [path for path in sources if _WRITES.search(path.read_text("utf-8"))] == []
