"""Entries of the execution cache, for tests of the cache."""

from __future__ import annotations

from notebooks import code, notebook_value

from pipeline.core.execution.result import CacheEntry, CellFailure

OUTPUTS = notebook_value({**code("print('\ud800 é')"), "execution_count": 1})
FAILURE = CellFailure(
    cell=0,
    source="",
    exception="ValueError",
    message="no",
    traceback="line 1\nline 2",
    blame="upstream",
)
ENTRY = CacheEntry(
    outputs=OUTPUTS,
    seconds=1.5,
    cell_seconds=(0.5, 1.0),
    failure=FAILURE,
    exceptions=((1, "E"),),
    facts={"release": "JAX 1"},
)
