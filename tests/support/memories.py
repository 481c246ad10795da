"""Records of a page's memory, for tests of the core."""

from __future__ import annotations

from pipeline.core.memory.record import Memory
from pipeline.entries import Entry

COMMIT = "c" * 40


def memory_of(*entries: Entry, **fields: object) -> Memory:
    """Return the memory of one page, with these entries."""
    known: dict[str, object] = {
        "upstream": "x",
        "locale": "zh_CN",
        "page": "page",
        "commit": COMMIT,
        "ref": "v1",
        "layout": "0" * 32,
    }
    return Memory(entries=entries, **(known | fields))  # type: ignore[arg-type]
