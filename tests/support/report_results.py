"""Result of a small run, for tests of reports: three pages with different outcomes."""

from __future__ import annotations

from collections.abc import Callable

from repositories import DOCS

from pipeline.core.execution.result import CellFailure, Execution, Status
from pipeline.core.pin.lock import Lock, SourceFile
from pipeline.core.results import PageResult
from pipeline.findings import Finding, Severity
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
ERROR = Finding(
    code="atom-lost",
    severity=Severity.ERROR,
    where="a.po:7",
    text="`jit` is missing",
    page="a",
    hint="Put it back.",
)
WARNING = Finding(
    code="spacing",
    severity=Severity.WARNING,
    where="a.po:9",
    text="no space before JAX",
    page="a",
)
NOTE = Finding(
    code="moved",
    severity=Severity.NOTE,
    where="b.po",
    text="page was renamed",
    page="b",
)
FAILURE = CellFailure(
    cell=3,
    source="f(1)\ng(2)",
    exception="ValueError",
    message="bad \x1b[31m value",
    traceback="line 2",
    blame="upstream",
)
FAILED = Execution(
    page="b",
    status=Status.FAILED,
    reason="code cell 3: ValueError",
    cells=2,
    total=5,
    seconds=1.25,
    failure=FAILURE,
)
PASSED = Execution(page="a", status=Status.PASSED, cells=4, total=4, seconds=2.5)
SKIPPED = Execution(
    page="c", status=Status.SKIPPED, reason="accelerator: needs a TPU", total=3
)
PAGE_A = PageResult(
    page="a",
    files=(SourceFile(path="a.ipynb", blob="12" * 20),),
    title="数组",
    messages=10,
    words=100,
    translated=10,
    translated_words=100,
    code_cells=4,
    findings=(ERROR, WARNING),
    execution=PASSED,
)
PAGE_B = PageResult(
    page="guides/[b]",
    messages=4,
    words=40,
    translated=1,
    fuzzy=2,
    translated_words=10,
    obsolete=1,
    findings=(NOTE,),
    execution=FAILED,
)
PAGE_C = PageResult(page="c", execution=SKIPPED)
RESULT = RunResult(name="docs", lock=LOCK, pages={"zh_CN": (PAGE_A, PAGE_B, PAGE_C)})


def shown_by(report_of: Callable[..., Report]) -> Callable[..., str]:
    """Return a function that renders the report of a result as on a terminal."""

    def text(result: RunResult, screen: Screen, *, verbose: bool = False) -> str:
        return to_text(report_of(result, verbose=verbose), screen)

    return text


run_text = shown_by(run_report)
status_text = shown_by(status_report)
upgrade_text = shown_by(upgrade_report)
