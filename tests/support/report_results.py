"""Result of a small run, for tests of reports: three pages with different outcomes."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace
from repositories import DOCS

from pipeline.core.execution.result import CellFailure, Execution
from pipeline.core.pin.lock import Lock
from pipeline.core.results import PageResult
from pipeline.report.result import RunResult
from pipeline.report.run import run_report
from pipeline.report.status import status_report
from pipeline.report.terminal import to_text
from pipeline.report.upgrade import upgrade_report
from pipeline.report.value import Report, Screen

LOCK = Lock(
    url="https://example.org/docs",
    ref="v2",
    commit="ab" * 20,
    date="2026-11-21T10:00:00+00:00",
    version="1.2.3",
    package="JAX",
    docs=DOCS,
    files=(),
)
_TABLE = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
_ROWS = tomllib.loads(_TABLE)["page"]
PAGE_A, PAGE_B, PAGE_C = (msgspec.convert(row, PageResult) for row in _ROWS)
ERROR, WARNING = PAGE_A.findings
(NOTE,) = PAGE_B.findings
PASSED, FAILED, SKIPPED = (msgspec.convert(row["execution"], Execution) for row in _ROWS)
FAILURE = msgspec.convert(_ROWS[1]["execution"]["failure"], CellFailure)
RESULT = RunResult(name="docs", lock=LOCK, pages={"zh_CN": (PAGE_A, PAGE_B, PAGE_C)})


def result_of(*pages: PageResult, **fields: Any) -> RunResult:
    """Return the result of a run of these pages, with other ``fields``."""
    return replace(RESULT, pages={"zh_CN": pages}, **fields)


def shown_by(report_of: Callable[..., Report]) -> Callable[..., str]:
    """Return a function that renders the report of a result as on a terminal."""

    def text(result: RunResult, screen: Screen, *, verbose: bool = False) -> str:
        return to_text(report_of(result, verbose=verbose), screen)

    return text


run_text = shown_by(run_report)
status_text = shown_by(status_report)
upgrade_text = shown_by(upgrade_report)
