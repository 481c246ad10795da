"""Reports of ``draft``: the plan, stale drafts, and the outcome.

The command fills in a ``DraftResult``. This module renders the result as a report for people, or as
JSON for programs. Reports never contain the API key.
"""

from __future__ import annotations

from msgspec import Struct, to_builtins

from pipeline.core.drafting.batch import Outcome, PageOutcome, Plan
from pipeline.core.pin.lock import Lock
from pipeline.errors import FindingsError, PipelineError, worst
from pipeline.findings import Finding
from pipeline.report.counts import counted, number_cells
from pipeline.report.json import VERSION, finding_record, json_bytes
from pipeline.report.page import render
from pipeline.report.value import Block, Findings, Lines, Report, Table

_COLUMNS = ("page", "asked", "drafted", "refused", "unanswered")


class DraftResult(Struct, frozen=True, kw_only=True):
    """The plan and the outcome of a run. ``outcome`` is None if no request was sent."""

    name: str
    lock: Lock
    model: str
    plans: tuple[Plan, ...]
    outcome: Outcome | None = None
    only_stale: bool = False
    check_only: bool = False
    findings: tuple[Finding, ...] = ()
    error: PipelineError | None = None
    changes: tuple[str, ...] = ()
    is_shown: bool = False  # the plan was already shown before the confirmation
    hint: str = ""  # why no request was sent, and what to do

    @property
    def entries(self) -> int:
        """Return how many entries of all locales can get a draft."""
        return sum(plan.entries for plan in self.plans)

    @property
    def exit_code(self) -> int:
        """Return the worst exit code of the findings and the error.

        The code is at least 1 if the budget ran out, if no answer was accepted, or if ``--check``
        found entries without a draft.
        """
        codes = [finding.exit_code for finding in self.findings if finding.is_error]
        if self.error:
            codes.append(self.error.exit_code)
        if self._needs_a_person:
            codes.append(FindingsError.exit_code)
        return worst(codes)

    @property
    def _needs_a_person(self) -> bool:
        if self.outcome:
            # ``stopped`` is not empty if the budget ran out.
            return self.outcome.stopped != "" or self.outcome.has_no_accepted_answer
        # Terms of the glossary get a draft without a request, so count them as well.
        is_due = any(plan.batches or plan.terms for plan in self.plans)
        return self.check_only and is_due


def plan_lines(result: DraftResult) -> list[str]:
    """Return the plan of requests and its cost, as a paragraph for each locale."""
    return _lines(result, "plan")


def _lines(result: DraftResult, part: str) -> list[str]:
    """Return the lines of one part of the report: ``plan``, ``stale`` or ``outcome``."""
    text = render("draft.txt.j2", {"result": result, "part": part}).decode("utf-8")
    return text.split("\n")[:-1]


def draft_report(result: DraftResult) -> Report:
    """Return the outcome of a run: a table of pages, rejections by reason, tokens.

    If no request was sent, return the plan, unless the user has already seen it.
    """
    blocks: list[Block] = []
    if result.only_stale:
        blocks = [Lines(_lines(result, "stale"))]
    elif result.outcome:
        lines = Lines(_lines(result, "outcome"))
        blocks = [_table(result.outcome, result), lines]
    elif not result.is_shown:
        blocks = [Lines(plan_lines(result))]
    return (*blocks, Findings(findings=result.findings))


def _table(outcome: Outcome, result: DraftResult) -> Table:
    """Return the table of pages, with the sums below; zeros are left blank."""
    numbers = list(map(_numbers, outcome.pages))
    sums = map(sum, zip((0,) * len(_COLUMNS[1:]), *numbers, strict=True))
    rows = []
    for page, counts in zip(outcome.pages, numbers, strict=True):
        rows.append((page.page, *number_cells(counts)))
    return Table(
        title=f"{result.name} · drafts by {result.model}",
        headings=_COLUMNS,
        rows=rows,
        footer=(counted(len(outcome.pages), "page"), *number_cells(sums)),
        words=frozenset(("page",)),
    )


def _numbers(page: PageOutcome) -> tuple[int, int, int, int]:
    """Return the numbers in the columns of a page."""
    # Skipped entries are those that somebody has edited meanwhile. They got no draft, either.
    undrafted = page.unanswered + page.skipped
    return page.asked, page.drafted, sum(page.refused.values()), undrafted


def _page_record(page: PageOutcome) -> dict[str, object]:
    """Return the outcome of a page for JSON. Skipped entries have the key "passed_over" there."""
    record: dict[str, object] = to_builtins(page)
    record["passed_over"] = record.pop("skipped")
    return record


def draft_json(result: DraftResult) -> bytes:
    """Return the result as JSON. ``outcome`` is null if no request was sent."""
    outcome = None
    if result.outcome:
        outcome = to_builtins(result.outcome)
        outcome["drafted"] = result.outcome.total("drafted")
        outcome["refused"] = result.outcome.refused
        outcome["pages"] = list(map(_page_record, result.outcome.pages))
    record = {
        "version": VERSION,
        "upstream": {"name": result.name, "commit": result.lock.commit},
        "model": result.model,
        "exit_code": result.exit_code,
        "plans": list(map(to_builtins, result.plans)),
        "outcome": outcome,
        "findings": list(map(finding_record, result.findings)),
        "error": str(result.error or ""),
        "written": list(result.changes),
    }
    return json_bytes(record)
