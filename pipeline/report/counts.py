"""What reports count: pages, messages, words, runs. Results go in; sums, and their words, come out.

Every report takes its numbers from here, so that no two of them differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pipeline.core.execution.result import Execution, Status
from pipeline.core.results import PageResult, progress_of, whole_percent

_ORDER = list(Status)  # in which outcomes are listed


def totals(pages: Iterable[PageResult]) -> dict[str, int]:
    """Sums over ``pages``: messages and words by state, findings, executions by outcome.

    The keys, and their order, are those of ``report.json``.
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
        # Each outcome has its key, also one that no page has.
        **{status.value: statuses[status] for status in Status},
    }


def executed_by_class(executions: Sequence[Execution]) -> dict[str, dict[str, int]]:
    """Pages, code cells that ran, and all code cells, for each class of outcome (``class_of``)."""
    classes: dict[str, dict[str, int]] = {}
    # Outcomes are listed as ``Status`` has them; reasons of one outcome by their names.
    in_order = sorted(
        executions, key=lambda run: (_ORDER.index(run.status), class_of(run))
    )
    for execution in in_order:
        sums = classes.setdefault(
            class_of(execution), {"pages": 0, "cells": 0, "total": 0}
        )
        sums["pages"] += 1
        sums["cells"] += execution.cells
        sums["total"] += execution.total
    return classes


def class_of(execution: Execution) -> str:
    """The outcome, and the kind of reason if the page did not run whole on purpose.

    ``passed``, ``skipped: accelerator``; the kind is what stands before the colon of the reason.
    """
    status = execution.status
    # The reason of a failure is its exception: there would be as many classes as failures.
    if status in (Status.PARTIAL, Status.SKIPPED):
        kind = execution.reason.partition(":")[0]
        if kind:
            return f"{status}: {kind}"
    return str(status)


def outcomes_text(total: Mapping[str, int]) -> str:
    """The outcomes among ``totals``: ``31 passed, 2 failed``.

    One that no page has is left out; without any run it is empty.
    """
    return ", ".join(f"{total[status]} {status}" for status in Status if total[status])


def percent_text(part: int, whole: int) -> str:
    """``part`` of ``whole`` as ``64 %``; never ``100 %`` while something is missing.

    Of nothing it is ``–``: neither all nor none of it is done.
    """
    percent = whole_percent(part, whole)
    if percent is None:
        return "–"
    return f"{percent} %"


def written_text(count: int, *, dry: bool = False) -> str:
    """How many files were written, or in a dry run would be: ``1 file written``."""
    verb = "would be written" if dry else "written"
    return f"{counted(count, 'file')} {verb}"


def name_some(paths: Sequence[str], most: int = 5) -> str:
    """The first of ``paths``, and how many more there are: ``a, b and 3 more``."""
    named = ", ".join(paths[:most])
    more = len(paths) - most
    return f"{named} and {more} more" if more > 0 else named


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: ``1 page``, ``2 pages``, ``3 entries``."""
    if number == 1:
        return f"1 {noun}"
    # "0 pages", as English has it.
    return f"{number} {plural or noun + 's'}"
