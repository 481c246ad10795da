"""Records of the results of commands, from which all reports are made.

A command fills in one of these records. The other modules render it as text, JSON or HTML. The exit
code is a property of the record, so reports and the shell always show the same one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from msgspec import Struct, field

from pipeline.core.catalog.commit_diff import Comparison
from pipeline.core.execution.result import Execution, Status
from pipeline.core.pin.lock import Lock, is_reference
from pipeline.core.results import PageResult
from pipeline.errors import ExecutionError, FindingsError, worst
from pipeline.findings import Finding, Severity
from pipeline.report.counts import totals
from pipeline.run import Run

Pages = Mapping[str, tuple[PageResult, ...]]  # by locale, in page order


class RunResult(Struct, frozen=True, kw_only=True):
    """The result of one command for one upstream.

    *Guides* are the pages that people wrote; the pages of the API reference are made of docstrings.
    """

    name: str
    lock: Lock
    pages: Pages = field(default_factory=dict)  # rows of the guides
    # Rows of the API reference. They are separate from the guides, because they would dominate all
    # counts.
    reference: Pages = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()  # findings without a page
    # Files that were written. With ``check_only`` or ``dry_run``: files that would be written.
    changes: tuple[str, ...] = ()
    check_only: bool = False  # --check: nothing was written; changes are an error
    dry_run: bool = False  # --dry-run: nothing was written
    comparison: Comparison | None = None  # of the English of two commits
    is_beside: bool = False  # ``upgrade --beside``: the pin did not move
    # Releases that ``upgrade latest`` has skipped, each with the reason.
    passed_over: tuple[str, ...] = ()
    # Number of links from the first page to each page. ``status`` sorts pages by it.
    distances: Mapping[str, int] = field(default_factory=dict)
    # Patterns of ``--pages``; empty if the run covers all pages.
    only: tuple[str, ...] = ()
    # Whether ``status`` lists every page, not only the next ones to translate.
    lists_all: bool = False
    # Rows of the pages that upstream dropped. Their translations are obsolete.
    gone: Pages = field(default_factory=dict)
    # Number of pages that ``memory verify`` could not check. They are an error if ``strict``.
    unchecked: int = 0
    strict: bool = False

    @classmethod
    def of(
        cls,
        run: Run,
        lock: Lock,
        *,
        changes: Iterable[str] = (),
        findings: Iterable[Finding] = (),
    ) -> RunResult:
        """Return a result without pages, with the name and the mode of ``run``.

        ``changes`` are the paths of the files that were written, or would be.
        """
        return cls(
            name=run.name,
            lock=lock,
            changes=tuple(changes),
            findings=tuple(findings),
            check_only=run.dry,
        )

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """Return the findings of all pages and locales, each of them once."""
        findings = dict.fromkeys(self.findings)  # an ordered set
        found = (self.gone, self.pages, self.reference)
        for pages in chain.from_iterable(rows.values() for rows in found):
            for page in pages:
                findings |= dict.fromkeys(page.findings)
        return tuple(findings)

    @property
    def executions(self) -> tuple[Execution, ...]:
        """Return the execution of each page, once: all locales share it."""
        rows = chain.from_iterable(self.pages.values())
        runs = [row.execution for row in rows if row.execution]
        return tuple({run.page: run for run in runs}.values())

    @property
    def totals(self) -> dict[str, dict[str, int]]:
        """Return the sums over the pages of each locale."""
        return {locale: totals(pages) for locale, pages in self.pages.items()}

    @property
    def failed(self) -> tuple[Execution, ...]:
        """Return the executions that failed. Findings do not record them."""
        return tuple(run for run in self.executions if run.status is Status.FAILED)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """Return the errors among all findings."""
        return tuple(finding for finding in self.all_findings if finding.is_error)

    @property
    def exit_code(self) -> int:
        """Return the worst exit code of the errors and failures, or 0.

        ``errors.worst`` defines the order of the codes. With ``check_only``, files that would be
        written count as an error. With ``strict``, pages that could not be checked also count as
        an error.
        """
        codes = [error.exit_code for error in self.errors]
        if self.failed:
            codes.append(ExecutionError.exit_code)
        if self.check_only and self.changes:
            codes.append(FindingsError.exit_code)
        if self.strict and self.unchecked:
            codes.append(FindingsError.exit_code)
        return worst(codes)


def apart(rows: Pages, *, is_named: bool) -> tuple[Pages, Pages]:
    """Split rows into those of the guides and those of the API reference.

    If the user has named the pages (``is_named``), all of them count as guides.
    """
    if is_named:
        return rows, {}
    pages: dict[str, tuple[PageResult, ...]] = {}
    reference: dict[str, tuple[PageResult, ...]] = {}
    for locale, found in rows.items():
        pages[locale] = tuple(row for row in found if not is_reference(row.page))
        reference[locale] = tuple(row for row in found if is_reference(row.page))
    return pages, reference


class CheckResult(Struct, frozen=True, kw_only=True):
    """The result of ``check``. Findings are in the order of files and entries."""

    findings: tuple[Finding, ...] = ()
    files: int = 0
    entries: int = 0  # finished translations examined
    silenced: int = 0  # findings suppressed by a comment or the configuration
    written: tuple[str, ...] = ()  # files changed by ``--fix``
    diffs: str = ""  # the changes by ``--fix``
    strict: bool = False  # warnings count as errors

    @property
    def exit_code(self) -> int:
        """Return the worst exit code of the errors and, if ``strict``, of the warnings."""
        failing = {Severity.ERROR}
        if self.strict:
            failing.add(Severity.WARNING)
        return worst(finding.exit_code for finding in self.findings if finding.severity in failing)
