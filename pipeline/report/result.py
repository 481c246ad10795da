"""All that one command found out: what every report is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pipeline.core.execution.result import Execution, Status
from pipeline.core.pin.lock import Lock
from pipeline.core.results import Comparison, PageResult
from pipeline.errors import ExecutionError, FindingsError, worst
from pipeline.findings import Finding, Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """All that one command found out about one upstream. ``pages`` is by locale, in page order."""

    name: str
    lock: Lock
    pages: Mapping[str, tuple[PageResult, ...]] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()  # those that belong to no page
    changes: tuple[str, ...] = ()  # files written, or with ``check_only`` the files that would be
    check_only: bool = False
    dry_run: bool = False  # nothing was written, and ``changes`` are what would have been
    comparison: Comparison | None = None
    gone: Mapping[str, tuple[PageResult, ...]] = field(
        default_factory=dict
    )  # what is left of pages that upstream dropped, by locale

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """Every finding of the run, once: those that two locales share are told once."""
        found = (
            finding
            for pages in (*self.gone.values(), *self.pages.values())
            for page in pages
            for finding in page.findings
        )
        return tuple(dict.fromkeys((*self.findings, *found)))

    @property
    def executions(self) -> tuple[Execution, ...]:
        """How each page ran, once: code is the same in every locale."""
        ran = (page.execution for pages in self.pages.values() for page in pages if page.execution)
        return tuple({execution.page: execution for execution in ran}.values())

    @property
    def exit_code(self) -> int:
        """The worst of what was found (``errors.worst``); 1 if ``check_only`` and files differ."""
        codes = [
            finding.exit_code for finding in self.all_findings if finding.severity is Severity.ERROR
        ]
        if any(execution.status is Status.FAILED for execution in self.executions):
            codes.append(ExecutionError.exit_code)
        if self.check_only and self.changes:
            codes.append(FindingsError.exit_code)
        return worst(codes)
