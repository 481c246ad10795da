"""Counts for all reports: pages, messages, words, runs.

All reports use these functions, so that their numbers never contradict each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pipeline.core.execution.result import Execution, Status
from pipeline.core.results import PageResult, progress_of, whole_percent

_ORDER = list(Status)  # the order in which outcomes are listed


def totals(pages: Iterable[PageResult]) -> dict[str, int]:
    """Return sums over ``pages``: messages and words by state, findings, executions by outcome.

    ``report.json`` has these keys in this order.
    """
    rows = tuple(pages)
    progress = progress_of(rows)
    obsolete = code_cells = findings = 0
    statuses: Counter[Status] = Counter()
    for row in rows:
        obsolete += row.obsolete
        code_cells += row.code_cells
        findings += len(row.findings)
        if row.execution:
            statuses[row.execution.status] += 1
    return {
        "pages": len(rows),
        "messages": progress.messages,
        "translated": progress.translated,
        "fuzzy": progress.fuzzy,
        "untranslated": progress.untranslated,
        "obsolete": obsolete,
        "words": progress.words,
        "translated_words": progress.translated_words,
        "fuzzy_words": progress.fuzzy_words,
        "drafts": progress.drafts,
        "draft_words": progress.draft_words,
        "code_cells": code_cells,
        "findings": findings,
        # Every outcome has a key, even if no page has that outcome.
        **{status.value: statuses[status] for status in Status},
    }


def executed_by_class(executions: Sequence[Execution]) -> dict[str, dict[str, int]]:
    """Return pages, executed code cells and all code cells by class of outcome (``class_of``)."""
    classes: dict[str, dict[str, int]] = {}
    # Sort by outcome in the order of ``Status``, then by reason.
    in_order = sorted(executions, key=lambda run: (_ORDER.index(run.status), class_of(run)))
    for execution in in_order:
        sums = classes.setdefault(class_of(execution), {"pages": 0, "cells": 0, "total": 0})
        sums["pages"] += 1
        sums["cells"] += execution.cells
        sums["total"] += execution.total
    return classes


def class_of(execution: Execution) -> str:
    """Return the outcome, with the category of the reason for a partial or skipped run.

    ``passed``, ``skipped: accelerator``. The category is the part of the reason before the colon.
    """
    status = execution.status
    # Do not add the reason of a failure: it is the exception, so each failure would be a class of
    # its own.
    if status in (Status.PARTIAL, Status.SKIPPED):
        kind = execution.reason.partition(":")[0]
        if kind:
            return f"{status}: {kind}"
    return str(status)


def outcomes_text(total: Mapping[str, int]) -> str:
    """Return the outcomes in the result of ``totals`` as text: ``31 passed, 2 failed``.

    Outcomes without pages are omitted. Without any run, the text is empty.
    """
    return ", ".join(f"{total[status]} {status}" for status in Status if total[status])


def percent_text(part: int, whole: int) -> str:
    """Return a percentage: ``64 %``. It is rounded down, so ``100 %`` means that all is done.

    If ``whole`` is 0, return ``–``.
    """
    percent = whole_percent(part, whole)
    if percent is None:
        return "–"
    return f"{percent} %"


def written_text(count: int, *, dry: bool = False) -> str:
    """Return how many files were written, or would be in a dry run: ``1 file written``."""
    verb = "would be written" if dry else "written"
    return f"{counted(count, 'file')} {verb}"


def name_some(paths: Sequence[str], most: int = 5) -> str:
    """Return the first of ``paths``, and the number of the rest: ``a, b and 3 more``."""
    named = ", ".join(paths[:most])
    more = len(paths) - most
    return f"{named} and {more} more" if more > 0 else named


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 page``, ``2 pages``, ``3 entries``."""
    if number == 1:
        return f"1 {noun}"
    # English has the plural after 0, too: "0 pages".
    return f"{number} {plural or noun + 's'}"


def number_cells(numbers: Iterable[int]) -> tuple[str, ...]:
    """Return numbers as cells; zeros are left blank, so that other numbers stand out."""
    return tuple(str(number or "") for number in numbers)
