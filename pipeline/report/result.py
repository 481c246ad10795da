"""All that one command found out: what every report is made of.

A command fills in one of these records, and the modules beside this one turn it into text, JSON or
a page. The exit code of the command is a property of the record, so that no report can show
another one than the shell sees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain

from pipeline.core.catalog.diff import Comparison
from pipeline.core.execution.result import Execution, Status
from pipeline.core.pin.lock import Lock
from pipeline.core.results import PageResult
from pipeline.errors import ExecutionError, FindingsError, worst
from pipeline.findings import Finding, Severity

Pages = Mapping[str, tuple[PageResult, ...]]  # by locale, in page order


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """All that one command found out about one upstream."""

    name: str
    lock: Lock
    pages: Pages = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()  # those that belong to no page
    # Files written, or with ``check_only`` the files that would be.
    changes: tuple[str, ...] = ()
    check_only: bool = False
    dry_run: bool = False  # nothing was written: ``changes`` are what would have been
    comparison: Comparison | None = None
    # Releases that ``upgrade latest`` cannot move to, each with the reason.
    passed_over: tuple[str, ...] = ()
    # Of pages from the first one, in clicks: what ``status`` puts pages into order by.
    distances: Mapping[str, int] = field(default_factory=dict)
    # Patterns of the pages that the run was about; empty: all.
    only: tuple[str, ...] = ()
    # ``status`` lists every page, not only those that come next.
    lists_all: bool = False
    # What is left of pages that upstream dropped.
    gone: Pages = field(default_factory=dict)

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """Every finding of the run, once: two locales may share some."""
        findings = dict.fromkeys(self.findings)  # a set that keeps the order
        for pages in (*self.gone.values(), *self.pages.values()):
            for page in pages:
                findings |= dict.fromkeys(page.findings)
        return tuple(findings)

    @property
    def executions(self) -> tuple[Execution, ...]:
        """How each page ran, once: code is the same in every locale."""
        rows = chain.from_iterable(self.pages.values())
        runs = [row.execution for row in rows if row.execution]
        return tuple({run.page: run for run in runs}.values())

    @property
    def exit_code(self) -> int:
        """The worst of what was found (``errors.worst``), 0 if it was nothing.

        Code that fails counts, and so do files that would be written, if ``check_only``.
        """
        codes = [finding.exit_code for finding in self.all_findings if finding.is_error]
        # A page whose code fails has no finding: its execution says all of it.
        outcomes = {execution.status for execution in self.executions}
        if Status.FAILED in outcomes:
            codes.append(ExecutionError.exit_code)
        if self.check_only and self.changes:
            codes.append(FindingsError.exit_code)
        return worst(codes)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What ``check`` found, in the order of files and entries."""

    findings: tuple[Finding, ...] = ()
    files: int = 0
    entries: int = 0  # finished translations that were looked at
    silenced: int = 0  # findings that a comment or the configuration has taken out
    written: tuple[str, ...] = ()  # files that ``--fix`` mended
    diffs: str = ""  # what it changed
    strict: bool = False  # warnings count as errors

    @property
    def exit_code(self) -> int:
        """The worst of the errors; 1 for warnings if ``strict``."""
        failing = {Severity.ERROR}
        if self.strict:
            failing.add(Severity.WARNING)
        return worst(
            finding.exit_code
            for finding in self.findings
            if finding.severity in failing
        )
